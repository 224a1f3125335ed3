//! Commands as operators see them: global ones, which they keep, and accounts' own.

use api_core::{
    ApiError, Cx, Input, Operation, Page, PageRequest, Result,
    access::{Admin, Grants},
    validate,
};
use diesel_async::AsyncConnection;
use juniper::GraphQLEnum;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{audit, bots::global_commands_changed, catalogue::AdminPermission};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::{
    BotCommand, CreateBotCommandInput, UpdateBotCommandInput, db,
    fields::{Changes, Fields},
    not_found,
};

const MAX_SEARCH_LENGTH: usize = 100;

/// Whose commands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BotCommandScope {
    /// Of every account at once.
    #[default]
    Global,
    /// Accounts' own.
    Account,
}

/// Which commands operators list.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AdminBotCommandsQuery {
    /// Global commands when absent.
    #[param(inline)]
    pub scope: Option<BotCommandScope>,
    /// Part of a name or an alias, 1 to 100 characters.
    pub search: Option<String>,
    /// 1 or more; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

/// Global commands, or accounts' own.
pub static ADMIN_BOT_COMMANDS: Operation<Admin> =
    Operation::admin("adminBotCommands", AdminPermission::BotCommandsRead, Grants::Nothing);

/// Lists global commands by name, with their uses in all accounts, or the commands of every account (C §9).
///
/// # Errors
/// As the rule; 400 for an unknown scope, an empty or too long search, or a page out of bounds.
pub async fn admin_bot_commands(cx: &Cx, query: Input<AdminBotCommandsQuery>) -> Result<Page<BotCommand>> {
    let admin = cx.authorize(&ADMIN_BOT_COMMANDS).await?;
    let query = query?;
    let search = query.search.as_deref();
    let search = search.map(|text| validate::text("search", text, 1, MAX_SEARCH_LENGTH)).transpose()?;
    let window = PageRequest { page: query.page, limit: query.limit }.check()?;
    let scope = query.scope.unwrap_or_default();
    let (items, total) = db::of_scope(&mut *admin.db().await?, scope, search.as_deref(), window).await?;
    Ok(Page { items, total, window })
}

/// Creates a global command.
pub static ADMIN_CREATE_BOT_COMMAND: Operation<Admin> =
    Operation::admin("adminCreateBotCommand", AdminPermission::BotCommandsCreate, Grants::Nothing);

/// Creates a global command, which every account has at once.
///
/// # Errors
/// As the rule; 400 for fields out of bounds and for an automation; 409 when a global command has one of the names; 403
/// `PLAN_LIMIT_REACHED` beyond 200 global commands.
pub async fn admin_create_bot_command(cx: &Cx, input: Input<CreateBotCommandInput>) -> Result<BotCommand> {
    let admin = cx.authorize(&ADMIN_CREATE_BOT_COMMAND).await?;
    let fields = Fields::new(input?)?;
    fields.check_global()?;
    let command = admin
        .db()
        .await?
        .transaction(async |connection| {
            let command = db::create(connection, None, &fields, cx.state().clock.now()).await?;
            let mut entry = cx.audit_system("bot_command:created", "bot_command", command.id);
            entry.metadata = json!({ "name": command.name });
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(command)
        })
        .await?;
    changed(cx).await;
    Ok(command)
}

/// Changes a global command.
pub static ADMIN_UPDATE_BOT_COMMAND: Operation<Admin> =
    Operation::admin("adminUpdateBotCommand", AdminPermission::BotCommandsEdit, Grants::Nothing);

/// Changes a global command in every account. Where an account lets more people use it than it now allows, they no
/// longer may.
///
/// # Errors
/// As the rule; 400 for fields out of bounds and for an automation; 404 when there is no such global command; 409 when
/// another one has one of the names.
pub async fn admin_update_bot_command(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<UpdateBotCommandInput>,
) -> Result<BotCommand> {
    let admin = cx.authorize(&ADMIN_UPDATE_BOT_COMMAND).await?;
    let (id, changes) = (id?, Changes::new(input?)?);
    let command = admin
        .db()
        .await?
        .transaction(async |connection| {
            let names = changes.names();
            let command = db::update(connection, None, id, changes, cx.state().clock.now()).await?;
            let mut entry = cx.audit_system("bot_command:updated", "bot_command", id);
            entry.metadata = json!({ "name": command.name, "fields": names });
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(command)
        })
        .await?;
    changed(cx).await;
    Ok(command)
}

/// Deletes a global command.
pub static ADMIN_DELETE_BOT_COMMAND: Operation<Admin> =
    Operation::admin("adminDeleteBotCommand", AdminPermission::BotCommandsDelete, Grants::Nothing);

/// Deletes a global command with what accounts have changed of it.
///
/// # Errors
/// As the rule; 404 when there is no such global command.
pub async fn admin_delete_bot_command(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let admin = cx.authorize(&ADMIN_DELETE_BOT_COMMAND).await?;
    let id = id?;
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let name = db::delete(connection, None, id).await?.ok_or_else(not_found)?;
            let mut entry = cx.audit_system("bot_command:deleted", "bot_command", id);
            entry.metadata = json!({ "name": name });
            Ok::<_, ApiError>(audit::record(connection, entry).await?)
        })
        .await?;
    changed(cx).await;
    Ok(())
}

/// Tells the workers. The change stands whether or not Redis can be reached: they look every minute.
async fn changed(cx: &Cx) {
    if let Err(error) = global_commands_changed(&cx.state().redis).await {
        tracing::warn!(%error, "a change of a global command was not announced");
    }
}
