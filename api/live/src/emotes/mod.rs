//! Emotes of channels and of those who write (specification C B13).

mod catalogue;
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
use serde::Serialize;
use shared::{catalogue::Feature, platforms::Platform};
use utoipa::ToSchema;

use catalogue::{Place, Whose};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&CHANNEL_EMOTES, &USER_EMOTES];

/// Longest id of a channel.
const MAX_ID_LENGTH: usize = 128;

/// Emotes by provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct EmoteSets {
    pub sets: Vec<EmoteSet>,
}

/// The emotes of one provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct EmoteSet {
    /// `twitch`, `7tv`, `ffz`, `bttv`, `discord`, `youtube`, `kick` or `trovo`.
    pub provider: String,
    pub emotes: Vec<ChatEmote>,
}

/// A picture that stands for a word of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ChatEmote {
    pub id: String,
    /// The word.
    pub name: String,
    pub url: String,
    pub animated: bool,
}

/// The emotes of a channel.
pub static CHANNEL_EMOTES: Operation<Authenticated> =
    Operation::authenticated("channelEmotes", Grants::Nothing).feature(Feature::Multichat);

/// Lists the emotes that belong to a channel, by provider. A provider that does not answer, or that knows no such
/// channel, is left out. What the account has not connected is remembered for a minute only; an account may have
/// providers asked for thirty such channels a minute, and all accounts together for 240.
///
/// # Errors
/// As the rule; 400 for an unknown platform or a malformed id; 429 for too many channels of others.
pub async fn channel_emotes(cx: &Cx, platform: &str, channel_id: &str) -> Result<EmoteSets> {
    let caller = cx.authorize(&CHANNEL_EMOTES).await?;
    let platform = platform_with_emotes(platform)?;
    let id = validate::text("channel_id", channel_id, 1, MAX_ID_LENGTH)?;
    let is_own = db::is_own(&caller, platform, &id).await?;
    // Whose emojis a server has is for those who linked it.
    if platform == Platform::Discord && !is_own {
        return Ok(EmoteSets { sets: Vec::new() });
    }
    let whose = if is_own { Whose::Own } else { Whose::Others { asker: asker(cx, &caller) } };
    catalogue::sets(cx, vec![Place::Channel { platform, id }], whose).await
}

/// The emotes that the caller may write with.
pub static USER_EMOTES: Operation<Authenticated> =
    Operation::authenticated("userEmotes", Grants::Nothing).feature(Feature::Multichat);

/// Lists the emotes that everybody has and those of the account's channels and servers, by provider. A provider that
/// does not answer is left out.
///
/// # Errors
/// As the rule.
pub async fn user_emotes(cx: &Cx) -> Result<EmoteSets> {
    let caller = cx.authorize(&USER_EMOTES).await?;
    let mut places = vec![Place::Everybody];
    places.extend(db::places(&caller).await?);
    catalogue::sets(cx, places, Whose::Own).await
}

/// Who is counted: the account, else the person.
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
