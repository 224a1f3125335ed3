//! Emotes of channels and of the account (reference/chat.md#emotes).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Operation, Result,
    access::{AnyOperation, Authenticated, Grants},
    http::rate_key,
    validate,
};
use juniper::GraphQLObject;
use platform_access::emotes::{EmoteScope, ProviderEmotes, emotes_of, emotes_of_account, emotes_of_others};
use platforms::emotes::ProviderEmote;
use serde::Serialize;
use shared::{catalogue::Feature, platform::Platform};
use utoipa::ToSchema;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&CHANNEL_EMOTES, &USER_EMOTES];

/// Longest id of a channel, in characters.
const MAX_ID_LENGTH: usize = 128;
/// Largest number of foreign channels for which an account may cause requests in a minute.
const MAX_FOREIGN_CALLS: u32 = 30;

api_core::limits::submit! {
    api_core::limits::WindowLimit {
        name: "emotes_of_others",
        limit: MAX_FOREIGN_CALLS,
        seconds: 60,
        holder: api_core::limits::Holder::Account,
    }
}

/// The same for all accounts together: Twitch counts them as one application, with 800 requests in a minute
/// for all its requests.
const MAX_FOREIGN_CALLS_TOGETHER: u32 = 240;

/// Emotes by provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct EmoteSets {
    /// One set a provider.
    pub sets: Vec<EmoteSet>,
}

/// Emotes of one provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct EmoteSet {
    /// `twitch`, `7tv`, `ffz`, `bttv`, `discord`, `youtube`, `kick` or `trovo`.
    pub provider: String,
    /// Emotes of the provider.
    pub emotes: Vec<ChatEmote>,
}

/// Picture that replaces a word of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ChatEmote {
    /// The provider's id.
    pub id: String,
    /// Word in messages.
    pub name: String,
    /// Address of the picture.
    pub url: String,
    /// True when the picture is animated.
    pub animated: bool,
}

pub static CHANNEL_EMOTES: Operation<Authenticated> =
    Operation::authenticated("channelEmotes", Grants::Nothing).feature(Feature::Multichat).polled();

/// Lists the emotes of a channel, by provider.
///
/// A provider that does not respond, or does not know the channel, is left out. Emotes of a channel that the
/// account has not connected are remembered for a minute only. Emojis of a Discord server are for accounts
/// that linked it; others get no set.
///
/// (reference/chat.md#emotes)
///
/// # Errors
/// 401 or 403 by the access rule; 400 for an unknown platform or a malformed id; 429 for more than 30
/// channels in a minute that the account has not connected, or 240 of all accounts.
#[api_core::operation]
pub async fn channel_emotes(cx: &Cx, platform: &str, channel_id: &str) -> Result<EmoteSets> {
    let caller = cx.authorize(&CHANNEL_EMOTES).await?;
    let platform = platform_with_emotes(platform)?;
    let id = validate::text("channel_id", channel_id, 1, MAX_ID_LENGTH)?;
    let is_own = db::is_own(&caller, platform, &id).await?;
    // Emojis of a server are for accounts that linked it.
    if platform == Platform::Discord && !is_own {
        return Ok(EmoteSets { sets: Vec::new() });
    }
    let place = EmoteScope::Channel { platform, id };
    let found = if is_own {
        emotes_of(cx.state(), vec![place]).await
    } else {
        emotes_of_others(cx.state(), place, async || count_others(cx, &asker(cx, &caller)).await).await?
    };
    Ok(found.into())
}

pub static USER_EMOTES: Operation<Authenticated> =
    Operation::authenticated("userEmotes", Grants::Nothing).feature(Feature::Multichat);

/// Lists the global emotes and those of the account's channels and servers, by provider.
///
/// A provider that does not respond is left out.
///
/// (reference/chat.md#emotes)
///
/// # Errors
/// 401 or 403 by the access rule.
#[api_core::operation]
pub async fn user_emotes(cx: &Cx) -> Result<EmoteSets> {
    let caller = cx.authorize(&USER_EMOTES).await?;
    let found = match caller.account {
        Some(account) => emotes_of_account(cx.state(), account).await?,
        None => emotes_of(cx.state(), vec![EmoteScope::Everybody]).await,
    };
    Ok(found.into())
}

/// Counts requests for foreign channels. The account's own count comes first, so that one with too many
/// requests does not use up the shared count.
async fn count_others(cx: &Cx, asker: &str) -> Result<()> {
    let limiter = &cx.state().limiter;
    cx.refuse_over(&limiter.count("emotes_of_others", asker, MAX_FOREIGN_CALLS, 60).await)?;
    let together = limiter.count("emotes_of_others", "everybody", MAX_FOREIGN_CALLS_TOGETHER, 60).await;
    cx.refuse_over(&together)
}

/// Counted caller: the account, else the person.
fn asker(cx: &Cx, caller: &Authenticated) -> String {
    match (caller.account, cx.principal().user()) {
        (Some(account), _) => account.to_string(),
        (None, Some(user)) => user.to_string(),
        (None, None) => rate_key(cx.request().ip),
    }
}

fn platform_with_emotes(text: &str) -> Result<Platform> {
    let platform = text.parse().ok().filter(|platform| *platform != Platform::Spotify);
    platform.ok_or_else(|| ApiError::invalid("platform must be one of twitch, youtube, kick, trovo, discord"))
}

impl From<Vec<ProviderEmotes>> for EmoteSets {
    fn from(found: Vec<ProviderEmotes>) -> Self {
        let emote = |ProviderEmote { id, name, url, animated }| ChatEmote { id, name, url, animated };
        let set = |found: ProviderEmotes| EmoteSet {
            provider: found.provider.as_str().to_owned(),
            emotes: found.emotes.into_iter().map(emote).collect(),
        };
        Self { sets: found.into_iter().map(set).collect() }
    }
}
