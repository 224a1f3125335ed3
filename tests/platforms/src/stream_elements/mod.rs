//! StreamElements: the gateway that reports tips, and the API that names the channel of a token.
//!
//! The gateway follows the published protocol (<https://docs.streamelements.com/websockets>): requests with unknown or
//! missing fields, tokens without the scope of a topic, foreign rooms and a topic that was not requested are refused.
//! Each request has a token of its own, so a connection may have subscriptions of several channels.

mod api;
mod gateway;
mod token;

use std::{collections::HashMap, time::Duration};

use actix_web::web;
use serde_json::{Value, json};

pub use gateway::Connection;
pub use token::{Channel, NewToken, TokenType};

use crate::{StandIn, clock, identifier};
use gateway::Out;
use token::KnownToken;

/// Topic of tips.
pub const TIPS: &str = "channel.tips";
/// Topic of the moderation of tips.
pub const MODERATION: &str = "channel.tips.moderation";

/// State of the gateway.
#[derive(Debug)]
pub struct Gateway {
    tokens: Vec<KnownToken>,
    /// Open connections.
    pub open: Vec<Connection>,
    /// Tokens of connections that were asked to move, each with topics and rooms.
    moving: HashMap<String, Vec<(String, String)>>,
    /// New connections are 502.
    pub is_draining: bool,
    /// Number of the next connections that are 429.
    pub busy: usize,
    /// Errors of the next subscriptions, the earliest first.
    pub errors: Vec<&'static str>,
    /// Interval of pings.
    pub ping_interval: Duration,
    /// Time without a pong after which a connection is closed.
    pub pong_timeout: Duration,
    /// Number of connections that were welcomed.
    pub welcomed: usize,
    /// Number of accepted subscriptions; those of connections that moved are not counted again.
    pub subscribed: usize,
    /// Number of accepted ends of subscriptions.
    pub unsubscribed: usize,
    /// Number of calls of the API.
    pub calls: usize,
    /// Calls of the API wait for their answer.
    pub is_api_silent: bool,
}

impl Default for Gateway {
    fn default() -> Self {
        Self {
            tokens: Vec::new(),
            open: Vec::new(),
            moving: HashMap::new(),
            is_draining: false,
            busy: 0,
            errors: Vec::new(),
            ping_interval: Duration::from_secs(30),
            pong_timeout: Duration::from_secs(70),
            welcomed: 0,
            subscribed: 0,
            unsubscribed: 0,
            calls: 0,
            is_api_silent: false,
        }
    }
}

pub(crate) fn configure(routes: &mut web::ServiceConfig) {
    routes
        .route("/streamelements/gateway", web::get().to(gateway::connect))
        .route("/streamelements/api/kappa/v2/channels/me", web::get().to(api::me));
}

pub(crate) fn environment(url: &str) -> [(String, String); 2] {
    let sockets = url.replacen("http", "ws", 1);
    [
        ("LUMIO_STREAMELEMENTS_REALTIME_URL".into(), format!("{sockets}/streamelements/gateway")),
        ("LUMIO_STREAMELEMENTS_API_URL".into(), format!("{url}/streamelements/api")),
    ]
}

/// A completed tip, as `channel.tips` reports it.
#[must_use]
pub fn tip(channel: &Channel, user_name: &str, amount: &Value, currency: &str, message: &str) -> Value {
    let now = clock::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
    json!({
        "donation": {
            "user": { "username": user_name, "geo": "ZZ", "email": "tipper@example.com", "channel": channel.id },
            "message": message,
            "amount": amount,
            "currency": currency,
            "paymentMethod": "scheme",
        },
        "_id": identifier::hex(24),
        "channel": channel.id,
        "provider": "paypal",
        "approved": "allowed",
        "status": "success",
        "createdAt": now,
        "updatedAt": now,
        "transactionId": identifier::token(17).to_uppercase(),
    })
}

impl StandIn {
    /// Creates a channel of StreamElements.
    #[must_use]
    pub fn stream_elements_channel(&self, name: &str) -> Channel {
        Channel { id: identifier::hex(24), name: name.to_owned() }
    }

    /// Issues a token of a channel.
    pub fn stream_elements_token(&self, channel: &Channel, token: &NewToken) -> String {
        let known = KnownToken::issue(channel, token);
        let text = known.text.clone();
        self.state.lock().stream_elements.tokens.push(known);
        text
    }

    /// Revokes a token. Connections stay.
    pub fn revoke_stream_elements_token(&self, token: &str) {
        self.state.lock().stream_elements.tokens.retain(|known| known.text != token);
    }

    /// Publishes the payload of a topic in the room of a channel, as often as requested, each time in a message of its
    /// own. Returns the number of connections that it is sent to.
    pub fn send_stream_elements(
        &self,
        channel: &Channel,
        topic: &str,
        payload: &Value,
        copies: usize,
    ) -> usize {
        let inner = self.state.lock();
        let mut reached = 0;
        for open in inner.stream_elements.open.iter().filter(|open| open.has(topic, &channel.id)) {
            (0..copies).for_each(|_| open.send(Out::Json(gateway::message(topic, &channel.id, payload))));
            reached += 1;
        }
        reached
    }

    /// Topics and rooms of every open connection.
    #[must_use]
    pub fn stream_elements_subscriptions(&self) -> Vec<(String, String)> {
        let inner = self.state.lock();
        inner.stream_elements.open.iter().flat_map(|open| open.subscriptions.clone()).collect()
    }

    /// Number of open connections.
    #[must_use]
    pub fn stream_elements_connections(&self) -> usize {
        self.state.lock().stream_elements.open.len()
    }

    /// Asks every connection to move to another one.
    pub fn move_stream_elements(&self) {
        let gateway = &mut self.state.lock().stream_elements;
        for open in &gateway.open {
            let token = identifier::token(40);
            gateway.moving.insert(token.clone(), open.subscriptions.clone());
            let data = json!({ "message": "The server is shutting down.", "reconnect_token": token });
            open.send(Out::Json(json!({ "type": "reconnect", "data": data })));
        }
    }

    /// Sends a message to every connection.
    pub fn broadcast_stream_elements(&self, message: &Value) {
        let inner = self.state.lock();
        inner.stream_elements.open.iter().for_each(|open| open.send(Out::Json(message.clone())));
    }

    /// Ends every connection without a close frame.
    pub fn cut_stream_elements(&self) {
        let inner = self.state.lock();
        inner.stream_elements.open.iter().for_each(|open| open.send(Out::Cut));
    }

    /// Reads or changes the state of the gateway.
    pub fn change_stream_elements<T>(&self, change: impl FnOnce(&mut Gateway) -> T) -> T {
        change(&mut self.state.lock().stream_elements)
    }
}
