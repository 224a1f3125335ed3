//! Units, subjects and periods (reference/usage.md#units).

use chrono::{DateTime, Datelike, Days, Months, NaiveDate, TimeDelta, Utc};

/// Unit of usage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// Requests to the API.
    Requests,
    /// Time of handlers, in milliseconds.
    HandlerMs,
    /// Requests of handlers to other hosts.
    Fetches,
    /// Chat messages that were sent.
    Messages,
    /// Bytes that are stored at present.
    StoredBytes,
}

/// Subject of a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SubjectKind {
    /// The account with everything in it.
    Account,
    /// An extension in the account.
    Extension,
    /// A key of the account, or of a person in it.
    Key,
}

/// Period of a budget, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Period {
    /// Hour.
    Hour,
    /// Day.
    Day,
    /// Calendar month.
    Month,
}

impl Unit {
    /// All units.
    pub const ALL: [Self; 5] =
        [Self::Requests, Self::HandlerMs, Self::Fetches, Self::Messages, Self::StoredBytes];

    /// Text in columns and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::HandlerMs => "handler_ms",
            Self::Fetches => "fetches",
            Self::Messages => "messages",
            Self::StoredBytes => "stored_bytes",
        }
    }

    /// Unit with the given text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.as_str() == text)
    }

    /// Words of a message.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::HandlerMs => "milliseconds of handlers",
            Self::Fetches => "fetches",
            Self::Messages => "messages",
            Self::StoredBytes => "stored bytes",
        }
    }
}

impl SubjectKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Account, Self::Extension, Self::Key];

    /// Text in columns and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Extension => "extension",
            Self::Key => "key",
        }
    }

    /// Kind with the given text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

impl Period {
    /// All periods.
    pub const ALL: [Self; 3] = [Self::Hour, Self::Day, Self::Month];

    /// Text in columns and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Month => "month",
        }
    }

    /// Period with the given text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|period| period.as_str() == text)
    }

    /// Begin of the period that holds a time.
    #[must_use]
    pub fn begin(self, at: DateTime<Utc>) -> DateTime<Utc> {
        let day = at.date_naive();
        match self {
            Self::Hour => at - TimeDelta::seconds(at.timestamp().rem_euclid(3600)) - below_a_second(at),
            Self::Day => midnight(day),
            Self::Month => midnight(day.with_day(1).unwrap_or(day)),
        }
    }

    /// End of the period that holds a time: the begin of the next one.
    #[must_use]
    pub fn end(self, at: DateTime<Utc>) -> DateTime<Utc> {
        let begin = self.begin(at);
        match self {
            Self::Hour => begin + TimeDelta::hours(1),
            Self::Day => begin.checked_add_days(Days::new(1)).unwrap_or(begin),
            Self::Month => begin.checked_add_months(Months::new(1)).unwrap_or(begin),
        }
    }
}

fn midnight(day: NaiveDate) -> DateTime<Utc> {
    day.and_time(chrono::NaiveTime::MIN).and_utc()
}

fn below_a_second(at: DateTime<Utc>) -> TimeDelta {
    TimeDelta::nanoseconds(at.timestamp_subsec_nanos().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn period_begins_and_ends_in_utc() {
        let at = time("2028-02-29T23:59:59.999Z");
        for (period, begin, end) in [
            (Period::Hour, "2028-02-29T23:00:00Z", "2028-03-01T00:00:00Z"),
            (Period::Day, "2028-02-29T00:00:00Z", "2028-03-01T00:00:00Z"),
            (Period::Month, "2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z"),
        ] {
            assert_eq!((period.begin(at), period.end(at)), (time(begin), time(end)), "{period:?}");
            assert_eq!(period.begin(time(begin)), time(begin), "a begin belongs to its period");
        }
    }

    #[test]
    fn units_kinds_and_periods_parse_their_texts() {
        for unit in Unit::ALL {
            assert_eq!(Unit::parse(unit.as_str()), Some(unit));
        }
        for kind in SubjectKind::ALL {
            assert_eq!(SubjectKind::parse(kind.as_str()), Some(kind));
        }
        for period in Period::ALL {
            assert_eq!(Period::parse(period.as_str()), Some(period));
        }
        assert_eq!((Unit::parse("x"), SubjectKind::parse("x"), Period::parse("x")), (None, None, None));
    }
}
