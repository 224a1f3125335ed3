//! Chat commands for operators: global ones, which they maintain, and those of accounts
//! (reference/bots.md#global-commands).

use api_core::{
    ApiError, Cx, Input, Operation, Page, PageRequest, Result,
    access::{Admin, Grants},
    validate,
};
use diesel_async::AsyncConnection;
use extension_model::bots::global_commands_changed;
use foundation::audit;
use serde::Deserialize;
use serde_json::json;
use shared::catalogue::AdminPermission;
use utoipa::IntoParams;
use uuid::Uuid;

use super::{
    BotCommand, BotCommandScope, CreateBotCommandInput, UpdateBotCommandInput, db,
    fields::{Changes, Fields},
    not_found,
};

const MAX_SEARCH_LENGTH: usize = 100;

/// Query of the operators' list of commands.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AdminBotCommandsQuery {
    /// Owner of the commands; `global` when absent.
    #[param(inline)]
    pub scope: Option<BotCommandScope>,
    /// Part of a name or an alias, 1 to 100 characters.
    pub search: Option<String>,
    /// Page number, from 1; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// Entries a page, 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

pub static ADMIN_BOT_COMMANDS: Operation<Admin> =
    Operation::admin("adminBotCommands", AdminPermission::BotCommandsRead, Grants::Nothing);

/// Lists the global commands, or the commands of all accounts, by name.
///
/// Global commands have the number of their uses in all accounts.
///
/// # Errors
/// Refusals of the access rule; 400 for an unknown scope, a search that is empty or too long, or a page out
/// of bounds.
#[api_core::operation]
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

pub static ADMIN_CREATE_BOT_COMMAND: Operation<Admin> =
    Operation::admin("adminCreateBotCommand", AdminPermission::BotCommandsCreate, Grants::Nothing)
        .idempotent();

/// Creates a global command, which every account has at once.
///
/// It cannot start an automation.
///
/// # Errors
/// Refusals of the access rule; 400 for fields out of bounds and for an automation; 409 when a global command
/// has one of the names; 403 `PLAN_LIMIT_REACHED` beyond 200 global commands.
#[api_core::operation]
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

pub static ADMIN_UPDATE_BOT_COMMAND: Operation<Admin> =
    Operation::admin("adminUpdateBotCommand", AdminPermission::BotCommandsEdit, Grants::Nothing);

/// Changes a global command in every account.
///
/// Overrides of accounts stay. Where the `min_role` of an override is lower than the new one, the new one
/// holds.
///
/// # Errors
/// Refusals of the access rule; 400 for fields out of bounds and for an automation; 404 when there is no such
/// global command; 409 when another one has one of the names.
#[api_core::operation]
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

pub static ADMIN_DELETE_BOT_COMMAND: Operation<Admin> =
    Operation::admin("adminDeleteBotCommand", AdminPermission::BotCommandsDelete, Grants::Nothing);

/// Deletes a global command with the overrides of accounts.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such global command.
#[api_core::operation]
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

/// Notifies the workers after the commit. The change is valid also when Redis cannot be reached: workers read
/// the commands every minute.
async fn changed(cx: &Cx) {
    let state = cx.state().clone();
    cx.after_commit(async move {
        if let Err(error) = global_commands_changed(&state.redis).await {
            tracing::warn!(%error, "a change of a global command was not announced");
        }
    })
    .await;
}
