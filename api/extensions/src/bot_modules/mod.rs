//! The kill switch of bot modules (specification B §4.4, C B8).

pub mod graphql;
pub mod rest;

use api_core::{
    Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation},
};
use diesel_async::AsyncConnection;
use juniper::GraphQLInputObject;
use serde::Deserialize;
use shared::catalogue::AccountPermission;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::installs::{self, Change};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&KILL_BOT_MODULE];

/// What is to be stopped.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct KillBotModuleInput {
    pub install_id: Uuid,
}

/// Stops a bot module.
pub static KILL_BOT_MODULE: Operation<AccountCaller> =
    Operation::account("killBotModule", AccountPermission::BotModulesEdit);

/// Stops the triggers of an install at once, in every worker, and keeps its configuration. Switching the install on
/// again lifts it.
///
/// # Errors
/// As the rule; 404 when the account has no such install.
pub async fn kill_bot_module(cx: &Cx, input: Input<KillBotModuleInput>) -> Result<()> {
    let caller = cx.authorize(&KILL_BOT_MODULE).await?;
    let id = input?.install_id;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let install = installs::db::locked(connection, caller.account, id).await?;
            install.ok_or_else(installs::not_found)?;
            let now = cx.state().clock.now();
            let mut changes = installs::db::Changes::at(now);
            changes.killed_at = Some(Some(now));
            installs::db::update(connection, caller.account, id, changes).await?;
            let entry = cx.audit("bot_module:killed", "extension_install", id);
            Ok::<_, api_core::ApiError>(shared::audit::record(connection, entry).await?)
        })
        .await?;
    Change::Killed { id }.announce(cx, caller.account).await;
    Ok(())
}
