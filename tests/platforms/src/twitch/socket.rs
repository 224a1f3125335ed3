//! EventSub over WebSockets: sessions and their messages.

use std::time::Duration;

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::{Value, json};

use super::{Event, Subscription};
use crate::{
    clock, identifier,
    sockets::{self, OpenSocket, Out, Protocol},
    state::State,
};

/// Close code of a client that has sent something.
const SENT_INBOUND_TRAFFIC: u16 = 4001;

/// State of the sessions.
#[derive(Debug)]
pub struct Sessions {
    pub open: Vec<OpenSocket>,
    /// Interval of keepalives, in place of the client's.
    pub keepalive_secs: u64,
    /// Sessions get no keepalives.
    pub is_silent: bool,
    /// Number of sessions that were welcomed; those that moved are not counted again.
    pub welcomed: usize,
}

impl Default for Sessions {
    fn default() -> Self {
        Self { open: Vec::new(), keepalive_secs: 10, is_silent: false, welcomed: 0 }
    }
}

/// A socket of a session.
#[derive(Clone)]
struct EventSub {
    session_id: String,
    is_moved: bool,
}

/// `GET /ws`: a new session, or one that moves here.
pub async fn open(
    state: web::Data<State>,
    request: HttpRequest,
    payload: web::Payload,
    query: web::Query<Vec<(String, String)>>,
) -> Result<HttpResponse, actix_web::Error> {
    let moved = query.iter().find(|(name, _)| name == "session").map(|(_, id)| id.clone());
    let protocol =
        EventSub { is_moved: moved.is_some(), session_id: moved.unwrap_or_else(|| identifier::token(32)) };
    sockets::serve(state, &request, payload, protocol)
}

impl Protocol for EventSub {
    fn open(&self, state: &State, socket: &OpenSocket) {
        let sessions = &mut state.lock().eventsub_sessions;
        sessions.welcomed += usize::from(!self.is_moved);
        sessions.open.push(OpenSocket { subject: self.session_id.clone(), ..socket.clone() });
        let session = json!({
            "id": self.session_id,
            "status": "connected",
            "keepalive_timeout_seconds": sessions.keepalive_secs,
            "reconnect_url": null,
            "connected_at": clock::nanoseconds(clock::now()),
        });
        socket.send(message("session_welcome", json!({ "session": session })));
    }

    fn received(&self, _state: &State, socket: &mut OpenSocket, _message: &Value) {
        socket.send(Out::Close(SENT_INBOUND_TRAFFIC, "client sent inbound traffic"));
    }

    fn tick(&self, state: &State, socket: &OpenSocket) {
        if !state.lock().eventsub_sessions.is_silent {
            socket.send(message("session_keepalive", json!({})));
        }
    }

    /// The subscriptions of a session end with its last socket.
    fn closed(&self, state: &State, socket: &OpenSocket) {
        let mut inner = state.lock();
        inner.eventsub_sessions.open.retain(|open| open.id != socket.id);
        if !inner.eventsub_sessions.open.iter().any(|open| open.subject == self.session_id) {
            inner.eventsub.retain(|one| one.session_id.as_ref() != Some(&self.session_id));
        }
    }

    fn tick_every(&self, state: &State) -> Duration {
        Duration::from_secs(state.lock().eventsub_sessions.keepalive_secs)
    }
}

impl Sessions {
    pub fn is_open(&self, session_id: &str) -> bool {
        self.open.iter().any(|open| open.subject == session_id)
    }

    fn send(&self, session_id: &str, out: &Out) {
        // The newest socket of a session that moves.
        if let Some(socket) = self.open.iter().rev().find(|open| open.subject == session_id) {
            socket.send(out.clone());
        }
    }

    /// Moves every session to another socket.
    pub fn reconnect(&self, url: &str) {
        for open in &self.open {
            let session_id = &open.subject;
            let session = json!({
                "id": session_id,
                "status": "reconnecting",
                "keepalive_timeout_seconds": null,
                "reconnect_url": format!("{url}?session={session_id}"),
                "connected_at": clock::nanoseconds(clock::now()),
            });
            open.send(message("session_reconnect", json!({ "session": session })));
        }
    }

    /// Sends an event to a session, as often as requested, each time with the same id.
    pub fn notify(&self, subscription: &Subscription, event: &Event, copies: u32) {
        let Some(session_id) = &subscription.session_id else { return };
        let payload = json!({ "subscription": subscription.json(), "event": event.event });
        let out = message("notification", payload);
        for _ in 0..copies {
            self.send(session_id, &out);
        }
    }

    /// Notifies a session that a subscription has ended; the reason is its status.
    pub fn revoke(&self, subscription: &Subscription) {
        let Some(session_id) = &subscription.session_id else { return };
        self.send(session_id, &message("revocation", json!({ "subscription": subscription.json() })));
    }
}

fn message(kind: &str, payload: Value) -> Out {
    Out::Json(json!({
        "metadata": {
            "message_id": identifier::uuid(),
            "message_type": kind,
            "message_timestamp": clock::nanoseconds(clock::now()),
        },
        "payload": payload,
    }))
}
