//! Chat of an account's channels (specification B §4.7, C B13): its history, and what people and extensions do in it.
//!
//! Whoever sends or moderates, a person, a key or a handler, goes the same way: [`acting`] finds the channel and in
//! whose name things are done there, [`delivery`] sends, [`moderation`] moderates.

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

use api_core::{ApiError, Result, validate};
use shared::platforms::Platform;
use utoipa_actix_web::service_config::ServiceConfig;

/// Platforms whose channels have a chat that Lumio shows.
pub(crate) const CHAT_PLATFORMS: [Platform; 4] =
    [Platform::Twitch, Platform::Youtube, Platform::Kick, Platform::Trovo];

/// Those of them that have polls, predictions and raids.
const INTERACTIVE_PLATFORMS: [Platform; 1] = [Platform::Twitch];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    messages::rest::routes(config);
    send::rest::routes(config);
    moderation::rest::routes(config);
    raids::rest::routes(config);
    polls::rest::routes(config);
    predictions::rest::routes(config);
}

/// Reads a platform that has a chat.
pub(crate) fn chat_platform(text: &str) -> Result<Platform> {
    let known = text.parse().ok().filter(|platform| CHAT_PLATFORMS.contains(platform));
    known.ok_or_else(|| ApiError::invalid("platform must be one of twitch, youtube, kick, trovo"))
}

/// Reads a platform that has what is asked for: polls, predictions or raids.
fn interactive_platform(what: &str, text: &str) -> Result<Platform> {
    let platform = chat_platform(text)?;
    if INTERACTIVE_PLATFORMS.contains(&platform) {
        return Ok(platform);
    }
    Err(ApiError::bad_request(format!("{what} is not supported on {platform}")))
}

/// The titles of what viewers choose from, checked.
fn titles(field: &str, given: &[String], fewest: usize, most: usize, longest: usize) -> Result<Vec<String>> {
    if !(fewest..=most).contains(&given.len()) {
        return Err(ApiError::invalid(format!("{field} must hold {fewest} to {most} titles")));
    }
    given.iter().map(|title| validate::text(field, title, 1, longest)).collect()
}

/// A number of seconds within bounds.
fn seconds(field: &str, given: i32, allowed: &RangeInclusive<i32>) -> Result<u64> {
    match u64::try_from(given) {
        Ok(secs) if allowed.contains(&given) => Ok(secs),
        _ => {
            let (fewest, most) = (allowed.start(), allowed.end());
            Err(ApiError::invalid(format!("{field} must be between {fewest} and {most}")))
        }
    }
}
