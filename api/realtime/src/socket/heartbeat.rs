//! Signs of life (specification C §11.4): a protocol ping every 30 s, the end after 75 s of silence.

use std::time::Duration;

use tokio::time::Instant;

use crate::protocol::HEARTBEAT;

/// How often [`Heartbeat::beat`] is called: a whole part of both times.
pub const TICK: Duration = Duration::from_secs(15);
const SILENCE: Duration = Duration::from_secs(75);

/// What is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beat {
    Nothing,
    Ping,
    Dead,
}

/// When a client was last heard and pinged.
pub struct Heartbeat {
    heard: Instant,
    pinged: Instant,
}

impl Heartbeat {
    pub const fn new(now: Instant) -> Self {
        Self { heard: now, pinged: now }
    }

    /// Notes that something arrived.
    pub const fn heard(&mut self, now: Instant) {
        self.heard = now;
    }

    /// What is due at a tick.
    pub fn beat(&mut self, now: Instant) -> Beat {
        if now - self.heard >= SILENCE {
            return Beat::Dead;
        }
        if now - self.pinged >= HEARTBEAT {
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
    fn pings_every_thirty_seconds_and_gives_up_after_seventy_five() {
        let start = Instant::now();
        let mut heartbeat = Heartbeat::new(start);
        let beats: Vec<Beat> = (1..=5).map(|n| heartbeat.beat(start + n * TICK)).collect();
        assert_eq!(beats, [Beat::Nothing, Beat::Ping, Beat::Nothing, Beat::Ping, Beat::Dead]);
    }

    #[test]
    fn whoever_answers_lives_on() {
        let start = Instant::now();
        let mut heartbeat = Heartbeat::new(start);
        for n in 1..100 {
            assert_ne!(heartbeat.beat(start + n * TICK), Beat::Dead);
            heartbeat.heard(start + n * TICK);
        }
    }
}
