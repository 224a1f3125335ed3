//! Orders of shops on their way through the inbox (reference/ingest.md#orders-of-shops).

use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use shared::{Result, schema::webhook_inbox};

/// Name of the platform of shops in the inbox, and prefix of their events.
pub const SHOPIFY: &str = "shopify";
/// Type of the event of an order.
pub const ORDER: &str = "shopify:order";

/// Order as Lumio stores it: the fields of the catalogue, and nothing else about the buyer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShopOrder {
    /// Domain of the shop.
    pub shop: String,
    /// Id of the order in the shop.
    pub order_id: String,
    /// Number of the order in the shop.
    pub order_number: Option<i64>,
    /// Name of the buyer.
    pub user_name: Option<String>,
    /// Id of the buyer in the shop.
    pub user_id: Option<String>,
    /// Minor units of the currency.
    pub amount: Option<i64>,
    /// ISO 4217.
    pub currency: Option<String>,
    /// Number of items.
    pub item_count: Option<i64>,
    /// Time of the order by the shop's clock, the same in everything that is published about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<DateTime<Utc>>,
}

/// Writes an order to the inbox. Returns the delivery's id if it is new. The caller adds the
/// [`foundation::jobs::HandleDelivery`] job after its commit.
///
/// # Errors
/// A failure of the database.
pub async fn accept_order(
    connection: &mut AsyncPgConnection,
    webhook_id: &str,
    order: &ShopOrder,
    sent_at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<Option<Uuid>> {
    Ok(insert_into(webhook_inbox::table)
        .values((
            webhook_inbox::id.eq(shared::id::new()),
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
