//! Subscriptions: made, verified, listed, removed, revoked.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};
use url::{Host, Url};

use super::{Event, delivery, helix_token, refuse};
use crate::{
    DeliveryOptions, Platform, clock, identifier,
    oauth::AccessToken,
    refusal::Refusal,
    server::Webhooks,
    state::{Inner, State},
};

const MAX_TOTAL_COST: u32 = 10_000;

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
    pub created_at: String,
}

impl Subscription {
    /// An enabled subscription to an event, made without asking the API: for requests that a test signs itself.
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
            created_at: clock::nanoseconds(clock::now()),
        }
    }

    /// What Twitch shows of it; the secret stays out.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({
            "id": self.id,
            "status": self.status,
            "type": self.subscription_type,
            "version": self.version,
            "condition": self.condition,
            "transport": { "method": "webhook", "callback": self.callback },
            "created_at": self.created_at,
            "cost": 0,
        })
    }

    /// Whether it wants the event: same type and version, and no condition says otherwise. In whose name chat or
    /// followers are read does not matter.
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

/// Type, version, the keys of its condition (one of them is enough for raids) and the scopes that must have been
/// granted: by the user named under the key.
struct Kind {
    name: &'static str,
    version: &'static str,
    keys: &'static [&'static str],
    scopes: &'static [(&'static str, &'static [&'static str])],
}

const KINDS: [Kind; 7] = [
    Kind {
        name: "channel.chat.message",
        version: "1",
        keys: &["broadcaster_user_id", "user_id"],
        scopes: &[("user_id", &["user:read:chat", "user:bot"]), ("broadcaster_user_id", &["channel:bot"])],
    },
    Kind {
        name: "channel.follow",
        version: "2",
        keys: &["broadcaster_user_id", "moderator_user_id"],
        scopes: &[("moderator_user_id", &["moderator:read:followers"])],
    },
    Kind {
        name: "channel.raid",
        version: "1",
        keys: &["to_broadcaster_user_id", "from_broadcaster_user_id"],
        scopes: &[],
    },
    Kind {
        name: "channel.subscribe",
        version: "1",
        keys: &["broadcaster_user_id"],
        scopes: &[("broadcaster_user_id", &["channel:read:subscriptions"])],
    },
    Kind {
        name: "channel.cheer",
        version: "1",
        keys: &["broadcaster_user_id"],
        scopes: &[("broadcaster_user_id", &["bits:read"])],
    },
    Kind { name: "stream.online", version: "1", keys: &["broadcaster_user_id"], scopes: &[] },
    Kind { name: "stream.offline", version: "1", keys: &["broadcaster_user_id"], scopes: &[] },
];

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
}

#[derive(Debug, Deserialize)]
pub struct ListQuery {
    status: Option<String>,
    #[serde(rename = "type")]
    subscription_type: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct DeleteQuery {
    id: String,
}

/// `POST /helix/eventsub/subscriptions`: answers at once and asks the callback soon after.
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
    actix_web::rt::spawn(verify_callback(state, webhooks, subscription));
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
    if new.transport.method != "webhook" {
        return Err(refuse(400, "this stand-in delivers to webhooks only"));
    }
    if token.user_id.is_some() {
        return Err(refuse(400, "invalid transport and auth combination"));
    }
    let kind = KINDS.iter().find(|kind| kind.name == new.subscription_type && kind.version == new.version);
    let kind = kind.ok_or_else(|| refuse(400, "invalid subscription type and version"))?;
    check_condition(kind, &new.condition)?;
    let callback = new.transport.callback.unwrap_or_default();
    check_callback(&callback)?;
    let secret = new.transport.secret.unwrap_or_default();
    if !secret.is_ascii() || !(10..=100).contains(&secret.len()) {
        return Err(refuse(400, "secret must be an ASCII string of 10 to 100 characters"));
    }
    check_grants(inner, token, kind, &new.condition)?;
    let is_same = |found: &Subscription| {
        found.status != VERIFICATION_FAILED
            && found.subscription_type == kind.name
            && found.condition == new.condition
            && found.callback == callback
    };
    if inner.eventsub.iter().any(is_same) {
        return Err(refuse(409, "subscription already exists"));
    }
    Ok(Subscription {
        id: identifier::uuid(),
        status: VERIFICATION_PENDING.into(),
        subscription_type: new.subscription_type,
        version: new.version,
        condition: new.condition,
        callback,
        secret,
        created_at: clock::nanoseconds(clock::now()),
    })
}

fn check_condition(kind: &Kind, condition: &Value) -> Result<(), Refusal> {
    let is_given = |key: &&&str| condition[**key].as_str().is_some_and(|value| !value.is_empty());
    let given = kind.keys.iter().filter(is_given).count();
    let needed = if kind.name == "channel.raid" { 1 } else { kind.keys.len() };
    if given == needed { Ok(()) } else { Err(refuse(400, "invalid condition")) }
}

/// Twitch wants https on port 443. This server also takes plain http on the same machine, where it is used.
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
