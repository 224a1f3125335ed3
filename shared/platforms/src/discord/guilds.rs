//! Servers of channels.

use reqwest::StatusCode;
use serde::Deserialize;

use super::{API_VERSION, DiscordClient, message};
use crate::{Result, http::authorization};
use shared::secret::Secret;

#[derive(Deserialize)]
struct Channel {
    guild_id: Option<String>,
}

impl DiscordClient {
    /// Id of the server that a channel belongs to; `None` for a channel that the bot does not see, and for one of
    /// no server.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn guild_of_channel(&self, bot_token: &Secret, channel_id: &str) -> Result<Option<String>> {
        let request = self
            .http
            .get(self.config.api_url.endpoint(&[API_VERSION, "channels", channel_id]))
            .header("User-Agent", &self.user_agent)
            .header("Authorization", authorization("Bot", bot_token)?);
        let answer = self.http.send("channel", request).await?;
        if matches!(answer.status, StatusCode::NOT_FOUND | StatusCode::FORBIDDEN) {
            return Ok(None);
        }
        Ok(answer.success(message)?.json::<Channel>()?.guild_id)
    }
}
