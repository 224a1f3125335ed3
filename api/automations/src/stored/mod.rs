//! Stored automations and their graphs, and the announcements of their changes. Each query carries the account.

mod graph;

use api_core::{ApiError, Cx, Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{Queryable, Selectable, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::{
    events::{Channel, Event},
    invalidation::Invalidation,
    jobs::PublishEvent,
    outbox,
};
use serde_json::json;
use shared::{id::AccountId, schema::automations};
use uuid::Uuid;

pub(crate) use graph::{graph_of, replace};

/// Row of an automation.
#[derive(Debug, Clone, Queryable, Selectable)]
#[diesel(table_name = automations)]
pub(crate) struct Row {
    pub id: Uuid,
    pub account_id: AccountId,
    pub name: String,
    pub description: Option<String>,
    pub enabled: bool,
    pub trigger_types: Vec<String>,
    pub version: i32,
    pub last_run_at: Option<Timestamp>,
    pub run_count: i64,
    pub created_by: Option<Uuid>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub next_run_at: Option<Timestamp>,
}

/// Change of an automation, as `automation:updated` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Created,
    Updated,
    Deleted,
}

/// Error for an automation that the account does not have.
pub(crate) fn not_found() -> ApiError {
    ApiError::not_found("Automation not found")
}

/// Finds an automation of the account.
pub(crate) async fn find(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<Row> {
    automations::table
        .filter(automations::account_id.eq(account).and(automations::id.eq(id)))
        .select(Row::as_select())
        .first(connection)
        .await
        .optional()?
        .ok_or_else(not_found)
}

/// Locks an automation of the account until the transaction ends.
pub(crate) async fn lock(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<Row> {
    automations::table
        .filter(automations::account_id.eq(account).and(automations::id.eq(id)))
        .select(Row::as_select())
        .for_no_key_update()
        .first(connection)
        .await
        .optional()?
        .ok_or_else(not_found)
}

/// Publishes `automation:updated` once the transaction commits.
pub(crate) async fn publish(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    (id, version): (Uuid, i32),
    change: Change,
    now: DateTime<Utc>,
) -> Result<()> {
    let data = json!({ "action": change.as_str(), "automation_id": id, "version": version });
    let event = Event::new(Channel::Automations(account.uuid()), "automation:updated", data, now);
    let key = event.id.to_string();
    Ok(outbox::add(connection, &PublishEvent { event }, &key).await?)
}

/// Announces to the processes that start automations that those of the account changed. Call it after the
/// commit.
pub(crate) async fn announce(cx: &Cx, account: AccountId) {
    cx.changed(Invalidation::Automations { account_id: account.uuid() }).await;
}

impl Change {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Deleted => "deleted",
        }
    }
}
