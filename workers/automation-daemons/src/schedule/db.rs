//! Queries over the due automations of all accounts.

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use serde_json::Value;
use shared::Result;
use uuid::Uuid;

/// Automation with a due schedule, locked until the transaction ends.
#[derive(Debug, QueryableByName)]
pub(super) struct Due {
    /// Automation.
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    /// Account.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    /// Time at which it is due.
    #[diesel(sql_type = Timestamptz)]
    pub next_run_at: DateTime<Utc>,
    /// Time zone of the account.
    #[diesel(sql_type = Text)]
    pub timezone: String,
    /// Schedule nodes.
    #[diesel(sql_type = Jsonb)]
    pub nodes: Value,
}

/// Locks automations that are due, the longest waiting first, without those that another copy has locked.
pub(super) async fn claim(
    connection: &mut AsyncPgConnection,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<Due>> {
    const CLAIM: &str = "
        SELECT automation.id, automation.account_id, automation.next_run_at,
            coalesce(settings.timezone, 'UTC') AS timezone,
            coalesce((
                SELECT jsonb_agg(jsonb_build_object('id', node.id, 'type', node.node_type, 'config', node.config)
                    ORDER BY node.position)
                FROM automation_nodes AS node
                WHERE node.account_id = automation.account_id AND node.automation_id = automation.id
                    AND node.node_type = 'schedule'), '[]') AS nodes
        FROM automations AS automation
        LEFT JOIN account_settings AS settings ON settings.account_id = automation.account_id
        WHERE automation.enabled AND automation.next_run_at <= $1
        ORDER BY automation.next_run_at, automation.id LIMIT $2
        FOR NO KEY UPDATE OF automation SKIP LOCKED";
    Ok(sql_query(CLAIM)
        .bind::<Timestamptz, _>(now)
        .bind::<BigInt, _>(limit)
        .prepared()
        .load(connection)
        .await?)
}

/// Sets the next times of locked automations.
pub(super) async fn set_next(
    connection: &mut AsyncPgConnection,
    next: &[(Uuid, Option<DateTime<Utc>>)],
) -> Result<()> {
    const SET: &str = "
        UPDATE automations SET next_run_at = next.at FROM unnest($1, $2) AS next (id, at)
        WHERE automations.id = next.id";
    if next.is_empty() {
        return Ok(());
    }
    sql_query(SET)
        .bind::<Array<SqlUuid>, _>(column(next, |(id, _)| *id))
        .bind::<Array<Nullable<Timestamptz>>, _>(column(next, |(_, at)| *at))
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}
