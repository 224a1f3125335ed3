//! Actions of local runs: checked as the API checks them, and recorded.

use extension_model::actions::{Action, ActionKind, Refusal};
use sandbox::{HostError, RunAction};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::report::{Effect, RefusedEffect};
use crate::{
    actions::{payload_of, refusal},
    api::ActionRequest,
};

/// Maximum size of an emitted event, in bytes of JSON: the default of `LUMIO_EVENTS_EMIT_BYTES`.
const MAX_EVENT_BYTES: usize = 16 * 1024;
/// Platform of a chat action that neither the action nor the trigger names.
const DEFAULT_PLATFORM: &str = "twitch";

/// Checks an action of a bot result.
///
/// # Errors
/// The refusal that the API would give.
pub(super) fn requested(request: &ActionRequest, permissions: &[String]) -> Result<Effect, RefusedEffect> {
    match checked(&request.action, &request.payload, permissions) {
        Ok(action) => Ok(effect(&action, &request.payload)),
        Err(refusal) => Err(RefusedEffect {
            code: code_of(&refusal),
            message: format!("{}: {}", request.action, refusal.message),
        }),
    }
}

/// Checks a call of `ctx.actions.run`. Returns the effect, and the result for the handler.
///
/// # Errors
/// The error that the handler catches.
pub(super) fn run(
    asked: &RunAction,
    platform: Option<&str>,
    permissions: &[String],
) -> Result<(Effect, Value), HostError> {
    let payload = payload_of(asked, platform);
    let action = checked(&asked.action, &payload, permissions)
        .map_err(|refused| refusal(&asked.action, &code_of(&refused), &refused.message))?;
    Ok((effect(&action, &payload), result_of(&action)))
}

fn checked(name: &str, payload: &Value, permissions: &[String]) -> Result<Action, Refusal> {
    let kind = ActionKind::parse(name)?;
    kind.check(|needed| permissions.iter().any(|granted| granted == needed))?;
    Action::parse(kind, payload, MAX_EVENT_BYTES)
}

fn effect(action: &Action, payload: &Value) -> Effect {
    let given = payload.as_object().cloned().unwrap_or_default();
    let fields: Map<String, Value> = given.into_iter().filter(|(_, value)| !value.is_null()).collect();
    Effect::Action { action: action.name().to_owned(), payload: Value::Object(fields) }
}

/// Result of an action that succeeds.
fn result_of(action: &Action) -> Value {
    let or_default = |platform: Option<shared::platform::Platform>| {
        platform.map_or_else(|| DEFAULT_PLATFORM.to_owned(), |platform| platform.to_string())
    };
    match action {
        Action::Send(send) => {
            json!({ "platform": or_default(send.platform), "message_id": format!("local-{}", Uuid::nil()) })
        }
        Action::Moderate(moderate) => json!({ "platform": or_default(moderate.platform) }),
        Action::Emit(_) => json!({ "event_id": Uuid::nil() }),
    }
}

/// Name of a refusal's code as the API returns it.
fn code_of(refusal: &Refusal) -> String {
    let code = serde_json::to_value(refusal.code).unwrap_or_default();
    code.as_str().unwrap_or_default().to_owned()
}
