//! Rows of an account, evenly over some days until now.

use anyhow::Result;
use diesel::{
    sql_query,
    sql_types::{Integer, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use uuid::Uuid;

/// Lines of chat for each event, and for each entry of a log.
const LINES_PER_EVENT: u32 = 10;
const LINES_PER_ENTRY: u32 = 50;

/// Name of each moment with its number and id. Ids are of version 7: they begin with their time.
const MOMENTS: &str = "
    SELECT n, at, (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7'
        || substr(md5(n::text || $1::text), 1, 3) || '8' || substr(md5(n::text || $1::text), 4, 15))::uuid AS id
    FROM (SELECT n, now() - make_interval(days => $2) * (1 - n::float8 / ($3 + 1)) AS at
          FROM generate_series(1, $3) AS n) AS numbered";

const PARTITIONS: &str = "
    SELECT timeseries_ensure(table_name, now() - interval '366 days', now()) FROM timeseries_tables
    WHERE table_name IN ('chat_messages', 'events')";

const CHAT: &str = "
    INSERT INTO chat_messages (id, account_id, platform, platform_message_id, platform_user_id, username, display_name,
        text, fragments, sent_at)
    SELECT id, $1, CASE WHEN n % 100 = 0 THEN 'kick' ELSE 'twitch' END, id::text, (n % 5000)::text,
        'viewer_' || n % 5000, 'Viewer_' || n % 5000, 'line ' || n || ' of a lively chat',
        jsonb_build_array(jsonb_build_object('type', 'text', 'text', 'line ' || n || ' of a lively chat')), at
    FROM moments";

const EVENTS: &str = "
    INSERT INTO events (id, account_id, event_type, platform, platform_event_id, platform_user_id, username,
        display_name, data, occurred_at)
    SELECT id, $1, CASE WHEN n % 10 = 0 THEN 'twitch:raid' ELSE 'twitch:follower' END, 'twitch', id::text,
        (n % 5000)::text, 'viewer_' || n % 5000, 'Viewer_' || n % 5000, '{}', at
    FROM moments";

const AUDIT: &str = "
    INSERT INTO audit_log (id, scope, account_id, actor_type, action, resource_type, created_at)
    SELECT id, 'account', $1, 'system', 'overlay:updated', 'overlay', at FROM moments";

const MODERATION: &str = "
    INSERT INTO moderation_log (id, account_id, platform, action, target, moderator_type, success, created_at)
    SELECT id, $1, 'twitch', 'timeout', (n % 5000)::text, 'system', true, at FROM moments";

/// Writes the rows of `days` days.
///
/// # Errors
/// Failures of the database.
pub async fn fill(database: &mut AsyncPgConnection, account: Uuid, days: i32, lines: u32) -> Result<()> {
    database.batch_execute(PARTITIONS).await?;
    for (insert, count) in [
        (CHAT, lines),
        (EVENTS, lines / LINES_PER_EVENT),
        (AUDIT, lines / LINES_PER_ENTRY),
        (MODERATION, lines / LINES_PER_ENTRY),
    ] {
        sql_query(format!("WITH moments AS ({MOMENTS}) {insert}"))
            .bind::<SqlUuid, _>(account)
            .bind::<Integer, _>(days)
            .bind::<Integer, _>(i32::try_from(count.max(1))?)
            .execute(database)
            .await?;
    }
    Ok(())
}

/// Brings statistics and visibility up to date, so that no upkeep runs while pages are read.
///
/// # Errors
/// Failures of the database.
pub async fn settle(database: &mut AsyncPgConnection) -> Result<()> {
    for table in ["chat_messages", "events", "audit_log", "moderation_log"] {
        database.batch_execute(&format!("VACUUM (ANALYZE) {table}")).await?;
    }
    Ok(())
}
