//! Claims of this copy on the profiles of a batch. A batch makes many calls, each of which may wait for the budget, so
//! the claims are renewed between them (reference/public-stats.md#profiles).

use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, TimeDelta, Utc};
use platforms::PlatformError;
use shared::Result;

use super::db;
use crate::crawler::{
    PlatformCrawler, batches::Batch, budget::Priority, calls::NoAnswer, credentials::Access, hidden::NamedBy,
};

/// Duration of a claim. Another copy reads the profiles after the death of this one.
pub(super) const CLAIM_DURATION: TimeDelta = TimeDelta::minutes(10);
/// Shortest rest of a claim before a call: the call, with its credential and the wait for the budget, takes less.
const MIN_REST: TimeDelta = TimeDelta::minutes(2);

/// Profiles that this copy reads.
pub(super) struct Claims<'a> {
    crawler: &'a PlatformCrawler,
    state: Mutex<State>,
}

#[derive(Debug, Clone)]
struct State {
    channels: HashSet<String>,
    until: DateTime<Utc>,
}

impl<'a> Claims<'a> {
    /// Claims on channels that end at a time.
    pub fn new(crawler: &'a PlatformCrawler, channels: &[String], until: DateTime<Utc>) -> Self {
        let channels = channels.iter().cloned().collect();
        Self { crawler, state: Mutex::new(State { channels, until }) }
    }

    /// Crawler of this copy.
    pub const fn crawler(&self) -> &'a PlatformCrawler {
        self.crawler
    }

    /// Renews the claims if they end soon. Returns the channels that this copy still has.
    pub async fn renew(&self) -> Result<HashSet<String>> {
        let context = &self.crawler.context;
        let State { channels, until } = self.state().clone();
        let now = context.clock.now();
        if channels.is_empty() || now + MIN_REST < until {
            return Ok(channels);
        }
        let ids: Vec<&str> = channels.iter().map(String::as_str).collect();
        let times = (until, now + CLAIM_DURATION);
        let mut connection = context.databases.postgres.get().await?;
        let renewed = db::renew(&mut connection, self.crawler.platform, &ids, times).await?;
        *self.state() = State { channels: renewed.clone(), until: times.1 };
        Ok(renewed)
    }

    /// Makes one call about channels that this copy still has, in parts when the platform refuses it.
    pub async fn batch<'c, T, F>(
        &self,
        channels: &[&'c str],
        make: impl Fn(Access, Vec<&'c str>) -> F,
    ) -> Result<Batch<'c, T>, NoAnswer>
    where
        F: Future<Output = Result<Vec<T>, PlatformError>>,
    {
        let make = &make;
        let request = |part: Vec<&'c str>| async move { Box::pin(self.about_all(part, make)).await };
        Batch::of(channels).run(request).await
    }

    /// Makes a call about one channel; `None` when it was opted out, or is no longer this copy's.
    pub async fn about<T, F>(
        &self,
        channel: &str,
        make: impl FnOnce(Access) -> F,
    ) -> Result<Option<T>, NoAnswer>
    where
        F: Future<Output = Result<T, PlatformError>>,
    {
        self.about_all(vec![channel], |access, _shown| make(access)).await
    }

    async fn about_all<'c, T, F>(
        &self,
        mut channels: Vec<&'c str>,
        make: impl FnOnce(Access, Vec<&'c str>) -> F,
    ) -> Result<Option<T>, NoAnswer>
    where
        F: Future<Output = Result<T, PlatformError>>,
    {
        let held = self.renew().await?;
        channels.retain(|channel| held.contains(*channel));
        if channels.is_empty() {
            return Ok(None);
        }
        self.crawler.calls.about_all(Priority::Background, NamedBy::Id, &channels, make).await
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
