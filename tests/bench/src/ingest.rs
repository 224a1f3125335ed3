//! Chat rows: the number of writers of one process, each with one statement and commit a batch, compared with one
//! binary COPY of the same rows into the same table.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use chrono::{DateTime, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use live_model::{ChatMessage, Fragment};
use platform_daemons::ingest::{
    WRITERS,
    writer::{self, BATCH_SIZE},
};
use stack::{Stack, measure::Rounds};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::table::{Row, Table};

pub async fn run(stack: &Stack, table: &mut Table, rounds: u32, rows: usize) -> Result<()> {
    let database = &stack.environment["DATABASE_URL"];
    let psql = PathBuf::from(std::env::var("LUMIO_PSQL").context("LUMIO_PSQL is not set")?);
    let file = tempfile::NamedTempFile::new()?;
    let messages = Arc::new(messages(rows)?);
    let (mut inserted, mut copied) = (Rounds::default(), Rounds::default());
    for _ in 0..rounds {
        command(&psql, database, "TRUNCATE chat_messages")?;
        inserted.add(insert(database, &messages).await?);
        copy(&psql, database, file.path(), "(SELECT * FROM chat_messages) TO").map(drop)?;
        command(&psql, database, "TRUNCATE chat_messages")?;
        let took = copy(&psql, database, file.path(), "chat_messages FROM")?;
        copied.add(per_second(rows, took));
    }
    let ratio = inserted.median() / copied.median();
    table.add(Row {
        work: "Chat ingest, batches of 1,000 rows",
        figure: format!(
            "{}, {:.0} % of binary COPY ({})",
            inserted.summary("rows/s"),
            ratio * 100.0,
            copied.summary("rows/s")
        ),
        bar: "≥ 20,000 rows/s, ≥ 60 % of binary COPY",
        met: Some(inserted.median() >= 20_000.0 && ratio >= 0.6),
    });
    Ok(())
}

async fn insert(database: &str, messages: &Arc<Vec<ChatMessage>>) -> Result<f64> {
    let mut connections = Vec::new();
    for _ in 0..WRITERS {
        connections.push(AsyncPgConnection::establish(database).await?);
    }
    let (began, next, mut writers) = (Instant::now(), Arc::new(AtomicUsize::new(0)), JoinSet::new());
    for connection in connections {
        writers.spawn(write(connection, Arc::clone(messages), Arc::clone(&next)));
    }
    while let Some(written) = writers.join_next().await {
        written??;
    }
    Ok(per_second(messages.len(), began.elapsed()))
}

/// Writes batch after batch from a shared list.
async fn write(
    mut connection: AsyncPgConnection,
    messages: Arc<Vec<ChatMessage>>,
    next: Arc<AtomicUsize>,
) -> Result<()> {
    while let Some(batch) = messages.chunks(BATCH_SIZE).nth(next.fetch_add(1, Ordering::Relaxed)) {
        let rows: Vec<&ChatMessage> = batch.iter().collect();
        let new = writer::insert(&mut connection, &rows).await?.len();
        ensure!(new == batch.len(), "{new} of {} rows were new", batch.len());
    }
    Ok(())
}

fn messages(rows: usize) -> Result<Vec<ChatMessage>> {
    let account_id = Uuid::now_v7();
    let start =
        i64::try_from(std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_millis())?;
    (0..rows)
        .map(|row| {
            let text = format!("line {row} of a lively chat with some words in it");
            let sent_at: DateTime<Utc> =
                DateTime::from_timestamp_millis(start - i64::try_from(row)?).context("a time")?;
            Ok(ChatMessage {
                id: Uuid::now_v7(),
                account_id,
                platform: "twitch".into(),
                platform_message_id: Uuid::now_v7().to_string(),
                platform_user_id: (row % 5000).to_string(),
                username: format!("viewer_{}", row % 5000),
                display_name: format!("Viewer_{}", row % 5000),
                color: Some("#00FF7F".into()),
                badges: Vec::new(),
                fragments: vec![Fragment::text(&text)],
                text,
                emotes: Vec::new(),
                reply_to: None,
                is_deleted: false,
                is_action: false,
                sent_at,
                forgets_user: false,
                counted_as: None,
            })
        })
        .collect()
}

/// Copies rows; returns the duration of the statement, without the start of the program that sends it.
fn copy(psql: &Path, database: &str, file: &Path, direction: &str) -> Result<Duration> {
    let sql = format!("\\copy {direction} '{}' WITH (FORMAT binary)", file.display());
    let printed = output(Command::new(psql).args(["-q", "-v", "ON_ERROR_STOP=1", "-d", database]).args([
        "-c",
        "\\timing on",
        "-c",
        &sql,
    ]))?;
    let millis = printed.split_once("Time:").context("psql printed no time")?.1;
    let millis: f64 = millis.split_whitespace().next().context("no figure")?.parse()?;
    Ok(Duration::from_secs_f64(millis / 1e3))
}

fn command(psql: &Path, database: &str, sql: &str) -> Result<()> {
    output(Command::new(psql).args(["-q", "-v", "ON_ERROR_STOP=1", "-d", database, "-c", sql])).map(drop)
}

fn output(command: &mut Command) -> Result<String> {
    let output = command.env("LC_ALL", "C").output()?;
    ensure!(output.status.success(), "psql: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[expect(clippy::cast_precision_loss, reason = "a rate")]
fn per_second(rows: usize, took: Duration) -> f64 {
    rows as f64 / took.as_secs_f64()
}
