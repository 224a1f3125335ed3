//! Statements of the catalogue of emotes. As with channels, an order is walked in its index and every other
//! row is found by its key (reference/public-stats.md#lists).
//!
//! Parameters: `$1` days of the range, `$2` platform, `$3` provider, `$4` search, `$5` ids of channels, `$6` day
//! before the range, `$7` limit, `$8` offset, `$9` platforms of these channels.

use super::{EmotesQuery, PublicStatsEmotesSort as Sort};
use crate::lists::{IN_ONE_PROCESS, MAX_LISTED, MAX_WALKED, PublicStatsOrder};

/// Rows that are added up without a filter: an emote has one for each platform.
const MAX_ADDED: i64 = 40_000;

/// Shape of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    source: Source,
    sort: Sort,
    order: PublicStatsOrder,
    has_platform: bool,
    has_provider: bool,
}

/// Emotes that a statement begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// All, in the order of the list.
    All,
    /// Those with a code that begins so.
    Search,
    /// Those that were used in the chats of channels with one name, at most one of each platform.
    Channel { is_search: bool },
}

const HAS_PREFIX: &str = "lower(name) ~>=~ lower($4) AND lower(name) ~<~ (lower($4) || chr(1114111))";

impl Shape {
    pub(super) fn of(query: &EmotesQuery) -> Self {
        let source = match (&query.channel, &query.search) {
            (Some(_), search) => Source::Channel { is_search: search.is_some() },
            (None, Some(_)) => Source::Search,
            (None, None) => Source::All,
        };
        Self {
            source,
            sort: query.sort,
            order: query.order,
            has_platform: query.platform.is_some(),
            has_provider: query.provider.is_some(),
        }
    }

    /// Text of the statement.
    pub(super) fn sql(self) -> String {
        let (matches, order, figures) = (self.matches(), self.order_by(), self.figures());
        format!(
            "WITH matches AS MATERIALIZED ({matches}),
             page AS (SELECT * FROM matches ORDER BY {order} LIMIT $7 OFFSET $8)
             SELECT totals.total, shown.* FROM (SELECT count(*) AS total FROM matches) AS totals
             LEFT JOIN (
                 SELECT found.sort_key, emote.provider, emote.emote_id, emote.name, emote.url, emote.animated,
                     emote.first_seen_at, coalesce(figures.usage_count, 0) AS usage_count,
                     coalesce(figures.channel_count, 0) AS channel_count
                 FROM page AS found
                 CROSS JOIN LATERAL (SELECT * FROM public_emotes AS emotes
                     WHERE emotes.provider = found.provider AND emotes.emote_id = found.emote_id OFFSET 0) AS emote
                 CROSS JOIN LATERAL ({figures}) AS figures
             ) AS shown ON true ORDER BY {order}"
        )
    }

    fn matches(self) -> String {
        match (self.source, self.sort) {
            (Source::Channel { is_search }, _) => self.of_channel(is_search),
            (Source::All, Sort::Usage | Sort::Channels) => self.added(),
            (Source::All, Sort::Name) => self.keyed(&self.by_name()),
            (Source::Search, _) => self.keyed(&self.named()),
        }
    }

    /// Emotes of channels. Their days are few and have an index.
    fn of_channel(self, is_search: bool) -> String {
        let (provider, order) = (self.provider(), self.order_by());
        let key = match self.sort {
            Sort::Usage => "used.usage_count",
            Sort::Channels => "used.channel_count",
            Sort::Name => "emote.name_key",
        };
        let prefix = if is_search { format!(" AND {HAS_PREFIX}") } else { String::new() };
        format!(
            "SELECT used.provider, used.emote_id, used.usage_count, used.channel_count, {key} AS sort_key
             FROM (SELECT provider, emote_id, sum(usage_count)::bigint AS usage_count,
                       count(DISTINCT channels.platform) AS channel_count
                   FROM unnest($9, $5) AS channels (platform, platform_channel_id)
                   CROSS JOIN LATERAL (SELECT days.provider, days.emote_id, days.usage_count
                       FROM public_emote_days AS days
                       WHERE days.platform = channels.platform
                           AND days.platform_channel_id = channels.platform_channel_id AND day > $6{provider}
                       OFFSET 0) AS days
                   GROUP BY provider, emote_id) AS used
             CROSS JOIN LATERAL (SELECT lower(name) AS name_key FROM public_emotes AS emotes
                   WHERE emotes.provider = used.provider AND emotes.emote_id = used.emote_id{prefix}
                   OFFSET 0) AS emote
             ORDER BY {order} LIMIT {MAX_LISTED}"
        )
    }

    /// Emotes in the order of a figure, of one platform or added up over all.
    fn added(self) -> String {
        let (column, order) = (self.column(), self.order_by());
        let walked =
            if self.has_platform || self.has_provider { self.walk_of_each() } else { self.walk_of_all() };
        format!(
            "SELECT provider, emote_id, sum({column})::bigint AS sort_key FROM ({walked}) AS walked
             GROUP BY provider, emote_id ORDER BY {order} LIMIT {MAX_LISTED}"
        )
    }

    /// Rows in the order of a figure.
    fn walk_of_all(self) -> String {
        let column = self.column();
        let (direction, ties) = match self.order {
            PublicStatsOrder::Desc => ("DESC", "platform, provider, emote_id"),
            PublicStatsOrder::Asc => ("ASC", "platform DESC, provider DESC, emote_id DESC"),
        };
        format!(
            "SELECT provider, emote_id, {column} FROM public_emote_ranges WHERE range_days = $1{IN_ONE_PROCESS}
             ORDER BY {column} {direction}, {ties} LIMIT (SELECT {MAX_ADDED})"
        )
    }

    /// First rows of each allowed pair of a platform and a provider. An index begins with the pair, so that a rare
    /// one is found without a walk through the others.
    fn walk_of_each(self) -> String {
        let column = self.column();
        let (direction, ties) = match self.order {
            PublicStatsOrder::Desc => ("DESC", "emote_id"),
            PublicStatsOrder::Asc => ("ASC", "emote_id DESC"),
        };
        let platforms = if self.has_platform { "ARRAY[$2]" } else { "'{twitch,youtube,kick,trovo}'::text[]" };
        let providers =
            if self.has_provider { "ARRAY[$3]" } else { "'{twitch,7tv,bttv,ffz,youtube,kick}'::text[]" };
        format!(
            "SELECT first.* FROM unnest({platforms}) AS platforms (platform)
             CROSS JOIN unnest({providers}) AS providers (provider)
             CROSS JOIN LATERAL (SELECT ranges.provider, ranges.emote_id, ranges.{column}
                 FROM public_emote_ranges AS ranges
                 WHERE ranges.range_days = $1 AND ranges.platform = platforms.platform
                     AND ranges.provider = providers.provider
                 ORDER BY {column} {direction}, {ties} LIMIT (SELECT {MAX_LISTED})) AS first"
        )
    }

    /// Found emotes with their sort key; with a platform those that were used there.
    fn keyed(self, found: &str) -> String {
        let order = self.order_by();
        if self.sort == Sort::Name && !self.has_platform {
            return format!("SELECT * FROM ({found}) AS found ORDER BY {order} LIMIT {MAX_LISTED}");
        }
        let key = match self.sort {
            Sort::Name => "found.sort_key".to_owned(),
            Sort::Usage | Sort::Channels => format!("coalesce(figures.{}, 0) AS sort_key", self.column()),
        };
        let used = if self.has_platform { " WHERE figures.usage_count IS NOT NULL" } else { "" };
        format!(
            "SELECT found.provider, found.emote_id, {key} FROM ({found}) AS found
             CROSS JOIN LATERAL ({}) AS figures{used} ORDER BY {order} LIMIT {MAX_LISTED}",
            self.figures()
        )
    }

    /// Emotes by their code, read from the index alone.
    fn by_name(self) -> String {
        let (direction, ties) = self.direction();
        let limit = if self.has_platform || self.has_provider { MAX_WALKED } else { MAX_LISTED };
        format!(
            "SELECT * FROM (SELECT provider, emote_id, lower(name) AS sort_key FROM public_emotes
                 WHERE true{IN_ONE_PROCESS} ORDER BY lower(name) {direction}, {ties} LIMIT (SELECT {limit})) AS walked WHERE true{}",
            self.provider()
        )
    }

    /// Emotes whose code begins with the search.
    fn named(self) -> String {
        format!(
            "SELECT * FROM (SELECT provider, emote_id, lower(name) AS sort_key FROM public_emotes
                 WHERE {HAS_PREFIX} ORDER BY lower(name) USING ~<~ LIMIT (SELECT {MAX_LISTED})) AS named
             WHERE true{}",
            self.provider()
        )
    }

    /// Figures of a found emote.
    fn figures(self) -> String {
        if matches!(self.source, Source::Channel { .. }) {
            return "SELECT found.usage_count, found.channel_count".to_owned();
        }
        let platforms = if self.has_platform { "= $2" } else { "IN ('twitch', 'youtube', 'kick', 'trovo')" };
        format!(
            "SELECT sum(usage_count)::bigint AS usage_count, sum(channel_count)::bigint AS channel_count
             FROM public_emote_ranges AS ranges
             WHERE ranges.range_days = $1 AND ranges.platform {platforms} AND ranges.provider = found.provider
                 AND ranges.emote_id = found.emote_id OFFSET 0"
        )
    }

    const fn provider(self) -> &'static str {
        if self.has_provider { " AND provider = $3" } else { "" }
    }

    const fn column(self) -> &'static str {
        match self.sort {
            Sort::Usage | Sort::Name => "usage_count",
            Sort::Channels => "channel_count",
        }
    }

    /// Direction of the key, and the order of equal ones. Each index is read forwards or backwards: that of
    /// codes ascends, the others descend.
    const fn direction(self) -> (&'static str, &'static str) {
        let is_forwards = matches!(
            (self.order, self.sort),
            (PublicStatsOrder::Asc, Sort::Name) | (PublicStatsOrder::Desc, Sort::Usage | Sort::Channels)
        );
        let direction = if matches!(self.order, PublicStatsOrder::Asc) { "ASC" } else { "DESC" };
        (direction, if is_forwards { "provider, emote_id" } else { "provider DESC, emote_id DESC" })
    }

    fn order_by(self) -> String {
        let (direction, ties) = self.direction();
        format!("sort_key {direction}, {ties}")
    }
}
