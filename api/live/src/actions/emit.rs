//! Events of an extension's own: stored and broadcast like those of the platforms (C B12.1). They trigger no
//! handlers, so that extensions cannot set each other off for ever.

use api_core::{ApiError, Cx, Result};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use shared::{
    events::id_of_source,
    ingest::{AccountEvent, EventRow, RowBuffer},
};

use super::{ActionErrorCode, Refusal, db::Install, request::Emit};
use crate::pace::Paced;

/// Stores and tells an event. Repeated with the same `since`, it has no second effect.
///
/// # Errors
/// When Redis fails or holds as many rows as it may: the event was not told then, or is told by the next call.
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
    let announcement = event.announcement()?;
    let row = EventRow { event, platform_event_id: source };
    let pushed = RowBuffer::new(cx.state().redis.clone()).push(&[row]).await?;
    if pushed.shed > 0 {
        return Err(ApiError::internal("an event of an extension cannot be stored: as much waits as may"));
    }
    cx.state().events.append(&announcement).await?;
    Ok(Ok(json!({ "event_id": id })))
}
