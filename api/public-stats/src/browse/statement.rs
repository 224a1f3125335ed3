//! Statements of the directory. Their shape is the plan: an order is walked in its index, and every other row
//! is found by its key, so that no table is read as a whole (reference/public-stats.md#lists). The limit of a
//! walk is a subquery: the planner expects that it ends early, and does not sort the whole table instead.
//!
//! Parameters: `$1` days of the range, `$2` platform, `$3` and `$4` bounds of the average, `$5` language, `$6`
//! broadcaster type, `$7` live, `$8` search, `$9` game, `$10` limit, `$11` offset.

use super::{BrowseQuery, PublicStatsBrowseSort as Sort};
use crate::lists::{IN_ONE_PROCESS, MAX_LISTED, MAX_WALKED, PublicStatsOrder};

/// Shape of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    source: Source,
    sort: Sort,
    order: PublicStatsOrder,
    has_platform: bool,
    /// The average has a bound.
    is_bounded: bool,
    /// The channel itself has a condition.
    is_filtered: bool,
}

/// Channels that a statement begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// All, in the order of the list.
    All,
    /// Those with a name that begins so.
    Search,
    /// Those on air in a game.
    Game,
}

/// Columns of the answer.
const SHOWN: &str =
    "channel.platform, channel.platform_channel_id, channel.login, channel.display_name, channel.avatar_url,
    channel.is_live, channel.current_viewers, channel.current_game, channel.language, channel.followers,
    channel.last_streamed_at, channel.source, coalesce(range.avg_viewers, 0) AS avg_viewers,
    coalesce(range.peak_viewers, 0) AS peak_viewers, coalesce(range.live_secs, 0) AS live_secs";

const NAMED: &str = "
    SELECT platform, platform_channel_id
    FROM (SELECT platform, platform_channel_id FROM public_channels
          WHERE lower(login) ~>=~ lower($8) AND lower(login) ~<~ (lower($8) || chr(1114111))
          ORDER BY lower(login) USING ~<~ LIMIT (SELECT {limit})) AS logins
    UNION
    SELECT platform, platform_channel_id
    FROM (SELECT platform, platform_channel_id FROM public_channels
          WHERE lower(display_name) ~>=~ lower($8) AND lower(display_name) ~<~ (lower($8) || chr(1114111))
          ORDER BY lower(display_name) USING ~<~ LIMIT (SELECT {limit})) AS names";

impl Shape {
    pub(super) fn of(query: &BrowseQuery) -> Self {
        let source = match (&query.search, &query.game) {
            (Some(_), _) => Source::Search,
            (None, Some(_)) => Source::Game,
            (None, None) => Source::All,
        };
        let is_filtered =
            query.language.is_some() || query.broadcaster_type.is_some() || query.is_live.is_some();
        Self {
            source,
            sort: query.sort,
            order: query.order,
            has_platform: query.platform.is_some(),
            is_bounded: query.min_viewers.is_some() || query.max_viewers.is_some(),
            // A search in a game reads the game of each channel that is found.
            is_filtered: is_filtered || (source == Source::Search && query.game.is_some()),
        }
    }

    /// True for the statements that are kept prepared: an order without filters, of one platform or of all.
    pub(super) fn is_common(self) -> bool {
        self.source == Source::All && !self.is_bounded && !self.is_filtered
    }

    /// Text of the statement.
    pub(super) fn sql(self) -> String {
        let (matches, order) = (self.matches(), self.order_by());
        format!(
            "WITH matches AS MATERIALIZED ({matches}),
             page AS (SELECT * FROM matches ORDER BY {order} LIMIT $10 OFFSET $11)
             SELECT totals.total, shown.* FROM (SELECT count(*) AS total FROM matches) AS totals
             LEFT JOIN (
                 SELECT page.sort_key, {SHOWN}
                 FROM page
                 CROSS JOIN LATERAL (SELECT * FROM public_channels AS channels
                     WHERE channels.platform = page.platform
                         AND channels.platform_channel_id = page.platform_channel_id AND NOT channels.is_hidden
                     OFFSET 0) AS channel
                 LEFT JOIN LATERAL (SELECT * FROM public_channel_ranges AS ranges
                     WHERE ranges.range_days = $1 AND ranges.platform = page.platform
                         AND ranges.platform_channel_id = page.platform_channel_id
                     OFFSET 0) AS range ON true
             ) AS shown ON true ORDER BY {order}"
        )
    }

    /// Keys of the listed channels.
    fn matches(self) -> String {
        let (column, order) = (self.column(), self.order_by());
        let (candidates, key) = match self.source {
            Source::All if self.is_by_key() => return self.without_hidden(),
            Source::All => (self.walk(MAX_WALKED), "found.sort_key".to_owned()),
            Source::Search => (self.named(), format!("{}.{column} AS sort_key", self.keeper())),
            Source::Game => (self.on_air(), format!("{}.{column} AS sort_key", self.keeper())),
        };
        let (channel, range) = (self.channel(), self.range());
        format!(
            "SELECT found.platform, found.platform_channel_id, {key} FROM ({candidates}) AS found {channel} {range}
             ORDER BY {order} LIMIT {MAX_LISTED}"
        )
    }

    /// True when the walk alone decides, besides hidden channels.
    fn is_by_key(self) -> bool {
        !self.is_filtered && (!self.is_bounded || self.sort == Sort::AvgViewers)
    }

    /// Walk without the hidden channels, which are few and have an index.
    fn without_hidden(self) -> String {
        format!(
            "SELECT found.* FROM ({}) AS found WHERE NOT EXISTS (SELECT FROM public_channels AS hidden
                 WHERE hidden.is_hidden AND hidden.platform = found.platform
                     AND hidden.platform_channel_id = found.platform_channel_id)",
            self.walk(MAX_LISTED)
        )
    }

    /// Keys in the order of the list, read from its index alone.
    fn walk(self, limit: i64) -> String {
        let (column, platform, (direction, ties)) = (self.column(), self.platform(), self.direction());
        let (table, base) = if self.sort.is_of_range() {
            ("public_channel_ranges", "range_days = $1")
        } else {
            ("public_channels", "NOT is_hidden")
        };
        let bounds = if self.sort == Sort::AvgViewers { self.bounds() } else { "" };
        format!(
            "SELECT platform, platform_channel_id, {column} AS sort_key FROM {table}
             WHERE {base}{platform}{bounds}{IN_ONE_PROCESS} ORDER BY {column} {direction}, {ties} LIMIT (SELECT {limit})"
        )
    }

    fn named(self) -> String {
        let named = NAMED.replace("{limit}", &MAX_LISTED.to_string());
        format!("SELECT * FROM ({named}) AS named WHERE true{}", self.platform())
    }

    fn on_air(self) -> String {
        format!(
            "SELECT live.platform, live.platform_channel_id FROM ({}) AS games
             CROSS JOIN LATERAL (SELECT platform, platform_channel_id FROM public_channels AS channels
                 WHERE channels.is_live AND channels.platform = games.platform
                     AND channels.current_game_id = games.game_id LIMIT {MAX_LISTED}) AS live",
            self.games()
        )
    }

    /// Games of the name. An id counts with its platform only: others use the same.
    fn games(self) -> String {
        let by_name = format!(
            "SELECT platform, game_id FROM public_games WHERE lower(name) = lower($9){}",
            self.platform()
        );
        if !self.has_platform {
            return by_name;
        }
        format!(
            "{by_name} UNION SELECT platform, game_id FROM public_games WHERE platform = $2 AND game_id = $9"
        )
    }

    /// Row of the channel, found by its key.
    fn channel(self) -> String {
        let filters = if self.is_filtered {
            " AND ($5::text IS NULL OR lower(channels.language) = $5
                  OR lower(split_part(replace(channels.language, '_', '-'), '-', 1)) = $5)
              AND ($6::text IS NULL OR channels.broadcaster_type = $6)
              AND ($7::boolean IS NULL OR channels.is_live = $7)"
        } else {
            ""
        };
        let game = if self.source == Source::Search && self.is_filtered {
            " AND ($9::text IS NULL OR (channels.is_live AND (lower(channels.current_game) = lower($9)
                  OR (channels.platform = $2 AND channels.current_game_id = $9))))"
        } else {
            ""
        };
        format!(
            "CROSS JOIN LATERAL (SELECT channels.followers, channels.last_streamed_at FROM public_channels AS channels
                 WHERE channels.platform = found.platform
                     AND channels.platform_channel_id = found.platform_channel_id
                     AND NOT channels.is_hidden{filters}{game} OFFSET 0) AS channel"
        )
    }

    /// Row of the range, found by its key, where the order or a bound needs it.
    fn range(self) -> String {
        let is_walked = self.source == Source::All && self.sort.is_of_range();
        let has_bounds = self.is_bounded && !(is_walked && self.sort == Sort::AvgViewers);
        if (is_walked || !self.sort.is_of_range()) && !has_bounds {
            return String::new();
        }
        let bounds = if has_bounds { self.bounds() } else { "" };
        format!(
            "CROSS JOIN LATERAL (SELECT * FROM public_channel_ranges AS ranges
                 WHERE ranges.range_days = $1 AND ranges.platform = found.platform
                     AND ranges.platform_channel_id = found.platform_channel_id{bounds} OFFSET 0) AS range"
        )
    }

    /// Row that holds the sort key.
    const fn keeper(self) -> &'static str {
        if self.sort.is_of_range() { "range" } else { "channel" }
    }

    const fn platform(self) -> &'static str {
        if self.has_platform { " AND platform = $2" } else { "" }
    }

    const fn bounds(self) -> &'static str {
        if !self.is_bounded {
            return "";
        }
        " AND ($3::double precision IS NULL OR avg_viewers >= $3)
          AND ($4::double precision IS NULL OR avg_viewers <= $4)"
    }

    const fn column(self) -> &'static str {
        match self.sort {
            Sort::AvgViewers => "avg_viewers",
            Sort::PeakViewers => "peak_viewers",
            Sort::Followers => "followers",
            Sort::HoursStreamed => "live_secs",
            Sort::TotalMessages => "total_messages",
            Sort::LastStreamedAt => "last_streamed_at",
        }
    }

    /// Direction of the key, and the order of equal ones. Each index is read forwards or backwards; an unknown
    /// value is the lowest.
    const fn direction(self) -> (&'static str, &'static str) {
        match (self.order, self.sort.is_of_range()) {
            (PublicStatsOrder::Desc, true) => ("DESC", "platform, platform_channel_id"),
            (PublicStatsOrder::Desc, false) => ("DESC NULLS LAST", "platform, platform_channel_id"),
            (PublicStatsOrder::Asc, true) => ("ASC", "platform DESC, platform_channel_id DESC"),
            (PublicStatsOrder::Asc, false) => ("ASC NULLS FIRST", "platform DESC, platform_channel_id DESC"),
        }
    }

    fn order_by(self) -> String {
        let (direction, ties) = self.direction();
        format!("sort_key {direction}, {ties}")
    }
}

impl Sort {
    /// True for a figure of the range, false for one of the channel itself.
    const fn is_of_range(self) -> bool {
        !matches!(self, Self::Followers | Self::LastStreamedAt)
    }
}
