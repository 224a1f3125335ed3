//! Global commands as operators keep them.

use api_core::{ApiError, Cx, Input, Operation, Result, access::Admin};
use diesel_async::AsyncConnection;
use serde_json::json;
use shared::{audit, bots::global_commands_changed, catalogue::AdminPermission};
use uuid::Uuid;

use super::{
    BotCommand, CreateBotCommandInput, UpdateBotCommandInput, db,
    fields::{Changes, Fields},
    not_found,
};

/// Global commands.
pub static ADMIN_BOT_COMMANDS: Operation<Admin> =
    Operation::admin("adminBotCommands", AdminPermission::BotCommandsRead);

/// Lists global commands by name, with their uses in all accounts.
///
/// # Errors
/// As the rule.
pub async fn admin_bot_commands(cx: &Cx) -> Result<Vec<BotCommand>> {
    let admin = cx.authorize(&ADMIN_BOT_COMMANDS).await?;
    db::all_globals(&mut *admin.db().await?).await
}

/// Creates a global command.
pub static ADMIN_CREATE_BOT_COMMAND: Operation<Admin> =
    Operation::admin("adminCreateBotCommand", AdminPermission::BotCommandsCreate);

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
    Operation::admin("adminUpdateBotCommand", AdminPermission::BotCommandsEdit);

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
    Operation::admin("adminDeleteBotCommand", AdminPermission::BotCommandsDelete);

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
