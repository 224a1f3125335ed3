//! Minutes of a session, and the parts into which the statements divide its time.

use std::ops::Range;

use chrono::{DateTime, NaiveTime, TimeDelta, Utc};

use crate::minutes::{MINUTE, begin};

/// Days of a window: more than the longest session touches.
const MAX_DAYS: usize = 16;

/// Times from one minute (inclusive) to another (exclusive).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    /// First minute.
    pub from: DateTime<Utc>,
    /// First minute after it.
    pub to: DateTime<Utc>,
}

impl Window {
    /// Window that is empty when its end is before its begin.
    pub fn new(from: DateTime<Utc>, to: DateTime<Utc>) -> Self {
        Self { from, to: to.max(from) }
    }

    /// Minutes that a span of time touches, as far as they are in the window.
    pub fn minutes_of(self, from: DateTime<Utc>, to: Option<DateTime<Utc>>) -> Self {
        let from = begin(from).clamp(self.from, self.to);
        let to = to.map_or(self.to, |to| minute_after(to).clamp(self.from, self.to));
        Self::new(from, to)
    }

    /// True for a time in the window.
    pub fn has(self, at: DateTime<Utc>) -> bool {
        self.from <= at && at < self.to
    }

    /// Days that the window touches, the first ones.
    pub fn days(self) -> Vec<Self> {
        let mut days = Vec::new();
        if self.from == self.to {
            return days;
        }
        let mut day = day_of(self.from);
        while day < self.to && days.len() < MAX_DAYS {
            let next = day + TimeDelta::days(1);
            days.push(Self { from: day, to: next });
            day = next;
        }
        days
    }
}

/// End of the last minute before a time: the time itself at the begin of a minute.
pub(super) fn minute_after(at: DateTime<Utc>) -> DateTime<Utc> {
    let minute = begin(at);
    if minute < at { minute + MINUTE } else { minute }
}

fn day_of(at: DateTime<Utc>) -> DateTime<Utc> {
    at.date_naive().and_time(NaiveTime::MIN).and_utc()
}

/// Ascending times that divide the time of a session into parts. The parts have the numbers that
/// `width_bucket` of PostgreSQL gives for [`Parts::bounds`].
pub(super) struct Parts(Vec<DateTime<Utc>>);

impl Parts {
    /// Parts between the ends of windows.
    pub fn between(windows: impl IntoIterator<Item = Window>) -> Self {
        let mut bounds: Vec<_> = windows.into_iter().flat_map(|window| [window.from, window.to]).collect();
        bounds.sort_unstable();
        bounds.dedup();
        Self(bounds)
    }

    /// Begin of each part but that before the first bound.
    pub fn bounds(&self) -> &[DateTime<Utc>] {
        &self.0
    }

    /// Numbers of the parts of a window whose ends are bounds.
    pub fn of(&self, window: Window) -> Range<i32> {
        self.number(window.from)..self.number(window.to)
    }

    fn number(&self, at: DateTime<Utc>) -> i32 {
        i32::try_from(self.0.partition_point(|bound| *bound <= at)).unwrap_or(i32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(second, 0).unwrap()
    }

    #[test]
    fn minute_after_is_the_end_of_the_last_minute_before() {
        for (second, after) in [(0, 0), (1, 60), (59, 60), (60, 60), (-1, 0)] {
            assert_eq!(minute_after(at(second)), at(after), "{second}");
        }
    }

    #[test]
    fn minutes_of_stay_in_the_window() {
        let window = Window::new(at(60), at(600));
        let minutes = |from, to: Option<i64>| {
            let Window { from, to } = window.minutes_of(at(from), to.map(at));
            (from.timestamp(), to.timestamp())
        };
        assert_eq!(minutes(90, Some(130)), (60, 180));
        assert_eq!(minutes(0, Some(6000)), (60, 600));
        assert_eq!(minutes(120, None), (120, 600));
        assert_eq!(minutes(700, Some(800)), (600, 600));
    }

    #[test]
    fn days_are_those_that_the_window_touches() {
        let day = 86_400;
        let days = |from, to| Window::new(at(from), at(to)).days().len();
        assert_eq!(days(0, day), 1);
        assert_eq!(days(day - 1, day + 1), 2);
        assert_eq!(days(10, 10), 0);
        assert_eq!(days(0, 7 * day + 1), 8);
    }

    #[test]
    fn parts_of_a_window_are_those_between_its_ends() {
        let (whole, inner) = (Window::new(at(0), at(600)), Window::new(at(60), at(120)));
        let parts = Parts::between([whole, inner]);
        assert_eq!(parts.bounds(), [at(0), at(60), at(120), at(600)]);
        assert_eq!((parts.of(whole), parts.of(inner)), (1..4, 2..3));
        assert_eq!(parts.of(Window::new(at(60), at(60))), 2..2);
    }
}
