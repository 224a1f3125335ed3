//! Passes of a round.

use chrono::{DateTime, TimeDelta, Utc};
use shared::Result;
use stats_model::{channels, rollups, streams};
use worker_core::Context;

/// Number of channels or streams whose live state one statement ends.
const SILENT_BATCH_SIZE: i64 = 1_000;
/// Number of rows that a page of a sweep passes.
const SWEEP_PAGE_SIZE: i64 = 2_000;
/// Interval between two runs of the ranges of emotes, of all copies together: a popular emote has many rows.
/// A run ends when nothing is left.
const EMOTES_INTERVAL: TimeDelta = TimeDelta::minutes(10);

/// Work of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    /// Marks what leaves a range at the change of the UTC day.
    Sweep(rollups::sweeps::Sweep),
    /// Days of channels from samples.
    Days,
    /// Slots and days of games from samples.
    Games,
    /// Ranges of channels.
    ChannelRanges,
    /// Ranges of games.
    GameRanges,
    /// Ranges of emotes.
    EmoteRanges,
    /// Live states of channels that are no longer observed.
    SilentChannels,
    /// Streams that the crawler no longer meets.
    SilentStreams,
    /// Live figures of games.
    LiveGames,
}

impl Pass {
    /// Every pass, in the order in which one feeds the next.
    pub const ALL: [Self; 11] = [
        Self::Sweep(rollups::sweeps::Sweep::Channels),
        Self::Sweep(rollups::sweeps::Sweep::Games),
        Self::Sweep(rollups::sweeps::Sweep::Emotes),
        Self::SilentChannels,
        Self::SilentStreams,
        Self::LiveGames,
        Self::Days,
        Self::Games,
        Self::ChannelRanges,
        Self::GameRanges,
        Self::EmoteRanges,
    ];

    /// Name in metrics and log lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sweep(_) => "sweep",
            Self::Days => "days",
            Self::Games => "games",
            Self::ChannelRanges => "channel_ranges",
            Self::GameRanges => "game_ranges",
            Self::EmoteRanges => "emote_ranges",
            Self::SilentChannels => "silent_channels",
            Self::SilentStreams => "silent_streams",
            Self::LiveGames => "live_games",
        }
    }

    /// Runs one batch. Returns the number of its rows, and true when another batch may be left.
    pub async fn batch(self, context: &Context, now: DateTime<Utc>) -> Result<(usize, bool)> {
        let mut postgres = context.databases.postgres.get().await?;
        let (rows, limit) = match self {
            Self::Sweep(sweep) => {
                return Ok((0, rollups::sweeps::page(&mut postgres, sweep, SWEEP_PAGE_SIZE).await?));
            }
            Self::LiveGames => {
                return Ok((rollups::live_games(&mut postgres, now).await?.unwrap_or_default(), false));
            }
            Self::Days => {
                let mut timeseries = context.databases.timescaledb.get().await?;
                let limit = rollups::DAY_BATCH_SIZE;
                (rollups::days(&mut timeseries, &mut postgres, now, limit).await?, limit)
            }
            Self::Games => {
                let mut timeseries = context.databases.timescaledb.get().await?;
                let limit = rollups::SLOT_BATCH_SIZE;
                (rollups::games(&mut timeseries, &mut postgres, now, limit).await?, limit)
            }
            Self::ChannelRanges => {
                let limit = rollups::RANGE_BATCH_SIZE;
                (rollups::ranges::channels(&mut postgres, limit).await?, limit)
            }
            Self::GameRanges => {
                let limit = rollups::RANGE_BATCH_SIZE;
                (rollups::ranges::games(&mut postgres, limit).await?, limit)
            }
            Self::EmoteRanges => {
                let limit = rollups::RANGE_BATCH_SIZE;
                (rollups::ranges::emotes(&mut postgres, limit).await?, limit)
            }
            Self::SilentChannels => {
                (channels::end_silent(&mut postgres, now, SILENT_BATCH_SIZE).await?, SILENT_BATCH_SIZE)
            }
            Self::SilentStreams => {
                (streams::end_silent(&mut postgres, now, SILENT_BATCH_SIZE).await?, SILENT_BATCH_SIZE)
            }
        };
        Ok((rows, i64::try_from(rows).is_ok_and(|rows| rows >= limit)))
    }

    /// True when the pass runs in this round.
    pub async fn is_due(self, context: &Context, now: DateTime<Utc>) -> Result<bool> {
        if self != Self::EmoteRanges {
            return Ok(true);
        }
        let mut postgres = context.databases.postgres.get().await?;
        rollups::sweeps::is_run_due(&mut postgres, "emotes", now, EMOTES_INTERVAL).await
    }

    /// Begins the interval of a pass that has found nothing left.
    pub async fn end(self, context: &Context, now: DateTime<Utc>) -> Result<()> {
        if self != Self::EmoteRanges {
            return Ok(());
        }
        rollups::sweeps::end_run(&mut *context.databases.postgres.get().await?, "emotes", now).await
    }
}
