//! The gateway: connections, requests and their refusals.

use std::time::Instant;

use actix_web::{HttpRequest, HttpResponse, rt, web};
use actix_ws::Message;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::{self, UnboundedSender};

use super::{Gateway, token::TokenType};
use crate::{clock, identifier, state::State};

/// Topics, each with the scope that it needs.
const TOPICS: [(&str, Option<&str>); 5] = [
    ("channel.activities", Some("activities:read")),
    ("channel.tips", Some("tips:read")),
    ("channel.tips.moderation", Some("tips:moderation")),
    ("channel.session.update", Some("session:read")),
    ("channel.chatstats", None),
];
const FIELDS: [&str; 3] = ["type", "nonce", "data"];
const SUBSCRIBE_FIELDS: [&str; 4] = ["topic", "room", "token", "token_type"];
const UNSUBSCRIBE_FIELDS: [&str; 2] = ["topic", "room"];

/// Open connection.
#[derive(Debug, Clone)]
pub struct Connection {
    id: String,
    /// Topics and rooms.
    pub subscriptions: Vec<(String, String)>,
    sender: UnboundedSender<Out>,
}

/// Message to a connection.
#[derive(Debug, Clone)]
pub(crate) enum Out {
    Json(Value),
    /// End without a close frame.
    Cut,
}

/// Code and text of a refusal.
type Refused = (&'static str, String);

impl Connection {
    pub(crate) fn send(&self, out: Out) {
        // A connection that has ended receives nothing.
        drop(self.sender.send(out));
    }

    pub(crate) fn has(&self, topic: &str, room: &str) -> bool {
        self.subscriptions.iter().any(|(own, at)| own == topic && at == room)
    }
}

/// Opens a connection.
pub async fn connect(
    state: web::Data<State>,
    request: HttpRequest,
    payload: web::Payload,
    query: web::Query<Vec<(String, String)>>,
) -> Result<HttpResponse, actix_web::Error> {
    let moving = match query.as_slice() {
        [] => None,
        [(name, token)] if name == "reconnect_token" => Some(token.clone()),
        _ => return Ok(HttpResponse::BadRequest().finish()),
    };
    {
        let gateway = &mut state.lock().stream_elements;
        if gateway.is_draining {
            return Ok(HttpResponse::BadGateway().finish());
        }
        if gateway.busy > 0 {
            gateway.busy -= 1;
            return Ok(HttpResponse::TooManyRequests().insert_header(("Retry-After", "2")).finish());
        }
    }
    let (response, session, stream) = actix_ws::handle(&request, payload)?;
    rt::spawn(hold(state, session, stream, moving));
    Ok(response)
}

async fn hold(
    state: web::Data<State>,
    mut session: actix_ws::Session,
    mut stream: actix_ws::MessageStream,
    moving: Option<String>,
) {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let id = identifier::ulid();
    let Some((ping_interval, pong_timeout)) = open(&state, &id, sender, moving) else {
        drop(session.close(None).await);
        return;
    };
    let mut pings = tokio::time::interval(ping_interval);
    pings.tick().await;
    let mut heard_at = Instant::now();
    loop {
        tokio::select! {
            _ = pings.tick() => {
                if heard_at.elapsed() > pong_timeout || session.ping(b"").await.is_err() {
                    break;
                }
            }
            out = receiver.recv() => {
                let Some(Out::Json(message)) = out else { break };
                if session.text(message.to_string()).await.is_err() {
                    break;
                }
            }
            message = stream.recv() => match message {
                Some(Ok(Message::Text(text))) => {
                    let response = request(&mut state.lock().stream_elements, &id, &text);
                    if session.text(response.to_string()).await.is_err() {
                        break;
                    }
                }
                Some(Ok(Message::Pong(_))) => heard_at = Instant::now(),
                Some(Ok(Message::Ping(bytes))) => drop(session.pong(&bytes).await),
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                // Binary frames are ignored.
                Some(Ok(_)) => {}
            },
        }
    }
    state.lock().stream_elements.open.retain(|open| open.id != id);
}

/// Welcomes a connection; returns the intervals of its pings. `None` for a token that moves no connection.
fn open(
    state: &State,
    id: &str,
    sender: UnboundedSender<Out>,
    moving: Option<String>,
) -> Option<(std::time::Duration, std::time::Duration)> {
    let gateway = &mut state.lock().stream_elements;
    let subscriptions = match moving {
        Some(token) => gateway.moving.remove(&token)?,
        None => Vec::new(),
    };
    let connection = Connection { id: id.to_owned(), subscriptions, sender };
    let data = json!({ "message": "You are in a maze of dank memes, all alike.", "client_id": id });
    connection.send(Out::Json(envelope("welcome", json!({ "data": data }))));
    gateway.welcomed += 1;
    gateway.open.push(connection);
    Some((gateway.ping_interval, gateway.pong_timeout))
}

/// Message of a topic.
pub(super) fn message(topic: &str, room: &str, payload: &Value) -> Value {
    envelope("message", json!({ "topic": topic, "room": room, "data": payload }))
}

/// Response to a request.
fn request(gateway: &mut Gateway, id: &str, text: &str) -> Value {
    let message: Option<Map<String, Value>> = serde_json::from_str(text).ok();
    let nonce = message.as_ref().and_then(|message| message.get("nonce")).cloned();
    let answer = match message {
        Some(message) => execute(gateway, id, &message),
        None => Err(("err_bad_request", "the request is not a JSON object".into())),
    };
    let mut content = match answer {
        Ok(data) => json!({ "data": data }),
        Err((error, message)) => json!({ "error": error, "data": { "message": message } }),
    };
    if let Some(nonce) = nonce {
        content["nonce"] = nonce;
    }
    envelope("response", content)
}

fn execute(gateway: &mut Gateway, id: &str, message: &Map<String, Value>) -> Result<Value, Refused> {
    let kind = message.get("type").and_then(Value::as_str).unwrap_or_default();
    if !["subscribe", "unsubscribe"].contains(&kind) {
        return Err(("invalid_message_type", format!("unknown type `{kind}`")));
    }
    only(message, &FIELDS)?;
    if message.get("nonce").is_some_and(|nonce| !nonce.is_string()) {
        return Err(bad("nonce must be a string"));
    }
    let empty = Map::new();
    let data = message.get("data").and_then(Value::as_object).unwrap_or(&empty);
    only(data, if kind == "subscribe" { &SUBSCRIBE_FIELDS } else { &UNSUBSCRIBE_FIELDS })?;
    let topic = text(data, "topic")?.ok_or_else(|| bad("topic is required"))?;
    let scope = TOPICS.iter().find(|(name, _)| *name == topic).map(|(_, scope)| *scope);
    let scope = scope.ok_or_else(|| bad("invalid topic"))?;
    let room = text(data, "room")?.unwrap_or_default();
    if kind == "unsubscribe" {
        return unsubscribe(gateway, id, topic, room);
    }
    let token = text(data, "token")?.ok_or_else(|| bad("token is required"))?;
    let token_type = text(data, "token_type")?.unwrap_or_default();
    let token_type = TokenType::parse(token_type).ok_or_else(|| bad("token_type must be jwt or apikey"))?;
    if !gateway.errors.is_empty() {
        return Err((gateway.errors.remove(0), "as the test requested".into()));
    }
    let known = gateway.tokens.iter().find(|known| known.text == token && known.token_type == token_type);
    let known = known.ok_or(("err_unauthorized", "authentication failed".to_owned()))?;
    if known.channel.id != room || !known.allows(scope) {
        return Err(("err_unauthorized", "permission denied".into()));
    }
    gateway.subscribed += 1;
    let subscription = (topic.to_owned(), room.to_owned());
    if let Some(connection) = gateway.open.iter_mut().find(|open| open.id == id)
        && !connection.subscriptions.contains(&subscription)
    {
        connection.subscriptions.push(subscription);
    }
    Ok(json!({ "message": "successfully subscribed to topic", "topic": topic, "room": room }))
}

/// Ends the subscription of a room, or those of all rooms without one.
fn unsubscribe(gateway: &mut Gateway, id: &str, topic: &str, room: &str) -> Result<Value, Refused> {
    let connection = gateway.open.iter_mut().find(|open| open.id == id);
    let connection = connection.ok_or_else(|| bad("the connection has ended"))?;
    let before = connection.subscriptions.len();
    connection.subscriptions.retain(|(own, at)| own != topic || !(room.is_empty() || at == room));
    if connection.subscriptions.len() == before {
        return Err(bad("not subscribed to the topic"));
    }
    gateway.unsubscribed += 1;
    Ok(json!({ "message": "successfully unsubscribed from topic", "topic": topic, "room": room }))
}

fn only(fields: &Map<String, Value>, known: &[&str]) -> Result<(), Refused> {
    match fields.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(bad(&format!("unknown field `{name}`"))),
        None => Ok(()),
    }
}

fn text<'a>(fields: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, Refused> {
    match fields.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(bad(&format!("{name} must be a string"))),
    }
}

fn bad(message: &str) -> Refused {
    ("err_bad_request", message.to_owned())
}

fn envelope(kind: &str, content: Value) -> Value {
    let mut message = json!({ "id": identifier::ulid(), "ts": clock::seconds(clock::now()), "type": kind });
    if let (Some(message), Value::Object(content)) = (message.as_object_mut(), content) {
        message.extend(content);
    }
    message
}
