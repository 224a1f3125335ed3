//! What follows a change of a module: sockets and workers learn of it (C B8, §11.5).

use api_core::Cx;
use serde_json::json;
use shared::{
    extensions::{announce, system::SystemModule},
    id::AccountId,
};
use uuid::Uuid;

use super::{BotModule, db::Row};

/// A change that was committed.
pub(super) enum Change<'a> {
    Updated(&'a SystemModule, &'a Row, &'a BotModule),
    Killed { id: Uuid },
}

impl Change<'_> {
    /// Tells everybody. The change stands whether or not Redis can be reached: workers poll their feeds, and clients
    /// read again when they reconnect.
    pub async fn announce(self, cx: &Cx, account: AccountId) {
        if let Err(error) = self.tell(cx, account).await {
            tracing::warn!(%error, %account, "a change of a bot module was not announced");
        }
    }

    async fn tell(self, cx: &Cx, account: AccountId) -> shared::Result<()> {
        let state = cx.state();
        match &self {
            Self::Updated(..) => announce::refresh(&state.redis, account.0).await?,
            Self::Killed { id } => announce::kill(&state.redis, account.0, *id).await?,
        }
        let (event_type, data) = match self {
            Self::Updated(module, row, updated) => (
                "install:updated",
                json!({
                    "id": row.id,
                    "account_id": account,
                    "extension_id": module.extension_id,
                    "extension_slug": module.slug,
                    "category": "bot_module",
                    "enabled": updated.enabled,
                    "config": updated.config,
                }),
            ),
            Self::Killed { id } => ("bot_module:killed", json!({ "install_id": id })),
        };
        announce::tell(&state.events, &state.clock, account.0, event_type, data).await
    }
}
