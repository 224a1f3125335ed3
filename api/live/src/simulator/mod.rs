//! Simulator: plays seeded scenarios to an account as test events, on the path of emitted events
//! (reference/events.md#simulator). The same seed plays the same people and payloads. Its chat lines are
//! shown and trigger handlers; they are not stored.

mod cast;
mod dice;
mod payload;
mod plan;
mod play;
mod words;

use api_core::{ApiError, Result};
use live_model::{EventType, is_custom};
use serde::Serialize;
use shared::id::AccountId;

pub use play::play;

/// Largest number of steps a second.
pub const MAX_RATE: u32 = 50;
/// Longest duration in seconds.
pub const MAX_SECONDS: u32 = 600;
/// Platforms with scenarios.
pub const PLATFORMS: [&str; 4] = ["twitch", "youtube", "kick", "trovo"];

/// Scenario of a simulation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scenario {
    /// Raid after raid, each with followers, subscribers and greetings.
    RaidStorm,
    /// One person gives subscriptions in a row and the chat thanks them; then the next.
    GiftBomb,
    /// Chat only.
    BusyChat,
    /// A hype train, and the cheers, subscriptions and gifts that push it.
    Hype,
    /// One event type, repeatedly.
    Event(String),
}

/// Checked simulation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simulation {
    account: AccountId,
    scenario: Scenario,
    platform: String,
    seed: u64,
    rate: u32,
    seconds: u32,
}

/// Result of a simulation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Played {
    /// Number of events.
    pub events: u64,
    /// Number of chat lines.
    pub messages: u64,
}

impl Simulation {
    /// Simulation for an account. Parts that a platform lacks, for example raids on YouTube, are left out of
    /// a scenario. Types of the catalogue that no platform reports ([`live_model::WITHOUT_SOURCE`]) are
    /// played like all others.
    ///
    /// # Errors
    /// 400 for an unknown platform or type, and for a rate or duration out of bounds.
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

    /// Number of steps.
    fn steps(&self) -> u64 {
        u64::from(self.rate) * u64::from(self.seconds)
    }
}
