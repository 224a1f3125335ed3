//! Announcement of a changed install to sockets and workers (reference/extensions.md#announcements).

use api_core::{Cx, State};
use extension_model::announce;
use serde_json::{Value, json};
use shared::id::AccountId;
use uuid::Uuid;

use super::ExtensionInstall;

/// A committed change.
pub(crate) enum Change<'a> {
    Created(&'a ExtensionInstall),
    Updated(&'a ExtensionInstall),
    Removed { id: Uuid },
}

impl Change<'_> {
    /// Announces the change after the commit. The change is valid also when Redis fails: workers poll their
    /// feeds, and clients read again when they reconnect.
    pub(crate) async fn announce(self, cx: &Cx, account: AccountId) {
        let (state, event) = (cx.state().clone(), self.event());
        cx.after_commit(async move {
            if let Err(error) = publish(&state, account, event).await {
                tracing::warn!(%error, %account, "a change of an install was not announced");
            }
        })
        .await;
    }

    fn event(self) -> shared::Result<(&'static str, Value)> {
        Ok(match self {
            Self::Created(install) => ("install:created", serde_json::to_value(install)?),
            Self::Updated(install) => ("install:updated", serde_json::to_value(install)?),
            Self::Removed { id } => ("install:removed", json!({ "id": id })),
        })
    }
}

async fn publish(
    state: &State,
    account: AccountId,
    event: shared::Result<(&'static str, Value)>,
) -> shared::Result<()> {
    let (event_type, data) = event?;
    announce::refresh(&state.redis, account.uuid()).await?;
    announce::publish(&state.events, &state.clock, account.uuid(), event_type, data).await
}
