//! Orders of shops: events of the account that has connected the shop (reference/ingest.md#orders-of-shops).

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use live_model::shop::{ORDER, SHOPIFY, ShopOrder};
use shared::{Result, catalogue::Feature, schema::integration_configs as configs};
use uuid::Uuid;

use super::{inbox::Delivery, reports::Report};
use crate::PlatformContext;

/// Reads an order: the order's id names the event, whichever delivery reports it. The error is the outcome of
/// a delivery without an effect.
pub(super) async fn report(
    context: &PlatformContext,
    delivery: &Delivery,
) -> Result<std::result::Result<Report, &'static str>> {
    let order: ShopOrder = match serde_json::from_value(delivery.body.clone()) {
        Ok(order) => order,
        Err(error) => {
            tracing::warn!(inbox_id = %delivery.id, %error, "an order is not readable");
            return Ok(Err("unreadable"));
        }
    };
    let account = account(&mut *context.databases.postgres.get().await?, &order.shop).await?;
    let Some(account_id) = account else { return Ok(Err("unconnected")) };
    Ok(Ok(Report {
        account_id,
        service: SHOPIFY,
        event_type: ORDER,
        feature: Feature::Shopify,
        source: format!("{}:order:{}", order.shop, order.order_id),
        occurred_at: order.created_at,
        begun_at: order.created_at,
        user_id: order.user_id,
        user_name: order.user_name,
        amount: order.amount,
        currency: order.currency,
        message: None,
        is_test: false,
    }))
}

/// Returns the account that has connected the shop now.
async fn account(connection: &mut AsyncPgConnection, shop: &str) -> Result<Option<Uuid>> {
    Ok(configs::table
        .filter(configs::integration.eq(SHOPIFY).and(configs::external_id.eq(shop)))
        .filter(configs::enabled)
        .select(configs::account_id)
        .first(connection)
        .await
        .optional()?)
}
