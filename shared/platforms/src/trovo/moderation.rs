//! Chat commands: bans and titles. Time-outs and removal of messages exist on the platform but are not offered
//! (reference/platforms.md#not-offered).

use serde::Deserialize;
use serde_json::json;

use super::{TrovoClient, checked};
use crate::{Ban, Banned, ChatCredentials, ModeratedChannel, PlatformError, Result, http::clip};

#[derive(Deserialize)]
struct CommandResult {
    is_success: bool,
    display_msg: Option<String>,
}

impl TrovoClient {
    /// Chat commands of Trovo address users by name only.
    pub(super) async fn ban_by_name(
        &self,
        credentials: &ChatCredentials,
        channel: &ModeratedChannel,
        ban: &Ban,
    ) -> Result<Banned> {
        let name = ban.username.as_deref().ok_or_else(|| {
            PlatformError::rejected("Trovo bans by name, and the name of this user is not known")
        })?;
        self.command("ban", credentials, &channel.channel_id, &format!("ban {name}")).await?;
        Ok(Banned::default())
    }

    /// Sets the title of the stream by a chat command.
    pub(super) async fn change_title(
        &self,
        credentials: &ChatCredentials,
        channel_id: &str,
        title: &str,
    ) -> Result<()> {
        self.command("set_title", credentials, channel_id, &format!("settitle {title}")).await
    }

    async fn command(
        &self,
        call: &'static str,
        credentials: &ChatCredentials,
        channel_id: &str,
        command: &str,
    ) -> Result<()> {
        let body = json!({ "command": command, "channel_id": channel_id });
        let url = self.config.api_url.endpoint(&["openplatform", "channels", "command"]);
        let request = self.authorized(
            self.http.post(url).json(&body),
            &credentials.access_token,
            credentials.client_id.as_deref(),
        )?;
        let result: CommandResult = checked(self.http.send(call, request).await?)?.json()?;
        if result.is_success {
            return Ok(());
        }
        let message = result.display_msg.filter(|message| !message.is_empty());
        Err(PlatformError::rejected(
            message.map_or_else(|| "the command was refused".into(), |text| clip(&text)),
        ))
    }
}
