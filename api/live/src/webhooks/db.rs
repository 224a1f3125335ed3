//! The inbox.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::db::schema::webhook_inbox;
use uuid::Uuid;

use super::delivery::VerifiedDelivery;

/// Writes a delivery; `None` when it is there already.
pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    delivery: &VerifiedDelivery,
    now: DateTime<Utc>,
) -> Result<Option<Uuid>> {
    Ok(insert_into(webhook_inbox::table)
        .values((
            webhook_inbox::id.eq(shared::id::new()),
            webhook_inbox::platform.eq(delivery.platform.slug()),
            webhook_inbox::delivery_id.eq(&delivery.delivery_id),
            webhook_inbox::event_type.eq(&delivery.event_type),
            webhook_inbox::body.eq(&delivery.body),
            webhook_inbox::sent_at.eq(delivery.sent_at),
            webhook_inbox::received_at.eq(now),
        ))
        .on_conflict((webhook_inbox::platform, webhook_inbox::delivery_id))
        .do_nothing()
        .returning(webhook_inbox::id)
        .get_result(connection)
        .await
        .optional()?)
}
