//! Figures and times as readers see them.

use chrono::{DateTime, Utc};

/// Number with a comma between thousands: `1,234,567`.
pub(crate) fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if number < 0 {
        text.push('-');
    }
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The same with two decimals.
pub(crate) fn decimal(number: f64) -> String {
    let text = format!("{number:.2}");
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, "00"));
    match whole.parse() {
        Ok(whole) => format!("{}.{decimals}", grouped(whole)),
        Err(_not_finite) => text,
    }
}

/// Length of time: `5 h 12 min`, `12 min`, `40 s`.
pub(crate) fn duration(seconds: i64) -> String {
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds} s"),
        (0, _) => format!("{minutes} min"),
        _ => format!("{} h {minutes} min", grouped(hours)),
    }
}

/// Date: `2026-11-24`.
pub(crate) fn date(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d").to_string()
}

/// Date and time to the minute: `2026-11-24 18:30`.
pub(crate) fn moment(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M").to_string()
}

/// Name of a platform as it writes itself.
pub(crate) fn platform_name(platform: &str) -> String {
    match platform {
        "twitch" => "Twitch".to_owned(),
        "youtube" => "YouTube".to_owned(),
        "kick" => "Kick".to_owned(),
        "trovo" => "Trovo".to_owned(),
        "discord" => "Discord".to_owned(),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grouped_number_has_commas_between_thousands() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
            (-1234, "-1,234"),
            (i64::MIN, "-9,223,372,036,854,775,808"),
        ] {
            assert_eq!(grouped(number), text);
        }
        assert_eq!(
            (decimal(1234.5), decimal(0.0), decimal(f64::NAN)),
            ("1,234.50".into(), "0.00".into(), "NaN".into())
        );
    }

    #[test]
    fn duration_has_the_two_largest_units() {
        for (seconds, text) in
            [(0, "0 s"), (59, "59 s"), (60, "1 min"), (3600, "1 h 0 min"), (18_720, "5 h 12 min")]
        {
            assert_eq!(duration(seconds), text);
        }
    }
}
