//! 7TV (API version 3), BetterTTV (cached version 3) and FrankerFaceZ (version 1).

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{EmoteClient, EmotesOf, ProviderEmote};
use crate::Result;
use shared::platform::Platform;

/// Host of the pictures of BetterTTV. It is only written into addresses and never called.
const BTTV_CDN: &str = "https://cdn.betterttv.net/emote";

#[derive(Deserialize)]
struct SevenTvUser {
    emote_set: Option<SevenTvSet>,
}

#[derive(Deserialize)]
struct SevenTvSet {
    /// Absent in an empty set.
    #[serde(default)]
    emotes: Vec<SevenTvEmote>,
}

#[derive(Deserialize)]
struct SevenTvEmote {
    id: String,
    name: String,
    data: SevenTvData,
}

#[derive(Deserialize)]
struct SevenTvData {
    #[serde(default)]
    animated: bool,
    host: SevenTvHost,
}

#[derive(Deserialize)]
struct SevenTvHost {
    /// Without a scheme: `//cdn.7tv.app/emote/…`.
    url: String,
    #[serde(default)]
    files: Vec<SevenTvFile>,
}

#[derive(Deserialize)]
struct SevenTvFile {
    name: String,
    format: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BttvUser {
    #[serde(default)]
    channel_emotes: Vec<BttvEmote>,
    #[serde(default)]
    shared_emotes: Vec<BttvEmote>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BttvEmote {
    id: String,
    code: String,
    image_type: Option<String>,
    animated: Option<bool>,
}

#[derive(Deserialize)]
struct FfzSets {
    /// Ids of the global sets, in the global response only.
    default_sets: Option<Vec<u64>>,
    #[serde(default)]
    sets: BTreeMap<String, FfzSet>,
}

#[derive(Deserialize)]
struct FfzSet {
    #[serde(default)]
    emoticons: Vec<FfzEmote>,
}

#[derive(Deserialize)]
struct FfzEmote {
    id: u64,
    name: String,
    /// Addresses by size: `1`, `2`, `4`.
    #[serde(default)]
    urls: BTreeMap<String, Option<String>>,
    animated: Option<BTreeMap<String, Option<String>>>,
}

impl EmoteClient {
    pub(super) async fn seventv(&self, of: EmotesOf<'_>) -> Result<Vec<ProviderEmote>> {
        let base = &self.config.seventv_url;
        let set = match of {
            EmotesOf::Everybody => self.get::<SevenTvSet>(base, &["v3", "emote-sets", "global"]).await?,
            EmotesOf::Channel { platform, id } => {
                let path = ["v3", "users", platform.slug(), id];
                self.get::<SevenTvUser>(base, &path).await?.and_then(|user| user.emote_set)
            }
        };
        Ok(set.into_iter().flat_map(|set| set.emotes).filter_map(SevenTvEmote::into_emote).collect())
    }

    pub(super) async fn bttv(&self, of: EmotesOf<'_>) -> Result<Vec<ProviderEmote>> {
        let base = &self.config.bttv_url;
        let emotes = match of {
            EmotesOf::Everybody => self
                .get::<Vec<BttvEmote>>(base, &["3", "cached", "emotes", "global"])
                .await?
                .unwrap_or_default(),
            EmotesOf::Channel { platform, id } => {
                let path = ["3", "cached", "users", platform.slug(), id];
                let user = self.get::<BttvUser>(base, &path).await?;
                user.into_iter()
                    .flat_map(|user| user.channel_emotes.into_iter().chain(user.shared_emotes))
                    .collect()
            }
        };
        Ok(emotes.into_iter().map(BttvEmote::into_emote).collect())
    }

    pub(super) async fn ffz(&self, of: EmotesOf<'_>) -> Result<Vec<ProviderEmote>> {
        let base = &self.config.ffz_url;
        let found = match of {
            EmotesOf::Everybody => self.get::<FfzSets>(base, &["v1", "set", "global"]).await?,
            EmotesOf::Channel { platform: Platform::Twitch, id } => {
                self.get::<FfzSets>(base, &["v1", "room", "id", id]).await?
            }
            EmotesOf::Channel { .. } => None,
        };
        let Some(FfzSets { default_sets, sets }) = found else { return Ok(Vec::new()) };
        let is_ours = |id: &str| {
            default_sets.as_ref().is_none_or(|sets| id.parse().is_ok_and(|id: u64| sets.contains(&id)))
        };
        let ours = sets.into_iter().filter(|(id, _)| is_ours(id)).flat_map(|(_, set)| set.emoticons);
        Ok(ours.filter_map(FfzEmote::into_emote).collect())
    }
}

impl SevenTvEmote {
    /// Takes the largest WebP, which every browser shows.
    fn into_emote(self) -> Option<ProviderEmote> {
        let SevenTvData { animated, host } = self.data;
        let webp = host.files.iter().filter(|file| file.format.eq_ignore_ascii_case("webp"));
        let file = webp.max_by(|one, other| one.name.cmp(&other.name))?;
        let url = format!("{}/{}", with_scheme(&host.url), file.name);
        Some(ProviderEmote { id: self.id, name: self.name, url, animated })
    }
}

impl BttvEmote {
    fn into_emote(self) -> ProviderEmote {
        let url = format!("{BTTV_CDN}/{}/3x", self.id);
        let animated = self.animated.unwrap_or(self.image_type.as_deref() == Some("gif"));
        ProviderEmote { id: self.id, name: self.code, url, animated }
    }
}

impl FfzEmote {
    fn into_emote(self) -> Option<ProviderEmote> {
        let animated = self.animated.is_some();
        let urls = self.animated.unwrap_or(self.urls);
        let largest = urls.into_iter().filter_map(|(size, url)| Some((size, url?))).max()?.1;
        Some(ProviderEmote { id: self.id.to_string(), name: self.name, url: with_scheme(&largest), animated })
    }
}

fn with_scheme(url: &str) -> String {
    if url.starts_with("//") { format!("https:{url}") } else { url.to_owned() }
}
