//! Sockets of the platforms: their connections and messages.

use std::time::Duration;

use actix_web::{HttpRequest, HttpResponse, rt, web};
use actix_ws::{CloseCode, CloseReason, Message};
use serde_json::Value;
use tokio::sync::mpsc;

use crate::{identifier, state::State};

/// An open socket.
#[derive(Debug, Clone)]
pub struct OpenSocket {
    /// Of the socket itself.
    pub id: String,
    /// Trovo channel or EventSub session of the socket; empty before that is known.
    pub subject: String,
    pub(crate) sender: mpsc::UnboundedSender<Out>,
}

/// A message to a socket.
#[derive(Debug, Clone)]
pub enum Out {
    Json(Value),
    /// A close frame.
    Close(u16, &'static str),
    /// End of the connection, without a close frame.
    Cut,
}

/// Protocol of a platform's sockets.
pub trait Protocol: Clone + 'static {
    /// First message of the server.
    fn open(&self, state: &State, socket: &OpenSocket);
    /// Handles a message of the client.
    fn received(&self, state: &State, socket: &mut OpenSocket, message: &Value);
    /// Periodic message of the server.
    fn tick(&self, state: &State, socket: &OpenSocket);
    fn closed(&self, state: &State, socket: &OpenSocket);
    fn tick_every(&self, state: &State) -> Duration;
}

impl OpenSocket {
    pub fn send(&self, out: Out) {
        // A socket that has ended receives nothing.
        drop(self.sender.send(out));
    }
}

/// Holds a socket until one of the two ends it.
pub fn serve<P: Protocol>(
    state: web::Data<State>,
    request: &HttpRequest,
    payload: web::Payload,
    protocol: P,
) -> Result<HttpResponse, actix_web::Error> {
    let (response, session, stream) = actix_ws::handle(request, payload)?;
    let (sender, receiver) = mpsc::unbounded_channel();
    let socket = OpenSocket { id: identifier::uuid(), subject: String::new(), sender };
    rt::spawn(hold(state, protocol, socket, receiver, session, stream));
    Ok(response)
}

async fn hold<P: Protocol>(
    state: web::Data<State>,
    protocol: P,
    mut socket: OpenSocket,
    mut receiver: mpsc::UnboundedReceiver<Out>,
    mut session: actix_ws::Session,
    mut stream: actix_ws::MessageStream,
) {
    protocol.open(&state, &socket);
    let mut ticks = tokio::time::interval(protocol.tick_every(&state));
    ticks.tick().await;
    loop {
        tokio::select! {
            _ = ticks.tick() => protocol.tick(&state, &socket),
            out = receiver.recv() => match out {
                Some(Out::Json(message)) => {
                    if session.text(message.to_string()).await.is_err() {
                        break;
                    }
                }
                Some(Out::Close(code, reason)) => {
                    let reason = CloseReason { code: CloseCode::Other(code), description: Some(reason.into()) };
                    drop(session.close(Some(reason)).await);
                    protocol.closed(&state, &socket);
                    return;
                }
                Some(Out::Cut) | None => break,
            },
            message = stream.recv() => match message {
                Some(Ok(Message::Text(text))) => {
                    if let Ok(message) = serde_json::from_str(&text) {
                        protocol.received(&state, &mut socket, &message);
                    }
                }
                Some(Ok(Message::Ping(bytes))) => drop(session.pong(&bytes).await),
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                Some(Ok(_)) => {}
            },
        }
    }
    protocol.closed(&state, &socket);
}
