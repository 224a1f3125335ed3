//! Deliveries to the webhooks of trigger nodes, authenticated by the webhook's secret
//! (reference/automations.md#receiving). The node's handler interprets the body.

use std::{net::IpAddr, time::Duration};

use actix_web::http::header::HeaderMap;
use api_core::token;
use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Grants, Visitor},
    http::{Success, rate_key},
    webhooks::RawDelivery,
};
use foundation::{
    jobs::{RunAutomationTrigger, TriggerSource},
    outbox,
};
use live_model::inbox::storable;
use serde_json::{Map, Value};
use shared::{id, json};
use subtle::ConstantTimeEq;
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::timeout,
};
use uuid::Uuid;

use super::db;

const SECRET: &str = "x-webhook-secret";
/// Deliveries to one address in a minute.
const MAX_DELIVERIES_PER_MINUTE: u32 = 60;
/// Deliveries of one sender in a minute with a wrong secret. Further ones get 429 without a cause.
const MAX_WRONG_PER_MINUTE: u32 = 120;
const WRONG: &str = "automation_webhook_wrong";
/// Concurrent look-ups for senders that have used up their wrong deliveries.
///
/// Their secrets are still checked, because the customers of a hook service share an address: wrong
/// deliveries of one must not block the right deliveries of others. Each such delivery costs one indexed
/// query; this bounds what all of them use together.
static THROTTLED_LOOKUPS: Semaphore = Semaphore::const_new(2);
/// Time that one of them waits for its look-up.
const WAIT_TIMEOUT: Duration = Duration::from_secs(1);
/// Headers that handlers do not get: credentials for other recipients.
const WITHHELD_HEADERS: [&str; 4] = [SECRET, "authorization", "cookie", "proxy-authorization"];
const MAX_HEADERS: usize = 64;
const MAX_HEADERS_BYTES: usize = 8 * 1024;

pub static RECEIVE_AUTOMATION_WEBHOOK: Operation<Visitor> =
    Operation::public("receiveAutomationWebhook", Grants::Nothing)
        .rest_only()
        .not_idempotent("is called by other services with the secret of a trigger");

/// Accepts a delivery for a trigger node's webhook.
///
/// The node's handler is called later with the body and headers and decides if the automation starts. The
/// handler gets at most 64 headers with 8 KiB together, without credentials; an empty body is null. When the
/// automation or the install is switched off, the response is 200 and nothing follows. An accepted delivery
/// is stored before the response.
///
/// # Errors
/// - 400 when the body is not JSON or larger than 64 KiB.
/// - 401 when the secret is wrong, or its node was removed.
/// - 404 when the extension has no such install.
/// - 429 above 60 deliveries to one address in a minute, and in place of 401 and 404 above 120 wrong
///   deliveries of one sender in a minute.
#[api_core::operation]
pub async fn receive_automation_webhook(
    cx: &Cx,
    extension_id: Input<Uuid>,
    install_id: Input<Uuid>,
    delivery: Input<RawDelivery>,
    sender: Option<IpAddr>,
) -> Result<Success> {
    let visitor = cx.authorize(&RECEIVE_AUTOMATION_WEBHOOK).await?;
    let (extension_id, install_id, delivery) = (extension_id?, install_id?, delivery?);
    let limiter = &cx.state().limiter;
    let presented = token::hash(delivery.header(SECRET).unwrap_or_default());
    let permit = permit(cx, sender).await?;
    let named = db::named(&mut *visitor.db().await?, extension_id, install_id, &presented).await?;
    // Counting may wait for Redis.
    drop(permit);
    let named = named.filter(|named| is_same(named.secret_hash.as_deref(), &presented));
    let Some(trigger) = named else {
        let verdict = limiter.count(WRONG, &rate_key(sender), MAX_WRONG_PER_MINUTE, 60).await;
        cx.refuse_over(&verdict)?;
        let is_install = db::is_install(&mut *visitor.db().await?, extension_id, install_id).await?;
        return Err(if is_install {
            ApiError::unauthorized("Invalid webhook secret")
        } else {
            ApiError::not_found("Extension install not found")
        });
    };
    let verdict =
        limiter.count("automation_webhook", &install_id.to_string(), MAX_DELIVERIES_PER_MINUTE, 60).await;
    cx.refuse_over(&verdict)?;
    let body = body(&delivery)?;
    let mut connection = visitor.db().await?;
    let off = db::without_automations(&mut connection, &[trigger.account_id]).await?;
    if !trigger.is_on || !off.is_empty() {
        return Ok(Success::DONE);
    }
    let occurrence = format!("webhook:{}", id::new());
    let job = RunAutomationTrigger {
        registration_id: trigger.id,
        source: TriggerSource::Webhook { body, headers: handler_headers(&delivery.headers) },
        occurrence: occurrence.clone(),
        slot: None,
    };
    outbox::add(&mut connection, &job, &occurrence).await?;
    Ok(Success::DONE)
}

/// Permit of a sender that has used up its wrong deliveries; other senders need none.
async fn permit(cx: &Cx, sender: Option<IpAddr>) -> Result<Option<SemaphorePermit<'static>>> {
    let used_up = cx.state().limiter.used_up(WRONG, &rate_key(sender), MAX_WRONG_PER_MINUTE, 60);
    let Some(verdict) = used_up else { return Ok(None) };
    match timeout(WAIT_TIMEOUT, THROTTLED_LOOKUPS.acquire()).await {
        Ok(permit) => permit.map(Some).map_err(ApiError::internal),
        Err(_elapsed) => cx.refuse_over(&verdict).map(|()| None),
    }
}

/// Compares in constant time.
fn is_same(stored: Option<&[u8]>, presented: &[u8]) -> bool {
    stored.is_some_and(|stored| bool::from(stored.ct_eq(presented)))
}

/// Parses the body as JSON; an empty body is null.
fn body(delivery: &RawDelivery) -> Result<Value> {
    if delivery.body.is_empty() {
        return Ok(Value::Null);
    }
    let malformed = |reason: String| ApiError::bad_request(format!("Malformed JSON: {reason}"));
    json::check(&delivery.body).map_err(malformed)?;
    serde_json::from_slice(&delivery.body).map(storable).map_err(|error| malformed(error.to_string()))
}

/// Headers for the handler: names in lower case, as many as fit into 8 KiB.
fn handler_headers(headers: &HeaderMap) -> Map<String, Value> {
    let mut left = MAX_HEADERS_BYTES;
    let mut kept = Map::new();
    for (name, value) in headers {
        let (name, Ok(value)) = (name.as_str(), value.to_str()) else { continue };
        let size = name.len() + value.len();
        if WITHHELD_HEADERS.contains(&name) || size > left || kept.len() == MAX_HEADERS {
            continue;
        }
        left -= size;
        kept.insert(name.to_owned(), value.into());
    }
    kept
}
