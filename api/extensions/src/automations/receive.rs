//! Somebody tells a trigger node that something happened (specification B §4.4, C B9.3): whoever knows the secret of its
//! webhook. What it means is for the node's handler to say.

use std::{net::IpAddr, time::Duration};

use actix_web::http::header::HeaderMap;
use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Grants, Visitor},
    http::{Success, rate_key},
    webhooks::RawDelivery,
};
use serde_json::{Map, Value};
use shared::{
    id,
    ingest::inbox::storable,
    jobs::{RunAutomationTrigger, TriggerSource},
    outbox, token,
};
use subtle::ConstantTimeEq;
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::timeout,
};
use uuid::Uuid;

use super::db;

const SECRET: &str = "x-webhook-secret";
/// Deliveries to one address in a minute (C B9.3).
const PER_MINUTE: u32 = 60;
/// Deliveries of one sender in a minute that know no secret. Beyond it such a delivery is not told what is wrong with it.
const WRONG_PER_MINUTE: u32 = 120;
const WRONG: &str = "automation_webhook_wrong";
/// Deliveries that are looked up at once of senders that have used up their wrong tries.
///
/// The secret of such a sender is looked at nevertheless, of whichever install: the customers of a hook service share an
/// address, and neither a made-up install nor a wrong secret for one that is known may shut off the deliveries of others.
/// So each of its tries costs one indexed query, and what all of them take together is bounded here.
static LOOKED_UP_AT_ONCE: Semaphore = Semaphore::const_new(2);
/// How long one of them waits for its turn.
const WAIT_TIMEOUT: Duration = Duration::from_secs(1);
/// What a handler does not see: credentials that are not meant for it.
const KEPT_BACK: [&str; 4] = [SECRET, "authorization", "cookie", "proxy-authorization"];
const MAX_HEADERS: usize = 64;
const MAX_HEADERS_BYTES: usize = 8 * 1024;

/// Something happened elsewhere.
pub static RECEIVE_AUTOMATION_WEBHOOK: Operation<Visitor> =
    Operation::public("receiveAutomationWebhook", Grants::Nothing).rest_only();

/// Takes a delivery for a trigger node: its handler is asked what it means. When the automation or the install is
/// switched off, nothing follows.
///
/// # Errors
/// 400 for a body that is no JSON or larger than 64 KiB; 404 when the extension has no such install; 401 for a wrong
/// secret, or one whose node was removed, and 429 instead of both for a sender who goes on trying; 429 over 60
/// deliveries a minute.
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
    let turn = turn(cx, sender).await?;
    let named = db::named(&mut *visitor.db().await?, extension_id, install_id, &presented).await?;
    // Counting may wait for Redis.
    drop(turn);
    let named = named.filter(|named| is_same(named.secret_hash.as_deref(), &presented));
    let Some(trigger) = named else {
        let verdict = limiter.count(WRONG, &rate_key(sender), WRONG_PER_MINUTE, 60).await;
        cx.refuse_over(&verdict)?;
        let is_install = db::is_install(&mut *visitor.db().await?, extension_id, install_id).await?;
        return Err(if is_install {
            ApiError::unauthorized("Invalid webhook secret")
        } else {
            ApiError::not_found("Extension install not found")
        });
    };
    let verdict = limiter.count("automation_webhook", &install_id.to_string(), PER_MINUTE, 60).await;
    cx.refuse_over(&verdict)?;
    let body = body(&delivery)?;
    if !trigger.is_on {
        return Ok(Success::DONE);
    }
    let occasion = format!("webhook:{}", id::new());
    let job = RunAutomationTrigger {
        registration_id: trigger.id,
        source: TriggerSource::Webhook { body, headers: told(&delivery.headers) },
        occasion: occasion.clone(),
    };
    outbox::add(&mut *visitor.db().await?, &job, &occasion).await?;
    Ok(Success::DONE)
}

/// The turn of a sender that has used up its wrong tries; others need none.
async fn turn(cx: &Cx, sender: Option<IpAddr>) -> Result<Option<SemaphorePermit<'static>>> {
    let used_up = cx.state().limiter.used_up(WRONG, &rate_key(sender), WRONG_PER_MINUTE, 60);
    let Some(verdict) = used_up else { return Ok(None) };
    match timeout(WAIT_TIMEOUT, LOOKED_UP_AT_ONCE.acquire()).await {
        Ok(turn) => turn.map(Some).map_err(ApiError::internal),
        Err(_elapsed) => cx.refuse_over(&verdict).map(|()| None),
    }
}

/// In constant time.
fn is_same(stored: Option<&[u8]>, presented: &[u8]) -> bool {
    stored.is_some_and(|stored| bool::from(stored.ct_eq(presented)))
}

/// Any JSON; nothing at all is null.
fn body(delivery: &RawDelivery) -> Result<Value> {
    if delivery.body.is_empty() {
        return Ok(Value::Null);
    }
    let body = serde_json::from_slice(&delivery.body);
    body.map(storable).map_err(|error| ApiError::bad_request(format!("Malformed JSON: {error}")))
}

/// What the handler learns of the headers: their names in lower case, as many as fit into 8 KiB.
fn told(headers: &HeaderMap) -> Map<String, Value> {
    let mut left = MAX_HEADERS_BYTES;
    let mut told = Map::new();
    for (name, value) in headers {
        let (name, Ok(value)) = (name.as_str(), value.to_str()) else { continue };
        let size = name.len() + value.len();
        if KEPT_BACK.contains(&name) || size > left || told.len() == MAX_HEADERS {
            continue;
        }
        left -= size;
        told.insert(name.to_owned(), value.into());
    }
    told
}
