//! What follows a change of an install: sockets and workers learn of it (C B8, §11.5).

use api_core::Cx;
use serde_json::json;
use shared::{extensions::announce, id::AccountId};
use uuid::Uuid;

use super::ExtensionInstall;

/// A change that was committed.
pub(crate) enum Change<'a> {
    Created(&'a ExtensionInstall),
    Updated(&'a ExtensionInstall),
    Removed { id: Uuid },
}

impl Change<'_> {
    /// Tells everybody. The change stands whether or not Redis can be reached: workers poll their feeds, and clients
    /// read again when they reconnect.
    pub(crate) async fn announce(self, cx: &Cx, account: AccountId) {
        if let Err(error) = self.tell(cx, account).await {
            tracing::warn!(%error, %account, "a change of an install was not announced");
        }
    }

    async fn tell(self, cx: &Cx, account: AccountId) -> shared::Result<()> {
        let state = cx.state();
        let (event_type, data) = match &self {
            Self::Created(install) => ("install:created", serde_json::to_value(install)?),
            Self::Updated(install) => ("install:updated", serde_json::to_value(install)?),
            Self::Removed { id } => ("install:removed", json!({ "id": id })),
        };
        announce::refresh(&state.redis, account.0).await?;
        announce::tell(&state.events, &state.clock, account.0, event_type, data).await
    }
}
