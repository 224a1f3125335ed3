//! Names of events that have no id of their own, so that two readers who are told one thing, each under an id of their
//! delivery, do not make two of it.

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::PlatformEvent;

/// Named by the whole of what is told, which holds a time or an id and so never comes again with another meaning.
pub(super) fn by_content(event_type: &str, told: &Value, event: PlatformEvent) -> PlatformEvent {
    if event.source_id.is_some() {
        return event;
    }
    PlatformEvent { source_id: Some(format!("{event_type}:{}", digest(told))), ..event }
}

/// Named by the whole of what is told for a moment only: the same may be told again later and be another.
pub(super) fn for_a_moment(event_type: &str, told: &Value, event: PlatformEvent) -> PlatformEvent {
    if event.source_id.is_some() {
        return event;
    }
    PlatformEvent { alike: Some(format!("{event_type}:{}", digest(told))), ..event }
}

fn digest(told: &Value) -> String {
    hex::encode(&Sha256::digest(told.to_string().as_bytes())[..16])
}
