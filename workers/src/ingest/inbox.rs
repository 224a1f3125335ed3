//! The inbox of webhook deliveries.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use shared::{Result, db::schema::webhook_inbox};
use uuid::Uuid;

/// A delivery that was not handled yet.
#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = webhook_inbox)]
pub(super) struct Delivery {
    pub id: Uuid,
    pub platform: String,
    pub delivery_id: String,
    pub event_type: String,
    pub body: Value,
    pub sent_at: DateTime<Utc>,
}

/// The delivery; `None` when it was handled or forgotten.
pub(super) async fn open(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<Delivery>> {
    Ok(webhook_inbox::table
        .filter(webhook_inbox::id.eq(id).and(webhook_inbox::handled_at.is_null()))
        .select(Delivery::as_select())
        .first(connection)
        .await
        .optional()?)
}

pub(super) async fn mark_handled(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<()> {
    diesel::update(webhook_inbox::table.find(id))
        .set(webhook_inbox::handled_at.eq(now))
        .execute(connection)
        .await?;
    Ok(())
}
