//! Emojis of a server.

use serde::Deserialize;

use super::{API_VERSION, CDN_URL, DiscordClient, message};
use crate::{Result, emotes::ProviderEmote, http::authorization};
use shared::secret::Secret;

#[derive(Deserialize)]
struct Emoji {
    /// Null for an emoji that does not belong to the server.
    id: Option<String>,
    name: Option<String>,
    #[serde(default)]
    animated: bool,
}

impl DiscordClient {
    /// Emojis of a server that our bot is in.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn emotes(&self, bot_token: &Secret, guild_id: &str) -> Result<Vec<ProviderEmote>> {
        let request = self
            .http
            .get(self.config.api_url.endpoint(&[API_VERSION, "guilds", guild_id, "emojis"]))
            .header("User-Agent", &self.user_agent)
            .header("Authorization", authorization("Bot", bot_token)?);
        let emojis: Vec<Emoji> = self.http.send("emojis", request).await?.success(message)?.json()?;
        Ok(emojis.into_iter().filter_map(Emoji::into_emote).collect())
    }
}

impl Emoji {
    fn into_emote(self) -> Option<ProviderEmote> {
        let (id, name) = (self.id?, self.name?);
        let extension = if self.animated { "gif" } else { "webp" };
        let url = format!("{CDN_URL}/emojis/{id}.{extension}");
        Some(ProviderEmote { id, name, url, animated: self.animated })
    }
}
