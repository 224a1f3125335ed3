//! Chat commands (specification C B11.2): an account's own, and global ones that every account has and may override.

mod admin;
mod db;
mod feed;
mod fields;
mod globals;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::Int64,
};
use diesel_async::AsyncConnection;
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    audit,
    catalogue::{AccountPermission, Feature},
    extensions::announce,
    id::AccountId,
};
use utoipa::ToSchema;
use uuid::Uuid;

pub use admin::{
    ADMIN_BOT_COMMANDS, ADMIN_CREATE_BOT_COMMAND, ADMIN_DELETE_BOT_COMMAND, ADMIN_UPDATE_BOT_COMMAND,
    AdminBotCommandsQuery, BotCommandScope, admin_bot_commands, admin_create_bot_command,
    admin_delete_bot_command, admin_update_bot_command,
};
pub use feed::{INTERNAL_BOT_COMMANDS, internal_bot_commands};
pub use globals::{
    GLOBAL_BOT_COMMANDS, OVERRIDE_GLOBAL_COMMAND, OverrideGlobalCommandInput, RESET_COMMAND_OVERRIDE,
    global_bot_commands, override_global_command, reset_command_override,
};

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

/// Commands of one account, and global ones.
const MAX_COMMANDS: i64 = 200;

/// A chat command.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct BotCommand {
    pub id: Uuid,
    /// Null: a global command.
    pub account_id: Option<Uuid>,
    /// Without the prefix.
    pub name: String,
    /// Other names.
    pub aliases: Vec<String>,
    pub description: String,
    pub response_type: BotCommandResponseType,
    /// What is sent. In a template `{user} {channel} {platform} {uptime} {song} {count} {random:a,b,c}` are filled in.
    pub response: String,
    /// The automation that is started; null for other response types, and when it was deleted.
    pub automation_id: Option<Uuid>,
    /// Where it answers: some of `twitch`, `youtube`, `kick`, `trovo`, `discord`.
    pub platforms: Vec<String>,
    pub min_role: BotCommandRole,
    /// Seconds that the command rests for everybody after a use.
    pub cooldown_global: i32,
    /// Seconds that it rests for the chatter.
    pub cooldown_user: i32,
    pub enabled: bool,
    /// In the account; for operators in all accounts together.
    pub use_count: Int64,
    /// Whether the account has changed something of a global command.
    pub is_override: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// What a command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BotCommandResponseType {
    /// Sends the response as it is.
    #[default]
    Text,
    /// Sends the response with its variables filled in.
    Template,
    /// Starts an automation.
    Automation,
}

/// Who may use a command; each includes those after it: broadcaster, moderator, vip, subscriber, follower, everyone.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, GraphQLEnum, ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum BotCommandRole {
    #[default]
    Everyone,
    /// Told with each line by Trovo only: on other platforms a follower who is no more than that is not known as one.
    Follower,
    Subscriber,
    Vip,
    Moderator,
    Broadcaster,
}

/// A new command.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({
    "name": "discord",
    "aliases": ["dc"],
    "response_type": "template",
    "response": "{user}, our Discord is example.com/discord",
    "cooldown_global": 30,
}))]
pub struct CreateBotCommandInput {
    /// `^[a-z0-9_]{1,32}$`
    #[schema(extensions(("maxLength" = json!(fields::MAX_NAME_LENGTH))))]
    pub name: String,
    /// At most 10, each like a name.
    #[schema(extensions(("maxLength" = json!(fields::MAX_NAME_LENGTH))))]
    pub aliases: Option<Vec<String>>,
    /// At most 200 characters.
    #[schema(extensions(("maxLength" = json!(fields::MAX_DESCRIPTION_LENGTH))))]
    pub description: Option<String>,
    /// `text` when absent.
    pub response_type: Option<BotCommandResponseType>,
    /// 1 to 500 characters; may be absent for an automation.
    #[schema(extensions(("maxLength" = json!(fields::MAX_RESPONSE_LENGTH))))]
    pub response: Option<String>,
    /// For the response type `automation`.
    pub automation_id: Option<Uuid>,
    /// All when absent.
    #[schema(extensions(("enum" = json!(fields::PLATFORMS))))]
    pub platforms: Option<Vec<String>>,
    /// `everyone` when absent.
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

/// What is to change; what is left out stays.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "response": "Our Discord is example.com/discord", "enabled": false }))]
pub struct UpdateBotCommandInput {
    /// `^[a-z0-9_]{1,32}$`
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(fields::MAX_NAME_LENGTH))))]
    pub name: Patch<String>,
    /// At most 10, each like a name.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>, extensions(("maxLength" = json!(fields::MAX_NAME_LENGTH))))]
    pub aliases: Patch<Vec<String>>,
    /// At most 200 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(fields::MAX_DESCRIPTION_LENGTH))))]
    pub description: Patch<String>,
    #[serde(default)]
    #[schema(value_type = Option<BotCommandResponseType>)]
    pub response_type: Patch<BotCommandResponseType>,
    /// 1 to 500 characters; may be empty for an automation.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(fields::MAX_RESPONSE_LENGTH))))]
    pub response: Patch<String>,
    /// For the response type `automation`.
    #[serde(default)]
    #[schema(value_type = Option<Uuid>)]
    pub automation_id: Patch<Uuid>,
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>, extensions(("enum" = json!(fields::PLATFORMS))))]
    pub platforms: Patch<Vec<String>>,
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
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub enabled: Patch<bool>,
}

/// The account's own commands.
pub static BOT_COMMANDS: Operation<AccountCaller> =
    Operation::account("botCommands", AccountPermission::BotCommandsRead, Grants::Nothing)
        .feature(Feature::BotCommands);

/// Lists the account's own commands by name.
///
/// # Errors
/// As the rule.
pub async fn bot_commands(cx: &Cx) -> Result<Vec<BotCommand>> {
    let caller = cx.authorize(&BOT_COMMANDS).await?;
    db::list(&mut *caller.db().await?, caller.account).await
}

/// One of the account's own commands.
pub static BOT_COMMAND: Operation<AccountCaller> =
    Operation::account("botCommand", AccountPermission::BotCommandsRead, Grants::Nothing)
        .feature(Feature::BotCommands);

/// Reads one of the account's own commands.
///
/// # Errors
/// As the rule; 404 when the account has no such command.
pub async fn bot_command(cx: &Cx, id: Input<Uuid>) -> Result<BotCommand> {
    let caller = cx.authorize(&BOT_COMMAND).await?;
    db::find(&mut *caller.db().await?, Some(caller.account), id?).await?.ok_or_else(not_found)
}

/// Creates a command.
pub static CREATE_BOT_COMMAND: Operation<AccountCaller> =
    Operation::account("createBotCommand", AccountPermission::BotCommandsCreate, Grants::Nothing)
        .feature(Feature::BotCommands);

/// Creates a command of the account. It goes before a global one of the same name.
///
/// # Errors
/// As the rule; 400 for fields out of bounds; 404 for an automation that the account does not have; 409 when a command of
/// the account has one of the names; 403 `PLAN_LIMIT_REACHED` beyond 200 commands.
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

/// Changes a command.
pub static UPDATE_BOT_COMMAND: Operation<AccountCaller> =
    Operation::account("updateBotCommand", AccountPermission::BotCommandsEdit, Grants::Nothing)
        .feature(Feature::BotCommands);

/// Changes a command of the account.
///
/// # Errors
/// As the rule; 400 for fields out of bounds; 404 when the account has no such command; 409 when another one has one of
/// the names.
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

/// Deletes a command.
pub static DELETE_BOT_COMMAND: Operation<AccountCaller> =
    Operation::account("deleteBotCommand", AccountPermission::BotCommandsDelete, Grants::Nothing)
        .feature(Feature::BotCommands);

/// Deletes a command of the account. A global one of the same name answers again.
///
/// # Errors
/// As the rule; 404 when the account has no such command.
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

/// Tells the workers. The change stands whether or not Redis can be reached: they look every minute.
async fn changed(cx: &Cx, account: AccountId) {
    if let Err(error) = announce::refresh(&cx.state().redis, account.0).await {
        tracing::warn!(%error, %account, "a change of a command was not announced");
    }
}

fn not_found() -> ApiError {
    ApiError::not_found("Bot command not found")
}

fn full() -> ApiError {
    ApiError::new(Code::PlanLimitReached, format!("At most {MAX_COMMANDS} bot commands are allowed"))
}
