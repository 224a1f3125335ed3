//! Chat of an account's channels (reference/chat.md#acting-in-a-channel): history, and actions of people and
//! extensions.
//!
//! A person, a key or a handler that sends or moderates takes the same path: [`acting`] finds the channel and
//! the identity, [`delivery`] sends, [`moderation`] moderates.

pub(crate) mod acting;
pub(crate) mod delivery;
pub mod messages;
pub mod moderation;
pub mod polls;
pub mod predictions;
pub mod raids;
pub mod send;
mod votes;

use std::ops::RangeInclusive;

use api_core::{ApiError, Result, http::ServiceConfig, validate};
use shared::platform::Platform;

/// Platforms with a chat that Lumio shows.
pub(crate) const CHAT_PLATFORMS: [Platform; 4] =
    [Platform::Twitch, Platform::Youtube, Platform::Kick, Platform::Trovo];

/// Platforms with polls, predictions and raids.
const INTERACTIVE_PLATFORMS: [Platform; 1] = [Platform::Twitch];

/// Registers the routes, which need a credential.
pub fn routes(config: &mut ServiceConfig) {
    messages::rest::routes(config);
    send::rest::routes(config);
    moderation::rest::routes(config);
    raids::rest::routes(config);
    polls::rest::routes(config);
    predictions::rest::routes(config);
}

/// Parses a platform with a chat.
pub(crate) fn chat_platform(text: &str) -> Result<Platform> {
    let known = text.parse().ok().filter(|platform| CHAT_PLATFORMS.contains(platform));
    known.ok_or_else(|| ApiError::invalid("platform must be one of twitch, youtube, kick, trovo"))
}

/// Parses a platform that has polls, predictions or raids.
fn interactive_platform(what: &str, text: &str) -> Result<Platform> {
    let platform = chat_platform(text)?;
    if INTERACTIVE_PLATFORMS.contains(&platform) {
        return Ok(platform);
    }
    Err(ApiError::bad_request(format!("{what} is not supported on {platform}")))
}

/// Checked titles of choices.
fn titles(field: &str, given: &[String], min: usize, max: usize, max_length: usize) -> Result<Vec<String>> {
    if !(min..=max).contains(&given.len()) {
        return Err(ApiError::invalid(format!("{field} must hold {min} to {max} titles")));
    }
    given.iter().map(|title| validate::text(field, title, 1, max_length)).collect()
}

/// Checked number of seconds.
fn seconds(field: &str, given: i32, allowed: &RangeInclusive<i32>) -> Result<u64> {
    match u64::try_from(given) {
        Ok(secs) if allowed.contains(&given) => Ok(secs),
        _ => {
            let (min, max) = (allowed.start(), allowed.end());
            Err(ApiError::invalid(format!("{field} must be between {min} and {max}")))
        }
    }
}
