//! Global commands with the overrides of an account (reference/bots.md#global-commands).

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, Grants},
};
use diesel_async::AsyncConnection;
use foundation::audit;
use serde_json::json;
use shared::catalogue::{AccountPermission, Feature};
use uuid::Uuid;

use super::{BotCommand, OverrideGlobalCommandInput, changed, db, fields, not_found, overrides};

pub static GLOBAL_BOT_COMMANDS: Operation<AccountCaller> =
    Operation::account("globalBotCommands", AccountPermission::BotCommandsRead, Grants::Nothing)
        .feature(Feature::BotCommands);

/// Lists the global commands by name, with the account's overrides.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn global_bot_commands(cx: &Cx) -> Result<Vec<BotCommand>> {
    let caller = cx.authorize(&GLOBAL_BOT_COMMANDS).await?;
    db::globals(&mut *caller.db().await?, caller.account).await
}

pub static OVERRIDE_GLOBAL_COMMAND: Operation<AccountCaller> =
    Operation::account("overrideGlobalCommand", AccountPermission::BotCommandsEdit, Grants::Nothing)
        .feature(Feature::BotCommands);

/// Replaces the account's override of a global command.
///
/// Absent fields follow the global command. The global command itself does not change.
///
/// # Errors
/// Refusals of the access rule; 400 for fields out of bounds and for a `min_role` below that of the global
/// command; 404 when there is no such global command.
#[api_core::operation]
pub async fn override_global_command(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<OverrideGlobalCommandInput>,
) -> Result<BotCommand> {
    let caller = cx.authorize(&OVERRIDE_GLOBAL_COMMAND).await?;
    let (id, input) = (id?, checked(input?)?);
    let command = caller
        .db()
        .await?
        .transaction(async |connection| {
            let global = db::find(connection, None, id).await?.ok_or_else(not_found)?;
            if input.min_role.is_some_and(|role| role < global.min_role) {
                return Err(ApiError::invalid("min_role cannot be lower than that of the global command"));
            }
            overrides::put(connection, caller.account, id, &input, cx.state().clock.now()).await?;
            let mut entry = cx.audit("bot_command:overridden", "bot_command", id);
            entry.metadata = json!({ "name": global.name });
            audit::record(connection, entry).await?;
            db::global(connection, caller.account, id).await?.ok_or_else(not_found)
        })
        .await?;
    changed(cx, caller.account).await;
    Ok(command)
}

pub static RESET_COMMAND_OVERRIDE: Operation<AccountCaller> =
    Operation::account("resetCommandOverride", AccountPermission::BotCommandsEdit, Grants::Nothing)
        .feature(Feature::BotCommands);

/// Removes the account's override of a global command.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no override of such a command.
#[api_core::operation]
pub async fn reset_command_override(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&RESET_COMMAND_OVERRIDE).await?;
    let id = id?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            if !overrides::delete(connection, caller.account, id).await? {
                return Err(ApiError::not_found("Command override not found"));
            }
            Ok(audit::record(connection, cx.audit("bot_command:override_reset", "bot_command", id)).await?)
        })
        .await?;
    changed(cx, caller.account).await;
    Ok(())
}

fn checked(input: OverrideGlobalCommandInput) -> Result<OverrideGlobalCommandInput> {
    let response = input.response.as_deref().map(fields::response).transpose()?;
    if response.as_deref() == Some("") {
        return Err(ApiError::invalid("response must not be empty"));
    }
    let rest =
        |field: &str, given: Option<i32>| given.map(|given| fields::cooldown(field, given)).transpose();
    Ok(OverrideGlobalCommandInput {
        response,
        platforms: input.platforms.as_deref().map(fields::platforms).transpose()?,
        min_role: input.min_role,
        cooldown_global: rest("cooldown_global", input.cooldown_global)?,
        cooldown_user: rest("cooldown_user", input.cooldown_user)?,
        enabled: input.enabled,
    })
}
