//! Webhooks of Shopify (reference/ingest.md#orders-of-shops): orders of a connected shop.

use api_core::{
    ApiError, Result,
    webhooks::{bad_signature, check_age, check_sha256},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use live_model::{
    money::{is_currency, minor_units},
    shop::{SHOPIFY, ShopOrder},
};
use serde_json::Value;
use shared::{id::AccountId, schema::integration_configs as configs, secret::Secret};

use super::delivery::RawDelivery;

/// Topics of orders. A subscription to both reports an order once: its id is the id of the event.
const TOPICS: [&str; 2] = ["orders/create", "orders/paid"];
const MAX_ID_LENGTH: usize = 128;
const MAX_DOMAIN_LENGTH: usize = 255;
const MAX_NAME_LENGTH: usize = 200;

/// Verified delivery of an order.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ShopDelivery {
    /// Shopify's id of the delivery.
    pub webhook_id: String,
    /// Shopify's time of sending.
    pub sent_at: DateTime<Utc>,
    /// The order.
    pub order: ShopOrder,
}

/// Checks `X-Shopify-Hmac-SHA256`: the Base64 HMAC over the raw body.
pub(super) fn verify(delivery: &RawDelivery, secret: Option<&Secret>) -> Result<()> {
    let signature = delivery.signature_header("x-shopify-hmac-sha256")?;
    let Some(secret) = secret else {
        tracing::warn!("LUMIO_SHOPIFY_WEBHOOK_SECRET is not set: deliveries of Shopify cannot be verified");
        return Err(bad_signature());
    };
    let signature = STANDARD.decode(signature).map_err(|_error| bad_signature())?;
    check_sha256(secret, &delivery.body, &signature)
}

/// Shop of a verified delivery, in lower case.
pub(super) fn shop(delivery: &RawDelivery) -> Result<String> {
    let domain = delivery.header("x-shopify-shop-domain").unwrap_or_default().to_ascii_lowercase();
    if (1..=MAX_DOMAIN_LENGTH).contains(&domain.len()) {
        return Ok(domain);
    }
    Err(ApiError::bad_request("X-Shopify-Shop-Domain must name the shop"))
}

/// Account that connected the shop.
pub(super) async fn account(connection: &mut AsyncPgConnection, shop: &str) -> Result<Option<AccountId>> {
    Ok(configs::table
        .filter(configs::integration.eq(SHOPIFY).and(configs::external_id.eq(shop)))
        .filter(configs::enabled)
        .select(configs::account_id)
        .first(connection)
        .await
        .optional()?)
}

/// Parses a verified delivery; `None` for topics that Lumio does not support. Of the body only the fields of
/// the catalogue are kept: addresses of buyers are not needed.
pub(super) fn read(delivery: &RawDelivery, shop: String, now: DateTime<Utc>) -> Result<Option<ShopDelivery>> {
    let webhook_id = delivery.header("x-shopify-webhook-id").unwrap_or_default();
    if !(1..=MAX_ID_LENGTH).contains(&webhook_id.len()) {
        return Err(ApiError::bad_request("X-Shopify-Webhook-Id must have 1 to 128 characters"));
    }
    let sent_at = triggered_at(delivery)?.unwrap_or(now);
    check_age(sent_at, now)?;
    let body = delivery.object()?;
    if !TOPICS.contains(&delivery.header("x-shopify-topic").unwrap_or_default()) {
        return Ok(None);
    }
    let order =
        order(&body, shop).ok_or_else(|| ApiError::bad_request("The body is not that of an order"))?;
    Ok(Some(ShopDelivery { webhook_id: webhook_id.to_owned(), sent_at, order }))
}

fn triggered_at(delivery: &RawDelivery) -> Result<Option<DateTime<Utc>>> {
    let Some(text) = delivery.header("x-shopify-triggered-at") else { return Ok(None) };
    let at = DateTime::parse_from_rfc3339(text)
        .map_err(|_error| ApiError::bad_request("X-Shopify-Triggered-At must be RFC 3339"))?;
    Ok(Some(at.to_utc()))
}

/// Order of a body; `None` without an id of an order.
fn order(body: &Value, shop: String) -> Option<ShopOrder> {
    let customer = &body["customer"];
    let price = body["current_total_price"].as_str().or_else(|| body["total_price"].as_str());
    let currency = body["currency"].as_str().filter(|text| is_currency(text));
    let items = body["line_items"].as_array();
    Some(ShopOrder {
        shop,
        order_id: id(&body["id"])?,
        order_number: body["order_number"].as_i64().filter(|number| *number >= 0),
        user_name: name(customer),
        user_id: id(&customer["id"]),
        amount: price.and_then(|price| minor_units(price, currency.unwrap_or_default())),
        currency: currency.map(str::to_owned),
        item_count: items.map(|items| items.iter().map(quantity).fold(0, i64::saturating_add)),
        created_at: body["created_at"].as_str().and_then(moment),
    })
}

fn moment(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text).ok().map(|at| at.to_utc())
}

fn id(value: &Value) -> Option<String> {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        _ => return None,
    };
    (1..=MAX_ID_LENGTH).contains(&text.len()).then_some(text)
}

fn name(customer: &Value) -> Option<String> {
    let parts = ["first_name", "last_name"].map(|key| customer[key].as_str().unwrap_or_default().trim());
    let name = parts.join(" ").trim().chars().take(MAX_NAME_LENGTH).collect::<String>();
    (!name.is_empty()).then_some(name)
}

fn quantity(item: &Value) -> i64 {
    item["quantity"].as_i64().filter(|count| *count >= 0).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn order_keeps_only_name_and_id_of_the_buyer() {
        let body = json!({
            "id": 820_982_911_946_154_508_i64, "order_number": 1234, "currency": "EUR", "total_price": "12.34",
            "email": "ada@example.com", "line_items": [{ "quantity": 2 }, { "quantity": 1 }, { "quantity": "x" }],
            "created_at": "2026-11-21T12:00:00+02:00",
            "customer": { "id": 7, "first_name": " Ada ", "last_name": null, "phone": "1" },
        });
        let order = order(&body, "s.myshopify.com".to_owned()).unwrap();
        let expected = ShopOrder {
            shop: "s.myshopify.com".to_owned(),
            order_id: "820982911946154508".to_owned(),
            order_number: Some(1234),
            user_name: Some("Ada".to_owned()),
            user_id: Some("7".to_owned()),
            amount: Some(1234),
            currency: Some("EUR".to_owned()),
            item_count: Some(3),
            created_at: moment("2026-11-21T10:00:00Z"),
        };
        assert_eq!(order, expected);
        assert_eq!(super::order(&json!({ "total_price": "1" }), String::new()), None);
    }
}
