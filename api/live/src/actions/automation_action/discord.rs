//! Messages of the deployment's bot to Discord servers that are linked to the account.

use api_core::{Cx, Result, access::SystemReason};
use automation_model::effects::DiscordMessage;
use platform_access::PlatformAccess as _;
use platform_credentials::tokens::{Access, Holder};
use platforms::{ChatCredentials, ChatMessage, SendAs};
use serde_json::json;
use shared::platform::Platform;

use super::{super::Refusal, Call, Failure, Outcome, db};
use crate::{
    chat::acting::{Obstacle, without_token},
    pace::Paced,
};

/// Length of the id of a channel, in digits.
const MAX_CHANNEL_ID_LENGTH: usize = 20;

/// Sends a message to a channel of a linked server. Discord states the server of the channel.
pub(super) async fn send(cx: &Cx, call: &Call, message: &DiscordMessage) -> Result<Outcome> {
    let channel = message.channel_id.trim();
    let text = Platform::Discord.cut_chat_message(message.message.trim());
    if text.is_empty() {
        return Ok(Err(Failure::new("message must not be empty")));
    }
    let is_id =
        (1..=MAX_CHANNEL_ID_LENGTH).contains(&channel.len()) && channel.bytes().all(|b| b.is_ascii_digit());
    if !is_id {
        return Ok(Err(unknown_channel()));
    }
    let mut connection = cx.state().system(SystemReason::HandlerAction).db().await?;
    let is_paused = db::is_paused(&mut connection, call.account, Platform::Discord).await?;
    let bot = db::discord_bot(&mut connection).await?;
    drop(connection);
    if is_paused {
        return refused(Obstacle::BotDisabled { platform: Platform::Discord });
    }
    let Some(bot) = bot.map(Holder::Bot) else {
        return refused(Obstacle::NotConnected { platform: Some(Platform::Discord) });
    };
    // Before the first call: the limits of the bot's token are those of all accounts.
    if let Err(too_fast) = Paced::Messages.take(cx.state(), &format!("discord:{}", call.account)).await? {
        return refused(Obstacle::TooFast(too_fast));
    }
    let (tokens, discord) = (cx.state().tokens(), cx.state().platforms().discord());
    let guild = tokens
        .call(bot, |access: Access| async move { discord.guild_of_channel(&access.token, channel).await })
        .await;
    let guild = match guild {
        Ok(guild) => guild,
        Err(unavailable) => return refused(without_token(Platform::Discord, bot, unavailable)?),
    };
    let Some(guild) = guild else { return Ok(Err(unknown_channel())) };
    let mut connection = cx.state().system(SystemReason::HandlerAction).db().await?;
    let is_own = db::has_guild(&mut connection, call.account, &guild).await?;
    drop(connection);
    if !is_own {
        return Ok(Err(unknown_channel()));
    }
    let chat_message =
        &ChatMessage { channel_id: channel.to_owned(), sender_id: String::new(), text, reply_to: None };
    let client = cx.state().platforms().client(Platform::Discord);
    let sent = tokens
        .call(bot, |access: Access| async move {
            let credentials =
                ChatCredentials { send_as: SendAs::Bot, access_token: access.token, client_id: None };
            client.send_chat(&credentials, chat_message).await
        })
        .await;
    match sent {
        Ok(sent) => Ok(Ok(json!({ "channel_id": channel, "message_id": sent.message_id }))),
        Err(unavailable) => refused(without_token(Platform::Discord, bot, unavailable)?),
    }
}

/// A channel of a server of another account does not exist.
fn unknown_channel() -> Failure {
    Failure::new("Discord channel not found")
}

fn refused(obstacle: Obstacle) -> Result<Outcome> {
    Ok(Err(Refusal::from(obstacle).into()))
}
