//! Plans of simulated events and chat lines (reference/events.md#simulator). The same seed gives the same people,
//! payloads and lines. `lumio-api admin simulate` plays them to an account, `lumio-ext dev` to handlers on a
//! developer's machine.

mod cast;
mod dice;
mod payload;
mod plan;
mod words;

use live_model::{EventType, is_custom};

pub use cast::Person;
pub use plan::{Happening, Step, plan};

/// Largest number of steps a second.
pub const MAX_RATE: u32 = 50;
/// Largest duration in seconds.
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
    scenario: Scenario,
    platform: String,
    seed: u64,
    rate: u32,
    seconds: u32,
}

/// Refusal of a simulation. The text names the input and what is allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(String);

impl Simulation {
    /// Checks a simulation. Parts that a platform lacks, for example raids on YouTube, are left out of a
    /// scenario. Types of the catalogue that no platform reports ([`live_model::WITHOUT_SOURCE`]) are simulated
    /// like all others.
    ///
    /// # Errors
    /// An unknown platform or type, and a rate or duration out of bounds.
    pub fn new(
        scenario: Scenario,
        platform: &str,
        seed: u64,
        (rate, seconds): (u32, u32),
    ) -> Result<Self, Refused> {
        if !(1..=MAX_RATE).contains(&rate) {
            return Err(Refused(format!("rate must be between 1 and {MAX_RATE}")));
        }
        if !(1..=MAX_SECONDS).contains(&seconds) {
            return Err(Refused(format!("seconds must be between 1 and {MAX_SECONDS}")));
        }
        match &scenario {
            Scenario::Event(name) if EventType::find(name).is_some() => {}
            Scenario::Event(name) if !is_custom(name) => {
                return Err(Refused(format!("Unknown event type: {name}")));
            }
            _ if PLATFORMS.contains(&platform) => {}
            _ => return Err(Refused(format!("platform must be one of {}", PLATFORMS.join(", ")))),
        }
        Ok(Self { scenario, platform: platform.to_owned(), seed, rate, seconds })
    }

    /// Returns the slug of the platform.
    #[must_use]
    pub fn platform(&self) -> &str {
        &self.platform
    }

    /// Number of steps.
    fn steps(&self) -> u64 {
        u64::from(self.rate) * u64::from(self.seconds)
    }
}
