//! Accounts whose players could be polled, and none is: no channel is live.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use diesel::{
    sql_query,
    sql_types::{Integer, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use stack::{
    Stack,
    measure::{private_mib, processor_time, short},
};
use uuid::Uuid;

use crate::table::{Row, Table};

const ACCOUNTS: i32 = 1_000;
const DAEMON: &str = "music";
/// Time in which the worker has started and has compared the accounts for the first time.
const START_DURATION: Duration = Duration::from_secs(6);
const MEASURED_DURATION: Duration = Duration::from_secs(30);

/// Measures and adds the row.
pub async fn run(stack: &mut Stack, table: &mut Table) -> Result<()> {
    connect(stack).await?;
    let pid = stack.ensure_worker(DAEMON)?;
    tokio::time::sleep(START_DURATION).await;
    let before = processor_time(pid)?;
    tokio::time::sleep(MEASURED_DURATION).await;
    let used = processor_time(pid)? - before;
    let polled = polled(&stack.metrics(DAEMON).await?)?;
    ensure!(polled == 0.0, "{polled} players are polled although no channel is live");
    let memory = private_mib(pid)?;
    stack.kill(DAEMON)?;
    table.add(Row {
        work: "1,000 idle pollers: accounts with Spotify, none live",
        figure: format!(
            "{} ms of the worker's processor time in {} s, {} MiB of private memory",
            short(used.as_secs_f64() * 1e3),
            MEASURED_DURATION.as_secs(),
            short(memory)
        ),
        bar: "none",
        met: None,
    });
    Ok(())
}

/// Accounts that are connected to Spotify.
async fn connect(stack: &Stack) -> Result<()> {
    let mut connection = AsyncPgConnection::establish(&stack.environment["DATABASE_URL"]).await?;
    sql_query(
        "WITH made AS (
            INSERT INTO accounts (id, name, slug, owner_id, plan_id)
            SELECT gen_random_uuid(), 'idle ' || n, 'idle-' || n, $1, (SELECT id FROM plans WHERE slug = 'pro')
            FROM generate_series(1, $2) AS n RETURNING id
         )
         INSERT INTO channel_connections (id, account_id, platform, platform_channel_id, channel_name, display_name,
            credential_source, access_token)
         SELECT gen_random_uuid(), id, 'spotify', id::text, 'idle', 'Idle', 'system', '\\x00' FROM made",
    )
    .bind::<SqlUuid, _>(stack.user_id.parse::<Uuid>()?)
    .bind::<Integer, _>(ACCOUNTS)
    .execute(&mut connection)
    .await?;
    Ok(())
}

/// Accounts that are polled, by the metrics of the worker.
fn polled(exposition: &str) -> Result<f64> {
    const NAME: &str = "lumio_music_polled_accounts";
    let line = exposition.lines().find(|line| line.starts_with(NAME)).context(NAME)?;
    Ok(line.split_whitespace().last().context("no figure")?.parse()?)
}
