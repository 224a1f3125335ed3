//! Pauses between tries.

use std::time::Duration;

use rand::RngExt;

/// First pause.
const INITIAL_PAUSE: Duration = Duration::from_millis(500);
/// Maximum pause.
const MAX_BACKOFF: Duration = Duration::from_secs(60);

/// Pauses that double, each at random between half and the whole of its length, so that many readers that
/// were interrupted together do not return together.
#[derive(Debug, Default)]
pub struct Pauses {
    tries: u32,
}

impl Pauses {
    /// Returns the next pause.
    pub fn next_pause(&mut self) -> Duration {
        let whole = INITIAL_PAUSE.saturating_mul(1 << self.tries.min(16)).min(MAX_BACKOFF);
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
        let all: Vec<Duration> = (0..40).map(|_| pauses.next_pause()).collect();
        assert!(all[0] >= INITIAL_PAUSE / 2 && all[0] <= INITIAL_PAUSE, "{all:?}");
        assert!(all[10..].iter().all(|pause| *pause >= MAX_BACKOFF / 2 && *pause <= MAX_BACKOFF), "{all:?}");
        assert!(all[10..].windows(2).any(|pair| pair[0] != pair[1]));
    }
}
