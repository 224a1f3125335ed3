//! Counts of platforms in bounds that sums of them cannot exceed.

/// Maximum of a stored count of viewers, followers or lines: by an hour, and added up over all channels of a slot, it
/// is a number of 64 bits.
const MAX_COUNT: i64 = 1_000_000_000;

/// Count within the bounds.
pub(crate) const fn counted(count: i64) -> i64 {
    match count {
        ..0 => 0,
        MAX_COUNT.. => MAX_COUNT,
        count => count,
    }
}
