//! Replies and messages of automations that were sent to the platform. It forgets the oldest of many, so they are
//! collected while lines are sent.

use std::collections::{BTreeMap, HashMap, HashSet};

use anyhow::{Context, Result};
use chrono::{DateTime, TimeDelta, Utc};
use demo::StandIn;

use crate::automations;

/// Messages of the same time may be listed in another order.
const OVERLAP: TimeDelta = TimeDelta::seconds(1);

/// Replies by the id of the line that they belong to.
#[derive(Debug, Default)]
pub struct Replies {
    /// Time of arrival of each message, in Unix seconds, by its id.
    by_line: HashMap<String, BTreeMap<String, f64>>,
    /// Ids of the messages of automations, by the id of the line that started the run.
    of_runs: HashMap<String, HashSet<String>>,
    /// Of the latest that was collected.
    latest: Option<DateTime<Utc>>,
}

impl Replies {
    /// Collects the messages since the last time.
    ///
    /// # Errors
    /// An error when the stand-in does not reply.
    pub async fn collect(&mut self, stand_in: &StandIn) -> Result<()> {
        let since = self.latest.map(|latest| latest - OVERLAP);
        for message in stand_in.sent_since("twitch", since).await? {
            let at = message["sent_at"].as_str().context("a message without a time")?;
            let at: DateTime<Utc> = at.parse()?;
            self.latest = self.latest.max(Some(at));
            let id = message["message_id"].as_str().context("a message without an id")?;
            let text = message["text"].as_str().unwrap_or_default();
            if let Some(line) = text.strip_prefix(automations::PREFIX) {
                self.of_runs.entry(line.to_owned()).or_default().insert(id.to_owned());
                continue;
            }
            // The word of an automation may follow the line.
            let Some(line) = text.strip_prefix("re ").and_then(|text| text.split_whitespace().next()) else {
                continue;
            };
            #[expect(clippy::cast_precision_loss, reason = "microseconds of today fit a double")]
            let seconds = at.timestamp_micros() as f64 / 1e6;
            self.by_line.entry(line.to_owned()).or_default().insert(id.to_owned(), seconds);
        }
        Ok(())
    }

    pub fn has(&self, line: &str) -> bool {
        self.by_line.contains_key(line)
    }

    /// Time of the first reply to a line, in Unix seconds.
    pub fn first(&self, line: &str) -> Option<f64> {
        self.by_line.get(line)?.values().copied().min_by(f64::total_cmp)
    }

    /// Ids of the messages of automations, by the id of the line.
    pub const fn of_runs(&self) -> &HashMap<String, HashSet<String>> {
        &self.of_runs
    }

    /// Lines with more than one reply.
    pub fn doubled(&self) -> usize {
        self.by_line.values().filter(|messages| messages.len() > 1).count()
    }
}
