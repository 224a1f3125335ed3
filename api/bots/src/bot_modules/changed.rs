//! Announcements of changed modules to sockets and workers (reference/extensions.md#announcements).

use api_core::Cx;
use extension_model::{announce, system::SystemModule};
use serde_json::json;
use shared::id::AccountId;
use uuid::Uuid;

use super::{BotModule, db::Row};

/// Committed change.
pub(super) enum Change<'a> {
    /// Built-in module with new settings.
    Updated(&'a SystemModule, &'a Row, &'a BotModule),
    /// Install that was stopped by the kill switch.
    Killed { id: Uuid },
}

impl Change<'_> {
    /// Announces the change. It is valid also when Redis cannot be reached: workers poll their feeds, and
    /// clients read again when they reconnect.
    pub async fn announce(self, cx: &Cx, account: AccountId) {
        if let Err(error) = self.publish(cx, account).await {
            tracing::warn!(%error, %account, "a change of a bot module was not announced");
        }
    }

    async fn publish(self, cx: &Cx, account: AccountId) -> shared::Result<()> {
        let state = cx.state();
        match &self {
            Self::Updated(..) => announce::refresh(&state.redis, account.uuid()).await?,
            Self::Killed { id } => announce::kill(&state.redis, account.uuid(), *id).await?,
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
        announce::publish(&state.events, &state.clock, account.uuid(), event_type, data).await
    }
}
