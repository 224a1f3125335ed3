//! Plays seeded scenarios to an account as test events, by the way that emitted ones take: the same seed plays the
//! same people and payloads. Chat lines of it are shown and trigger what they trigger, and are not stored.

mod cast;
mod dice;
mod payload;
mod plan;
mod play;
mod words;

use api_core::{ApiError, Result};
use serde::Serialize;
use shared::{
    id::AccountId,
    ingest::{EventType, is_custom},
};

pub use play::play;

/// Most steps of a second.
pub const MAX_RATE: u32 = 50;
/// Longest time, in seconds.
pub const MAX_SECONDS: u32 = 600;
/// The platforms that scenarios are played for.
pub const PLATFORMS: [&str; 4] = ["twitch", "youtube", "kick", "trovo"];

/// What is played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scenario {
    /// Raid after raid, each with followers, subscribers and greetings.
    RaidStorm,
    /// One person gives subscriptions in a row, the chat says thanks; then the next.
    GiftBomb,
    /// Nothing but chat.
    BusyChat,
    /// A hype train, and the cheers, subscriptions and gifts that push it.
    Hype,
    /// One type of events, over and over.
    Event(String),
}

/// A simulation, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simulation {
    account: AccountId,
    scenario: Scenario,
    platform: String,
    seed: u64,
    rate: u32,
    seconds: u32,
}

/// What was played.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Played {
    pub events: u64,
    pub messages: u64,
}

impl Simulation {
    /// A simulation for an account. What a platform lacks, for example raids on YouTube, is left out of a scenario; types
    /// of the catalogue that no platform tells of ([`shared::ingest::WITHOUT_SOURCE`]) are played like all others.
    ///
    /// # Errors
    /// 400 for an unknown platform or type, and a rate or time out of bounds.
    pub fn new(
        account: AccountId,
        scenario: Scenario,
        platform: &str,
        seed: u64,
        (rate, seconds): (u32, u32),
    ) -> Result<Self> {
        if !(1..=MAX_RATE).contains(&rate) {
            return Err(ApiError::invalid(format!("rate must be between 1 and {MAX_RATE}")));
        }
        if !(1..=MAX_SECONDS).contains(&seconds) {
            return Err(ApiError::invalid(format!("seconds must be between 1 and {MAX_SECONDS}")));
        }
        match &scenario {
            Scenario::Event(name) if EventType::find(name).is_some() => {}
            Scenario::Event(name) if !is_custom(name) => {
                return Err(ApiError::invalid(format!("Unknown event type: {name}")));
            }
            _ if PLATFORMS.contains(&platform) => {}
            _ => return Err(ApiError::invalid(format!("platform must be one of {}", PLATFORMS.join(", ")))),
        }
        Ok(Self { account, scenario, platform: platform.to_owned(), seed, rate, seconds })
    }

    /// How many things happen.
    fn steps(&self) -> u64 {
        u64::from(self.rate) * u64::from(self.seconds)
    }
}
