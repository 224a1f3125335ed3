//! Deprecated operations (reference/conventions.md#deprecated-operations). One table feeds the headers of REST, the
//! OpenAPI document and the GraphQL schema.

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue, LINK};
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};

/// Days for which a deprecated operation works at least after its removal was announced.
pub const MIN_NOTICE_DAYS: i64 = 180;

/// Time from which on an operation is deprecated (RFC 9745).
const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
/// Time from which on it may be gone (RFC 8594).
const SUNSET: HeaderName = HeaderName::from_static("sunset");
/// Section that names every deprecated operation and its successor.
const NOTICE: HeaderValue = HeaderValue::from_static(
    "</docs/reference/conventions.html#deprecated-operations>; rel=\"deprecation\"; type=\"text/html\"",
);

/// Every deprecated operation.
pub const DEPRECATED: &[Deprecation] = &[
    Deprecation {
        operation: "extensionBundle",
        since: "2026-11-28",
        sunset: None,
        reason: "Use extensionBundleFile with the path layer.js.",
    },
    Deprecation {
        operation: "setExtensionStorageByPost",
        since: "2026-11-28",
        sunset: None,
        reason: "Use setExtensionStorage, which takes the same input by PUT.",
    },
    Deprecation {
        operation: "copyrightCheck",
        since: "2026-11-28",
        sunset: None,
        reason: "Use checkSong, which is the same field.",
    },
];

/// Notice that an operation has a successor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deprecation {
    /// Name of the operation.
    pub operation: &'static str,
    /// Day from which on it is deprecated, as `2030-01-31`.
    pub since: &'static str,
    /// Day from which on it may be gone; `None` while no removal is planned.
    pub sunset: Option<&'static str>,
    /// Sentence that names the successor.
    pub reason: &'static str,
}

impl Deprecation {
    /// Notice of an operation in the table.
    #[must_use]
    pub fn of(operation: &str) -> Option<&'static Self> {
        DEPRECATED.iter().find(|deprecation| deprecation.operation == operation)
    }

    /// Writes the headers of an answer. `has_handbook` is true when the server serves the section that they name.
    pub fn write(&self, headers: &mut HeaderMap, has_handbook: bool) {
        let since = beginning(self.since).map(|since| format!("@{}", since.timestamp()));
        let sunset = self.sunset.and_then(beginning);
        let sunset = sunset.map(|sunset| sunset.format("%a, %d %b %Y %H:%M:%S GMT").to_string());
        for (name, text) in [(DEPRECATION, since), (SUNSET, sunset)] {
            if let Some(value) = text.and_then(|text| HeaderValue::from_str(&text).ok()) {
                headers.insert(name, value);
            }
        }
        if has_handbook {
            headers.append(LINK, NOTICE);
        }
    }
}

/// First moment of a day.
fn beginning(day: &str) -> Option<DateTime<Utc>> {
    let day = NaiveDate::parse_from_str(day, "%Y-%m-%d").ok()?;
    Some(day.and_time(NaiveTime::MIN).and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deprecations_have_days_and_enough_notice() {
        for deprecation in DEPRECATED {
            let since = beginning(deprecation.since).expect("a day");
            assert!(deprecation.reason.starts_with("Use "), "{deprecation:?}");
            if let Some(sunset) = deprecation.sunset {
                let notice = beginning(sunset).expect("a day") - since;
                assert!(notice.num_days() >= MIN_NOTICE_DAYS, "{deprecation:?}");
            }
        }
    }

    #[test]
    fn deprecation_writes_the_headers_of_its_days() {
        let deprecation = Deprecation {
            operation: "old",
            since: "2023-06-30",
            sunset: Some("2024-06-30"),
            reason: "Use new.",
        };
        let mut headers = HeaderMap::new();
        deprecation.write(&mut headers, true);
        assert_eq!(headers.get(DEPRECATION).unwrap(), "@1688083200");
        assert_eq!(headers.get(SUNSET).unwrap(), "Sun, 30 Jun 2024 00:00:00 GMT");
        assert!(headers.get(LINK).unwrap().to_str().unwrap().contains("rel=\"deprecation\""));
        let mut headers = HeaderMap::new();
        Deprecation { sunset: None, ..deprecation }.write(&mut headers, false);
        assert!(headers.contains_key(DEPRECATION));
        assert!(!headers.contains_key(SUNSET) && !headers.contains_key(LINK));
    }
}
