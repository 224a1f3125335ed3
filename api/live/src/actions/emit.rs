//! Events of an extension's own: stored and broadcast like those of the platforms (C B12.1). They trigger no
//! handlers, so that extensions cannot set each other off for ever.

use api_core::{Cx, Result};
use serde_json::{Value, json};
use shared::ingest::{AccountEvent, EventRow, RowBuffer};

use super::{Refusal, db::Install, request::Emit};

pub(super) async fn emit(
    cx: &Cx,
    install: &Install,
    invocation_id: &str,
    emit: &Emit,
) -> Result<Result<Value, Refusal>> {
    let id = shared::id::new();
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
        occurred_at: cx.state().clock.now(),
    };
    let announcement = event.announcement()?;
    let row = EventRow { event, platform_event_id: format!("{}:{invocation_id}", install.id) };
    RowBuffer::new(cx.state().redis.clone()).push(&[row]).await?;
    cx.state().events.append(&announcement).await?;
    Ok(Ok(json!({ "event_id": id })))
}
