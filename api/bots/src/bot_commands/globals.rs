//! Global commands as an account has them.

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, Grants},
};
use diesel_async::AsyncConnection;
use juniper::GraphQLInputObject;
use serde::Deserialize;
use serde_json::json;
use shared::{
    audit,
    catalogue::{AccountPermission, Feature},
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{BotCommand, BotCommandRole, changed, db, fields, not_found};

/// What the account changes of a global command; what is left out is as the global command has it.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "response": "We are live on Fridays", "min_role": "subscriber" }))]
pub struct OverrideGlobalCommandInput {
    /// 1 to 500 characters.
    #[schema(extensions(("maxLength" = json!(fields::MAX_RESPONSE_LENGTH))))]
    pub response: Option<String>,
    /// Some of `twitch`, `youtube`, `kick`, `trovo`, `discord`.
    #[schema(extensions(("enum" = json!(fields::PLATFORMS))))]
    pub platforms: Option<Vec<String>>,
    /// Not below that of the global command.
    pub min_role: Option<BotCommandRole>,
    /// 0 to 86,400 seconds.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(fields::MAX_COOLDOWN_SECS))))]
    pub cooldown_global: Option<i32>,
    /// 0 to 86,400 seconds.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(fields::MAX_COOLDOWN_SECS))))]
    pub cooldown_user: Option<i32>,
    pub enabled: Option<bool>,
}

/// Global commands.
pub static GLOBAL_BOT_COMMANDS: Operation<AccountCaller> =
    Operation::account("globalBotCommands", AccountPermission::BotCommandsRead, Grants::Nothing)
        .feature(Feature::BotCommands);

/// Lists global commands by name, with what the account has changed of them.
///
/// # Errors
/// As the rule.
pub async fn global_bot_commands(cx: &Cx) -> Result<Vec<BotCommand>> {
    let caller = cx.authorize(&GLOBAL_BOT_COMMANDS).await?;
    db::globals(&mut *caller.db().await?, caller.account).await
}

/// Changes a global command for the account.
pub static OVERRIDE_GLOBAL_COMMAND: Operation<AccountCaller> =
    Operation::account("overrideGlobalCommand", AccountPermission::BotCommandsEdit, Grants::Nothing)
        .feature(Feature::BotCommands);

/// Replaces what the account has changed of a global command.
///
/// # Errors
/// As the rule; 400 for fields out of bounds and for a `min_role` below that of the global command; 404 when there is no
/// such global command.
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
            db::put_override(connection, caller.account, id, &input, cx.state().clock.now()).await?;
            let mut entry = cx.audit("bot_command:overridden", "bot_command", id);
            entry.metadata = json!({ "name": global.name });
            audit::record(connection, entry).await?;
            db::global(connection, caller.account, id).await?.ok_or_else(not_found)
        })
        .await?;
    changed(cx, caller.account).await;
    Ok(command)
}

/// Takes back what the account has changed of a global command.
pub static RESET_COMMAND_OVERRIDE: Operation<AccountCaller> =
    Operation::account("resetCommandOverride", AccountPermission::BotCommandsEdit, Grants::Nothing)
        .feature(Feature::BotCommands);

/// Takes back what the account has changed of a global command.
///
/// # Errors
/// As the rule; 404 when the account has changed nothing of such a command.
pub async fn reset_command_override(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&RESET_COMMAND_OVERRIDE).await?;
    let id = id?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            if !db::delete_override(connection, caller.account, id).await? {
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
