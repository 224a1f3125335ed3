//! Orders of shops: an event of the account that has connected the shop (specification C B12.2).

use chrono::SubsecRound;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::{Map, Value};
use shared::{
    Result,
    catalogue::Feature,
    db::schema::integration_configs as configs,
    events::id_of_source,
    features,
    ingest::{
        AccountEvent, EventRow, EventType, Pushed, RowBuffer, Triggers,
        shop::{ORDER, SHOPIFY, ShopOrder},
        tell,
    },
};
use uuid::Uuid;

use super::{inbox::Delivery, told::first_told};
use crate::Context;

/// Tells the account of an order, once: the order's id names the event, whichever delivery told of it. Answers the
/// outcome, and what became of the row.
pub(super) async fn order(
    context: &Context,
    events: &RowBuffer<EventRow>,
    delivery: &Delivery,
) -> Result<(&'static str, Option<Pushed>)> {
    let order: ShopOrder = match serde_json::from_value(delivery.body.clone()) {
        Ok(order) => order,
        Err(error) => {
            tracing::warn!(inbox_id = %delivery.id, %error, "an order is not readable");
            return Ok(("unreadable", None));
        }
    };
    let mut connection = context.databases.postgres.get().await?;
    let Some(account_id) = account(&mut connection, &order.shop).await? else {
        return Ok(("unconnected", None));
    };
    for key in [Feature::Shopify.key().to_owned(), features::of_event(ORDER)] {
        if !features::accounts_without(&mut connection, &[account_id], &key).await?.is_empty() {
            return Ok(("switched_off", None));
        }
    }
    drop(connection);
    let source = format!("{}:order:{}", order.shop, order.order_id);
    let sent_at = delivery.sent_at.trunc_subsecs(3);
    let occurred_at = first_told(&context.redis, SHOPIFY, &source, sent_at).await?;
    let event = AccountEvent {
        id: id_of_source(&format!("{account_id}:{SHOPIFY}:{source}"), occurred_at),
        account_id,
        event_type: ORDER.to_owned(),
        platform: Some(SHOPIFY.to_owned()),
        platform_user_id: order.user_id.clone(),
        username: None,
        display_name: order.user_name.clone(),
        avatar_url: None,
        amount: order.amount,
        currency: order.currency.clone(),
        message: None,
        data: data(&delivery.body),
        is_test: false,
        occurred_at,
    };
    tell(&context.events, &context.jobs, &event, Triggers::Run { channel_id: None }).await?;
    let row = EventRow { event, platform_event_id: format!("{SHOPIFY}:{source}") };
    Ok(("handled", Some(events.push(&[row]).await?)))
}

/// The account whose shop it is at this moment.
async fn account(connection: &mut AsyncPgConnection, shop: &str) -> Result<Option<Uuid>> {
    Ok(configs::table
        .filter(configs::integration.eq(SHOPIFY).and(configs::external_id.eq(shop)))
        .filter(configs::enabled)
        .select(configs::account_id)
        .first(connection)
        .await
        .optional()?)
}

/// Exactly the keys that the catalogue names.
fn data(body: &Value) -> Value {
    let empty = Map::new();
    let given = body.as_object().unwrap_or(&empty);
    let known = EventType::find(ORDER).and_then(|known| known.read(given).ok());
    known.unwrap_or_default()
}
