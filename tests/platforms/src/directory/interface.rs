//! The directories' interface for tests.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Churn, DirectoryChannel, HeldRequest, Requests, Storm};
use crate::{Platform, StandIn, refusal::Refusal, state::State};

/// Channels to seed.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seed {
    pub platform: Platform,
    pub channels: usize,
    /// Number of those that are live, the first ones.
    pub live: usize,
    #[serde(default)]
    pub seed: u64,
}

/// Public directories.
impl StandIn {
    /// Replaces the channels of a platform's directory.
    pub fn seed_directory(&self, platform: Platform, channels: usize, live: usize) {
        self.state.lock().directory.seed(platform, channels, live, 1);
    }

    /// Channel by its number.
    ///
    /// # Panics
    /// An error when there is none.
    #[must_use]
    pub fn directory_channel(&self, platform: Platform, number: usize) -> DirectoryChannel {
        let inner = self.state.lock();
        let population = inner.directory.population(platform).expect("a seeded directory");
        population.channels.get(number).cloned().expect("a channel of this number")
    }

    /// Changes a channel.
    ///
    /// # Panics
    /// An error when there is none.
    pub fn change_directory(&self, platform: Platform, id: &str, change: impl FnOnce(&mut DirectoryChannel)) {
        let mut inner = self.state.lock();
        let population = inner.directory.population_mut(platform).expect("a seeded directory");
        change(population.by_id_mut(id).expect("a channel of this id"));
    }

    /// Puts a channel on air by its number.
    pub fn go_live_in_directory(&self, platform: Platform, number: usize) {
        let mut inner = self.state.lock();
        inner.directory.population_mut(platform).expect("a seeded directory").go_live(number);
    }

    /// Changes random channels.
    pub fn churn_directory(&self, platform: Platform, churn: Churn) {
        let mut inner = self.state.lock();
        inner.directory.population_mut(platform).expect("a seeded directory").churn(churn);
    }

    /// Begins or ends a storm of failures.
    pub fn storm(&self, platform: Platform, storm: Option<Storm>) {
        let mut inner = self.state.lock();
        inner.directory.population_mut(platform).expect("a seeded directory").gate.set_storm(storm);
    }

    /// Adds rows to each page of live channels, in whatever form.
    pub fn add_directory_rows(&self, platform: Platform, rows: Vec<Value>) {
        let mut inner = self.state.lock();
        inner.directory.population_mut(platform).expect("a seeded directory").rows = rows;
    }

    /// Makes the last page of live channels lead to the first one.
    pub fn make_directory_endless(&self, platform: Platform) {
        let mut inner = self.state.lock();
        inner.directory.population_mut(platform).expect("a seeded directory").is_endless = true;
    }

    /// Refuses every request about a channel with 400.
    pub fn refuse_in_directory(&self, platform: Platform, id: &str) {
        let mut inner = self.state.lock();
        inner.directory.population_mut(platform).expect("a seeded directory").gate.refuse(id);
    }

    /// Holds the answer to the next request about a single channel, by its id or name; on Trovo only.
    pub fn hold_directory(&self, platform: Platform) -> HeldRequest {
        let held = HeldRequest::new();
        let mut inner = self.state.lock();
        inner.directory.population_mut(platform).expect("a seeded directory").gate.hold(held.clone());
        held
    }

    /// Sets the published budget, in requests of a minute.
    pub fn set_directory_budget(&self, platform: Platform, per_minute: Option<u64>) {
        let mut inner = self.state.lock();
        inner.directory.population_mut(platform).expect("a seeded directory").gate.set_per_minute(per_minute);
    }

    /// Requests so far.
    #[must_use]
    pub fn directory_requests(&self, platform: Platform) -> Requests {
        let inner = self.state.lock();
        inner.directory.population(platform).map(|population| population.gate.requests()).unwrap_or_default()
    }

    /// Number of requests that named a channel by its id or name.
    #[must_use]
    pub fn requests_about(&self, platform: Platform, channel: &str) -> u64 {
        let inner = self.state.lock();
        inner.directory.population(platform).map_or(0, |population| population.gate.requests_about(channel))
    }

    /// Number of requests for the live state of a channel.
    #[must_use]
    pub fn visits_to(&self, platform: Platform, id: &str) -> u64 {
        let inner = self.state.lock();
        inner.directory.population(platform).map_or(0, |population| population.gate.visits_to(id))
    }
}

/// Seeds a directory on command.
pub(super) fn seed(state: &State, seed: Seed) {
    state.lock().directory.seed(seed.platform, seed.channels, seed.live, seed.seed);
}

/// Refusal of a command about a directory without channels.
pub(super) fn unseeded(platform: Platform) -> Refusal {
    Refusal::new(404, json!({ "error": format!("the directory of {platform} is not seeded") }))
}
