//! How often a client may speak (specification C §11.4): 60 frames in any ten seconds.
//!
//! A frame beyond is refused with an error, which keeps the socket open (C §11.3); who goes on regardless is closed
//! with 4008.

use std::collections::VecDeque;

use chrono::{DateTime, TimeDelta, Utc};

const LIMIT: usize = 60;
const WINDOW: TimeDelta = TimeDelta::seconds(10);
/// Frames in a row that are refused before the socket is closed.
const MAX_REFUSED_FRAMES: u32 = 20;

/// What becomes of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    Fine,
    Refused,
    Flooding,
}

/// The frames of one client.
#[derive(Default)]
pub struct FrameRate {
    taken: VecDeque<DateTime<Utc>>,
    refused: u32,
}

impl FrameRate {
    /// Counts a frame.
    pub fn count(&mut self, now: DateTime<Utc>) -> Rate {
        while self.taken.front().is_some_and(|at| now - *at >= WINDOW) {
            self.taken.pop_front();
        }
        if self.taken.len() < LIMIT {
            self.taken.push_back(now);
            self.refused = 0;
            return Rate::Fine;
        }
        self.refused += 1;
        if self.refused > MAX_REFUSED_FRAMES { Rate::Flooding } else { Rate::Refused }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(1_000_000 + ms).unwrap()
    }

    #[test]
    fn sixty_in_any_ten_seconds_then_refusals_then_the_end() {
        let mut rate = FrameRate::default();
        for n in 0..60 {
            assert_eq!(rate.count(at(n * 100)), Rate::Fine, "{n}");
        }
        assert_eq!(rate.count(at(6_000)), Rate::Refused);
        assert_eq!(rate.count(at(9_999)), Rate::Refused);
        assert_eq!(rate.count(at(10_000)), Rate::Fine, "the first has left the window");
        for n in 0..20 {
            assert_eq!(rate.count(at(10_050)), Rate::Refused, "{n}");
        }
        assert_eq!(rate.count(at(10_050)), Rate::Flooding);
    }
}
