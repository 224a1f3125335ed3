//! Viewers of broadcasts at the begin of a minute.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use history_model::{
    minutes::Counted,
    samples::{self, OnAir, Viewers},
    sessions,
};
use shared::Result;
use uuid::Uuid;

use super::{Recorder, public};

/// Accounts of one page.
const PAGE_SIZE: i64 = 1000;
/// Pages of one minute.
const MAX_PAGES: usize = 1000;

impl Recorder {
    /// Samples the viewers of every open session.
    pub(super) async fn sample(&self, minute: DateTime<Utc>) -> Result<()> {
        let (mut after, mut open) = (Uuid::nil(), 0);
        for _ in 0..MAX_PAGES {
            let mut postgres = self.context.databases.postgres.get().await?;
            let accounts = samples::open_accounts(&mut postgres, after, PAGE_SIZE).await?;
            drop(postgres);
            let Some(last) = accounts.last() else { break };
            (after, open) = (*last, open + accounts.len());
            self.sample_page(minute, &accounts).await?;
        }
        self.metrics.open(open);
        Ok(())
    }

    async fn sample_page(&self, minute: DateTime<Utc>, accounts: &[Uuid]) -> Result<()> {
        let databases = &self.context.databases;
        let now = self.context.clock.now();
        let on_air = samples::on_air(&mut *databases.postgres.get().await?, accounts, now).await?;
        let mut timeseries = databases.timescaledb.get().await?;
        let written = samples::write_viewers(&mut timeseries, minute, &sums(&on_air)).await?;
        drop(timeseries);
        self.metrics.sampled("viewers", written.len());
        let by_broadcast: Vec<(Uuid, i64)> =
            on_air.iter().filter_map(|one| Some((one.id, one.viewers?))).collect();
        samples::count_viewers(&mut *databases.postgres.get().await?, minute, &by_broadcast).await?;
        // The minutes are marked: a count of them writes what fails here.
        if let Err(error) = self.publish_page(&on_air, &written, now).await {
            tracing::warn!(%error, "public samples of a minute are written when it is counted");
        }
        Ok(())
    }

    async fn publish_page(&self, on_air: &[OnAir], written: &[Counted], now: DateTime<Utc>) -> Result<()> {
        public::write_samples(&self.context, written).await?;
        public::see_channels(&self.context, on_air, now).await
    }

    /// Brings the figures of every open session up to date.
    pub(super) async fn refresh_open_sessions(&self) -> Result<()> {
        let mut after = Uuid::nil();
        for _ in 0..MAX_PAGES {
            let now = self.context.clock.now();
            let mut postgres = self.context.databases.postgres.get().await?;
            let accounts = samples::open_accounts(&mut postgres, after, PAGE_SIZE).await?;
            let Some(last) = accounts.last() else { break };
            after = *last;
            let windows = sessions::windows(&mut postgres, &accounts, now).await?;
            drop(postgres);
            let open: Vec<_> = windows.into_iter().filter(|window| window.is_open).collect();
            self.refresh_figures(&open).await?;
        }
        Ok(())
    }
}

/// Sums of the broadcasts of a platform. A platform without any number of viewers has no sample.
fn sums(on_air: &[OnAir]) -> Vec<Viewers> {
    let mut sums: BTreeMap<(Uuid, &str), i64> = BTreeMap::new();
    for one in on_air {
        if let Some(viewers) = one.viewers {
            let sum = sums.entry((one.account_id, &one.platform)).or_default();
            *sum = sum.saturating_add(viewers);
        }
    }
    let viewers = sums.into_iter().map(|((account_id, platform), viewers)| Viewers {
        account_id,
        platform: platform.to_owned(),
        viewers,
    });
    viewers.collect()
}
