//! Subscriptions: creation, verification, list, removal, revocation.

mod kinds;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};
use url::{Host, Url};

use kinds::{KINDS, Kind};

use super::{Event, delivery, helix_token, refuse};
use crate::{
    DeliveryOptions, Platform, clock, identifier,
    oauth::AccessToken,
    refusal::Refusal,
    server::Webhooks,
    state::{Inner, State},
};

const MAX_TOTAL_COST: u32 = 10_000;
const MAX_SESSION_SUBSCRIPTIONS: usize = 300;

const VERIFICATION_PENDING: &str = "webhook_callback_verification_pending";
const VERIFICATION_FAILED: &str = "webhook_callback_verification_failed";
const ENABLED: &str = "enabled";

/// A webhook subscription.
#[derive(Debug, Clone)]
pub struct Subscription {
    pub id: String,
    /// `webhook_callback_verification_pending`, `webhook_callback_verification_failed`, `enabled`, or why it ended.
    pub status: String,
    pub subscription_type: String,
    pub version: String,
    pub condition: Value,
    pub callback: String,
    pub secret: String,
    /// WebSocket session that gets the events instead of a callback.
    pub session_id: Option<String>,
    pub created_at: String,
}

impl Subscription {
    /// An enabled subscription to an event, created without the API: for requests that a test signs itself.
    #[must_use]
    pub fn enabled(event: &Event, callback: &str, secret: &str) -> Self {
        Self {
            id: identifier::uuid(),
            status: ENABLED.into(),
            subscription_type: event.subscription_type.into(),
            version: event.version.into(),
            condition: event.condition.clone(),
            callback: callback.into(),
            secret: secret.into(),
            session_id: None,
            created_at: clock::nanoseconds(clock::now()),
        }
    }

    /// Twitch's representation of it, without the secret.
    #[must_use]
    pub fn json(&self) -> Value {
        let transport = match &self.session_id {
            Some(session_id) => json!({ "method": "websocket", "session_id": session_id }),
            None => json!({ "method": "webhook", "callback": self.callback }),
        };
        json!({
            "id": self.id,
            "status": self.status,
            "type": self.subscription_type,
            "version": self.version,
            "condition": self.condition,
            "transport": transport,
            "created_at": self.created_at,
            "cost": 0,
        })
    }

    /// True when it matches the event: same type and version, and no condition excludes it. The user of the reading
    /// grant does not matter.
    #[must_use]
    pub fn wants(&self, event: &Event) -> bool {
        let fits = |(key, value): (&String, &Value)| {
            event.condition.get(key).is_none_or(|found| found == value) || value == ""
        };
        self.status == ENABLED
            && self.subscription_type == event.subscription_type
            && self.version == event.version
            && self.condition.as_object().is_some_and(|condition| condition.iter().all(fits))
    }
}

#[derive(Debug, Deserialize)]
pub struct NewSubscription {
    #[serde(rename = "type")]
    subscription_type: String,
    version: String,
    condition: Value,
    transport: Transport,
}

#[derive(Debug, Deserialize)]
struct Transport {
    method: String,
    callback: Option<String>,
    secret: Option<String>,
    session_id: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct ListQuery {
    status: Option<String>,
    #[serde(rename = "type")]
    subscription_type: Option<String>,
    /// User whom the condition names.
    user_id: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct DeleteQuery {
    id: String,
}

/// `POST /helix/eventsub/subscriptions`: responds immediately and verifies the callback soon after.
pub async fn create(
    state: web::Data<State>,
    webhooks: web::Data<Webhooks>,
    request: HttpRequest,
    body: web::Json<NewSubscription>,
) -> Result<HttpResponse, Refusal> {
    let token = helix_token(&state, &request)?;
    let (subscription, answer) = {
        let mut inner = state.lock();
        let subscription = checked(&inner, &token, body.into_inner())?;
        inner.eventsub.push(subscription.clone());
        let answer = page(&inner, vec![subscription.json()]);
        (subscription, answer)
    };
    if subscription.session_id.is_none() {
        actix_web::rt::spawn(verify_callback(state, webhooks, subscription));
    }
    Ok(HttpResponse::Accepted().json(answer))
}

/// `GET /helix/eventsub/subscriptions`.
pub async fn list(
    state: web::Data<State>,
    request: HttpRequest,
    query: web::Query<ListQuery>,
) -> Result<HttpResponse, Refusal> {
    helix_token(&state, &request)?;
    let inner = state.lock();
    let wanted = |subscription: &&Subscription| {
        query.status.as_ref().is_none_or(|status| *status == subscription.status)
            && query.subscription_type.as_ref().is_none_or(|kind| *kind == subscription.subscription_type)
            && query.user_id.as_ref().is_none_or(|user| {
                let mut named =
                    subscription.condition.as_object().into_iter().flat_map(|named| named.values());
                named.any(|value| value == user)
            })
    };
    let rows = inner.eventsub.iter().filter(wanted).map(Subscription::json).collect();
    let mut answer = page(&inner, rows);
    answer["pagination"] = json!({});
    Ok(HttpResponse::Ok().json(answer))
}

/// `DELETE /helix/eventsub/subscriptions`.
pub async fn delete(
    state: web::Data<State>,
    request: HttpRequest,
    query: web::Query<DeleteQuery>,
) -> Result<HttpResponse, Refusal> {
    helix_token(&state, &request)?;
    let mut inner = state.lock();
    let before = inner.eventsub.len();
    inner.eventsub.retain(|subscription| subscription.id != query.id);
    if inner.eventsub.len() == before {
        return Err(refuse(404, "subscription not found"));
    }
    Ok(HttpResponse::NoContent().finish())
}

/// Ends a subscription and returns it as it was when it ended.
pub(crate) fn revoke(inner: &mut Inner, id: &str, reason: &str) -> Option<Subscription> {
    let position = inner.eventsub.iter().position(|subscription| subscription.id == id)?;
    let mut subscription = inner.eventsub.remove(position);
    subscription.status = reason.to_owned();
    Some(subscription)
}

fn page(inner: &Inner, rows: Vec<Value>) -> Value {
    json!({ "data": rows, "total": inner.eventsub.len(), "total_cost": 0, "max_total_cost": MAX_TOTAL_COST })
}

fn checked(inner: &Inner, token: &AccessToken, new: NewSubscription) -> Result<Subscription, Refusal> {
    let is_socket = match new.transport.method.as_str() {
        "webhook" => false,
        "websocket" => true,
        _ => return Err(refuse(400, "this stand-in delivers to webhooks and WebSockets only")),
    };
    // Applications get callbacks; the owner of a socket is a user.
    if token.user_id.is_some() != is_socket {
        return Err(refuse(400, "invalid transport and auth combination"));
    }
    let kind = KINDS.iter().find(|kind| kind.name == new.subscription_type && kind.version == new.version);
    let kind = kind.ok_or_else(|| refuse(400, "invalid subscription type and version"))?;
    check_condition(kind, &new.condition)?;
    let callback = new.transport.callback.unwrap_or_default();
    let secret = new.transport.secret.unwrap_or_default();
    let session_id = new.transport.session_id.filter(|_| is_socket);
    if is_socket {
        check_session(inner, session_id.as_deref())?;
    } else {
        check_callback(&callback)?;
    }
    let is_sound = secret.is_ascii() && (10..=100).contains(&secret.len());
    if !is_socket && !is_sound {
        return Err(refuse(400, "secret must be an ASCII string of 10 to 100 characters"));
    }
    check_grants(inner, token, kind, &new.condition)?;
    let is_same = |found: &Subscription| {
        found.status != VERIFICATION_FAILED
            && found.subscription_type == kind.name
            && found.condition == new.condition
            && found.callback == callback
            && found.session_id == session_id
    };
    if inner.eventsub.iter().any(is_same) {
        return Err(refuse(409, "subscription already exists"));
    }
    Ok(Subscription {
        id: identifier::uuid(),
        status: if is_socket { ENABLED.into() } else { VERIFICATION_PENDING.into() },
        subscription_type: new.subscription_type,
        version: new.version,
        condition: new.condition,
        callback,
        secret,
        session_id,
        created_at: clock::nanoseconds(clock::now()),
    })
}

fn check_condition(kind: &Kind, condition: &Value) -> Result<(), Refusal> {
    let is_given = |key: &&&str| condition[**key].as_str().is_some_and(|value| !value.is_empty());
    let given = kind.keys.iter().filter(is_given).count();
    let needed = if kind.name == "channel.raid" { 1 } else { kind.keys.len() };
    if given == needed { Ok(()) } else { Err(refuse(400, "invalid condition")) }
}

fn check_session(inner: &Inner, session_id: Option<&str>) -> Result<(), Refusal> {
    let session_id = session_id.unwrap_or_default();
    if !inner.eventsub_sessions.is_open(session_id) {
        return Err(refuse(400, "websocket transport session does not exist or has already disconnected"));
    }
    let held = inner.eventsub.iter().filter(|one| one.session_id.as_deref() == Some(session_id)).count();
    if held >= MAX_SESSION_SUBSCRIPTIONS {
        return Err(refuse(429, "number of subscriptions of a session exceeded"));
    }
    Ok(())
}

/// Twitch requires https on port 443. This server also takes plain http on the same machine.
fn check_callback(callback: &str) -> Result<(), Refusal> {
    let url = Url::parse(callback).map_err(|_error| refuse(400, "callback must be a URL"))?;
    let is_local = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    let is_public = url.scheme() == "https" && url.port_or_known_default() == Some(443);
    if is_local || is_public { Ok(()) } else { Err(refuse(400, "callback must be https on port 443")) }
}

fn check_grants(inner: &Inner, token: &AccessToken, kind: &Kind, condition: &Value) -> Result<(), Refusal> {
    for (key, scopes) in kind.scopes {
        let user_id = condition[*key].as_str().unwrap_or_default();
        if !inner.oauth.has_granted(Platform::Twitch, &token.client_id, user_id, scopes) {
            return Err(refuse(403, "subscription missing proper authorization"));
        }
    }
    Ok(())
}

/// Sends the challenge; only its bare echo enables the subscription.
async fn verify_callback(state: web::Data<State>, webhooks: web::Data<Webhooks>, subscription: Subscription) {
    let challenge = identifier::token(40);
    let request = delivery::verification(&subscription, &challenge, &DeliveryOptions::default());
    let attempt = request.post(&webhooks.client, &subscription.callback).await;
    let is_accepted = attempt.status == Some(200) && attempt.body == challenge;
    tracing::info!(id = subscription.id, is_accepted, status = ?attempt.status, "callback asked");
    let status = if is_accepted { ENABLED } else { VERIFICATION_FAILED };
    let mut inner = state.lock();
    if let Some(found) = inner.eventsub.iter_mut().find(|found| found.id == subscription.id) {
        found.status = status.to_owned();
    }
}
