//! Trovo's chat socket and its deliveries (reference/platforms.md#trovo-chat-socket).

use std::time::Duration;

use actix_web::{HttpRequest, HttpResponse, web};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::{
    DeliveryOptions, Platform, User, WebhookRequest, clock, identifier,
    refusal::Refusal,
    sockets::{self, OpenSocket, Out, Protocol},
    state::State,
};

/// The secret of [`crate::StandIn::environment`] for deliveries.
pub const WEBHOOK_SECRET: &str = "stand-in-trovo-webhook-secret";
const FOREIGN_SECRET: &str = "not-the-secret-of-the-webhook";

/// State of the chats.
#[derive(Debug)]
pub struct Chats {
    /// Tokens that open a socket once, and the channel of each.
    tokens: Vec<(String, String)>,
    pub open: Vec<OpenSocket>,
    /// Interval in a PONG, in seconds.
    pub gap_secs: u64,
    /// PINGs get no PONG.
    pub is_mute: bool,
    pub pings: usize,
    /// Sent to every socket that opens, as the platform sends recent messages.
    pub history: Vec<Value>,
}

impl Default for Chats {
    fn default() -> Self {
        Self {
            tokens: Vec::new(),
            open: Vec::new(),
            gap_secs: 30,
            is_mute: false,
            pings: 0,
            history: Vec::new(),
        }
    }
}

pub(crate) fn configure(routes: &mut web::ServiceConfig) {
    routes
        .route("/trovo/api/openplatform/chat/channel-token/{channel}", web::get().to(channel_token))
        .route("/trovo/chat", web::get().to(chat));
}

/// A chat of a kind, as the socket sends it.
#[must_use]
pub fn chat_of(kind: i64, sender: &User, content: &str) -> Value {
    json!({
        "type": kind,
        "content": content,
        "nick_name": sender.display_name,
        "user_name": sender.login,
        "avatar": sender.avatar_url,
        "sub_lv": "",
        "sub_tier": "",
        "medals": ["follower"],
        "decos": [],
        "roles": ["follower"],
        "message_id": identifier::uuid(),
        "sender_id": sender.id.parse::<u64>().unwrap_or(1),
        "uid": sender.id.parse::<u64>().unwrap_or(1),
        "send_time": clock::now().timestamp(),
    })
}

/// The message that carries chats of a channel.
#[must_use]
pub fn message(channel_id: &str, chats: &[Value]) -> Value {
    json!({
        "type": "CHAT",
        "channel_info": { "channel_id": channel_id },
        "data": { "eid": identifier::uuid(), "chats": chats },
    })
}

/// A signed delivery of chats.
#[must_use]
pub fn delivery(channel_id: &str, chats: &[Value], options: &DeliveryOptions) -> WebhookRequest {
    let body = options.cut_before_signing(message(channel_id, chats).to_string().into_bytes());
    let secret = if options.forge_signature { FOREIGN_SECRET } else { WEBHOOK_SECRET };
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of any length");
    mac.update(&body);
    WebhookRequest {
        headers: vec![
            ("Content-Type", "application/json".into()),
            ("X-Trovo-Signature", hex::encode(mac.finalize().into_bytes())),
        ],
        message_id: identifier::uuid(),
        body: options.truncate_in_transit(body),
    }
}

/// Needs no user's token, only the client id.
async fn channel_token(
    state: web::Data<State>,
    request: HttpRequest,
    channel: web::Path<String>,
) -> Result<HttpResponse, Refusal> {
    if !request.headers().contains_key("Client-ID") {
        return Err(Refusal::of(Platform::Trovo, 401, "the Client-ID header is missing"));
    }
    let mut inner = state.lock();
    if inner.user(Platform::Trovo, &channel).is_none() {
        return Err(Refusal::of(Platform::Trovo, 404, "channel not found"));
    }
    let token = identifier::token(40);
    inner.trovo_chats.tokens.push((token.clone(), channel.into_inner()));
    Ok(HttpResponse::Ok().json(json!({ "token": token })))
}

async fn chat(
    state: web::Data<State>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, actix_web::Error> {
    sockets::serve(state, &request, payload, Chat)
}

#[derive(Clone)]
struct Chat;

impl Protocol for Chat {
    fn open(&self, _state: &State, _socket: &OpenSocket) {}

    fn received(&self, state: &State, socket: &mut OpenSocket, message: &Value) {
        let chats = &mut state.lock().trovo_chats;
        let nonce = &message["nonce"];
        match message["type"].as_str() {
            Some("AUTH") => {
                let token = message["data"]["token"].as_str().unwrap_or_default();
                let Some(position) = chats.tokens.iter().position(|(known, _)| known == token) else {
                    let error = json!({ "type": "RESPONSE", "nonce": nonce, "error": "invalid token" });
                    socket.send(Out::Json(error));
                    return socket.send(Out::Close(1008, "invalid token"));
                };
                socket.subject = chats.tokens.remove(position).1;
                socket.send(Out::Json(json!({ "type": "RESPONSE", "nonce": nonce })));
                if !chats.history.is_empty() {
                    socket.send(Out::Json(self::message(&socket.subject, &chats.history)));
                }
                chats.open.push(socket.clone());
            }
            Some("PING") => {
                chats.pings += 1;
                if !chats.is_mute {
                    let data = json!({ "gap": chats.gap_secs });
                    socket.send(Out::Json(json!({ "type": "PONG", "nonce": nonce, "data": data })));
                }
            }
            _ => {}
        }
    }

    fn tick(&self, _state: &State, _socket: &OpenSocket) {}

    fn closed(&self, state: &State, socket: &OpenSocket) {
        state.lock().trovo_chats.open.retain(|open| open.id != socket.id);
    }

    fn tick_every(&self, _state: &State) -> Duration {
        Duration::from_secs(3600)
    }
}
