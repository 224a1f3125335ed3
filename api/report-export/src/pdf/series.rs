//! Points of the charts, summed up while the samples arrive (reference/history.md#charts).

use std::collections::BTreeMap;

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use history_model::report::{Report, Sample};

/// Points of a chart at most. Beyond it each point stands for twice as many minutes as before.
pub(super) const MAX_POINTS: usize = 1440;

/// Sums of one platform over the minutes of a point.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Sums {
    viewers: i64,
    /// Minutes with a number of viewers.
    seen: i64,
    messages: i64,
    /// Minutes with a sample.
    minutes: i64,
}

/// Points of every platform.
#[derive(Debug)]
pub(super) struct Series {
    start: DateTime<Utc>,
    /// Minutes of a point.
    minutes: usize,
    platforms: BTreeMap<String, Vec<Sums>>,
}

/// A line of a chart: one value for each point, `None` where nothing is known.
pub(super) type Values = Vec<Option<f64>>;

impl Series {
    /// Begins without points at the minute in which the session started.
    pub fn new(report: &Report) -> Self {
        let started = report.session.started_at;
        let start = started.duration_trunc(TimeDelta::minutes(1)).unwrap_or(started);
        Self { start, minutes: 1, platforms: BTreeMap::new() }
    }

    /// Adds a sample to its point.
    pub fn add(&mut self, sample: &Sample) {
        // A sample before the start belongs to the first point.
        let minute = usize::try_from((sample.at - self.start).num_minutes()).unwrap_or_default();
        while minute / self.minutes >= MAX_POINTS {
            self.halve();
        }
        let at = minute / self.minutes;
        let points = self.platforms.entry(sample.platform.clone()).or_default();
        if points.len() <= at {
            points.resize(at + 1, Sums::default());
        }
        if let Some(sums) = points.get_mut(at) {
            sums.viewers += sample.viewer_count.unwrap_or_default();
            sums.seen += i64::from(sample.viewer_count.is_some());
            sums.messages += sample.message_count;
            sums.minutes += 1;
        }
    }

    /// Merges each pair of points.
    fn halve(&mut self) {
        self.minutes *= 2;
        for points in self.platforms.values_mut() {
            *points = points
                .chunks(2)
                .map(|pair| pair.iter().fold(Sums::default(), |sum, point| sum.plus(*point)))
                .collect();
        }
    }

    /// Minutes of a point.
    pub fn minutes(&self) -> usize {
        self.minutes
    }

    /// Number of points from the first to the last one.
    pub fn len(&self) -> usize {
        self.platforms.values().map(Vec::len).max().unwrap_or_default()
    }

    /// Time of a place on the axis; a whole number is the beginning of a point.
    pub fn time(&self, place: f64) -> DateTime<Utc> {
        self.start + TimeDelta::seconds((place * self.minutes as f64 * 60.0) as i64)
    }

    /// Place of a time on the axis.
    pub fn place(&self, at: DateTime<Utc>) -> f64 {
        (at - self.start).num_seconds() as f64 / 60.0 / self.minutes as f64
    }

    /// Average viewers of each platform, by name.
    pub fn viewers(&self) -> Vec<(&str, Values)> {
        let values = |points: &Vec<Sums>| points.iter().map(Sums::average_viewers).collect();
        let all = self.platforms.iter().map(|(platform, points)| (platform.as_str(), values(points)));
        all.filter(|(_, values): &(_, Values)| values.iter().any(Option::is_some)).collect()
    }

    /// Viewers of all platforms together.
    pub fn all_viewers(&self) -> Values {
        self.summed(Sums::average_viewers)
    }

    /// Messages a minute of all platforms together.
    pub fn messages(&self) -> Values {
        self.summed(Sums::messages_per_minute)
    }

    fn summed(&self, value: impl Fn(&Sums) -> Option<f64>) -> Values {
        let at = |at: usize| {
            let known = self.platforms.values().filter_map(|points| points.get(at)).filter_map(&value);
            known.fold(None, |sum: Option<f64>, value| Some(sum.unwrap_or_default() + value))
        };
        (0..self.len()).map(at).collect()
    }
}

impl Sums {
    fn plus(self, other: Self) -> Self {
        Self {
            viewers: self.viewers + other.viewers,
            seen: self.seen + other.seen,
            messages: self.messages + other.messages,
            minutes: self.minutes + other.minutes,
        }
    }

    fn average_viewers(&self) -> Option<f64> {
        (self.seen > 0).then(|| self.viewers as f64 / self.seen as f64)
    }

    fn messages_per_minute(&self) -> Option<f64> {
        (self.minutes > 0).then(|| self.messages as f64 / self.minutes as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{report, sample};

    #[test]
    fn series_has_a_point_for_each_minute_and_keeps_gaps() {
        let report = report();
        let mut series = Series::new(&report);
        for minute in [0, 1, 4] {
            series.add(&sample(&report, minute, "twitch", Some(10 * minute), minute));
        }
        series.add(&sample(&report, 1, "kick", None, 7));
        series.add(&sample(&report, 4, "kick", Some(5), 1));
        assert_eq!(
            series.viewers(),
            [
                ("kick", vec![None, None, None, None, Some(5.0)]),
                ("twitch", vec![Some(0.0), Some(10.0), None, None, Some(40.0)]),
            ]
        );
        assert_eq!(series.all_viewers(), [Some(0.0), Some(10.0), None, None, Some(45.0)]);
        assert_eq!(series.messages(), [Some(0.0), Some(8.0), None, None, Some(5.0)]);
        assert_eq!(series.place(series.time(3.0)), 3.0);
    }

    #[test]
    fn series_of_a_long_session_merges_minutes() {
        let report = report();
        let mut series = Series::new(&report);
        for minute in 0..10_080 {
            series.add(&sample(&report, minute, "twitch", Some(minute % 8), 2));
        }
        assert_eq!((series.minutes(), series.len()), (8, 1260));
        assert!(series.messages().iter().all(|messages| *messages == Some(2.0)));
        assert!(series.all_viewers().iter().all(|viewers| *viewers == Some(3.5)));
    }
}
