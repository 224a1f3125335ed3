//! Next times of automations with schedules (reference/automations.md#schedules).

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, Jsonb, Nullable, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use serde_json::Value;
use shared::{Result, id::AccountId};
use uuid::Uuid;

use crate::{
    graph::Node,
    schedule::next_after,
    triggers::{self, Trigger},
};

/// Automation with its schedule nodes.
#[derive(QueryableByName)]
struct Scheduled {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Jsonb)]
    nodes: Value,
}

/// Earliest next time of the schedules among nodes, by the time zone of the node, else the given one of the
/// account; `None` without one.
#[must_use]
pub fn next_run(nodes: &[Node], timezone: Tz, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let next = nodes.iter().filter(|node| node.r#type == "schedule").filter_map(|node| {
        let Ok(Trigger::Schedule { cron, timezone: own }) = triggers::parse(node) else { return None };
        // An expression that is not valid never runs.
        next_after(&cron, own.unwrap_or(timezone), now).ok().flatten()
    });
    next.min()
}

/// Sets the next times of an account's enabled automations by its new time zone, in the transaction that changes
/// it. Those that are due already stay due.
///
/// # Errors
/// A failure of the database.
pub async fn reschedule(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    timezone: Tz,
    now: DateTime<Utc>,
) -> Result<()> {
    lock_all(connection, account).await?;
    let scheduled = scheduled(connection, account, now).await?;
    let next: Vec<(Uuid, Option<DateTime<Utc>>)> = scheduled
        .into_iter()
        .map(|Scheduled { id, nodes }| {
            let nodes: Vec<Node> = serde_json::from_value(nodes).unwrap_or_default();
            (id, next_run(&nodes, timezone, now))
        })
        .collect();
    set_next(connection, account, &next).await
}

/// Locks the automations of an account, also disabled ones: a transaction that enables one or replaces its graph
/// may have read the time zone before the change. What it wrote is read after the locks.
async fn lock_all(connection: &mut AsyncPgConnection, account: AccountId) -> Result<()> {
    const LOCK: &str = "SELECT FROM automations WHERE account_id = $1 ORDER BY id FOR NO KEY UPDATE";
    sql_query(LOCK).bind::<SqlUuid, _>(account.uuid()).prepared().execute(connection).await?;
    Ok(())
}

async fn scheduled(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    now: DateTime<Utc>,
) -> Result<Vec<Scheduled>> {
    const SCHEDULED: &str = "
        SELECT automation.id,
            jsonb_agg(jsonb_build_object('id', node.id, 'type', node.node_type, 'config', node.config)) AS nodes
        FROM automations AS automation
        JOIN automation_nodes AS node
            ON node.account_id = automation.account_id AND node.automation_id = automation.id
        WHERE automation.account_id = $1 AND automation.enabled AND node.node_type = 'schedule'
            AND (automation.next_run_at IS NULL OR automation.next_run_at > $2)
        GROUP BY automation.id";
    Ok(sql_query(SCHEDULED)
        .bind::<SqlUuid, _>(account.uuid())
        .bind::<Timestamptz, _>(now)
        .prepared()
        .load(connection)
        .await?)
}

async fn set_next(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    next: &[(Uuid, Option<DateTime<Utc>>)],
) -> Result<()> {
    const SET: &str = "
        UPDATE automations SET next_run_at = next.at FROM unnest($2, $3) AS next (id, at)
        WHERE automations.account_id = $1 AND automations.id = next.id
            AND automations.next_run_at IS DISTINCT FROM next.at";
    if next.is_empty() {
        return Ok(());
    }
    sql_query(SET)
        .bind::<SqlUuid, _>(account.uuid())
        .bind::<Array<SqlUuid>, _>(column(next, |(id, _)| *id))
        .bind::<Array<Nullable<Timestamptz>>, _>(column(next, |(_, at)| *at))
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}
