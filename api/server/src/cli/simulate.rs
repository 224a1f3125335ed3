//! Command that plays a scenario to an account.

use anyhow::anyhow;
use api_core::State;
use clap::ValueEnum;
use live::simulator::{Played, Scenario, Simulation, play};
use shared::id::{AccountId, Trust};
use uuid::Uuid;

/// Name of a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScenarioName {
    /// Raid after raid, each with followers, subscribers and greetings.
    RaidStorm,
    /// One person gives subscriptions in a row and the chat thanks them; then the next.
    GiftBomb,
    /// Chat only.
    BusyChat,
    /// A hype train, and the cheers, subscriptions and gifts that push it.
    Hype,
}

/// Input of a simulation.
pub struct SimulationArguments {
    /// Account that receives the events.
    pub account: Uuid,
    /// Scenario; null when one event type is played.
    pub scenario: Option<ScenarioName>,
    /// Event type that is played instead of a scenario.
    pub event_type: Option<String>,
    /// Slug of the platform that the events come from.
    pub platform: String,
    /// Equal seeds play equal people, payloads and lines.
    pub seed: u64,
    /// Events and chat lines a second.
    pub rate: u32,
    /// Duration.
    pub seconds: u32,
}

/// Plays the simulation to its end.
pub async fn simulate(state: &State, wanted: SimulationArguments) -> anyhow::Result<Played> {
    let scenario = match (wanted.scenario, wanted.event_type) {
        (_, Some(event_type)) => Scenario::Event(event_type),
        (Some(ScenarioName::RaidStorm), None) => Scenario::RaidStorm,
        (Some(ScenarioName::GiftBomb), None) => Scenario::GiftBomb,
        (Some(ScenarioName::BusyChat), None) => Scenario::BusyChat,
        (Some(ScenarioName::Hype), None) => Scenario::Hype,
        (None, None) => return Err(anyhow!("name a scenario or an event type")),
    };
    let pace = (wanted.rate, wanted.seconds);
    let account = AccountId::trusted(wanted.account, Trust::Console);
    let simulation = Simulation::new(account, scenario, &wanted.platform, wanted.seed, pace);
    let simulation = simulation.map_err(|error| anyhow!(error.message))?;
    play(state, &simulation).await.map_err(|error| anyhow!(error.message))
}
