//! Sets of emotes from the cache or from their providers. All sets that are not cached are requested at once.
//! A set that fails is left out and requested again soon.

use platform_access::PlatformAccess as _;
use std::collections::{BTreeMap, HashSet};

use api_core::{Cx, Result, access::SystemReason};
use chrono::{DateTime, Duration, Utc};
use futures::future::join_all;
use platform_credentials::tokens::{Access, Holder, Unavailable};
use platforms::{
    PlatformError,
    emotes::{EmoteProvider, EmotesOf, MAX_EMOTES, ProviderEmote},
};
use serde::{Deserialize, Serialize};
use shared::platform::Platform;

use super::{ChatEmote, EmoteSet, EmoteSets, db, scope::EmoteScope};

/// Lifetime of a set of global emotes.
const GLOBAL_TTL: Duration = Duration::hours(6);
const CHANNEL_TTL: Duration = Duration::minutes(10);
/// Time without requests to a provider that failed.
const FAILURE_TTL: Duration = Duration::seconds(30);
/// Largest number of foreign channels for which an account may cause requests in a minute.
const MAX_FOREIGN_CALLS: u32 = 30;
/// The same for all accounts together: Twitch counts them as one application, with 800 requests in a minute
/// for all its requests.
const MAX_FOREIGN_CALLS_TOGETHER: u32 = 240;
/// Time for which a process remembers emotes of channels that the account has not connected.
const FOREIGN_TTL: Duration = Duration::seconds(60);

/// Relation of the places to the caller. It bounds the cache: only as much is kept as there are connections,
/// independent of the ids in requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Whose {
    /// Global, or connected by the caller's account: cached.
    Own,
    /// Not connected: remembered for a minute by each process, and counted per request.
    Others { asker: String },
}

/// Requested set.
struct EmoteSetRequest {
    provider: EmoteProvider,
    place: EmoteScope,
}

/// Cached set; without emotes when its provider failed.
#[derive(Serialize, Deserialize)]
struct Cached {
    emotes: Option<Vec<ProviderEmote>>,
    until: DateTime<Utc>,
}

/// Sets of places, by provider in a fixed order.
///
/// # Errors
/// 429 for too many places that are not connected.
pub(super) async fn sets(cx: &Cx, places: Vec<EmoteScope>, whose: Whose) -> Result<EmoteSets> {
    let wanted: Vec<EmoteSetRequest> = places.into_iter().flat_map(EmoteSetRequest::of).collect();
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

/// Counts requests for foreign channels. The account's own count comes first, so that one with too many
/// requests does not use up the shared count.
async fn count_others(cx: &Cx, asker: &str) -> Result<()> {
    let limiter = &cx.state().limiter;
    cx.refuse_over(&limiter.count("emotes_of_others", asker, MAX_FOREIGN_CALLS, 60).await)?;
    let together = limiter.count("emotes_of_others", "everybody", MAX_FOREIGN_CALLS_TOGETHER, 60).await;
    cx.refuse_over(&together)
}

fn remembered(cx: &Cx, key: &str) -> Option<Cached> {
    serde_json::from_str(&cx.state().ttl_cache.get(key)?).ok()
}

/// Requests a set from its provider, and caches it or remembers it in this process.
async fn ask(
    cx: &Cx,
    wanted: &EmoteSetRequest,
    key: &str,
    is_kept: bool,
    now: DateTime<Utc>,
) -> Option<Vec<ProviderEmote>> {
    let (emotes, lifetime) = match fetch(cx, wanted).await {
        Ok(emotes) => (Some(emotes), wanted.lifetime()),
        Err(error) => {
            let provider = wanted.provider.as_str();
            tracing::info!(provider, %error, "a provider of emotes does not respond");
            (None, FAILURE_TTL)
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

async fn fetch(cx: &Cx, wanted: &EmoteSetRequest) -> Result<Vec<ProviderEmote>, Unavailable> {
    let mut emotes = match wanted.provider {
        EmoteProvider::Twitch => twitch(cx, wanted.place.id()).await?,
        EmoteProvider::Trovo => cx.state().platforms().trovo().emotes(wanted.place.id()).await?,
        EmoteProvider::Discord => discord(cx, wanted.place.id().unwrap_or_default()).await?,
        EmoteProvider::Kick => kick(cx, &wanted.place).await?,
        provider => cx.state().platforms().emotes().emotes(provider, wanted.place.borrowed()).await?,
    };
    emotes.truncate(MAX_EMOTES);
    Ok(emotes)
}

/// Emotes of Twitch, with a token of the application. A token that Twitch refuses is replaced once.
async fn twitch(cx: &Cx, channel: Option<&str>) -> Result<Vec<ProviderEmote>, PlatformError> {
    let platforms = &cx.state().platforms();
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
    let mut connection = cx.state().system(SystemReason::EmoteSets).db().await.map_err(failed)?;
    let bot = db::discord_bot(&mut connection).await.map_err(failed)?;
    drop(connection);
    let Some(bot) = bot else { return Err(Unavailable::Missing) };
    let discord = cx.state().platforms().discord();
    let ask = |access: Access| async move { discord.emotes(&access.token, guild).await };
    cx.state().tokens().call(Holder::Bot(bot), ask).await
}

/// Emotes of Kick. Its list needs the name of the channel, which only the connection holds.
async fn kick(cx: &Cx, place: &EmoteScope) -> Result<Vec<ProviderEmote>, Unavailable> {
    let client = cx.state().platforms().emotes();
    let EmoteScope::Channel { platform, id } = place else {
        return Ok(client.emotes(EmoteProvider::Kick, EmotesOf::Everybody).await?);
    };
    let mut connection = cx.state().system(SystemReason::EmoteSets).db().await.map_err(failed)?;
    let name = db::channel_name(&mut connection, *platform, id).await.map_err(failed)?;
    drop(connection);
    // A channel without a connection is requested by the given name.
    let name = name.unwrap_or_else(|| id.clone()).to_lowercase();
    Ok(client.emotes(EmoteProvider::Kick, EmotesOf::Channel { platform: *platform, id: &name }).await?)
}

/// Error of a set; the cause is logged where the error was made.
fn failed(error: api_core::ApiError) -> Unavailable {
    Unavailable::Failed(shared::Error::Internal(error.to_string()))
}

/// Joins the sets of each provider; an emote of several places is listed once.
fn together(wanted: &[EmoteSetRequest], answers: Vec<Option<Vec<ProviderEmote>>>) -> EmoteSets {
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
    cx.state().ttl_cache.put(key, &serde_json::to_string(cached)?, lifetime.min(FOREIGN_TTL));
    Ok(())
}

async fn write(cx: &Cx, key: &str, cached: &Cached, lifetime: Duration) -> shared::Result<()> {
    let mut redis = cx.state().redis.get().await?;
    let mut set = redis::cmd("SET");
    set.arg(key).arg(serde_json::to_string(cached)?).arg("EX").arg(lifetime.num_seconds());
    set.query_async::<()>(&mut *redis).await?;
    Ok(())
}

impl EmoteSetRequest {
    /// Sets that a place can have.
    fn of(place: EmoteScope) -> Vec<Self> {
        let has = |provider: &EmoteProvider| match &place {
            EmoteScope::Everybody => provider.is_for_everybody(),
            EmoteScope::Channel { platform, .. } => provider.is_for_channels_of(*platform),
        };
        let providers = EmoteProvider::ALL.into_iter().filter(has);
        providers.map(|provider| Self { provider, place: place.clone() }).collect()
    }

    fn key(&self, cx: &Cx) -> String {
        let provider = self.provider.as_str();
        match &self.place {
            EmoteScope::Everybody => cx.state().redis.key(format_args!("emotes:{provider}")),
            // Not in separate segments: emotes belong to channels and to no viewer, so an erasure does not
            // concern them.
            EmoteScope::Channel { platform, id } => {
                cx.state().redis.key(format_args!("emotes:{provider}:channel-{platform}-{id}"))
            }
        }
    }

    const fn lifetime(&self) -> Duration {
        match self.place {
            EmoteScope::Everybody => GLOBAL_TTL,
            EmoteScope::Channel { .. } => CHANNEL_TTL,
        }
    }
}
