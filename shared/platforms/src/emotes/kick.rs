//! Emotes of Kick: the public list of a channel, which also contains the global ones.

use serde::Deserialize;

use super::{EmoteClient, EmotesOf, ProviderEmote};
use crate::Result;

/// Host of pictures. It is only written into addresses and never called.
const CDN: &str = "https://files.kick.com/emotes";
/// Channel whose list is requested for the global emotes. Its own emotes are left out.
const ANY_CHANNEL: &str = "kick";
/// Names of the global parts. The part of a channel has the number of the channel.
const FOR_EVERYBODY: [&str; 2] = ["Global", "Emoji"];

#[derive(Deserialize)]
struct Part {
    id: serde_json::Value,
    #[serde(default)]
    emotes: Vec<Emote>,
}

#[derive(Deserialize)]
struct Emote {
    id: u64,
    name: String,
}

impl EmoteClient {
    /// Channels are named by their slug here.
    pub(super) async fn kick(&self, of: EmotesOf<'_>) -> Result<Vec<ProviderEmote>> {
        let (slug, wants_everybodys) = match of {
            EmotesOf::Everybody => (ANY_CHANNEL, true),
            EmotesOf::Channel { id, .. } => (id, false),
        };
        let parts: Option<Vec<Part>> = self.get(&self.config.kick_url, &["emotes", slug]).await?;
        let wanted = |part: &Part| {
            let is_everybodys = part.id.as_str().is_some_and(|id| FOR_EVERYBODY.contains(&id));
            is_everybodys == wants_everybodys
        };
        let parts = parts.unwrap_or_default().into_iter().filter(wanted);
        Ok(parts.flat_map(|part| part.emotes).map(Emote::into_emote).collect())
    }
}

impl Emote {
    fn into_emote(self) -> ProviderEmote {
        // The list does not report which of them are animated.
        ProviderEmote {
            url: format!("{CDN}/{}/fullsize", self.id),
            id: self.id.to_string(),
            name: self.name,
            animated: false,
        }
    }
}
