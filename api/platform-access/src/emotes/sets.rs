//! Sets of emotes from the cache or from their providers. All sets that are not cached are requested at once.
//! A set that fails is left out and requested again soon.

use std::collections::{BTreeMap, HashSet};

use api_core::{Result, State, access::SystemReason};
use chrono::{DateTime, Duration, Utc};
use futures::future::join_all;
use platform_credentials::tokens::{Access, Holder, Unavailable};
use platforms::{
    PlatformError,
    emotes::{EmoteProvider, EmotesOf, MAX_EMOTES, ProviderEmote},
};
use serde::{Deserialize, Serialize};
use shared::{id::AccountId, platform::Platform};

use super::{EmoteScope, db};
use crate::PlatformAccess;

/// Lifetime of a set of global emotes.
const GLOBAL_TTL: Duration = Duration::hours(6);
const CHANNEL_TTL: Duration = Duration::minutes(10);
/// Time without requests to a provider that failed.
const FAILURE_TTL: Duration = Duration::seconds(30);
/// Time for which a process remembers emotes of channels that the account has not connected.
const FOREIGN_TTL: Duration = Duration::seconds(60);

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

/// Emotes of a provider.
#[derive(Debug, Clone)]
pub struct ProviderEmotes {
    /// The provider.
    pub provider: EmoteProvider,
    /// Its emotes, each once.
    pub emotes: Vec<ProviderEmote>,
}

/// Global emotes and those of the channels and servers of an account, by provider in a fixed order. Cached for
/// all accounts. A provider that does not respond is left out.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn emotes_of_account(state: &State, account: AccountId) -> Result<Vec<ProviderEmotes>> {
    let mut places = vec![EmoteScope::Everybody];
    let access = state.system(SystemReason::EmoteSets);
    places.extend(db::places(&mut *access.db().await?, account).await?);
    Ok(emotes_of(state, places).await)
}

/// Emotes of places that are global or that an account has connected. They are cached for all accounts.
pub async fn emotes_of(state: &State, places: Vec<EmoteScope>) -> Vec<ProviderEmotes> {
    let (wanted, keys, cached) = cached(state, places).await;
    fetch_missing(state, wanted, keys, cached, true).await
}

/// Emotes of a channel that the account has not connected. Each process remembers them for a minute, so that
/// the cache holds as much as there are connections, independent of the ids in requests. `admit` counts the
/// request, and is not called when everything is remembered.
///
/// # Errors
/// The error of `admit`.
pub async fn emotes_of_others(
    state: &State,
    place: EmoteScope,
    admit: impl AsyncFnOnce() -> Result<()>,
) -> Result<Vec<ProviderEmotes>> {
    let (wanted, keys, cached) = cached(state, vec![place]).await;
    let or_remembered = |(cached, key): (Option<Cached>, &String)| cached.or_else(|| remembered(state, key));
    let cached: Vec<Option<Cached>> = cached.into_iter().zip(&keys).map(or_remembered).collect();
    if cached.iter().any(Option::is_none) {
        admit().await?;
    }
    Ok(fetch_missing(state, wanted, keys, cached, false).await)
}

async fn cached(
    state: &State,
    places: Vec<EmoteScope>,
) -> (Vec<EmoteSetRequest>, Vec<String>, Vec<Option<Cached>>) {
    let wanted: Vec<EmoteSetRequest> = places.into_iter().flat_map(EmoteSetRequest::of).collect();
    let keys: Vec<String> = wanted.iter().map(|wanted| wanted.key(state)).collect();
    let cached = match read(state, &keys).await {
        Ok(cached) => cached,
        Err(error) => {
            tracing::warn!(%error, "cached emotes cannot be read");
            keys.iter().map(|_| None).collect()
        }
    };
    let now = state.clock.now();
    let cached = cached.into_iter().map(|cached| cached.filter(|cached| cached.until > now)).collect();
    (wanted, keys, cached)
}

async fn fetch_missing(
    state: &State,
    wanted: Vec<EmoteSetRequest>,
    keys: Vec<String>,
    cached: Vec<Option<Cached>>,
    is_kept: bool,
) -> Vec<ProviderEmotes> {
    let now = state.clock.now();
    let answers =
        join_all(wanted.iter().zip(&keys).zip(cached).map(async |((wanted, key), cached)| match cached {
            Some(cached) => cached.emotes,
            None => ask(state, wanted, key, is_kept, now).await,
        }));
    together(&wanted, answers.await)
}

fn remembered(state: &State, key: &str) -> Option<Cached> {
    serde_json::from_str(&state.ttl_cache.get(key)?).ok()
}

/// Requests a set from its provider, and caches it or remembers it in this process.
async fn ask(
    state: &State,
    wanted: &EmoteSetRequest,
    key: &str,
    is_kept: bool,
    now: DateTime<Utc>,
) -> Option<Vec<ProviderEmote>> {
    let (emotes, lifetime) = match fetch(state, wanted).await {
        Ok(emotes) => (Some(emotes), wanted.lifetime()),
        Err(error) => {
            let provider = wanted.provider.as_str();
            tracing::info!(provider, %error, "a provider of emotes does not respond");
            (None, FAILURE_TTL)
        }
    };
    let cached = Cached { emotes, until: now + lifetime };
    let written = if is_kept {
        write(state, key, &cached, lifetime).await
    } else {
        remember(state, key, &cached, lifetime)
    };
    if let Err(error) = written {
        tracing::warn!(%error, "emotes cannot be cached");
    }
    cached.emotes
}

async fn fetch(state: &State, wanted: &EmoteSetRequest) -> Result<Vec<ProviderEmote>, Unavailable> {
    let mut emotes = match wanted.provider {
        EmoteProvider::Twitch => twitch(state, wanted.place.id()).await?,
        EmoteProvider::Trovo => state.platforms().trovo().emotes(wanted.place.id()).await?,
        EmoteProvider::Discord => discord(state, wanted.place.id().unwrap_or_default()).await?,
        EmoteProvider::Kick => kick(state, &wanted.place).await?,
        provider => state.platforms().emotes().emotes(provider, wanted.place.borrowed()).await?,
    };
    emotes.truncate(MAX_EMOTES);
    Ok(emotes)
}

/// Emotes of Twitch, with a token of the application. A token that Twitch refuses is replaced once.
async fn twitch(state: &State, channel: Option<&str>) -> Result<Vec<ProviderEmote>, PlatformError> {
    let platforms = state.platforms();
    let token = platforms.app_token(Platform::Twitch).await?;
    match platforms.twitch().emotes(&token, channel).await {
        Err(PlatformError::Unauthorized) => {}
        answer => return answer,
    }
    platforms.forget_app_token(Platform::Twitch, &token).await;
    let token = platforms.app_token(Platform::Twitch).await?;
    platforms.twitch().emotes(&token, channel).await
}

async fn discord(state: &State, guild: &str) -> Result<Vec<ProviderEmote>, Unavailable> {
    let mut connection = state.system(SystemReason::EmoteSets).db().await.map_err(failed)?;
    let bot = db::discord_bot(&mut connection).await.map_err(failed)?;
    drop(connection);
    let Some(bot) = bot else { return Err(Unavailable::Missing) };
    let discord = state.platforms().discord();
    let ask = |access: Access| async move { discord.emotes(&access.token, guild).await };
    state.tokens().call(Holder::Bot(bot), ask).await
}

/// Emotes of Kick. Its list needs the name of the channel, which only the connection holds.
async fn kick(state: &State, place: &EmoteScope) -> Result<Vec<ProviderEmote>, Unavailable> {
    let client = state.platforms().emotes();
    let EmoteScope::Channel { platform, id } = place else {
        return Ok(client.emotes(EmoteProvider::Kick, EmotesOf::Everybody).await?);
    };
    let mut connection = state.system(SystemReason::EmoteSets).db().await.map_err(failed)?;
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
fn together(wanted: &[EmoteSetRequest], answers: Vec<Option<Vec<ProviderEmote>>>) -> Vec<ProviderEmotes> {
    let mut by_provider: BTreeMap<EmoteProvider, (HashSet<String>, Vec<ProviderEmote>)> = BTreeMap::new();
    for (wanted, answer) in wanted.iter().zip(answers) {
        let Some(emotes) = answer.filter(|emotes| !emotes.is_empty()) else { continue };
        let (known, set) = by_provider.entry(wanted.provider).or_default();
        set.extend(emotes.into_iter().filter(|emote| known.insert(emote.id.clone())));
    }
    let set = |(provider, (_, emotes))| ProviderEmotes { provider, emotes };
    by_provider.into_iter().map(set).collect()
}

async fn read(state: &State, keys: &[String]) -> shared::Result<Vec<Option<Cached>>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let mut redis = state.redis.get().await?;
    let texts: Vec<Option<String>> = redis::cmd("MGET").arg(keys).query_async(&mut *redis).await?;
    texts.into_iter().map(|text| Ok(text.map(|text| serde_json::from_str(&text)).transpose()?)).collect()
}

fn remember(state: &State, key: &str, cached: &Cached, lifetime: Duration) -> shared::Result<()> {
    state.ttl_cache.put(key, &serde_json::to_string(cached)?, lifetime.min(FOREIGN_TTL));
    Ok(())
}

async fn write(state: &State, key: &str, cached: &Cached, lifetime: Duration) -> shared::Result<()> {
    let mut redis = state.redis.get().await?;
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

    fn key(&self, state: &State) -> String {
        let provider = self.provider.as_str();
        match &self.place {
            EmoteScope::Everybody => state.redis.key(format_args!("emotes:{provider}")),
            // Not in separate segments: emotes belong to channels and to no viewer, so an erasure does not
            // concern them.
            EmoteScope::Channel { platform, id } => {
                state.redis.key(format_args!("emotes:{provider}:channel-{platform}-{id}"))
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
