//! Chat rows: the statement that the writer uses, against a binary COPY of the same rows into the same table.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::{Context, Result, ensure};
use chrono::{DateTime, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use lumio_worker::ingest::writer;
use shared::ingest::{ChatMessage, Fragment};
use uuid::Uuid;

use crate::{
    measure::Rounds,
    stack::Stack,
    table::{Row, Table},
};

const BATCH: usize = 1000;

pub async fn run(stack: &Stack, table: &mut Table, rounds: u32, rows: usize) -> Result<()> {
    let database = &stack.environment["DATABASE_URL"];
    let psql = PathBuf::from(std::env::var("LUMIO_PSQL").context("LUMIO_PSQL is not set")?);
    let file = tempfile::NamedTempFile::new()?;
    let messages = messages(rows)?;
    let (mut inserted, mut copied) = (Rounds::default(), Rounds::default());
    for _ in 0..rounds {
        command(&psql, database, "TRUNCATE chat_messages")?;
        inserted.add(insert(database, &messages).await?);
        copy(&psql, database, file.path(), "(SELECT * FROM chat_messages) TO")?;
        command(&psql, database, "TRUNCATE chat_messages")?;
        let began = Instant::now();
        copy(&psql, database, file.path(), "chat_messages FROM")?;
        copied.add(per_second(rows, began));
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

async fn insert(database: &str, messages: &[ChatMessage]) -> Result<f64> {
    let mut connection = AsyncPgConnection::establish(database).await?;
    let began = Instant::now();
    for batch in messages.chunks(BATCH) {
        let rows: Vec<&ChatMessage> = batch.iter().collect();
        let new = writer::insert(&mut connection, &rows).await?;
        ensure!(new == batch.len(), "{new} of {} rows were new", batch.len());
    }
    Ok(per_second(messages.len(), began))
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
            })
        })
        .collect()
}

fn copy(psql: &Path, database: &str, file: &Path, direction: &str) -> Result<()> {
    command(psql, database, &format!("\\copy {direction} '{}' WITH (FORMAT binary)", file.display()))
}

fn command(psql: &Path, database: &str, sql: &str) -> Result<()> {
    let output =
        Command::new(psql).args(["-q", "-v", "ON_ERROR_STOP=1", "-d", database, "-c", sql]).output()?;
    ensure!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a rate")]
fn per_second(rows: usize, began: Instant) -> f64 {
    rows as f64 / began.elapsed().as_secs_f64()
}
