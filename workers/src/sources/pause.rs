//! Pauses between tries.

use std::time::Duration;

use rand::RngExt;

const FIRST: Duration = Duration::from_millis(500);
const MAX_PAUSE: Duration = Duration::from_secs(60);

/// Pauses that double, each of them between half and the whole of its length at random, so that many readers that were
/// cut at once do not come back at once.
#[derive(Debug, Default)]
pub(super) struct Pauses {
    tries: u32,
}

impl Pauses {
    pub fn next(&mut self) -> Duration {
        let whole = FIRST.saturating_mul(1 << self.tries.min(16)).min(MAX_PAUSE);
        self.tries = self.tries.saturating_add(1);
        whole.mul_f64(rand::rng().random_range(0.5..=1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_minute_and_are_never_alike() {
        let mut pauses = Pauses::default();
        let all: Vec<Duration> = (0..40).map(|_| pauses.next()).collect();
        assert!(all[0] >= FIRST / 2 && all[0] <= FIRST, "{all:?}");
        assert!(all[10..].iter().all(|pause| *pause >= MAX_PAUSE / 2 && *pause <= MAX_PAUSE), "{all:?}");
        assert!(all[10..].windows(2).any(|pair| pair[0] != pair[1]));
    }
}
