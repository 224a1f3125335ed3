//! Chat commands (reference/bots.md#bot-commands): those of an account, and global ones that every account
//! has and may override.

mod admin;
mod db;
mod feed;
mod fields;
mod globals;
pub mod graphql;
mod overrides;
pub mod rest;
mod stored_enums;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::Int64,
};
use diesel_async::AsyncConnection;
use extension_model::announce;
use foundation::audit;
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    id::AccountId,
};
use utoipa::ToSchema;
use uuid::Uuid;

pub use admin::{
    ADMIN_BOT_COMMANDS, ADMIN_CREATE_BOT_COMMAND, ADMIN_DELETE_BOT_COMMAND, ADMIN_UPDATE_BOT_COMMAND,
    AdminBotCommandsQuery, admin_bot_commands, admin_create_bot_command, admin_delete_bot_command,
    admin_update_bot_command,
};
pub use db::BotCommandScope;
pub use feed::{INTERNAL_BOT_COMMANDS, internal_bot_commands};
pub use globals::{
    GLOBAL_BOT_COMMANDS, OVERRIDE_GLOBAL_COMMAND, RESET_COMMAND_OVERRIDE, global_bot_commands,
    override_global_command, reset_command_override,
};
pub use overrides::OverrideGlobalCommandInput;

use fields::{Changes, Fields};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &BOT_COMMANDS,
    &BOT_COMMAND,
    &CREATE_BOT_COMMAND,
    &UPDATE_BOT_COMMAND,
    &DELETE_BOT_COMMAND,
    &GLOBAL_BOT_COMMANDS,
    &OVERRIDE_GLOBAL_COMMAND,
    &RESET_COMMAND_OVERRIDE,
    &ADMIN_BOT_COMMANDS,
    &ADMIN_CREATE_BOT_COMMAND,
    &ADMIN_UPDATE_BOT_COMMAND,
    &ADMIN_DELETE_BOT_COMMAND,
    &INTERNAL_BOT_COMMANDS,
];

/// Largest number of commands of one account, and of global ones.
const MAX_COMMANDS: i64 = 200;

api_core::limits::submit! {
    api_core::limits::CountLimit::of_account(
        "bot_commands",
        MAX_COMMANDS,
        "SELECT count(*) FROM bot_commands WHERE account_id = $1",
    )
}

/// Chat command.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct BotCommand {
    /// Identifier.
    pub id: Uuid,
    /// Identifier of the account. Null: a global command.
    pub account_id: Option<Uuid>,
    /// Name without the prefix.
    pub name: String,
    /// Other names, without the prefix.
    pub aliases: Vec<String>,
    /// Description. Empty: none.
    pub description: String,
    /// Effect of the command.
    pub response_type: BotCommandResponseType,
    /// Text that is sent. In a template `{user} {channel} {platform} {uptime} {song} {count} {random:a,b,c}`
    /// are filled in.
    pub response: String,
    /// Automation that is started. Null for other response types, and when it was deleted.
    pub automation_id: Option<Uuid>,
    /// Platforms on which the command works: some of `twitch`, `youtube`, `kick`, `trovo`, `discord`.
    pub platforms: Vec<String>,
    /// Lowest role that may use the command.
    pub min_role: BotCommandRole,
    /// Cooldown for everybody after a use, in seconds.
    pub cooldown_global: i32,
    /// Cooldown for the same chatter, in seconds.
    pub cooldown_user: i32,
    /// True when the command is switched on.
    pub enabled: bool,
    /// Number of uses in the account; for operators in all accounts.
    pub use_count: Int64,
    /// True when the account overrides this global command.
    pub is_override: bool,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Effect of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BotCommandResponseType {
    /// Sends the response unchanged.
    #[default]
    Text,
    /// Sends the response with its variables filled in.
    Template,
    /// Starts an automation.
    Automation,
}

/// Lowest role that may use a command. Each includes those after it: broadcaster, moderator, vip, subscriber,
/// follower, everyone.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, GraphQLEnum, ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum BotCommandRole {
    /// Every chatter.
    #[default]
    Everyone,
    /// Only Trovo reports this role with each message. On other platforms a follower without a higher role
    /// counts as everyone.
    Follower,
    /// Subscribers.
    Subscriber,
    /// VIPs.
    Vip,
    /// Moderators.
    Moderator,
    /// Broadcaster.
    Broadcaster,
}

/// New command.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({
    "name": "discord",
    "aliases": ["dc"],
    "response_type": "template",
    "response": "{user}, our Discord is example.com/discord",
    "cooldown_global": 30,
}))]
pub struct CreateBotCommandInput {
    /// Name without the prefix: `^[a-z0-9_]{1,32}$`.
    #[schema(extensions(("maxLength" = json!(fields::MAX_NAME_LENGTH))))]
    pub name: String,
    /// At most 10, each in the form of a name.
    #[schema(extensions(("maxLength" = json!(fields::MAX_NAME_LENGTH))))]
    pub aliases: Option<Vec<String>>,
    /// At most 200 characters.
    #[schema(extensions(("maxLength" = json!(fields::MAX_DESCRIPTION_LENGTH))))]
    pub description: Option<String>,
    /// Effect of the command; `text` when absent.
    pub response_type: Option<BotCommandResponseType>,
    /// 1 to 500 characters; may be absent for an automation.
    #[schema(extensions(("maxLength" = json!(fields::MAX_RESPONSE_LENGTH))))]
    pub response: Option<String>,
    /// Automation of the account, for the response type `automation`.
    pub automation_id: Option<Uuid>,
    /// Some of `twitch`, `youtube`, `kick`, `trovo`, `discord`; all when absent.
    #[schema(extensions(("enum" = json!(fields::PLATFORMS))))]
    pub platforms: Option<Vec<String>>,
    /// Lowest role; `everyone` when absent.
    pub min_role: Option<BotCommandRole>,
    /// 0 to 86,400 seconds; 0 when absent.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(fields::MAX_COOLDOWN_SECS))))]
    pub cooldown_global: Option<i32>,
    /// 0 to 86,400 seconds; 0 when absent.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(fields::MAX_COOLDOWN_SECS))))]
    pub cooldown_user: Option<i32>,
    /// True when absent.
    pub enabled: Option<bool>,
}

/// Change of a command. Absent fields stay.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "response": "Our Discord is example.com/discord", "enabled": false }))]
pub struct UpdateBotCommandInput {
    /// Name without the prefix: `^[a-z0-9_]{1,32}$`.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(fields::MAX_NAME_LENGTH))))]
    pub name: Patch<String>,
    /// At most 10, each in the form of a name.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>, extensions(("maxLength" = json!(fields::MAX_NAME_LENGTH))))]
    pub aliases: Patch<Vec<String>>,
    /// At most 200 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(fields::MAX_DESCRIPTION_LENGTH))))]
    pub description: Patch<String>,
    /// Effect of the command.
    #[serde(default)]
    #[schema(value_type = Option<BotCommandResponseType>)]
    pub response_type: Patch<BotCommandResponseType>,
    /// 1 to 500 characters; may be empty for an automation.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(fields::MAX_RESPONSE_LENGTH))))]
    pub response: Patch<String>,
    /// Automation of the account, for the response type `automation`.
    #[serde(default)]
    #[schema(value_type = Option<Uuid>)]
    pub automation_id: Patch<Uuid>,
    /// Some of `twitch`, `youtube`, `kick`, `trovo`, `discord`.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>, extensions(("enum" = json!(fields::PLATFORMS))))]
    pub platforms: Patch<Vec<String>>,
    /// Lowest role that may use the command.
    #[serde(default)]
    #[schema(value_type = Option<BotCommandRole>)]
    pub min_role: Patch<BotCommandRole>,
    /// 0 to 86,400 seconds.
    #[serde(default)]
    #[schema(value_type = Option<i32>, extensions(("minimum" = json!(0)), ("maximum" = json!(fields::MAX_COOLDOWN_SECS))))]
    pub cooldown_global: Patch<i32>,
    /// 0 to 86,400 seconds.
    #[serde(default)]
    #[schema(value_type = Option<i32>, extensions(("minimum" = json!(0)), ("maximum" = json!(fields::MAX_COOLDOWN_SECS))))]
    pub cooldown_user: Patch<i32>,
    /// True switches the command on.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub enabled: Patch<bool>,
}

pub static BOT_COMMANDS: Operation<AccountCaller> =
    Operation::account("botCommands", AccountPermission::BotCommandsRead, Grants::Nothing)
        .feature(Feature::BotCommands)
        .polled();

/// Lists the account's own commands by name.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn bot_commands(cx: &Cx) -> Result<Vec<BotCommand>> {
    let caller = cx.authorize(&BOT_COMMANDS).await?;
    db::list(&mut *caller.db().await?, caller.account).await
}

pub static BOT_COMMAND: Operation<AccountCaller> =
    Operation::account("botCommand", AccountPermission::BotCommandsRead, Grants::Nothing)
        .feature(Feature::BotCommands);

/// Returns one of the account's own commands.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such command.
#[api_core::operation]
pub async fn bot_command(cx: &Cx, id: Input<Uuid>) -> Result<BotCommand> {
    let caller = cx.authorize(&BOT_COMMAND).await?;
    db::find(&mut *caller.db().await?, Some(caller.account), id?).await?.ok_or_else(not_found)
}

pub static CREATE_BOT_COMMAND: Operation<AccountCaller> =
    Operation::account("createBotCommand", AccountPermission::BotCommandsCreate, Grants::Nothing)
        .feature(Feature::BotCommands)
        .idempotent();

/// Creates a command of the account.
///
/// It has priority over a global command of the same name, also while it is switched off.
///
/// # Errors
/// Refusals of the access rule; 400 for fields out of bounds; 404 for an automation that the account does not
/// have; 409 when a command of the account has one of the names; 403 `PLAN_LIMIT_REACHED` beyond 200
/// commands.
#[api_core::operation]
pub async fn create_bot_command(cx: &Cx, input: Input<CreateBotCommandInput>) -> Result<BotCommand> {
    let caller = cx.authorize(&CREATE_BOT_COMMAND).await?;
    let fields = Fields::new(input?)?;
    let command = caller
        .db()
        .await?
        .transaction(async |connection| {
            let command =
                db::create(connection, Some(caller.account), &fields, cx.state().clock.now()).await?;
            let mut entry = cx.audit("bot_command:created", "bot_command", command.id);
            entry.metadata = json!({ "name": command.name });
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(command)
        })
        .await?;
    changed(cx, caller.account).await;
    Ok(command)
}

pub static UPDATE_BOT_COMMAND: Operation<AccountCaller> =
    Operation::account("updateBotCommand", AccountPermission::BotCommandsEdit, Grants::Nothing)
        .feature(Feature::BotCommands);

/// Changes a command of the account.
///
/// # Errors
/// Refusals of the access rule; 400 for fields out of bounds; 404 when the account has no such command; 409
/// when another one has one of the names.
#[api_core::operation]
pub async fn update_bot_command(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<UpdateBotCommandInput>,
) -> Result<BotCommand> {
    let caller = cx.authorize(&UPDATE_BOT_COMMAND).await?;
    let (id, changes) = (id?, Changes::new(input?)?);
    let command = caller
        .db()
        .await?
        .transaction(async |connection| {
            let names = changes.names();
            let now = cx.state().clock.now();
            let command = db::update(connection, Some(caller.account), id, changes, now).await?;
            let mut entry = cx.audit("bot_command:updated", "bot_command", id);
            entry.metadata = json!({ "name": command.name, "fields": names });
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(command)
        })
        .await?;
    changed(cx, caller.account).await;
    Ok(command)
}

pub static DELETE_BOT_COMMAND: Operation<AccountCaller> =
    Operation::account("deleteBotCommand", AccountPermission::BotCommandsDelete, Grants::Nothing)
        .feature(Feature::BotCommands);

/// Deletes a command of the account.
///
/// A global command of the same name works again.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such command.
#[api_core::operation]
pub async fn delete_bot_command(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_BOT_COMMAND).await?;
    let id = id?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let name = db::delete(connection, Some(caller.account), id).await?.ok_or_else(not_found)?;
            let mut entry = cx.audit("bot_command:deleted", "bot_command", id);
            entry.metadata = json!({ "name": name });
            Ok::<_, ApiError>(audit::record(connection, entry).await?)
        })
        .await?;
    changed(cx, caller.account).await;
    Ok(())
}

/// Notifies the workers after the commit. The change is valid also when Redis cannot be reached: workers read
/// the commands every minute.
async fn changed(cx: &Cx, account: AccountId) {
    let state = cx.state().clone();
    cx.after_commit(async move {
        if let Err(error) = announce::refresh(&state.redis, account.uuid()).await {
            tracing::warn!(%error, %account, "a change of a command was not announced");
        }
    })
    .await;
}

fn not_found() -> ApiError {
    ApiError::not_found("Bot command not found")
}

fn full() -> ApiError {
    ApiError::new(Code::PlanLimitReached, format!("At most {MAX_COMMANDS} bot commands are allowed"))
}
