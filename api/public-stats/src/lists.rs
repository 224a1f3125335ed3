//! Parts that the lists share: ranges, orders, searches and figures (reference/public-stats.md#lists).

use api_core::{ApiError, Page, Result, page::Window, validate};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use juniper::GraphQLEnum;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Rows after which a list ends, and up to which its total counts.
pub(crate) const MAX_LISTED: i64 = 10_000;
/// Rows of an order that filters are applied to.
pub(crate) const MAX_WALKED: i64 = 100_000;
/// Condition that only the first process of a statement can check. It is always met, and keeps parallel workers
/// from sorting a whole table where a walk of its index would do.
pub(crate) const IN_ONE_PROCESS: &str = " AND pg_backend_pid() IS NOT NULL";

const MIN_SEARCH_LENGTH: usize = 2;
const MAX_SEARCH_LENGTH: usize = 100;

/// Days over which figures are summed up, today included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, GraphQLEnum, ToSchema)]
pub enum PublicStatsRange {
    /// 7 days.
    #[serde(rename = "DAYS_7")]
    #[graphql(name = "DAYS_7")]
    Days7,
    /// 30 days.
    #[default]
    #[serde(rename = "DAYS_30")]
    #[graphql(name = "DAYS_30")]
    Days30,
    /// 90 days.
    #[serde(rename = "DAYS_90")]
    #[graphql(name = "DAYS_90")]
    Days90,
}

impl PublicStatsRange {
    /// Number of days.
    pub(crate) const fn days(self) -> i16 {
        match self {
            Self::Days7 => 7,
            Self::Days30 => 30,
            Self::Days90 => 90,
        }
    }
}

/// Direction of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PublicStatsOrder {
    /// Lowest first.
    Asc,
    /// Highest first.
    Desc,
}

/// Rows of a page and the number of all rows.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Rows<T> {
    pub items: Vec<T>,
    pub total: i64,
}

impl<T: Clone> Rows<T> {
    /// Page with these rows.
    pub(crate) fn page(&self, window: Window) -> Page<T> {
        Page { items: self.items.clone(), total: self.total, window }
    }
}

/// Checks the beginning of a name.
///
/// # Errors
/// 400 for a text of fewer than 2 or more than 100 characters.
pub(crate) fn search(text: Option<&str>) -> Result<Option<String>> {
    text.map(|text| validate::text("search", text, MIN_SEARCH_LENGTH, MAX_SEARCH_LENGTH)).transpose()
}

/// Checks a number of viewers.
///
/// # Errors
/// 400 for a negative number.
pub(crate) fn viewers(field: &str, number: Option<i32>) -> Result<Option<i32>> {
    match number {
        Some(number) if number < 0 => Err(ApiError::invalid(format!("{field} must be 0 or greater"))),
        number => Ok(number),
    }
}

/// Window that is read for a page. All pages behind the end of a list are one, so that their numbers cause no
/// further reads.
pub(crate) const fn window(page: Window) -> Window {
    if page.offset() < MAX_LISTED { page } else { Window { page: MAX_LISTED + 1, limit: 1 } }
}

/// Last day before a range that ends today.
pub(crate) fn day_before(now: DateTime<Utc>, days: i16) -> NaiveDate {
    (now - TimeDelta::days(days.into())).date_naive()
}

/// Figure with two decimals.
pub(crate) fn rounded(figure: f64) -> f64 {
    (figure * 100.0).round() / 100.0
}

/// Hours with two decimals.
pub(crate) fn hours(seconds: i64) -> f64 {
    rounded(seconds as f64 / 3_600.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_has_at_least_two_characters() {
        assert_eq!(search(None), Ok(None));
        assert_eq!(search(Some(" ab ")), Ok(Some("ab".to_owned())));
        for wrong in ["", " ", "a", " a ", &"x".repeat(101)] {
            let refusal = search(Some(wrong)).unwrap_err();
            assert_eq!(refusal.message, "search must be between 2 and 100 characters", "{wrong}");
        }
        assert!(search(Some("a\u{0}b")).is_err());
    }

    #[test]
    fn window_is_one_behind_the_end() {
        let last = Window { page: 100, limit: 100 };
        assert_eq!(window(last), last);
        for (page, limit) in [(101, 100), (401, 25), (10_001, 1), (i64::from(i32::MAX), 100)] {
            assert_eq!(window(Window { page, limit }).offset(), MAX_LISTED, "{page}");
        }
    }

    #[test]
    fn day_before_is_outside_of_the_range() {
        let now = DateTime::parse_from_rfc3339("2030-03-01T00:30:00Z").unwrap().to_utc();
        assert_eq!(day_before(now, 7).to_string(), "2030-02-22");
    }

    #[test]
    fn hours_have_two_decimals() {
        assert_eq!((hours(3_600), hours(5_000), hours(0)), (1.0, 1.39, 0.0));
        assert_eq!(rounded(2.0 / 3.0), 0.67);
    }
}
