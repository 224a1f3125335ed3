//! Event subscriptions. The address of deliveries is a setting of the application, not of the subscription.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Event, bearer, number, ok, refuse, require_scope};
use crate::{Platform, clock, identifier, oauth::AccessToken, refusal::Refusal, state::State};

const MAX_IDS_PER_CALL: usize = 50;

/// All event types, each in version 1.
const EVENT_TYPES: [&str; 10] = [
    "chat.message.sent",
    "channel.followed",
    "channel.subscription.new",
    "channel.subscription.renewal",
    "channel.subscription.gifts",
    "channel.reward.redemption.updated",
    "livestream.status.updated",
    "livestream.metadata.updated",
    "moderation.banned",
    "kicks.gifted",
];

/// A subscription of the application to one event of one channel.
#[derive(Debug, Clone)]
pub struct Subscription {
    pub id: String,
    pub broadcaster_user_id: String,
    pub event_type: String,
    pub created_at: String,
}

impl Subscription {
    /// True when it matches the event.
    #[must_use]
    pub fn wants(&self, event: &Event) -> bool {
        self.event_type == event.event_type && self.broadcaster_user_id == event.broadcaster_user_id
    }

    pub(crate) fn json(&self) -> Value {
        json!({
            "id": self.id,
            "app_id": "01STANDIN",
            "broadcaster_user_id": number(&self.broadcaster_user_id),
            "event": self.event_type,
            "version": 1,
            "method": "webhook",
            "created_at": self.created_at,
            "updated_at": self.created_at,
        })
    }
}

#[derive(Debug, Deserialize)]
pub struct NewSubscriptions {
    broadcaster_user_id: Option<u64>,
    method: Option<String>,
    events: Vec<NewEvent>,
}

#[derive(Debug, Deserialize)]
struct NewEvent {
    name: String,
    version: u32,
}

/// `POST /public/v1/events/subscriptions`.
pub async fn create(
    state: web::Data<State>,
    request: HttpRequest,
    body: web::Json<NewSubscriptions>,
) -> Result<HttpResponse, Refusal> {
    let token = bearer(&state, &request)?;
    if body.method.as_deref().is_some_and(|method| method != "webhook") {
        return Err(refuse(400, "Invalid request: method must be webhook"));
    }
    if body.events.is_empty() {
        return Err(refuse(400, "Invalid request: events must not be empty"));
    }
    let broadcaster = broadcaster(&token, body.broadcaster_user_id)?;
    if state.lock().user(Platform::Kick, &broadcaster).is_none() {
        return Err(refuse(404, "Not found"));
    }
    Ok(ok(body.events.iter().map(|event| subscribe(&state, &broadcaster, event)).collect()))
}

/// A user subscribes to their own channel; an application to any.
fn broadcaster(token: &AccessToken, named: Option<u64>) -> Result<String, Refusal> {
    match (&token.user_id, named) {
        (Some(own), _) => {
            require_scope(token, "events:subscribe")?;
            Ok(own.clone())
        }
        (None, Some(id)) => Ok(id.to_string()),
        (None, None) => Err(refuse(400, "Invalid request: broadcaster_user_id is required")),
    }
}

fn subscribe(state: &State, broadcaster: &str, event: &NewEvent) -> Value {
    let row = |id: &str, error: &str| json!({ "name": event.name, "version": event.version, "subscription_id": id, "error": error });
    if !EVENT_TYPES.contains(&event.name.as_str()) || event.version != 1 {
        return row("", "invalid event name or version");
    }
    let mut inner = state.lock();
    let existing = inner
        .kick_subscriptions
        .iter()
        .find(|found| found.event_type == event.name && found.broadcaster_user_id == broadcaster);
    if let Some(existing) = existing {
        return row(&existing.id, "");
    }
    let subscription = Subscription {
        id: identifier::ulid(),
        broadcaster_user_id: broadcaster.to_owned(),
        event_type: event.name.clone(),
        created_at: clock::seconds(clock::now()),
    };
    let answer = row(&subscription.id, "");
    inner.kick_subscriptions.push(subscription);
    answer
}

/// `GET /public/v1/events/subscriptions`.
pub async fn list(state: web::Data<State>, request: HttpRequest) -> Result<HttpResponse, Refusal> {
    let token = bearer(&state, &request)?;
    let inner = state.lock();
    let is_visible =
        |found: &&Subscription| token.user_id.as_ref().is_none_or(|own| *own == found.broadcaster_user_id);
    Ok(ok(inner.kick_subscriptions.iter().filter(is_visible).map(Subscription::json).collect()))
}

/// `DELETE /public/v1/events/subscriptions?id=&id=`.
pub async fn delete(
    state: web::Data<State>,
    request: HttpRequest,
    query: web::Query<Vec<(String, String)>>,
) -> Result<HttpResponse, Refusal> {
    bearer(&state, &request)?;
    let ids: Vec<&str> = query.iter().filter(|(name, _)| name == "id").map(|(_, id)| id.as_str()).collect();
    if ids.is_empty() || ids.len() > MAX_IDS_PER_CALL {
        return Err(refuse(400, "Invalid request: 1 to 50 ids are needed"));
    }
    state.lock().kick_subscriptions.retain(|found| !ids.contains(&found.id.as_str()));
    Ok(HttpResponse::NoContent().finish())
}
