//! Commands of an account, as workers read them (reference/bots.md#matching).

use std::collections::HashSet;

use account_model::features::accounts_without;
use api_core::{
    Cx, Input, Operation, Result,
    access::{Grants, System},
};
use extension_model::feeds::{ChatCommand, CommandFeed, MinRole, ResponseType};
use shared::catalogue::Feature;
use uuid::Uuid;

use super::{BotCommand, BotCommandResponseType, BotCommandRole, db};

pub static INTERNAL_BOT_COMMANDS: Operation<System> =
    Operation::internal("internalBotCommands", Grants::Nothing);

/// Lists the commands that work in an account, for workers.
///
/// The account's own are first, then the global ones that it does not shadow, with the account's overrides.
/// The list is empty when the feature is off for the account. REST returns 304 for an unchanged list.
///
/// # Errors
/// Refusals of the access rule; 400 for a malformed id.
#[api_core::operation]
pub async fn internal_bot_commands(cx: &Cx, account: Input<Uuid>) -> Result<CommandFeed> {
    let system = cx.authorize(&INTERNAL_BOT_COMMANDS).await?;
    let account = system.account(account?);
    let mut connection = system.db().await?;
    let prefix = db::prefix(&mut connection, account).await?;
    let off = accounts_without(&mut connection, &[account.uuid()], Feature::BotCommands.key()).await?;
    if off.contains(&account.uuid()) {
        return Ok(CommandFeed { prefix, commands: Vec::new() });
    }
    let own = db::list(&mut connection, account).await?;
    let globals = db::globals(&mut connection, account).await?;
    drop(connection);
    let taken: HashSet<String> = own.iter().map(|command| command.name.clone()).collect();
    let globals = globals.into_iter().filter(|command| !taken.contains(&command.name));
    Ok(CommandFeed { prefix, commands: own.into_iter().chain(globals).map(ChatCommand::from).collect() })
}

impl From<BotCommand> for ChatCommand {
    fn from(command: BotCommand) -> Self {
        // Neither is ever negative, because the database checks it.
        let seconds = |secs: i32| u32::try_from(secs).unwrap_or_default();
        Self {
            id: command.id,
            name: command.name,
            aliases: command.aliases,
            response_type: match command.response_type {
                BotCommandResponseType::Text => ResponseType::Text,
                BotCommandResponseType::Template => ResponseType::Template,
                BotCommandResponseType::Automation => ResponseType::Automation,
            },
            response: command.response,
            automation_id: command.automation_id,
            platforms: command.platforms,
            min_role: match command.min_role {
                BotCommandRole::Everyone => MinRole::Everyone,
                BotCommandRole::Follower => MinRole::Follower,
                BotCommandRole::Subscriber => MinRole::Subscriber,
                BotCommandRole::Vip => MinRole::Vip,
                BotCommandRole::Moderator => MinRole::Moderator,
                BotCommandRole::Broadcaster => MinRole::Broadcaster,
            },
            cooldown_global: seconds(command.cooldown_global),
            cooldown_user: seconds(command.cooldown_user),
            enabled: command.enabled,
            use_count: command.use_count.0,
        }
    }
}
