//! Budget with its use and its state.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    QueryableByName,
    sql_types::{BigInt, Bool, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid},
};
use uuid::Uuid;

use crate::units::{Period, Unit};

/// Time for which a stop of stored bytes lasts at least. They are measured anew before it ends.
const STORAGE_STOP_TTL: TimeDelta = TimeDelta::minutes(30);

/// Locked budget with its use.
#[derive(Debug, Clone, QueryableByName)]
pub(super) struct Row {
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    #[diesel(sql_type = Text)]
    pub account_name: String,
    #[diesel(sql_type = Text)]
    pub subject_kind: String,
    #[diesel(sql_type = SqlUuid)]
    pub subject_id: Uuid,
    #[diesel(sql_type = Text)]
    pub unit: String,
    #[diesel(sql_type = Text)]
    pub period: String,
    #[diesel(sql_type = BigInt)]
    pub maximum: i64,
    #[diesel(sql_type = Nullable<SmallInt>)]
    warn_percent: Option<i16>,
    #[diesel(sql_type = Bool)]
    pub is_stopping: bool,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    warned_period: Option<DateTime<Utc>>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    reached_period: Option<DateTime<Utc>>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    stopped_until: Option<DateTime<Utc>>,
    #[diesel(sql_type = Nullable<BigInt>)]
    used: Option<i64>,
}

/// State of a budget, as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct State {
    /// Begin of the last period in which it has warned.
    pub warned_period: Option<DateTime<Utc>>,
    /// Begin of the last period in which its maximum was reached.
    pub reached_period: Option<DateTime<Utc>>,
    /// End of the refusal; `None` without one.
    pub stopped_until: Option<DateTime<Utc>>,
}

/// Bound of a budget that its use has reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reached {
    /// Share of the maximum.
    Warning,
    /// The maximum.
    Maximum,
}

impl Row {
    /// Present use.
    pub fn used(&self) -> i64 {
        self.used.unwrap_or(0)
    }

    /// Present state.
    pub const fn state(&self) -> State {
        State {
            warned_period: self.warned_period,
            reached_period: self.reached_period,
            stopped_until: self.stopped_until,
        }
    }

    /// Next state, and what members are notified of. A maximum that is reached without a warning before is not warned
    /// of in addition.
    pub fn next(&self, period: Period, now: DateTime<Utc>) -> (State, Option<Reached>) {
        let begin = Some(period.begin(now));
        let is_reached = self.used() >= self.maximum;
        let is_near = self.warn_percent.is_some_and(|percent| {
            i128::from(self.used()) * 100 >= i128::from(self.maximum) * i128::from(percent)
        });
        let mut state = State { stopped_until: None, ..self.state() };
        if is_reached && self.is_stopping {
            let end = period.end(now);
            let is_storage = self.unit == Unit::StoredBytes.as_str();
            state.stopped_until = Some(if is_storage { end.max(now + STORAGE_STOP_TTL) } else { end });
        }
        let reached = if is_reached && self.reached_period != begin {
            state.reached_period = begin;
            Some(Reached::Maximum)
        } else if is_near && !is_reached && self.warned_period != begin {
            Some(Reached::Warning)
        } else {
            None
        };
        if reached.is_some() {
            state.warned_period = begin;
        }
        (state, reached)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn row(used: i64) -> Row {
        Row {
            id: Uuid::nil(),
            account_id: Uuid::nil(),
            account_name: String::new(),
            subject_kind: "account".into(),
            subject_id: Uuid::nil(),
            unit: "requests".into(),
            period: "day".into(),
            maximum: 10,
            warn_percent: Some(75),
            is_stopping: true,
            warned_period: None,
            reached_period: None,
            stopped_until: None,
            used: Some(used),
        }
    }

    #[test]
    fn next_warns_and_stops_once_in_a_period() {
        let (now, end) = (time("2030-01-31T12:34:56Z"), time("2030-02-01T00:00:00Z"));
        let mut budget = row(7);
        let mut seen = Vec::new();
        for used in [7, 8, 9, 10, 11] {
            budget.used = Some(used);
            let (state, reached) = budget.next(Period::Day, now);
            seen.push((reached, state.stopped_until));
            budget.warned_period = state.warned_period;
            budget.reached_period = state.reached_period;
            budget.stopped_until = state.stopped_until;
        }
        let stopped = Some(end);
        assert_eq!(
            seen,
            [
                (None, None),
                (Some(Reached::Warning), None),
                (None, None),
                (Some(Reached::Maximum), stopped),
                (None, stopped),
            ]
        );
        budget.used = Some(8);
        let (state, reached) = budget.next(Period::Day, end);
        assert_eq!((state.stopped_until, reached), (None, Some(Reached::Warning)), "the next day");
    }

    #[test]
    fn next_of_a_jump_over_both_bounds_notifies_of_the_maximum_only() {
        let now = time("2030-01-31T12:34:56Z");
        let (state, reached) = row(10).next(Period::Day, now);
        assert_eq!(reached, Some(Reached::Maximum));
        assert_eq!(state.warned_period, state.reached_period);
        let quiet = Row { is_stopping: false, warn_percent: None, ..row(9) };
        assert_eq!(quiet.next(Period::Day, now).1, None);
        let reached = Row { used: Some(10), ..quiet };
        let (state, notice) = reached.next(Period::Day, now);
        assert_eq!((state.stopped_until, notice), (None, Some(Reached::Maximum)));
    }

    #[test]
    fn next_of_stored_bytes_stops_over_the_end_of_the_period() {
        let now = time("2030-01-31T23:59:00Z");
        let budget = Row { unit: "stored_bytes".into(), ..row(10) };
        assert_eq!(budget.next(Period::Day, now).0.stopped_until, Some(now + STORAGE_STOP_TTL));
        let below = Row { stopped_until: Some(now), used: Some(9), warn_percent: None, ..budget };
        assert_eq!(below.next(Period::Day, now).0.stopped_until, None);
    }
}
