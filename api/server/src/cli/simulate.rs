//! Scenarios that are played to an account.

use anyhow::anyhow;
use api_core::State;
use clap::ValueEnum;
use live::simulator::{Played, Scenario, Simulation, play};
use shared::id::AccountId;
use uuid::Uuid;

/// A scenario by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScenarioName {
    /// Raid after raid, each with followers, subscribers and greetings.
    RaidStorm,
    /// One person gives subscriptions in a row, the chat says thanks; then the next.
    GiftBomb,
    /// Nothing but chat.
    BusyChat,
    /// A hype train, and the cheers, subscriptions and gifts that push it.
    Hype,
}

/// What is to be played.
pub struct Wanted {
    pub account: Uuid,
    pub scenario: Option<ScenarioName>,
    pub event_type: Option<String>,
    pub platform: String,
    pub seed: u64,
    pub rate: u32,
    pub seconds: u32,
}

/// Plays to the end.
pub async fn simulate(state: &State, wanted: Wanted) -> anyhow::Result<Played> {
    let scenario = match (wanted.scenario, wanted.event_type) {
        (_, Some(event_type)) => Scenario::Event(event_type),
        (Some(ScenarioName::RaidStorm), None) => Scenario::RaidStorm,
        (Some(ScenarioName::GiftBomb), None) => Scenario::GiftBomb,
        (Some(ScenarioName::BusyChat), None) => Scenario::BusyChat,
        (Some(ScenarioName::Hype), None) => Scenario::Hype,
        (None, None) => return Err(anyhow!("name a scenario or an event type")),
    };
    let pace = (wanted.rate, wanted.seconds);
    let account = AccountId(wanted.account);
    let simulation = Simulation::new(account, scenario, &wanted.platform, wanted.seed, pace);
    let simulation = simulation.map_err(|error| anyhow!(error.message))?;
    play(state, &simulation).await.map_err(|error| anyhow!(error.message))
}
