//! Emotes of Trovo: global ones, those of events and those of channels in one call.

use serde::Deserialize;
use serde_json::json;

use super::{TrovoClient, checked};
use crate::{Result, emotes::ProviderEmote, http::client_id, profile::filled};
use shared::platform::Platform;

/// Parameter for all kinds of emotes in one response.
const EVERY_KIND: u8 = 0;

#[derive(Deserialize)]
struct Answer {
    channels: Channels,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Channels {
    customized_emotes: Customized,
    event_emotes: Vec<Emote>,
    global_emotes: Vec<Emote>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Customized {
    channel: Vec<ChannelEmotes>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ChannelEmotes {
    emotes: Vec<Emote>,
}

#[derive(Deserialize)]
struct Emote {
    name: String,
    url: Option<String>,
    /// Address of the moving picture.
    gifp: Option<String>,
    webp: Option<String>,
}

impl TrovoClient {
    /// Emotes of a channel, or the global ones without a channel.
    ///
    /// # Errors
    /// Any [`crate::PlatformError`].
    pub async fn emotes(&self, channel_id: Option<&str>) -> Result<Vec<ProviderEmote>> {
        let body =
            json!({ "emote_type": EVERY_KIND, "channel_id": channel_id.into_iter().collect::<Vec<_>>() });
        let request = self
            .http
            .post(self.config.api_url.endpoint(&["openplatform", "getemotes"]))
            .header("Client-ID", client_id(Platform::Trovo, &self.config)?)
            .header("Accept", "application/json")
            .json(&body);
        let Channels { customized_emotes, event_emotes, global_emotes } =
            checked(self.http.send("emotes", request).await?)?.json::<Answer>()?.channels;
        let emotes: Vec<Emote> = match channel_id {
            Some(_) => customized_emotes.channel.into_iter().flat_map(|channel| channel.emotes).collect(),
            None => global_emotes.into_iter().chain(event_emotes).collect(),
        };
        Ok(emotes.into_iter().filter_map(Emote::into_emote).collect())
    }
}

impl Emote {
    /// The name is also the id: there is no other.
    fn into_emote(self) -> Option<ProviderEmote> {
        let moving = filled(self.gifp).or_else(|| filled(self.webp));
        let animated = moving.is_some();
        let url = moving.or_else(|| filled(self.url))?;
        Some(ProviderEmote { id: self.name.clone(), name: self.name, url, animated })
    }
}
