//! Values of runs.

use serde_json::{Value, json};
use uuid::Uuid;

/// Returns `user` of a run: a person of a platform; null without an id.
#[must_use]
pub fn user(
    platform: Option<&str>,
    id: Option<&str>,
    name: Option<&str>,
    display_name: Option<&str>,
    roles: &[&str],
) -> Value {
    let Some(id) = id else { return Value::Null };
    json!({
        "id": id,
        "platform": platform,
        "platform_user_id": id,
        "name": name.or(display_name),
        "display_name": display_name.or(name),
        "roles": roles,
    })
}

/// Returns the values of a run for templates.
#[must_use]
pub fn context(event: Value, user: Value) -> Value {
    json!({ "event": event, "user": user })
}

/// Returns the `trigger` of a run.
#[must_use]
pub fn trigger_value(node_id: Uuid, node_type: &str, payload: Value) -> Value {
    json!({ "node_id": node_id, "type": node_type, "payload": payload })
}
