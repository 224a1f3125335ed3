//! Channels of a platform, and their changes.

use std::collections::HashMap;

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use serde_json::Value;

use super::{gate::Gate, random::Random};
use crate::{Platform, clock};

/// Number of games in each directory.
pub(super) const GAMES: u64 = 200;
/// Lists of live channels that are kept for their pages.
const MAX_ORDERS: usize = 32;
const LANGUAGES: [&str; 8] = ["en", "es", "pt", "de", "fr", "ko", "ja", "ru"];

/// Channel of a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DirectoryChannel {
    pub id: String,
    pub login: String,
    pub display_name: String,
    pub bio: String,
    pub title: String,
    pub language: String,
    /// Number of the game, from 0.
    pub game: u64,
    pub viewers: u64,
    pub followers: u64,
    pub teams: Vec<String>,
    pub links: Vec<String>,
    /// Start and id of the stream of a live channel.
    pub live: Option<(DateTime<Utc>, String)>,
}

/// Changes of random channels.
#[derive(Debug, Clone, Copy, Default)]
pub struct Churn {
    /// Channels that get other numbers of viewers.
    pub viewers: usize,
    /// Channels that go live.
    pub on: usize,
    /// Channels that go off.
    pub off: usize,
    /// Channels that get another name.
    pub renames: usize,
}

/// Directories of all platforms.
#[derive(Debug, Default)]
pub struct World {
    populations: HashMap<Platform, Population>,
}

/// Directory of one platform.
#[derive(Debug)]
pub(super) struct Population {
    platform: Platform,
    pub channels: Vec<DirectoryChannel>,
    by_id: HashMap<String, usize>,
    pub gate: Gate,
    /// Lists of live channels, by the number in a cursor.
    orders: Vec<(u64, Vec<usize>)>,
    /// Further rows of each page, in whatever form.
    pub rows: Vec<Value>,
    /// The last page leads to the first one.
    pub is_endless: bool,
    counter: u64,
    random: Random,
}

impl World {
    pub(super) fn population(&self, platform: Platform) -> Option<&Population> {
        self.populations.get(&platform)
    }

    pub(super) fn population_mut(&mut self, platform: Platform) -> Option<&mut Population> {
        self.populations.get_mut(&platform)
    }

    /// Replaces the channels of a platform.
    pub(super) fn seed(&mut self, platform: Platform, channels: usize, live: usize, seed: u64) {
        self.populations.insert(platform, Population::new(platform, channels, live, seed));
    }
}

impl Population {
    fn new(platform: Platform, number: usize, live: usize, seed: u64) -> Self {
        let mut population = Self {
            platform,
            channels: Vec::with_capacity(number),
            by_id: HashMap::new(),
            gate: Gate::new(platform, seed),
            orders: Vec::new(),
            rows: Vec::new(),
            is_endless: false,
            counter: 0,
            random: Random::seeded(seed),
        };
        for place in 0..number {
            let channel = channel(platform, place, &mut population.random);
            population.by_id.insert(channel.id.clone(), place);
            population.channels.push(channel);
        }
        for place in 0..live.min(number) {
            population.go_live(place);
        }
        population
    }

    pub fn by_id(&self, id: &str) -> Option<&DirectoryChannel> {
        self.channels.get(*self.by_id.get(id)?)
    }

    pub fn by_id_mut(&mut self, id: &str) -> Option<&mut DirectoryChannel> {
        self.channels.get_mut(*self.by_id.get(id)?)
    }

    pub fn by_login(&self, login: &str) -> Option<&DirectoryChannel> {
        self.channels.iter().find(|channel| channel.login.eq_ignore_ascii_case(login))
    }

    pub fn by_broadcast(&self, id: &str) -> Option<&DirectoryChannel> {
        self.channels
            .iter()
            .find(|channel| channel.live.as_ref().is_some_and(|(_, broadcast)| broadcast == id))
    }

    pub fn go_live(&mut self, place: usize) {
        self.counter += 1;
        let (broadcast, started_at) = (format!("{}{}", self.platform, self.counter), clock::now());
        let started_at = started_at - Duration::minutes(i64::try_from(self.counter % 300).unwrap_or(0));
        if let Some(channel) = self.channels.get_mut(place)
            && channel.live.is_none()
        {
            channel.live = Some((started_at, broadcast));
        }
    }

    /// Changes random channels.
    pub fn churn(&mut self, churn: Churn) {
        for _ in 0..churn.viewers {
            let (place, viewers) = (self.random.below(self.channels.len()), self.random.next() % 1_000);
            if let Some(channel) = self.channels.get_mut(place) {
                channel.viewers = viewers;
            }
        }
        for _ in 0..churn.on {
            let place = self.random.below(self.channels.len());
            self.go_live(place);
        }
        for _ in 0..churn.off {
            let place = self.random.below(self.channels.len());
            if let Some(channel) = self.channels.get_mut(place) {
                channel.live = None;
            }
        }
        for _ in 0..churn.renames {
            let place = self.random.below(self.channels.len());
            self.counter += 1;
            let name = format!("renamed{}", self.counter);
            if let Some(channel) = self.channels.get_mut(place) {
                (channel.login, channel.display_name) = (name.clone(), name.to_uppercase());
            }
        }
    }

    /// Live channels of a page, and the position of the next one. The order is that of the first page, so channels that
    /// go live later are missing, and those that go off are left out.
    pub fn page(
        &mut self,
        languages: &[&str],
        after: Option<&str>,
        size: usize,
        is_sorted: bool,
    ) -> Option<(Vec<DirectoryChannel>, Option<String>)> {
        let (number, offset) = match after {
            None => (self.begin(languages, is_sorted), 0),
            Some(after) => {
                let (number, offset) = after.split_once('.')?;
                (number.parse().ok()?, offset.parse().ok()?)
            }
        };
        let order = &self.orders.iter().find(|(known, _)| *known == number)?.1;
        let end = order.len().min(offset + size);
        let places = order.get(offset..end)?;
        let live = places.iter().filter_map(|place| self.channels.get(*place));
        let live = live.filter(|channel| channel.live.is_some()).cloned().collect();
        let next = (end < order.len()).then(|| format!("{number}.{end}"));
        let next = next.or_else(|| self.is_endless.then(|| format!("{number}.0")));
        Some((live, next))
    }

    fn begin(&mut self, languages: &[&str], is_sorted: bool) -> u64 {
        let is_listed = |channel: &DirectoryChannel| {
            channel.live.is_some() && (languages.is_empty() || languages.contains(&channel.language.as_str()))
        };
        let mut order: Vec<usize> =
            (0..self.channels.len()).filter(|place| is_listed(&self.channels[*place])).collect();
        if is_sorted {
            order.sort_by_key(|place| std::cmp::Reverse(self.channels[*place].viewers));
        } else {
            order.sort_by_key(|place| self.channels[*place].live.as_ref().map(|(at, _)| *at));
        }
        self.counter += 1;
        if self.orders.len() == MAX_ORDERS {
            self.orders.remove(0);
        }
        self.orders.push((self.counter, order));
        self.counter
    }
}

fn channel(platform: Platform, place: usize, random: &mut Random) -> DirectoryChannel {
    let number = u64::try_from(place).expect("a small number");
    let id = match platform {
        Platform::Youtube => format!("UCdirectory{number:013}"),
        _ => (10_000_000 + number).to_string(),
    };
    let login = format!("channel{number}");
    DirectoryChannel {
        id,
        display_name: login.to_uppercase(),
        bio: format!("The channel {login}"),
        title: format!("Stream of {login}"),
        login,
        language: LANGUAGES[random.below(LANGUAGES.len())].to_owned(),
        game: random.next() % GAMES,
        // Few have many viewers.
        viewers: 5 + 100_000 / (number + 1) + random.next() % 5,
        followers: random.next() % 100_000,
        teams: Vec::new(),
        links: vec![format!("https://example.com/{number}")],
        live: None,
    }
}

/// Name of a game.
pub(super) fn game_name(game: u64) -> String {
    format!("Game {game}")
}

/// Id of a game.
pub(super) fn game_id(game: u64) -> u64 {
    1_000 + game
}
