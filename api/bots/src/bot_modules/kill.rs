//! Kill switch (reference/bots.md#kill-switch).

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, Grants},
};
use diesel_async::AsyncConnection;
use foundation::audit;
use juniper::GraphQLInputObject;
use serde::Deserialize;
use shared::catalogue::AccountPermission;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Change, db};

/// Install to stop.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct KillBotModuleInput {
    /// Identifier of the install.
    pub install_id: Uuid,
}

pub static KILL_BOT_MODULE: Operation<AccountCaller> =
    Operation::account("killBotModule", AccountPermission::BotModulesEdit, Grants::Nothing).idempotent();

/// Stops the triggers of an install at once, in every worker.
///
/// The configuration is kept. Enabling the install lifts the kill. The call needs no feature.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such install.
#[api_core::operation]
pub async fn kill_bot_module(cx: &Cx, input: Input<KillBotModuleInput>) -> Result<()> {
    let caller = cx.authorize(&KILL_BOT_MODULE).await?;
    let id = input?.install_id;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            if !db::kill(connection, caller.account, id, cx.state().clock.now()).await? {
                return Err(ApiError::not_found("Extension install not found"));
            }
            Ok(audit::record(connection, cx.audit("bot_module:killed", "extension_install", id)).await?)
        })
        .await?;
    Change::Killed { id }.announce(cx, caller.account).await;
    Ok(())
}
