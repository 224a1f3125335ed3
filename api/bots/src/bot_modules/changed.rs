//! Announcements of changed modules to sockets and workers (reference/extensions.md#announcements).

use api_core::{Cx, State};
use extension_model::{announce, system::SystemModule};
use serde_json::{Value, json};
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
    /// Announces the change after the commit. It is valid also when Redis cannot be reached: workers poll
    /// their feeds, and clients read again when they reconnect.
    pub async fn announce(self, cx: &Cx, account: AccountId) {
        let (state, killed) = (cx.state().clone(), self.killed());
        let event = self.event(account);
        cx.after_commit(async move {
            if let Err(error) = publish(&state, account, killed, event).await {
                tracing::warn!(%error, %account, "a change of a bot module was not announced");
            }
        })
        .await;
    }

    const fn killed(&self) -> Option<Uuid> {
        match self {
            Self::Updated(..) => None,
            Self::Killed { id } => Some(*id),
        }
    }

    fn event(self, account: AccountId) -> (&'static str, Value) {
        match self {
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
        }
    }
}

async fn publish(
    state: &State,
    account: AccountId,
    killed: Option<Uuid>,
    (event_type, data): (&'static str, Value),
) -> shared::Result<()> {
    match killed {
        Some(install) => announce::kill(&state.redis, account.uuid(), install).await?,
        None => announce::refresh(&state.redis, account.uuid()).await?,
    }
    announce::publish(&state.events, &state.clock, account.uuid(), event_type, data).await
}
