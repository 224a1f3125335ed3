//! Scope of the crawler, as staff set it (reference/public-stats.md#scope).

use chrono::TimeDelta;
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Array, Integer, Text},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use platforms::ListedStream;
use shared::{Result, platform::Platform};
use tokio::sync::watch;

/// Flag of the crawler. It is off in a new deployment.
pub(super) const FLAG: &str = "system:crawler";

/// Platforms that can be crawled.
pub(super) const CRAWLED: [Platform; 4] =
    [Platform::Twitch, Platform::Youtube, Platform::Kick, Platform::Trovo];

/// Scope in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scope {
    /// Platforms that are crawled. Names of others are left out.
    pub platforms: Vec<Platform>,
    /// Viewers below which a live channel is not crawled.
    pub min_viewers: i64,
    /// Languages that are crawled; none means every language.
    pub languages: Vec<String>,
    /// Maximum number of channels beside those of the watch list.
    pub max_channels: i64,
    /// Time in which each channel is visited once.
    pub interval: TimeDelta,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Array<Text>)]
    platforms: Vec<String>,
    #[diesel(sql_type = Integer)]
    min_viewers: i32,
    #[diesel(sql_type = Array<Text>)]
    languages: Vec<String>,
    #[diesel(sql_type = Integer)]
    max_channels: i32,
    #[diesel(sql_type = Integer)]
    interval_secs: i32,
}

const SCOPE: &str = "
    SELECT platforms, min_viewers, languages, max_channels, interval_secs FROM crawler_scope
    WHERE enabled AND EXISTS (SELECT FROM feature_flags WHERE key = $1 AND globally_enabled)";

/// Reads the scope; `None` while the flag or the scope is off.
pub(super) async fn read(connection: &mut AsyncPgConnection) -> Result<Option<Scope>> {
    let row: Option<Row> =
        sql_query(SCOPE).bind::<Text, _>(FLAG).prepared().get_result(connection).await.optional()?;
    Ok(row.map(Scope::from))
}

/// Returns the scope in force for a platform; `None` while the platform is not crawled.
pub(super) fn scope_of(scope: &watch::Receiver<Option<Scope>>, platform: Platform) -> Option<Scope> {
    let scope = scope.borrow();
    scope.as_ref().filter(|scope| scope.platforms.contains(&platform)).cloned()
}

impl From<Row> for Scope {
    fn from(row: Row) -> Self {
        let is_named = |platform: &Platform| row.platforms.iter().any(|name| name == platform.slug());
        Self {
            platforms: CRAWLED.into_iter().filter(is_named).collect(),
            min_viewers: i64::from(row.min_viewers),
            languages: row.languages,
            max_channels: i64::from(row.max_channels),
            interval: TimeDelta::seconds(i64::from(row.interval_secs.max(1))),
        }
    }
}

impl Scope {
    /// Returns true when a stream is within the scope, whatever the number of channels is.
    pub fn includes(&self, stream: &ListedStream) -> bool {
        stream.viewer_count.unwrap_or(0) >= self.min_viewers && self.allows(stream.language.as_deref())
    }

    fn allows(&self, language: Option<&str>) -> bool {
        let Some(language) = language else { return self.languages.is_empty() };
        let main = language.split(['-', '_']).next().unwrap_or(language);
        let is_same =
            |allowed: &String| allowed.eq_ignore_ascii_case(language) || allowed.eq_ignore_ascii_case(main);
        self.languages.is_empty() || self.languages.iter().any(is_same)
    }

    /// Interval in whole seconds, the weight of a sample.
    pub fn weight_secs(&self) -> i32 {
        i32::try_from(self.interval.num_seconds()).unwrap_or(i32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(languages: &[&str]) -> Scope {
        Scope {
            platforms: vec![Platform::Twitch],
            min_viewers: 10,
            languages: languages.iter().map(|language| (*language).to_owned()).collect(),
            max_channels: 100,
            interval: TimeDelta::seconds(300),
        }
    }

    fn stream(viewers: i64, language: Option<&str>) -> ListedStream {
        let language = language.map(str::to_owned);
        ListedStream { viewer_count: Some(viewers), language, ..ListedStream::default() }
    }

    #[test]
    fn scope_includes_streams_by_viewers_and_language() {
        let every = scope(&[]);
        assert!(every.includes(&stream(10, None)) && every.includes(&stream(11, Some("ko"))));
        assert!(!every.includes(&stream(9, None)) && !every.includes(&ListedStream::default()));
        let some = scope(&["en", "pt-BR"]);
        for (language, expected) in [
            (Some("en"), true),
            (Some("en-gb"), true),
            (Some("pt-br"), true),
            (Some("pt"), false),
            (None, false),
        ] {
            assert_eq!(some.includes(&stream(10, language)), expected, "{language:?}");
        }
    }

    #[test]
    fn scope_leaves_out_platforms_that_cannot_be_crawled() {
        let platforms = ["kick", "spotify", "myspace", "twitch"].map(str::to_owned).to_vec();
        let row =
            Row { platforms, min_viewers: 0, languages: Vec::new(), max_channels: 1, interval_secs: 60 };
        assert_eq!(Scope::from(row).platforms, [Platform::Twitch, Platform::Kick]);
    }
}
