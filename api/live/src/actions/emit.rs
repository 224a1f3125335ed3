//! Events of extensions, stored and published like those of the platforms
//! (reference/events.md#events-of-extensions). They trigger no handlers, so that extensions cannot trigger
//! each other without end. They start automations.

use api_core::{ApiError, Cx, Result};
use chrono::{DateTime, Utc};
use extension_model::actions::Emit;
use foundation::events::id_of_source;
use live_model::{AccountEvent, EventRow, RowBuffer};
use serde_json::{Value, json};

use super::{ActionErrorCode, Refusal, db::Install};
use crate::{events::start_automations, pace::Paced};

/// Beginning of the ids of invocations that are nodes of automations.
const OF_AUTOMATIONS: &str = "automation:";

/// Stores and publishes an event. A repetition with the same `since` has no second effect.
///
/// # Errors
/// An error when Redis fails or holds the largest number of rows. The event was not published then, or the
/// next call publishes it.
pub(super) async fn emit(
    cx: &Cx,
    install: &Install,
    invocation_id: &str,
    emit: &Emit,
    since: DateTime<Utc>,
) -> Result<Result<Value, Refusal>> {
    if let Err(too_fast) = Paced::Emits.take(cx.state(), &install.id.to_string()).await? {
        return Ok(Err(Refusal::new(ActionErrorCode::RateLimited, too_fast.to_string())));
    }
    let source = format!("{}:{invocation_id}", install.id);
    let id = id_of_source(&source, since);
    let event = AccountEvent {
        id,
        account_id: install.account_id,
        event_type: emit.event_type.clone(),
        platform: None,
        platform_user_id: None,
        username: None,
        display_name: None,
        avatar_url: None,
        amount: None,
        currency: None,
        message: None,
        data: emit.data.clone(),
        is_test: false,
        occurred_at: since,
    };
    // The depth of an automation ends at its node: what the node emits must not start automations without end.
    if !invocation_id.starts_with(OF_AUTOMATIONS) {
        start_automations(cx.state(), &event).await?;
    }
    let announcement = event.announcement()?;
    let row = EventRow::new(event, source);
    let pushed = RowBuffer::new(cx.state().redis.clone()).push(&[row]).await?;
    if pushed.shed > 0 {
        return Err(ApiError::internal("an event of an extension cannot be stored: as much waits as may"));
    }
    cx.state().events.append(&announcement).await?;
    Ok(Ok(json!({ "event_id": id })))
}
