//! Counts of requests against the published budget of a platform, and storms of failures.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use super::{hold::HeldRequest, random::Random};
use crate::{Platform, refusal::Refusal};

const MINUTE: Duration = Duration::from_secs(60);
/// Time in which requests that were sent before a 429 arrive.
const TRANSIT_TIME: Duration = Duration::from_millis(500);

/// Failures of a part of the requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Storm {
    pub kind: StormKind,
    /// Part of the requests, in percent.
    pub percent: u64,
    /// Waiting time of a 429, in seconds.
    #[serde(default = "one")]
    pub retry_after_secs: u64,
}

/// Kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StormKind {
    RateLimited,
    ServerError,
    Mixed,
    /// 403.
    Forbidden,
}

const fn one() -> u64 {
    1
}

/// Requests of a platform so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Requests {
    pub total: u64,
    /// Pages of the list of live channels.
    pub pages: u64,
    /// Highest number within any minute.
    pub max_in_a_minute: u64,
    /// Requests beyond the published budget.
    pub over_budget: u64,
    /// Requests that a storm made fail.
    pub failed: u64,
    /// Requests that came while a 429 kept callers away.
    pub impatient: u64,
}

/// Gate before the handlers of a platform.
#[derive(Debug)]
pub(super) struct Gate {
    platform: Platform,
    /// Requests of a minute; none where the platform counts otherwise.
    per_minute: Option<u64>,
    times: VecDeque<Instant>,
    requests: Requests,
    by_id: HashMap<String, u64>,
    /// Requests for the live state of a channel, among them.
    visits: HashMap<String, u64>,
    storm: Option<Storm>,
    /// Channels about which requests are 400.
    refused: HashSet<String>,
    held: Option<HeldRequest>,
    /// Time in which no caller may come after a 429.
    away: Option<(Instant, Instant)>,
    random: Random,
}

impl Gate {
    pub fn new(platform: Platform, seed: u64) -> Self {
        let per_minute = match platform {
            Platform::Twitch => Some(800),
            Platform::Trovo => Some(1_200),
            // Not published; a guess for the tests.
            Platform::Kick => Some(300),
            _ => None,
        };
        Self {
            platform,
            per_minute,
            times: VecDeque::new(),
            requests: Requests::default(),
            by_id: HashMap::new(),
            visits: HashMap::new(),
            storm: None,
            refused: HashSet::new(),
            held: None,
            away: None,
            random: Random::seeded(seed),
        }
    }

    /// Counts a request about these channels, and refuses it beyond the budget or in a storm.
    pub fn pass<'a>(&mut self, ids: impl IntoIterator<Item = &'a str>) -> Result<(), Refusal> {
        let now = Instant::now();
        self.requests.total += 1;
        let mut is_refused = false;
        for id in ids {
            *self.by_id.entry(id.to_owned()).or_default() += 1;
            is_refused |= self.refused.contains(id);
        }
        while self.times.front().is_some_and(|at| now.duration_since(*at) >= MINUTE) {
            self.times.pop_front();
        }
        self.times.push_back(now);
        let in_a_minute = u64::try_from(self.times.len()).expect("a small number");
        self.requests.max_in_a_minute = self.requests.max_in_a_minute.max(in_a_minute);
        if self.away.is_some_and(|(from, until)| from <= now && now < until) {
            self.requests.impatient += 1;
        }
        if self.per_minute.is_some_and(|limit| in_a_minute > limit) {
            self.requests.over_budget += 1;
            return Err(self.limited(now, 60));
        }
        if is_refused {
            return Err(Refusal::of(self.platform, 400, "Bad Request"));
        }
        let Some(storm) = self.storm else { return Ok(()) };
        if self.random.next() % 100 >= storm.percent {
            return Ok(());
        }
        self.requests.failed += 1;
        let is_limited = match storm.kind {
            StormKind::RateLimited => true,
            StormKind::ServerError => false,
            StormKind::Forbidden => return Err(Refusal::of(self.platform, 403, "Forbidden")),
            StormKind::Mixed => self.random.next().is_multiple_of(2),
        };
        if is_limited {
            return Err(self.limited(now, storm.retry_after_secs));
        }
        Err(Refusal::of(self.platform, 503, "Service Unavailable"))
    }

    /// Counts a request for the live state of channels.
    pub fn count_visits<'a>(&mut self, ids: impl IntoIterator<Item = &'a str>) {
        for id in ids {
            *self.visits.entry(id.to_owned()).or_default() += 1;
        }
    }

    pub fn visits_to(&self, id: &str) -> u64 {
        self.visits.get(id).copied().unwrap_or(0)
    }

    /// Counts a page of the list.
    pub fn count_page(&mut self) {
        self.requests.pages += 1;
    }

    pub fn set_storm(&mut self, storm: Option<Storm>) {
        self.storm = storm;
        self.away = None;
    }

    /// Refuses every request about a channel from now on.
    pub fn refuse(&mut self, id: &str) {
        self.refused.insert(id.to_owned());
    }

    pub fn hold(&mut self, held: HeldRequest) {
        self.held = Some(held);
    }

    /// The hold for a request about a single channel, which applies once.
    pub fn take_hold(&mut self) -> Option<HeldRequest> {
        self.held.take()
    }

    pub fn set_per_minute(&mut self, per_minute: Option<u64>) {
        self.per_minute = per_minute;
    }

    pub fn requests(&self) -> Requests {
        self.requests.clone()
    }

    pub fn requests_about(&self, id: &str) -> u64 {
        self.by_id.get(id).copied().unwrap_or(0)
    }

    /// Callers that are on their way do not count as impatient: the time begins after half a second.
    fn limited(&mut self, now: Instant, retry_after_secs: u64) -> Refusal {
        let until = now + Duration::from_secs(retry_after_secs);
        self.away = Some((now + TRANSIT_TIME, until));
        Refusal::of(self.platform, 429, "Too Many Requests")
            .with_header("Retry-After", retry_after_secs.to_string())
    }
}
