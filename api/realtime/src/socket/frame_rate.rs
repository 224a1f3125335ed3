//! Rate of client frames (reference/realtime.md#limits): 60 frames in any ten seconds.
//!
//! A frame beyond is refused with an error, which keeps the socket open. A client that goes on is closed with
//! 4008.

use std::collections::VecDeque;

use chrono::{DateTime, TimeDelta, Utc};

const MAX_FRAMES_PER_WINDOW: usize = 60;
const WINDOW: TimeDelta = TimeDelta::seconds(10);
/// Frames in a row that are refused before the socket is closed.
const MAX_REFUSED_FRAMES: u32 = 20;

/// Decision about a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// The frame is processed.
    Fine,
    /// The frame is refused with an error.
    Refused,
    /// The socket is closed.
    Flooding,
}

/// Counter of the frames of one client.
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
        if self.taken.len() < MAX_FRAMES_PER_WINDOW {
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
    fn frame_rate_allows_sixty_in_ten_seconds_then_refuses_then_floods() {
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
