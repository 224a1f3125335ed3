//! Kick's emotes: the public list of a channel, which holds those of everybody as well.

use serde::Deserialize;

use super::{EmoteClient, EmotesOf, ProviderEmote};
use crate::platforms::Result;

/// Where the pictures lie. Only written into addresses, never called.
const CDN: &str = "https://files.kick.com/emotes";
/// The list of this channel is asked for those of everybody: its own emotes are left out.
const ANY_CHANNEL: &str = "kick";
/// Names of the parts that everybody has; a channel's part has the channel's number.
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
        // Which of them move, the list does not tell.
        ProviderEmote {
            url: format!("{CDN}/{}/fullsize", self.id),
            id: self.id.to_string(),
            name: self.name,
            animated: false,
        }
    }
}
