//! Statements of the directory of games. As with channels, an order is walked in its index and every other row
//! is found by its key (reference/public-stats.md#lists).
//!
//! Parameters: `$1` days of the range, `$2` platform, `$3` search, `$4` limit, `$5` offset.

use super::{GamesQuery, PublicStatsGamesSort as Sort};
use crate::lists::{IN_ONE_PROCESS, MAX_LISTED, MAX_WALKED, PublicStatsOrder};

/// Shape of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    sort: Sort,
    order: PublicStatsOrder,
    has_platform: bool,
    is_search: bool,
}

impl Shape {
    pub(super) fn of(query: &GamesQuery) -> Self {
        Self {
            sort: query.sort,
            order: query.order,
            has_platform: query.platform.is_some(),
            is_search: query.search.is_some(),
        }
    }

    /// Text of the statement. There are 32.
    pub(super) fn sql(self) -> String {
        let (direction, ties) = self.direction();
        let order = format!("sort_key {direction}, {ties}");
        let matches = if self.is_search { self.named() } else { self.walk(&order) };
        format!(
            "WITH matches AS MATERIALIZED ({matches}),
             page AS (SELECT * FROM matches ORDER BY {order} LIMIT $4 OFFSET $5)
             SELECT totals.total, shown.* FROM (SELECT count(*) AS total FROM matches) AS totals
             LEFT JOIN (
                 SELECT page.sort_key, page.platform, page.game_id, game.name, game.box_art_url, game.live_viewers,
                     game.live_channels, coalesce(range.avg_viewers, 0) AS avg_viewers,
                     coalesce(range.peak_viewers, 0) AS peak_viewers, coalesce(range.hours_watched, 0) AS hours_watched
                 FROM page
                 CROSS JOIN LATERAL (SELECT * FROM public_games AS games
                     WHERE games.platform = page.platform AND games.game_id = page.game_id OFFSET 0) AS game
                 LEFT JOIN LATERAL (SELECT * FROM public_game_ranges AS ranges
                     WHERE ranges.range_days = $1 AND ranges.platform = page.platform
                         AND ranges.game_id = page.game_id OFFSET 0) AS range ON true
             ) AS shown ON true ORDER BY {order}"
        )
    }

    /// Keys in the order of the list, read from its index alone.
    fn walk(self, order: &str) -> String {
        let ((table, base, column), (direction, ties)) = (self.kept_in(), self.direction());
        let limit = if self.has_platform { MAX_WALKED } else { MAX_LISTED };
        let walked = format!(
            "SELECT platform, game_id, {column} AS sort_key FROM {table} WHERE {base}{IN_ONE_PROCESS}
             ORDER BY {column} {direction}, {ties} LIMIT (SELECT {limit})"
        );
        format!(
            "SELECT * FROM ({walked}) AS walked WHERE true{} ORDER BY {order} LIMIT {MAX_LISTED}",
            self.platform()
        )
    }

    /// Games whose name begins with the search.
    fn named(self) -> String {
        let (table, base, column) = self.kept_in();
        format!(
            "SELECT found.platform, found.game_id, keyed.sort_key
             FROM (SELECT * FROM (SELECT platform, game_id FROM public_games
                       WHERE lower(name) ~>=~ lower($3) AND lower(name) ~<~ (lower($3) || chr(1114111))
                       ORDER BY lower(name) USING ~<~ LIMIT (SELECT {MAX_LISTED})) AS named
                   WHERE true{}) AS found
             CROSS JOIN LATERAL (SELECT {column} AS sort_key FROM {table} AS keyed
                   WHERE {base} AND keyed.platform = found.platform AND keyed.game_id = found.game_id
                   OFFSET 0) AS keyed",
            self.platform()
        )
    }

    const fn platform(self) -> &'static str {
        if self.has_platform { " AND platform = $2" } else { "" }
    }

    /// Table of the sort key, its condition and the key.
    const fn kept_in(self) -> (&'static str, &'static str, &'static str) {
        match self.sort {
            Sort::Viewers => ("public_games", "true", "live_viewers"),
            Sort::Channels => ("public_games", "true", "live_channels"),
            Sort::Name => ("public_games", "true", "lower(name)"),
            Sort::HoursWatched => ("public_game_ranges", "range_days = $1", "hours_watched"),
        }
    }

    /// Direction of the key, and the order of equal ones. Each index is read forwards or backwards: that of
    /// names ascends, the others descend.
    const fn direction(self) -> (&'static str, &'static str) {
        let is_forwards = matches!(
            (self.order, self.sort),
            (PublicStatsOrder::Asc, Sort::Name)
                | (PublicStatsOrder::Desc, Sort::Viewers | Sort::Channels | Sort::HoursWatched)
        );
        let direction = if matches!(self.order, PublicStatsOrder::Asc) { "ASC" } else { "DESC" };
        (direction, if is_forwards { "platform, game_id" } else { "platform DESC, game_id DESC" })
    }
}
