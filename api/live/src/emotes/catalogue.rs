//! Sets of emotes, out of the cache or from their providers. All that are not cached are asked at once; one that fails
//! is left out, and asked again soon.

use std::collections::{BTreeMap, HashSet};

use api_core::{Cx, Result};
use chrono::{DateTime, Duration, Utc};
use futures::future::join_all;
use serde::{Deserialize, Serialize};
use shared::{
    platforms::{
        Platform, PlatformError,
        emotes::{EmoteProvider, EmotesOf, MAX_EMOTES, ProviderEmote},
    },
    tokens::{Access, Holder, Unavailable},
};

use super::{ChatEmote, EmoteSet, EmoteSets, db};

/// How long a set is good.
const OF_EVERYBODY: Duration = Duration::hours(6);
const OF_A_CHANNEL: Duration = Duration::minutes(10);
/// A provider that failed is left in peace for this long.
const AFTER_FAILURE: Duration = Duration::seconds(30);
/// Channels of others for which an account may have providers asked in a minute.
const MAX_FOREIGN_CALLS: u32 = 30;
/// The same for all accounts together: Twitch counts them as one application, with 800 requests in a minute for
/// everything that the application asks for.
const MAX_FOREIGN_CALLS_TOGETHER: u32 = 240;
/// How long a process remembers emotes of channels that are not the asking account's.
const OF_OTHERS: Duration = Duration::seconds(60);

/// Whom emotes are for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    Everybody,
    Channel { platform: Platform, id: String },
}

/// Whose the places are. Only as much is kept as there are connections, however many ids a caller thinks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Whose {
    /// Everybody's, and what the caller's account has connected: kept.
    Own,
    /// Remembered for a minute by each process, and counted when they are asked for.
    Others { asker: String },
}

/// A set that is wanted.
struct Wanted {
    provider: EmoteProvider,
    place: Place,
}

/// As a set is cached; without emotes when its provider failed.
#[derive(Serialize, Deserialize)]
struct Cached {
    emotes: Option<Vec<ProviderEmote>>,
    until: DateTime<Utc>,
}

/// The sets of some places, by provider in one order.
///
/// # Errors
/// 429 for too many places of others whose sets are not kept.
pub(super) async fn sets(cx: &Cx, places: Vec<Place>, whose: Whose) -> Result<EmoteSets> {
    let wanted: Vec<Wanted> = places.into_iter().flat_map(Wanted::of).collect();
    let keys: Vec<String> = wanted.iter().map(|wanted| wanted.key(cx)).collect();
    let cached = match read(cx, &keys).await {
        Ok(cached) => cached,
        Err(error) => {
            tracing::warn!(%error, "cached emotes cannot be read");
            keys.iter().map(|_| None).collect()
        }
    };
    let now = cx.state().clock.now();
    let cached: Vec<Option<Cached>> =
        cached.into_iter().map(|cached| cached.filter(|cached| cached.until > now)).collect();
    let cached: Vec<Option<Cached>> = match &whose {
        Whose::Own => cached,
        Whose::Others { asker } => {
            let or_remembered =
                |(cached, key): (Option<Cached>, &String)| cached.or_else(|| remembered(cx, key));
            let cached: Vec<_> = cached.into_iter().zip(&keys).map(or_remembered).collect();
            if cached.iter().any(Option::is_none) {
                count_others(cx, asker).await?;
            }
            cached
        }
    };
    let answers =
        join_all(wanted.iter().zip(&keys).zip(cached).map(async |((wanted, key), cached)| match cached {
            Some(cached) => cached.emotes,
            None => ask(cx, wanted, key, whose == Whose::Own, now).await,
        }));
    Ok(together(&wanted, answers.await))
}

/// An account's own count first, so that one that asks for too much takes nothing from the others.
async fn count_others(cx: &Cx, asker: &str) -> Result<()> {
    let limiter = &cx.state().limiter;
    cx.refuse_over(&limiter.count("emotes_of_others", asker, MAX_FOREIGN_CALLS, 60).await)?;
    let together = limiter.count("emotes_of_others", "everybody", MAX_FOREIGN_CALLS_TOGETHER, 60).await;
    cx.refuse_over(&together)
}

fn remembered(cx: &Cx, key: &str) -> Option<Cached> {
    serde_json::from_str(&cx.state().briefly.get(key)?).ok()
}

/// Asks the provider, and keeps its answer for everybody or remembers it in this process.
async fn ask(
    cx: &Cx,
    wanted: &Wanted,
    key: &str,
    is_kept: bool,
    now: DateTime<Utc>,
) -> Option<Vec<ProviderEmote>> {
    let (emotes, lifetime) = match fetch(cx, wanted).await {
        Ok(emotes) => (Some(emotes), wanted.lifetime()),
        Err(error) => {
            let provider = wanted.provider.as_str();
            tracing::info!(provider, %error, "a provider of emotes does not answer");
            (None, AFTER_FAILURE)
        }
    };
    let cached = Cached { emotes, until: now + lifetime };
    let written =
        if is_kept { write(cx, key, &cached, lifetime).await } else { remember(cx, key, &cached, lifetime) };
    if let Err(error) = written {
        tracing::warn!(%error, "emotes cannot be cached");
    }
    cached.emotes
}

async fn fetch(cx: &Cx, wanted: &Wanted) -> Result<Vec<ProviderEmote>, Unavailable> {
    let mut emotes = match wanted.provider {
        EmoteProvider::Twitch => twitch(cx, wanted.place.id()).await?,
        EmoteProvider::Trovo => cx.state().platforms.trovo().emotes(wanted.place.id()).await?,
        EmoteProvider::Discord => discord(cx, wanted.place.id().unwrap_or_default()).await?,
        EmoteProvider::Kick => kick(cx, &wanted.place).await?,
        provider => cx.state().platforms.emotes().emotes(provider, wanted.place.borrowed()).await?,
    };
    emotes.truncate(MAX_EMOTES);
    Ok(emotes)
}

/// With a token of the application; one that Twitch does not take any more is replaced once.
async fn twitch(cx: &Cx, channel: Option<&str>) -> Result<Vec<ProviderEmote>, PlatformError> {
    let platforms = &cx.state().platforms;
    let token = platforms.app_token(Platform::Twitch).await?;
    match platforms.twitch().emotes(&token, channel).await {
        Err(PlatformError::Unauthorized) => {}
        answer => return answer,
    }
    platforms.forget_app_token(Platform::Twitch, &token).await;
    let token = platforms.app_token(Platform::Twitch).await?;
    platforms.twitch().emotes(&token, channel).await
}

async fn discord(cx: &Cx, guild: &str) -> Result<Vec<ProviderEmote>, Unavailable> {
    let mut connection = cx.state().databases.postgres.get().await?;
    let bot = db::discord_bot(&mut connection).await.map_err(failed)?;
    drop(connection);
    let Some(bot) = bot else { return Err(Unavailable::Missing) };
    let discord = cx.state().platforms.discord();
    let ask = |access: Access| async move { discord.emotes(&access.token, guild).await };
    cx.state().tokens.call(Holder::Bot(bot), ask).await
}

/// Kick's list goes by the name of the channel, which only its connection tells.
async fn kick(cx: &Cx, place: &Place) -> Result<Vec<ProviderEmote>, Unavailable> {
    let client = cx.state().platforms.emotes();
    let Place::Channel { platform, id } = place else {
        return Ok(client.emotes(EmoteProvider::Kick, EmotesOf::Everybody).await?);
    };
    let mut connection = cx.state().databases.postgres.get().await?;
    let name = db::channel_name(&mut connection, *platform, id).await.map_err(failed)?;
    drop(connection);
    // A channel that nobody connected is asked for as it was named.
    let name = name.unwrap_or_else(|| id.clone()).to_lowercase();
    Ok(client.emotes(EmoteProvider::Kick, EmotesOf::Channel { platform: *platform, id: &name }).await?)
}

/// The cause is logged where the error was made.
fn failed(error: api_core::ApiError) -> Unavailable {
    Unavailable::Failed(shared::Error::Internal(error.to_string()))
}

/// One set a provider; an emote that several places have stands in it once.
fn together(wanted: &[Wanted], answers: Vec<Option<Vec<ProviderEmote>>>) -> EmoteSets {
    let mut by_provider: BTreeMap<EmoteProvider, (HashSet<String>, Vec<ChatEmote>)> = BTreeMap::new();
    for (wanted, answer) in wanted.iter().zip(answers) {
        let Some(emotes) = answer.filter(|emotes| !emotes.is_empty()) else { continue };
        let (known, set) = by_provider.entry(wanted.provider).or_default();
        for emote in emotes {
            if known.insert(emote.id.clone()) {
                let ProviderEmote { id, name, url, animated } = emote;
                set.push(ChatEmote { id, name, url, animated });
            }
        }
    }
    let set = |(provider, (_, emotes)): (EmoteProvider, (_, _))| EmoteSet {
        provider: provider.as_str().to_owned(),
        emotes,
    };
    EmoteSets { sets: by_provider.into_iter().map(set).collect() }
}

async fn read(cx: &Cx, keys: &[String]) -> shared::Result<Vec<Option<Cached>>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let mut redis = cx.state().redis.get().await?;
    let texts: Vec<Option<String>> = redis::cmd("MGET").arg(keys).query_async(&mut *redis).await?;
    texts.into_iter().map(|text| Ok(text.map(|text| serde_json::from_str(&text)).transpose()?)).collect()
}

fn remember(cx: &Cx, key: &str, cached: &Cached, lifetime: Duration) -> shared::Result<()> {
    cx.state().briefly.put(key, &serde_json::to_string(cached)?, lifetime.min(OF_OTHERS));
    Ok(())
}

async fn write(cx: &Cx, key: &str, cached: &Cached, lifetime: Duration) -> shared::Result<()> {
    let mut redis = cx.state().redis.get().await?;
    let mut set = redis::cmd("SET");
    set.arg(key).arg(serde_json::to_string(cached)?).arg("EX").arg(lifetime.num_seconds());
    set.query_async::<()>(&mut *redis).await?;
    Ok(())
}

impl Wanted {
    /// The sets that a place can have.
    fn of(place: Place) -> Vec<Self> {
        let has = |provider: &EmoteProvider| match &place {
            Place::Everybody => provider.is_for_everybody(),
            Place::Channel { platform, .. } => provider.is_for_channels_of(*platform),
        };
        let providers = EmoteProvider::ALL.into_iter().filter(has);
        providers.map(|provider| Self { provider, place: place.clone() }).collect()
    }

    fn key(&self, cx: &Cx) -> String {
        let provider = self.provider.as_str();
        match &self.place {
            Place::Everybody => cx.state().redis.key(format_args!("emotes:{provider}")),
            // Not in segments of their own: emotes are of channels, and no viewer's (B §4.7, erasure).
            Place::Channel { platform, id } => {
                cx.state().redis.key(format_args!("emotes:{provider}:channel-{platform}-{id}"))
            }
        }
    }

    const fn lifetime(&self) -> Duration {
        match self.place {
            Place::Everybody => OF_EVERYBODY,
            Place::Channel { .. } => OF_A_CHANNEL,
        }
    }
}

impl Place {
    fn id(&self) -> Option<&str> {
        match self {
            Self::Everybody => None,
            Self::Channel { id, .. } => Some(id),
        }
    }

    fn borrowed(&self) -> EmotesOf<'_> {
        match self {
            Self::Everybody => EmotesOf::Everybody,
            Self::Channel { platform, id } => EmotesOf::Channel { platform: *platform, id },
        }
    }
}
