//! Emotes of Twitch, requested with a token of the application.

use serde::Deserialize;

use super::{TwitchClient, message};
use crate::{Result, emotes::ProviderEmote};
use shared::secret::Secret;

#[derive(Deserialize)]
struct Emotes {
    data: Vec<Emote>,
    /// Address of a picture, with `{{id}}`, `{{format}}`, `{{theme_mode}}` and `{{scale}}` in it.
    template: String,
}

#[derive(Deserialize)]
struct Emote {
    id: String,
    name: String,
    #[serde(default)]
    format: Vec<String>,
    #[serde(default)]
    scale: Vec<String>,
}

impl TwitchClient {
    /// Emotes of a channel, or the global ones without a channel.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn emotes(
        &self,
        app_token: &Secret,
        broadcaster_id: Option<&str>,
    ) -> Result<Vec<ProviderEmote>> {
        let request = match broadcaster_id {
            Some(id) => {
                let url = self.config.api_url.endpoint(&["helix", "chat", "emotes"]);
                self.http.get(url).query(&[("broadcaster_id", id)])
            }
            None => self.http.get(self.config.api_url.endpoint(&["helix", "chat", "emotes", "global"])),
        };
        let request = self.helix(request, app_token, self.client_id()?)?;
        let emotes: Emotes = self.http.send("emotes", request).await?.success(message)?.json()?;
        let template = emotes.template;
        Ok(emotes.data.into_iter().map(|emote| emote.into_emote(&template)).collect())
    }
}

impl Emote {
    fn into_emote(self, template: &str) -> ProviderEmote {
        let animated = self.format.iter().any(|format| format == "animated");
        let format = if animated { "animated" } else { "static" };
        let scale = self.scale.last().map_or("1.0", String::as_str);
        let url = template
            .replace("{{id}}", &self.id)
            .replace("{{format}}", format)
            .replace("{{theme_mode}}", "dark")
            .replace("{{scale}}", scale);
        ProviderEmote { id: self.id, name: self.name, url, animated }
    }
}
