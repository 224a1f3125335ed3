//! Bans. Time-outs and removal of messages exist on the platform but are not offered
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
        let body = json!({ "command": format!("ban {name}"), "channel_id": channel.channel_id });
        let url = self.config.api_url.endpoint(&["openplatform", "channels", "command"]);
        let request = self.authorized(
            self.http.post(url).json(&body),
            &credentials.access_token,
            credentials.client_id.as_deref(),
        )?;
        let result: CommandResult = checked(self.http.send("ban", request).await?)?.json()?;
        if result.is_success {
            return Ok(Banned::default());
        }
        let message = result.display_msg.filter(|message| !message.is_empty());
        Err(PlatformError::rejected(
            message.map_or_else(|| "the command was refused".into(), |text| clip(&text)),
        ))
    }
}
