//! Schedules: cron expressions of five fields in a time zone (reference/automations.md#schedule-expressions).

use std::str::FromStr;

use chrono::{DateTime, LocalResult, NaiveDateTime, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;
use cron::Schedule;

/// Maximum length of an expression, in characters (reference/automations.md#schedule-expressions).
pub const MAX_CRON_LENGTH: usize = 100;
/// Times of the local clock that are looked at for one result. A clock is put back by a day at most, which are
/// 1,440 minutes that come twice.
const MAX_CANDIDATES: usize = 3_000;

/// Field of an expression.
struct Field {
    name: &'static str,
    min: u32,
    max: u32,
    names: &'static [&'static str],
}

const FIELDS: [Field; 5] = [
    Field { name: "minute", min: 0, max: 59, names: &[] },
    Field { name: "hour", min: 0, max: 23, names: &[] },
    Field { name: "day of the month", min: 1, max: 31, names: &[] },
    Field {
        name: "month",
        min: 1,
        max: 12,
        names: &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
    },
    // 7 is Sunday as well.
    Field {
        name: "day of the week",
        min: 0,
        max: 7,
        names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
    },
];

/// Checks an expression.
///
/// # Errors
/// A malformed expression, or one that no date matches.
pub fn check(cron: &str) -> Result<(), String> {
    match next_after(cron, Tz::UTC, DateTime::UNIX_EPOCH)? {
        Some(_) => Ok(()),
        None => Err("cron must match a date".to_owned()),
    }
}

/// First time of a schedule after the given one; `None` when none follows. A minute that the change to summer
/// time leaves out runs at the first minute after it; a minute that comes twice runs the first time.
///
/// # Errors
/// A malformed expression.
pub fn next_after(cron: &str, timezone: Tz, after: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, String> {
    let schedules = parse(cron)?;
    let local = after.with_timezone(&timezone).naive_local();
    let next = schedules.iter().filter_map(|schedule| {
        // Times of the local clock, as if it were one without changes.
        let candidates = schedule.after(&local.and_utc()).take(MAX_CANDIDATES);
        candidates.filter_map(|candidate| instant(timezone, candidate.naive_utc())).find(|next| *next > after)
    });
    Ok(next.min())
}

/// Time at which the local clock first shows, or passes, a time.
fn instant(timezone: Tz, local: NaiveDateTime) -> Option<DateTime<Utc>> {
    match timezone.from_local_datetime(&local) {
        LocalResult::Single(time) => Some(time.to_utc()),
        LocalResult::Ambiguous(first, second) => Some(first.to_utc().min(second.to_utc())),
        LocalResult::None => end_of_gap(timezone, local),
    }
}

/// First minute after a gap of the local clock.
fn end_of_gap(timezone: Tz, local: NaiveDateTime) -> Option<DateTime<Utc>> {
    (1..=MAX_CANDIDATES).find_map(|minutes| {
        let later = local.checked_add_signed(TimeDelta::minutes(i64::try_from(minutes).ok()?))?;
        timezone.from_local_datetime(&later).earliest().map(|time| time.to_utc())
    })
}

/// Schedules of an expression. With a day of the month and a day of the week it has two: either matches.
fn parse(cron: &str) -> Result<Vec<Schedule>, String> {
    let fields: Vec<&str> = cron.split_whitespace().collect();
    let [minutes, hours, days, months, weekdays] = fields.as_slice() else { return Err(malformed()) };
    if cron.chars().count() > MAX_CRON_LENGTH {
        return Err(format!("cron must have at most {MAX_CRON_LENGTH} characters"));
    }
    let times = format!("{} {}", FIELDS[0].list(minutes)?, FIELDS[1].list(hours)?);
    let (days_list, months) = (FIELDS[2].list(days)?, FIELDS[3].list(months)?);
    let weekdays_list = FIELDS[4].list(weekdays)?;
    let of = |days: &str, weekdays: &str| {
        Schedule::from_str(&format!("0 {times} {days} {months} {weekdays} *")).map_err(|_error| malformed())
    };
    // As everywhere: a field that begins with `*` restricts nothing.
    match (days.starts_with('*'), weekdays.starts_with('*')) {
        (false, false) => Ok(vec![of(&days_list, "*")?, of("*", &weekdays_list)?]),
        _ => Ok(vec![of(&days_list, &weekdays_list)?]),
    }
}

fn malformed() -> String {
    "cron must have five fields: minute, hour, day of the month, month, day of the week".to_owned()
}

impl Field {
    /// Values of a field as a list for the parser, which counts weekdays from 1.
    fn list(&self, text: &str) -> Result<String, String> {
        let mut is_set = [false; 60];
        for part in text.split(',') {
            let (range, step) = match part.split_once('/') {
                Some((range, step)) => (range, self.number(step).filter(|step| *step > 0)),
                None => (part, Some(1)),
            };
            let step = step.ok_or_else(|| self.malformed())?;
            let (first, last) = self.range(range, part.contains('/')).ok_or_else(|| self.malformed())?;
            for value in (first..=last).step_by(step as usize) {
                is_set[self.index(value)] = true;
            }
        }
        let shift = u32::from(self.max == 7);
        let values =
            (0..60_u32).filter(|value| is_set[*value as usize]).map(|value| (value + shift).to_string());
        Ok(values.collect::<Vec<_>>().join(","))
    }

    const fn index(&self, value: u32) -> usize {
        // 7 is Sunday, as 0.
        if self.max == 7 { (value % 7) as usize } else { value as usize }
    }

    /// First and last value of `*`, `a`, `a-b`, and of `a/n`, which reaches to the end.
    fn range(&self, text: &str, has_step: bool) -> Option<(u32, u32)> {
        let end = if self.max == 7 { 6 } else { self.max };
        if text == "*" {
            return Some((self.min, end));
        }
        let (first, last) = match text.split_once('-') {
            Some((first, last)) => (self.value(first)?, self.value(last)?),
            None if has_step => (self.value(text)?, end),
            None => (self.value(text)?, self.value(text)?),
        };
        (first <= last).then_some((first, last))
    }

    fn value(&self, text: &str) -> Option<u32> {
        if let Some(position) = self.names.iter().position(|name| name.eq_ignore_ascii_case(text)) {
            return Some(u32::try_from(position).ok()? + u32::from(self.max == 12));
        }
        self.number(text).filter(|value| (self.min..=self.max).contains(value))
    }

    fn number(&self, text: &str) -> Option<u32> {
        (1..=2).contains(&text.len()).then_some(())?;
        text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
    }

    fn malformed(&self) -> String {
        format!("cron must have a {} between {} and {}", self.name, self.min, self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BERLIN: Tz = Tz::Europe__Berlin;

    fn times(cron: &str, timezone: Tz, after: &str, count: usize) -> Vec<String> {
        let mut time: DateTime<Utc> = after.parse().unwrap();
        let mut found = Vec::new();
        while found.len() < count {
            let Some(next) = next_after(cron, timezone, time).unwrap() else { break };
            assert!(next > time);
            time = next;
            found.push(next.format("%m-%d %H:%M").to_string());
        }
        found
    }

    #[test]
    fn schedule_reads_the_five_fields() {
        let from = "2026-01-01T00:00:00Z";
        assert_eq!(times("* * * * *", Tz::UTC, from, 2), ["01-01 00:01", "01-01 00:02"]);
        assert_eq!(times("*/20 6-7 * * *", Tz::UTC, from, 4).last().unwrap(), "01-01 07:00");
        assert_eq!(times("5/25 0 1 * *", Tz::UTC, from, 3), ["01-01 00:05", "01-01 00:30", "01-01 00:55"]);
        assert_eq!(times("0 12 * feb,Mar *", Tz::UTC, from, 1), ["02-01 12:00"]);
        // The first of January 2026 is a Thursday.
        assert_eq!(times("0 0 * * 1-5", Tz::UTC, from, 3), ["01-02 00:00", "01-05 00:00", "01-06 00:00"]);
        for sunday in ["0", "7", "sun", "SUN", "7,0"] {
            assert_eq!(times(&format!("0 0 * * {sunday}"), Tz::UTC, from, 1), ["01-04 00:00"]);
        }
        assert_eq!(times("0 0 * * 5-7", Tz::UTC, from, 3), ["01-02 00:00", "01-03 00:00", "01-04 00:00"]);
        assert_eq!(times("0 0 3 * 5", Tz::UTC, from, 3), ["01-02 00:00", "01-03 00:00", "01-09 00:00"]);
        assert_eq!(times("0 0 29 2 *", Tz::UTC, from, 1), ["02-29 00:00"]);
        assert_eq!(times("0 0 31 * *", Tz::UTC, "2026-01-31T00:00:00Z", 2), ["03-31 00:00", "05-31 00:00"]);
    }

    #[test]
    fn schedule_refuses_malformed_expressions() {
        for cron in [
            "",
            "* * * *",
            "* * * * * *",
            "@daily",
            "60 * * * *",
            "* 24 * * *",
            "* * 0 * *",
            "* * * 13 *",
            "* * * * 8",
            "5-1 * * * *",
            "*/0 * * * *",
            "1,,2 * * * *",
            "-1 * * * *",
            "+1 * * * *",
            "L * * * *",
            "* * * * mon#1",
            "0 0 30 2 *",
            "*/999 * * * *",
        ] {
            assert!(check(cron).is_err(), "{cron}");
        }
        assert!(check(&format!("{} * * * *", "1,".repeat(60) + "1")).is_err());
        assert!(check("0 0 * * sun-mon").is_ok() && check("59 23 31 12 7").is_ok());
    }

    #[test]
    fn schedule_runs_a_missing_minute_once() {
        // In Berlin the clock goes from 02:00 to 03:00 at 01:00 UTC on the 29th of March 2026.
        let from = "2026-03-28T12:00:00Z";
        assert_eq!(times("30 2 * * *", BERLIN, from, 2), ["03-29 01:00", "03-30 00:30"]);
        assert_eq!(times("0 3 * * *", BERLIN, from, 2), ["03-29 01:00", "03-30 01:00"]);
        let hourly = times("0 * * * *", BERLIN, "2026-03-28T23:30:00Z", 3);
        assert_eq!(hourly, ["03-29 00:00", "03-29 01:00", "03-29 02:00"]);
    }

    #[test]
    fn schedule_runs_a_repeated_minute_once() {
        // The clock goes from 03:00 to 02:00 at 01:00 UTC on the 25th of October 2026.
        let from = "2026-10-24T12:00:00Z";
        assert_eq!(times("30 2 * * *", BERLIN, from, 2), ["10-25 00:30", "10-26 01:30"]);
        let quarters = times("*/30 2-3 * * *", BERLIN, "2026-10-24T23:30:00Z", 4);
        assert_eq!(quarters, ["10-25 00:00", "10-25 00:30", "10-25 02:00", "10-25 02:30"]);
        assert_eq!(times("45 2 * * *", BERLIN, "2026-10-25T01:10:00Z", 1), ["10-26 01:45"]);
    }

    #[test]
    fn schedule_passes_a_day_that_a_time_zone_left_out() {
        // Samoa had no 30th of December 2011.
        let apia = Tz::Pacific__Apia;
        let from = "2011-12-29T22:30:00Z";
        assert_eq!(times("0 12 * * *", apia, from, 2), ["12-30 10:00", "12-30 22:00"]);
    }
}
