//! Numbers of listed channels by viewers, and the choice of those that are crawled when there are more than
//! the scope allows (reference/public-stats.md#number-of-channels).

use serde::{Deserialize, Serialize};

/// Buckets for any number of viewers: four for each doubling.
const BUCKETS: usize = 252;

/// Channels of one platform by viewers, as far as its last round went.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Histogram {
    /// Channels in each bucket, up to the highest one that is not empty.
    counts: Vec<u64>,
    /// Viewers from which on every channel was counted.
    pub complete_from: u64,
}

/// Channels of a platform that are crawled in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Allowance {
    /// Viewers from which on every channel is crawled.
    pub all_from: u64,
    /// Number of channels that are crawled beside them.
    pub extra: u64,
}

impl Histogram {
    /// Counts a channel.
    pub fn add(&mut self, viewers: u64) {
        let bucket = bucket(viewers);
        if self.counts.len() <= bucket {
            self.counts.resize(bucket + 1, 0);
        }
        if let Some(count) = self.counts.get_mut(bucket) {
            *count += 1;
        }
    }

    /// Number of channels in a bucket that was counted completely.
    fn complete(&self, bucket: usize) -> u64 {
        if lower_bound(bucket) < self.complete_from {
            0
        } else {
            self.counts.get(bucket).copied().unwrap_or(0)
        }
    }
}

/// Distributes the number of channels among platforms: those with the most viewers of all platforms. `own` is
/// the histogram of the platform itself, `None` before its first round.
pub(super) fn allowance(
    own: Option<&Histogram>,
    others: &[Histogram],
    platforms: u64,
    max_channels: u64,
) -> Allowance {
    let Some(own) = own else {
        return Allowance { all_from: u64::MAX, extra: max_channels / platforms.max(1) };
    };
    let mut left = max_channels;
    let mut floor = u64::MAX;
    for bucket in (0..BUCKETS).rev() {
        let counted: u64 = others.iter().chain([own]).map(|histogram| histogram.complete(bucket)).sum();
        let Some(rest) = left.checked_sub(counted) else { break };
        (left, floor) = (rest, lower_bound(bucket));
    }
    Allowance { all_from: floor.max(own.complete_from), extra: left / platforms.max(1) }
}

/// Lowest number of viewers above the bucket of a number.
pub(super) fn above_bucket_of(viewers: u64) -> u64 {
    lower_bound(bucket(viewers) + 1)
}

/// Lowest number of viewers of the bucket below a number.
pub(super) fn below(viewers: u64) -> u64 {
    viewers.checked_sub(1).map_or(0, |less| lower_bound(bucket(less)))
}

fn bucket(viewers: u64) -> usize {
    if viewers < 4 {
        return usize::try_from(viewers).unwrap_or(0);
    }
    let exponent = viewers.ilog2();
    let quarter = (viewers >> (exponent - 2)) & 3;
    usize::try_from(u64::from(4 * (exponent - 1)) + quarter).unwrap_or(BUCKETS - 1)
}

fn lower_bound(bucket: usize) -> u64 {
    let bucket = u64::try_from(bucket).unwrap_or(u64::MAX);
    if bucket < 4 {
        return bucket;
    }
    let shift = u32::try_from(bucket / 4 - 1).unwrap_or(u32::MAX);
    (4 + bucket % 4).checked_shl(shift).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(viewers: impl IntoIterator<Item = u64>, complete_from: u64) -> Histogram {
        let mut histogram = Histogram { complete_from, ..Histogram::default() };
        viewers.into_iter().for_each(|viewers| histogram.add(viewers));
        histogram
    }

    #[test]
    fn bucket_and_lower_bound_agree() {
        for viewers in (0..10_000).chain([1 << 40, u64::MAX]) {
            let bucket = bucket(viewers);
            assert!(bucket < BUCKETS && lower_bound(bucket) <= viewers, "{viewers}");
            assert!(bucket + 1 == BUCKETS || viewers < lower_bound(bucket + 1), "{viewers}");
        }
        assert_eq!([above_bucket_of(5), above_bucket_of(9), below(6), below(10), below(0)], [6, 10, 5, 8, 0]);
    }

    #[test]
    fn allowance_of_a_first_round_is_an_equal_part() {
        let first = allowance(None, &[counted(0..50, 0)], 2, 100);
        assert_eq!(first, Allowance { all_from: u64::MAX, extra: 50 });
    }

    #[test]
    fn allowance_takes_every_channel_while_there_are_few() {
        let own = counted(0..50, 0);
        let few = allowance(Some(&own), &[counted(0..20, 0)], 2, 100);
        assert_eq!(few, Allowance { all_from: 0, extra: 15 });
    }

    #[test]
    fn allowance_prefers_the_channels_with_the_most_viewers_of_all_platforms() {
        let (large, small) = (counted((0..60).map(|_| 1_000), 0), counted((0..60).map(|_| 5), 0));
        let of_large = allowance(Some(&large), std::slice::from_ref(&small), 2, 100);
        assert_eq!(of_large, Allowance { all_from: 6, extra: 20 });
        let of_small = allowance(Some(&small), &[large], 2, 100);
        assert_eq!(of_small, of_large);
    }

    #[test]
    fn allowance_is_the_same_in_the_next_round() {
        // The round ended within the channels of five viewers, which are then counted incompletely.
        let own = counted([1_000; 5].into_iter().chain([5; 5]), above_bucket_of(5));
        assert_eq!(allowance(Some(&own), &[], 1, 10), Allowance { all_from: 6, extra: 5 });
    }
}
