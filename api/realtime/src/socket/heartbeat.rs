//! Signs of life (reference/realtime.md#heartbeat): a protocol ping every 30 s, the end after 75 s of
//! silence.

use std::time::Duration;

use tokio::time::Instant;

use crate::protocol::HEARTBEAT_INTERVAL;

/// Interval of calls of [`Heartbeat::beat`]: a divisor of both times.
pub const BEAT_INTERVAL: Duration = Duration::from_secs(15);
const SILENCE_TIMEOUT: Duration = Duration::from_secs(75);

/// Action at a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beat {
    /// No action.
    Nothing,
    /// A ping is due.
    Ping,
    /// The client was silent for too long.
    Dead,
}

/// Times of the last frame of a client and of the last ping.
pub struct Heartbeat {
    heard: Instant,
    pinged: Instant,
}

impl Heartbeat {
    /// Heartbeat of a client that was heard `now`.
    pub const fn new(now: Instant) -> Self {
        Self { heard: now, pinged: now }
    }

    /// Records that a frame arrived.
    pub const fn heard(&mut self, now: Instant) {
        self.heard = now;
    }

    /// Action that is due at a tick.
    pub fn beat(&mut self, now: Instant) -> Beat {
        if now - self.heard >= SILENCE_TIMEOUT {
            return Beat::Dead;
        }
        if now - self.pinged >= HEARTBEAT_INTERVAL {
            self.pinged = now;
            return Beat::Ping;
        }
        Beat::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heartbeat_pings_every_thirty_seconds_and_ends_after_seventy_five() {
        let start = Instant::now();
        let mut heartbeat = Heartbeat::new(start);
        let beats: Vec<Beat> = (1..=5).map(|n| heartbeat.beat(start + n * BEAT_INTERVAL)).collect();
        assert_eq!(beats, [Beat::Nothing, Beat::Ping, Beat::Nothing, Beat::Ping, Beat::Dead]);
    }

    #[test]
    fn heartbeat_continues_while_the_client_responds() {
        let start = Instant::now();
        let mut heartbeat = Heartbeat::new(start);
        for n in 1..100 {
            assert_ne!(heartbeat.beat(start + n * BEAT_INTERVAL), Beat::Dead);
            heartbeat.heard(start + n * BEAT_INTERVAL);
        }
    }
}
