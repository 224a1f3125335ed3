//! Announcement of a changed install to sockets and workers (reference/extensions.md#announcements).

use api_core::Cx;
use extension_model::announce;
use serde_json::json;
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
    /// Announces the change. The change is valid also when Redis fails: workers poll their feeds, and clients
    /// read again when they reconnect.
    pub(crate) async fn announce(self, cx: &Cx, account: AccountId) {
        if let Err(error) = self.publish(cx, account).await {
            tracing::warn!(%error, %account, "a change of an install was not announced");
        }
    }

    async fn publish(self, cx: &Cx, account: AccountId) -> shared::Result<()> {
        let state = cx.state();
        let (event_type, data) = match &self {
            Self::Created(install) => ("install:created", serde_json::to_value(install)?),
            Self::Updated(install) => ("install:updated", serde_json::to_value(install)?),
            Self::Removed { id } => ("install:removed", json!({ "id": id })),
        };
        announce::refresh(&state.redis, account.uuid()).await?;
        announce::publish(&state.events, &state.clock, account.uuid(), event_type, data).await
    }
}
