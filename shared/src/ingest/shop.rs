//! Orders of shops (specification C §10, B12.2) on their way through the inbox.

use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Result, db::schema::webhook_inbox};

/// What shops are called in the inbox, and what their events begin with.
pub const SHOPIFY: &str = "shopify";
/// The event of an order.
pub const ORDER: &str = "shopify:order";

/// An order as Lumio keeps it: what the catalogue names, and nothing else of the buyer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShopOrder {
    /// The shop's domain.
    pub shop: String,
    pub order_id: String,
    pub order_number: Option<i64>,
    pub user_name: Option<String>,
    pub user_id: Option<String>,
    /// Minor units of the currency.
    pub amount: Option<i64>,
    /// ISO 4217.
    pub currency: Option<String>,
    pub item_count: Option<i64>,
    /// The shop's time of the order, the same in everything that is told of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<DateTime<Utc>>,
}

/// Writes an order to the inbox; answers the delivery's id, unless it was there before. The caller adds the
/// [`crate::jobs::HandleDelivery`] job after its commit.
///
/// # Errors
/// When the database fails.
pub async fn accept_order(
    connection: &mut AsyncPgConnection,
    webhook_id: &str,
    order: &ShopOrder,
    sent_at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<Option<Uuid>> {
    Ok(insert_into(webhook_inbox::table)
        .values((
            webhook_inbox::id.eq(crate::id::new()),
            webhook_inbox::platform.eq(SHOPIFY),
            webhook_inbox::delivery_id.eq(webhook_id),
            webhook_inbox::event_type.eq(ORDER),
            webhook_inbox::body.eq(serde_json::to_value(order)?),
            webhook_inbox::sent_at.eq(sent_at),
            webhook_inbox::received_at.eq(now),
        ))
        .on_conflict((webhook_inbox::platform, webhook_inbox::delivery_id))
        .do_nothing()
        .returning(webhook_inbox::id)
        .get_result(connection)
        .await
        .optional()?)
}
