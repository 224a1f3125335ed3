//! Emojis of YouTube: the list that its chat loads.

use serde::Deserialize;

use super::{EmoteClient, EmotesOf, ProviderEmote};
use crate::Result;

/// Path of the newest list.
const EMOJI_LIST_PATH: [&str; 4] = ["youtube", "img", "emojis", "emojis-svg-9.json"];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Emoji {
    emoji_id: String,
    #[serde(default)]
    shortcuts: Vec<String>,
    image: Image,
}

#[derive(Deserialize)]
struct Image {
    #[serde(default)]
    thumbnails: Vec<Thumbnail>,
}

#[derive(Deserialize)]
struct Thumbnail {
    url: String,
}

impl EmoteClient {
    pub(super) async fn youtube(&self, of: EmotesOf<'_>) -> Result<Vec<ProviderEmote>> {
        if of != EmotesOf::Everybody {
            return Ok(Vec::new());
        }
        let emojis: Option<Vec<Emoji>> = self.get(&self.config.youtube_url, &EMOJI_LIST_PATH).await?;
        Ok(emojis.unwrap_or_default().into_iter().filter_map(Emoji::into_emote).collect())
    }
}

impl Emoji {
    fn into_emote(self) -> Option<ProviderEmote> {
        let url = self.image.thumbnails.into_iter().next_back()?.url;
        let name = self.shortcuts.into_iter().next()?;
        Some(ProviderEmote { id: self.emoji_id, name, url, animated: false })
    }
}
