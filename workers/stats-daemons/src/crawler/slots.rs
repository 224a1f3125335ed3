//! Slots of an interval. All samples of a slot have its start as their time, so that a repeated visit replaces
//! the sample of the first (reference/public-stats.md#spread). Visits by id are spread over the slot by a hash
//! of the channel.

use chrono::{DateTime, TimeDelta, Utc};
use shared::platform::Platform;

/// Part of an interval by which visits may come early, to be made with others in one call.
const LEAD_DIVISOR: i32 = 10;

/// Start of the slot that contains a time.
pub(super) fn start(at: DateTime<Utc>, interval: TimeDelta) -> DateTime<Utc> {
    let secs = interval.num_seconds().max(1);
    let within = at.timestamp().rem_euclid(secs);
    DateTime::from_timestamp(at.timestamp() - within, 0).unwrap_or(at)
}

/// Time by which a visit may come early. No visit is due earlier in its slot, so that an early one is in the
/// same slot.
pub(super) fn lead(interval: TimeDelta) -> TimeDelta {
    interval / LEAD_DIVISOR
}

/// Next visit of a channel after one: in the next slot, at the channel's place in it or, when that is more than
/// one and a half intervals away, on the way there.
pub(super) fn next_visit(
    platform: Platform,
    channel: &str,
    visited_at: DateTime<Utc>,
    interval: TimeDelta,
) -> DateTime<Utc> {
    let slot = start(visited_at, interval);
    let reachable = visited_at - slot + interval / 2;
    slot + interval + offset(platform, channel, interval).min(reachable)
}

/// Place of a channel in each slot, in milliseconds from its start.
fn offset(platform: Platform, channel: &str, interval: TimeDelta) -> TimeDelta {
    let lead = lead(interval);
    let span = u64::try_from((interval - lead).num_milliseconds()).unwrap_or(1).max(1);
    let place = hash(platform, channel) % span;
    lead + TimeDelta::milliseconds(i64::try_from(place).unwrap_or(0))
}

/// FNV-1a, which is the same in every process and version.
fn hash(platform: Platform, channel: &str) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let bytes = platform.slug().bytes().chain([b':']).chain(channel.bytes());
    bytes.fold(BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: TimeDelta = TimeDelta::seconds(300);

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
    }

    #[test]
    fn start_is_the_multiple_of_the_interval() {
        assert_eq!(start(at(899), INTERVAL), at(600));
        assert_eq!(start(at(900), INTERVAL), at(900));
        assert_eq!(start(at(-1), INTERVAL), at(-300));
    }

    #[test]
    fn next_visit_is_once_in_each_slot_and_never_late() {
        for channel in 0..100 {
            let mut visit = at(600);
            for slot in 3..10 {
                let next = next_visit(Platform::Twitch, &channel.to_string(), visit, INTERVAL);
                assert_eq!(start(next, INTERVAL), at(slot * 300));
                assert!(next - visit <= INTERVAL * 3 / 2);
                let early = next - lead(INTERVAL);
                assert_eq!(start(early, INTERVAL), at(slot * 300), "an early visit is in the same slot");
                visit = next;
            }
        }
    }

    #[test]
    fn next_visit_spreads_channels_evenly() {
        let mut thirds = [0_usize; 3];
        for channel in 0..3_000 {
            let channel = channel.to_string();
            let visit = next_visit(Platform::Twitch, &channel, at(0), INTERVAL);
            let visit = next_visit(Platform::Twitch, &channel, visit, INTERVAL);
            let within = (visit - at(600) - lead(INTERVAL)).num_milliseconds();
            thirds[usize::try_from(within / 90_000).unwrap()] += 1;
        }
        assert!(thirds.iter().all(|number| (900..=1_100).contains(number)), "{thirds:?}");
    }
}
