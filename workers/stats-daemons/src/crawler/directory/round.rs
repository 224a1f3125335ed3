//! Round through a directory: its position and figures, in Redis for all copies.

use chrono::{DateTime, Utc};
use foundation::redis::Redis;
use platforms::ListedStream;
use redis::AsyncCommands;
use serde::{Deserialize, Serialize};
use shared::{Result, platform::Platform};

use super::{
    super::{Scope, slots},
    LISTING,
    histogram::{Allowance, Histogram, above_bucket_of, allowance, below},
};

/// Lifetime of the stored state, in seconds.
const STATE_TTL_SECS: u64 = 86_400;
/// Maximum number of pages of a round.
const MAX_PAGES: u32 = 20_000;
/// Part of the interval over which the pages are spread, in tenths. The rest is for delays.
const MAX_SPREAD_TENTHS: i32 = 9;
/// Tenths by which the spread grows with each round. The first round is as fast as the budget allows, and no
/// page of the next one may be late.
const SPREAD_GROWTH: i32 = 2;

/// State of a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Round {
    /// Start of the interval that the round stands for.
    slot: DateTime<Utc>,
    /// Time of the last page, at first of the beginning.
    read_at: DateTime<Utc>,
    /// Scope that the position belongs to.
    scope: String,
    /// Position of the next page.
    after: Option<String>,
    /// Pages that were read.
    pages: u32,
    /// Pages of the round before, over which the interval is divided.
    expected_pages: u32,
    spread_tenths: i32,
    allowance: Allowance,
    /// Channels that are still crawled although they have fewer viewers than [`Allowance::all_from`].
    extra_left: u64,
    counted: Histogram,
    /// Viewers of the first channel that was within the scope and not chosen.
    first_refused: Option<u64>,
    /// True when no further page can have a channel within the scope.
    is_past_scope: bool,
    restarts: u32,
    is_complete: bool,
}

impl Round {
    /// Returns the state of the last round.
    pub async fn load(redis: &Redis, platform: Platform) -> Result<Option<Self>> {
        let text: Option<String> = redis.get().await?.get(round_key(redis, platform)).await?;
        // A state of another version begins a new round.
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Begins a round after an earlier one.
    pub async fn begin(
        redis: &Redis,
        platform: Platform,
        scope: &Scope,
        now: DateTime<Utc>,
        earlier: Option<Self>,
    ) -> Result<Self> {
        let own = histogram(redis, platform).await?;
        let mut others = Vec::new();
        let listing = LISTING.into_iter().filter(|listing| scope.platforms.contains(listing));
        let mut platforms = 0;
        for listing in listing {
            platforms += 1;
            if listing != platform {
                others.extend(histogram(redis, listing).await?);
            }
        }
        let max_channels = u64::try_from(scope.max_channels).unwrap_or(0);
        let allowance = allowance(own.as_ref(), &others, platforms, max_channels);
        let (expected_pages, spread_tenths) =
            earlier.filter(|earlier| earlier.is_complete).map_or((0, 0), |earlier| {
                (earlier.pages, (earlier.spread_tenths + SPREAD_GROWTH).min(MAX_SPREAD_TENTHS))
            });
        Ok(Self {
            slot: slots::start(now, scope.interval),
            read_at: now,
            scope: fingerprint(scope),
            after: None,
            pages: 0,
            expected_pages,
            spread_tenths,
            allowance,
            extra_left: allowance.extra,
            counted: Histogram::default(),
            first_refused: None,
            is_past_scope: false,
            restarts: 0,
            is_complete: false,
        })
    }

    /// Stores the state, and the figures of a complete round.
    pub async fn save(&self, redis: &Redis, platform: Platform) -> Result<()> {
        let mut connection = redis.get().await?;
        if self.is_complete && self.restarts == 0 {
            let counted = serde_json::to_string(&self.counted)?;
            let () = connection.set_ex(histogram_key(redis, platform), counted, STATE_TTL_SECS).await?;
        }
        let state = serde_json::to_string(self)?;
        let () = connection.set_ex(round_key(redis, platform), state, STATE_TTL_SECS).await?;
        Ok(())
    }

    /// Returns true while the round is the present one: its interval has not ended, or it was not complete
    /// then and is still being read.
    pub fn continues(&self, scope: &Scope, now: DateTime<Utc>) -> bool {
        let is_present = slots::start(now, scope.interval) <= self.slot;
        let is_read = !self.is_complete && now - self.read_at < scope.interval;
        self.scope == fingerprint(scope) && (is_present || is_read)
    }

    /// Time of the next page, or of the next round.
    pub fn due(&self, scope: &Scope) -> DateTime<Utc> {
        if self.is_complete {
            return self.slot + scope.interval;
        }
        let expected = i32::try_from(self.expected_pages).unwrap_or(i32::MAX).max(1);
        let read = i32::try_from(self.pages).unwrap_or(i32::MAX).min(expected);
        if self.expected_pages == 0 {
            return self.slot;
        }
        self.slot + scope.interval / 10 * self.spread_tenths / expected * read
    }

    /// Position of the next page.
    pub fn after(&self) -> Option<&str> {
        self.after.as_deref()
    }

    /// Time of the samples of a page: the start of the interval that the round stands for, or of a later one
    /// when the budget does not suffice for a round in each.
    pub fn slot_of_page(&self, scope: &Scope, now: DateTime<Utc>) -> DateTime<Utc> {
        if now - self.slot < scope.interval * 3 / 2 { self.slot } else { slots::start(now, scope.interval) }
    }

    /// Decides whether a listed channel is crawled, and counts it.
    pub fn choose(&mut self, scope: &Scope, stream: &ListedStream, is_sorted: bool) -> bool {
        let viewers = viewers(stream);
        if is_sorted && stream.viewer_count.unwrap_or(0) < scope.min_viewers {
            self.is_past_scope = true;
        }
        if !scope.includes(stream) {
            return false;
        }
        self.counted.add(viewers);
        if viewers >= self.allowance.all_from {
            return true;
        }
        let is_first_round = self.allowance.all_from == u64::MAX;
        let is_near = is_sorted || is_first_round || viewers >= below(self.allowance.all_from);
        if is_near && self.extra_left > 0 {
            self.extra_left -= 1;
            return true;
        }
        if is_sorted && self.first_refused.is_none() {
            self.first_refused = Some(viewers);
        }
        false
    }

    /// Ends a page; the last one ends the round.
    pub fn end_page(&mut self, next: Option<String>, now: DateTime<Utc>) {
        self.pages += 1;
        self.read_at = now;
        self.counted.complete_from = self.first_refused.map_or(0, above_bucket_of);
        // A position that leads to itself would be read for ever.
        let is_last = next.is_none() || next == self.after || self.pages >= MAX_PAGES;
        self.is_complete = is_last || self.is_past_scope || self.first_refused.is_some();
        self.after = next;
    }

    /// Begins again after a refused position; after too many times the round ends.
    pub fn restart(&mut self, max_restarts: u32) {
        self.restarts += 1;
        self.after = None;
        self.pages = 0;
        self.extra_left = self.allowance.extra;
        self.counted = Histogram::default();
        self.first_refused = None;
        self.is_past_scope = false;
        self.is_complete = self.restarts > max_restarts;
    }
}

/// Viewers below which a channel that is visited by its id leaves the crawler, by the last round.
pub(in super::super) async fn least_viewers(redis: &Redis, platform: Platform) -> Result<i64> {
    let round = Round::load(redis, platform).await?;
    let all_from = round.map_or(0, |round| round.allowance.all_from);
    // A first round has no such number.
    Ok(if all_from == u64::MAX { 0 } else { i64::try_from(all_from).unwrap_or(i64::MAX) })
}

async fn histogram(redis: &Redis, platform: Platform) -> Result<Option<Histogram>> {
    let text: Option<String> = redis.get().await?.get(histogram_key(redis, platform)).await?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}

fn round_key(redis: &Redis, platform: Platform) -> String {
    redis.key(format_args!("crawler:{platform}:round"))
}

fn histogram_key(redis: &Redis, platform: Platform) -> String {
    redis.key(format_args!("crawler:{platform}:histogram"))
}

/// Text that changes with the parts of the scope that a position depends on.
fn fingerprint(scope: &Scope) -> String {
    format!("{:?} {} {}", scope.languages, scope.min_viewers, scope.interval.num_seconds())
}

fn viewers(stream: &ListedStream) -> u64 {
    u64::try_from(stream.viewer_count.unwrap_or(0)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    fn scope() -> Scope {
        Scope {
            platforms: vec![Platform::Twitch],
            min_viewers: 2,
            languages: Vec::new(),
            max_channels: 10,
            interval: TimeDelta::seconds(100),
        }
    }

    fn round(allowance: Allowance, expected_pages: u32) -> Round {
        Round {
            slot: DateTime::UNIX_EPOCH,
            read_at: DateTime::UNIX_EPOCH,
            scope: fingerprint(&scope()),
            after: None,
            pages: 0,
            expected_pages,
            spread_tenths: MAX_SPREAD_TENTHS,
            allowance,
            extra_left: allowance.extra,
            counted: Histogram::default(),
            first_refused: None,
            is_past_scope: false,
            restarts: 0,
            is_complete: false,
        }
    }

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
    }

    fn stream(viewers: i64) -> ListedStream {
        ListedStream { viewer_count: Some(viewers), ..ListedStream::default() }
    }

    fn chosen(round: &mut Round, viewers: &[i64], is_sorted: bool) -> Vec<i64> {
        let scope = scope();
        let is_chosen = |viewers: &&i64| round.choose(&scope, &stream(**viewers), is_sorted);
        viewers.iter().filter(is_chosen).copied().collect()
    }

    #[test]
    fn round_spreads_its_pages_over_nine_tenths_of_the_interval() {
        let mut round = round(Allowance { all_from: 0, extra: 0 }, 3);
        let due: Vec<i64> = (0..4)
            .map(|page| {
                let due = round.due(&scope()).timestamp();
                round.end_page((page < 3).then(|| page.to_string()), at(30 * page));
                due
            })
            .collect();
        assert_eq!(due, [0, 30, 60, 90]);
        assert_eq!(round.due(&scope()).timestamp(), 100, "the next round");
        assert!(round.continues(&scope(), at(99)) && !round.continues(&scope(), at(100)));
        assert!(!round.continues(&Scope { min_viewers: 3, ..scope() }, at(0)));
    }

    #[test]
    fn round_that_takes_long_is_continued_while_it_is_read() {
        let mut round = round(Allowance { all_from: 0, extra: 0 }, 0);
        round.end_page(Some("next".into()), at(90));
        assert!(round.continues(&scope(), at(189)) && !round.continues(&scope(), at(190)));
        assert_eq!(round.slot_of_page(&scope(), at(149)), at(0));
        assert_eq!(round.slot_of_page(&scope(), at(250)), at(200));
    }

    #[test]
    fn round_of_an_endless_directory_ends() {
        let mut round = round(Allowance { all_from: 0, extra: 0 }, 0);
        for page in 0..MAX_PAGES {
            assert!(!round.is_complete);
            round.end_page(Some(page.to_string()), at(0));
        }
        assert!(round.is_complete);
        round.is_complete = false;
        (round.pages, round.after) = (1, Some("same".into()));
        round.end_page(Some("same".into()), at(0));
        assert!(round.is_complete, "a position that leads to itself");
    }

    #[test]
    fn round_of_a_sorted_directory_ends_below_the_scope() {
        let mut round = round(Allowance { all_from: 0, extra: 0 }, 0);
        assert_eq!(chosen(&mut round, &[9, 5, 2, 1], true), [9, 5, 2]);
        round.end_page(Some("next".into()), at(0));
        assert!(round.is_complete && round.counted.complete_from == 0);
    }

    #[test]
    fn round_of_a_sorted_directory_ends_with_the_number_of_channels() {
        let mut round = round(Allowance { all_from: 8, extra: 2 }, 0);
        assert_eq!(chosen(&mut round, &[9, 8, 7, 6], true), [9, 8, 7, 6]);
        round.end_page(Some("next".into()), at(0));
        assert!(!round.is_complete);
        assert_eq!(chosen(&mut round, &[6, 5], true), [] as [i64; 0]);
        round.end_page(Some("next".into()), at(0));
        assert!(round.is_complete && round.counted.complete_from == 7, "those of six viewers are incomplete");
    }

    #[test]
    fn round_of_an_unsorted_directory_takes_only_channels_near_the_others() {
        let mut round = round(Allowance { all_from: 8, extra: 2 }, 0);
        assert_eq!(chosen(&mut round, &[3, 9, 7, 4, 8, 7, 7], false), [9, 7, 8, 7]);
        round.end_page(Some("next".into()), at(0));
        assert!(!round.is_complete);
    }
}
