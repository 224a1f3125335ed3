//! The WebSocket protocol and the hub (reference/realtime.md#handshake).

mod asyncapi;
mod deleted;
mod endings;
mod frames;
mod gates;
mod handshake;
mod held;
mod limits;
mod live_page;
mod outages;
mod resume;
mod revocation;

use foundation::events::{Appended, Channel, Event};
use lumio_tests::{Caller, Socket, SocketRequest, TestApp};
use serde_json::{Value, json};
use uuid::Uuid;

/// A socket of a caller, with the credential in the header.
async fn socket(app: &TestApp, caller: &Caller) -> Socket {
    SocketRequest::to(app.url()).bearer(caller.token()).connect().await
}

/// Appends an event with the number `n` and returns its id.
async fn publish(app: &TestApp, channel: Channel, n: usize) -> Uuid {
    let event = Event::new(channel, "test:event", json!({ "n": n }), app.clock.now());
    assert_eq!(app.state.events.append(&event).await.expect("the log takes it"), Appended::New);
    event.id
}

/// Number of an event frame.
#[track_caller]
fn number_of(frame: &Value) -> usize {
    assert_eq!(frame["type"], "event", "{frame}");
    usize::try_from(frame["data"]["n"].as_u64().expect("a number")).expect("a small number")
}
