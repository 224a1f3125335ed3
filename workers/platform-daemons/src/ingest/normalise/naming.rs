//! Names of events without an id of their own, so that two readers of one event, each with its own delivery
//! id, do not make two of it.

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::PlatformEvent;

/// Names an event by its whole payload, which holds a time or an id and so never occurs again with another
/// meaning.
pub(super) fn by_content(event_type: &str, payload: &Value, event: PlatformEvent) -> PlatformEvent {
    if event.source_id.is_some() {
        return event;
    }
    PlatformEvent { source_id: Some(format!("{event_type}:{}", digest(payload))), ..event }
}

/// Names an event by its whole payload for a moment only: an equal payload may be another event later.
pub(super) fn for_a_moment(event_type: &str, payload: &Value, event: PlatformEvent) -> PlatformEvent {
    if event.source_id.is_some() {
        return event;
    }
    PlatformEvent { duplicate_key: Some(format!("{event_type}:{}", digest(payload))), ..event }
}

fn digest(payload: &Value) -> String {
    hex::encode(&Sha256::digest(payload.to_string().as_bytes())[..16])
}
