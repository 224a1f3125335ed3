//! Presence of editors on `overlay-editor:{overlay_id}` (reference/realtime.md#surfaces).

use api_core::{Cx, State};
use foundation::events::{Channel, Event};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    hub::Hub,
    protocol::{ErrorCode, Refusal},
};

/// Largest content that a client publishes, in bytes of JSON (reference/realtime.md#surfaces).
const MAX_PRESENCE_BYTES: usize = 4096;

/// Presence of a session. Dropping it publishes the end.
pub(super) struct Presence {
    hub: Hub,
    channel: Channel,
    data: Value,
}

impl Presence {
    /// Publishes that a session listens.
    pub fn begin(hub: &Hub, cx: &Cx, session: Uuid, channel: Channel) -> Self {
        let presence = Self { hub: hub.clone(), channel, data: holder(cx, session) };
        presence.publish("presence:join");
        presence
    }

    fn publish(&self, event_type: &'static str) {
        let now = self.hub.state.clock.now();
        let event = Event::new(self.channel, event_type, self.data.clone(), now);
        // Its own task: also published while the session ends.
        tokio::spawn(publish(self.hub.state.clone(), event));
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.publish("presence:leave");
    }
}

async fn publish(state: State, event: Event) {
    if let Err(error) = state.events.publish(&event).await {
        tracing::debug!(%error, channel = event.channel, "the presence of an editor could not be published");
    }
}

/// Content of a client with the session and person who published it.
///
/// # Errors
/// `PAYLOAD_TOO_LARGE` beyond 4 KiB.
pub(super) fn stamped(cx: &Cx, session: Uuid, data: Value) -> Result<Value, Refusal> {
    if data.to_string().len() > MAX_PRESENCE_BYTES {
        let message = format!("data must not be larger than {MAX_PRESENCE_BYTES} bytes of JSON");
        return Err(Refusal::new(ErrorCode::PayloadTooLarge, message));
    }
    let mut stamped = holder(cx, session);
    stamped["data"] = data;
    Ok(stamped)
}

fn holder(cx: &Cx, session: Uuid) -> Value {
    json!({ "session_id": session, "user_id": cx.principal().author().map(|user| user.0) })
}
