//! Simulator: plays seeded scenarios to an account as test events, on the path of emitted events
//! (reference/events.md#simulator). Its chat lines are shown and trigger handlers; they are not stored.

mod play;

use api_core::{ApiError, Result};
use serde::Serialize;
use shared::id::AccountId;

pub use play::play;
pub use simulation::Scenario;

/// Checked simulation for an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simulation {
    account: AccountId,
    plan: simulation::Simulation,
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
    /// Simulation for an account.
    ///
    /// # Errors
    /// 400 for an unknown platform or type, and for a rate or duration out of bounds.
    pub fn new(
        account: AccountId,
        scenario: Scenario,
        platform: &str,
        seed: u64,
        pace: (u32, u32),
    ) -> Result<Self> {
        let plan = simulation::Simulation::new(scenario, platform, seed, pace);
        Ok(Self { account, plan: plan.map_err(|refused| ApiError::invalid(refused.to_string()))? })
    }
}
