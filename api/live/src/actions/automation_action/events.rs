//! Events that automations emit, and alerts.

use account_model::features::of_event;
use api_core::{ApiError, Code, Cx, Result, graphql::Json};
use automation_model::{
    effects::{EmitEvent, ShowAlert},
    starts::Emitter,
};
use serde_json::{Map, Value, json};

use super::{Call, Failure, Outcome};
use crate::{
    events::{Draft, EmitEventInput, check_type, emit_of_run, show},
    pace::Paced,
};

/// Type of the event that shows an alert (reference/automations.md#actions-of-the-api).
const ALERT: &str = "custom:alert";

/// Emits an event of the account, a test in a run that a test started.
pub(super) async fn emit_event(cx: &Cx, call: &Call, given: EmitEvent) -> Result<Outcome> {
    let input = EmitEventInput {
        event_type: given.event_type,
        platform: None,
        data: Json(Value::Object(given.data)),
        is_test: Some(call.run.is_test),
    };
    let draft = match Draft::check(input) {
        Ok(draft) => draft,
        Err(wrong) => return refusal(wrong),
    };
    if let Err(error) = check_type(cx.state(), call.account, draft.event_type()).await {
        if error.code == Code::FeatureDisabled {
            return Ok(Err(Failure::feature_disabled(&of_event(draft.event_type()))));
        }
        return refusal(error);
    }
    if let Err(failure) = keep_pace(cx, call).await? {
        return Ok(Err(failure));
    }
    let event = draft.into_event(call.account, event_id(call), call.run.started_at);
    let run = Emitter { run_id: call.run_id, depth: call.run.depth };
    emit_of_run(cx.state(), &event, run).await?;
    Ok(Ok(json!({ "event_id": event.id })))
}

/// Shows an alert in the account's alert boxes. It runs no handlers and starts no automations.
pub(super) async fn show_alert(cx: &Cx, call: &Call, alert: ShowAlert) -> Result<Outcome> {
    if let Err(failure) = keep_pace(cx, call).await? {
        return Ok(Err(failure));
    }
    let data = Map::from_iter([
        ("title".to_owned(), json!(alert.title)),
        ("message".to_owned(), json!(alert.message)),
        ("duration_secs".to_owned(), json!(alert.duration_secs)),
    ]);
    let draft = Draft::custom(ALERT.to_owned(), None, data, call.run.is_test);
    let event = draft.into_event(call.account, event_id(call), call.run.started_at);
    show(cx.state(), &event).await?;
    Ok(Ok(json!({ "event_id": event.id })))
}

/// Returns the id of the event of a step: that of an earlier attempt, so that a repeated call has no second effect.
fn event_id(call: &Call) -> uuid::Uuid {
    let source = format!("automation:{}:{}", call.run_id, call.position);
    foundation::events::id_of_source(&source, call.run.started_at)
}

/// Counts an event of the account's automations.
async fn keep_pace(cx: &Cx, call: &Call) -> Result<Result<(), Failure>> {
    let of = format!("automations:{}", call.account);
    let kept = Paced::Emits.take(cx.state(), &of).await?;
    Ok(kept.map_err(|too_fast| Failure::new(too_fast.to_string())))
}

fn refusal(error: ApiError) -> Result<Outcome> {
    if error.code.status().is_server_error() {
        return Err(error);
    }
    Ok(Err(Failure::new(error.message)))
}
