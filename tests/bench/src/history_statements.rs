//! Reads of the history and of the public statistics, each with the statement that the API sends for it.

use stack::Stack;

use crate::seed_history::Amounts;

/// Reads of one kind with different parameters: the API keeps public answers for a minute.
pub struct Reads {
    pub work: &'static str,
    /// Limit of the 99th percentile in milliseconds; without one the statement is the measure.
    pub max_p99: Option<f64>,
    /// Path of each read.
    pub paths: Vec<String>,
    /// Types of the statement's parameters.
    pub types: &'static str,
    /// The statement.
    pub statement: String,
    /// Parameters of each read.
    pub parameters: Vec<String>,
}

/// All reads that are measured.
pub fn all(stack: &Stack, amounts: Amounts, reports: &[String]) -> Vec<Reads> {
    vec![
        history(stack, amounts),
        report(stack, reports),
        trends(amounts),
        browse(amounts),
        games(amounts),
        ideas(stack, amounts),
    ]
}

fn numbers(amounts: Amounts) -> std::ops::Range<u32> {
    0..amounts.requests
}

/// Pages of the sessions by their average of viewers.
fn history(stack: &Stack, amounts: Amounts) -> Reads {
    let pages = || numbers(amounts).map(|request| request % (amounts.sessions / 25).max(1));
    Reads {
        work: "Stream history, pages of 25 by viewers",
        max_p99: None,
        paths: pages()
            .map(|page| {
                format!("/v1/history?platform=twitch&sort_by=avg_viewers&per_page=25&page={}", page + 1)
            })
            .collect(),
        types: "uuid, timestamptz, timestamptz, text, text, text, text, bigint, bigint",
        statement: format!(
            "SELECT (SELECT count(*) FROM stream_sessions WHERE {WANTED}) AS total, {COLUMNS}
             FROM stream_sessions WHERE {WANTED}
             ORDER BY avg_viewers DESC NULLS LAST, started_at DESC, id DESC LIMIT $8 OFFSET $9"
        ),
        parameters: pages()
            .map(|page| {
                format!("'{}', NULL, NULL, NULL, 'twitch', NULL, NULL, 25, {}", stack.account_id, page * 25)
            })
            .collect(),
    }
}

/// Stored reports.
fn report(stack: &Stack, reports: &[String]) -> Reads {
    Reads {
        work: "Report of a session",
        max_p99: None,
        paths: reports.iter().map(|id| format!("/v1/history/reports/{id}")).collect(),
        types: "uuid, uuid",
        statement: format!(
            "SELECT {COLUMNS}, minutes_from, minutes_to, report FROM stream_sessions WHERE account_id = $1 AND id = $2"
        ),
        parameters: reports.iter().map(|id| format!("'{}', '{id}'", stack.account_id)).collect(),
    }
}

/// Days of a year, of each channel once.
fn trends(amounts: Amounts) -> Reads {
    let channels = || 1..=amounts.channels;
    Reads {
        work: "Trends over 365 days",
        max_p99: Some(10.0),
        paths: channels()
            .map(|c| format!("/v1/public-stats/channels/twitch/seed{c}/trends?range=DAYS_365"))
            .collect(),
        types: "text, text, date, date",
        statement: "SELECT day, follower_count,
                CASE WHEN live_secs > 0 THEN viewer_secs::double precision / live_secs END AS avg_viewers
            FROM public_channel_days
            WHERE platform = $1 AND platform_channel_id = $2 AND day > $3 AND day <= $4 ORDER BY day"
            .to_owned(),
        parameters: channels()
            .map(|c| format!("'twitch', 'seed{c}', current_date - 365, current_date"))
            .collect(),
    }
}

/// Directory with filters of language, kind and viewers.
fn browse(amounts: Amounts) -> Reads {
    const ORDER: &str = "sort_key DESC, platform, platform_channel_id";
    Reads {
        work: "Browse with filters",
        max_p99: None,
        paths: numbers(amounts)
            .map(|least| {
                format!(
                    "/v1/public-stats/browse?platform=twitch&language=en&broadcaster_type=partner&min_viewers={least}"
                )
            })
            .collect(),
        types: "smallint, text, double precision, double precision, text, text, boolean, bigint, bigint",
        statement: format!(
            "WITH matches AS MATERIALIZED (
                 SELECT found.platform, found.platform_channel_id, found.sort_key
                 FROM (SELECT platform, platform_channel_id, avg_viewers AS sort_key FROM public_channel_ranges
                     WHERE range_days = $1 AND platform = $2 AND ($3 IS NULL OR avg_viewers >= $3)
                         AND ($4 IS NULL OR avg_viewers <= $4)
                     ORDER BY avg_viewers DESC, platform, platform_channel_id LIMIT 100000) AS found
                 CROSS JOIN LATERAL (SELECT channels.followers, channels.last_streamed_at
                     FROM public_channels AS channels
                     WHERE channels.platform = found.platform
                         AND channels.platform_channel_id = found.platform_channel_id AND NOT channels.is_hidden
                         AND ($5 IS NULL OR channels.language = $5)
                         AND ($6 IS NULL OR channels.broadcaster_type = $6)
                         AND ($7 IS NULL OR channels.is_live = $7) OFFSET 0) AS channel
                 ORDER BY {ORDER} LIMIT 10000),
             page AS (SELECT * FROM matches ORDER BY {ORDER} LIMIT $8 OFFSET $9)
             SELECT totals.total, shown.* FROM (SELECT count(*) AS total FROM matches) AS totals
             LEFT JOIN (
                 SELECT page.sort_key, channel.*, range.avg_viewers, range.peak_viewers, range.live_secs
                 FROM page
                 CROSS JOIN LATERAL (SELECT * FROM public_channels AS channels
                     WHERE channels.platform = page.platform
                         AND channels.platform_channel_id = page.platform_channel_id AND NOT channels.is_hidden
                     OFFSET 0) AS channel
                 LEFT JOIN LATERAL (SELECT * FROM public_channel_ranges AS ranges
                     WHERE ranges.range_days = $1 AND ranges.platform = page.platform
                         AND ranges.platform_channel_id = page.platform_channel_id
                     OFFSET 0) AS range ON true
             ) AS shown ON true ORDER BY {ORDER}"
        ),
        parameters: numbers(amounts)
            .map(|least| format!("30, 'twitch', {least}, NULL, 'en', 'partner', NULL, 25, 0"))
            .collect(),
    }
}

/// Pages of the directory of games.
fn games(amounts: Amounts) -> Reads {
    const ORDER: &str = "sort_key DESC, platform, game_id";
    Reads {
        work: "Games by hours watched",
        max_p99: None,
        paths: numbers(amounts)
            .map(|page| {
                format!("/v1/public-stats/games?platform=twitch&sort=hours_watched&limit=25&page={}", page + 1)
            })
            .collect(),
        types: "smallint, text, text, bigint, bigint",
        statement: format!(
            "WITH matches AS MATERIALIZED (
                 SELECT * FROM (SELECT platform, game_id, hours_watched AS sort_key FROM public_game_ranges
                     WHERE range_days = $1 ORDER BY hours_watched DESC, platform, game_id LIMIT 100000) AS walked
                 WHERE true AND platform = $2 ORDER BY {ORDER} LIMIT 10000),
             page AS (SELECT * FROM matches ORDER BY {ORDER} LIMIT $4 OFFSET $5)
             SELECT totals.total, shown.*, $3::text FROM (SELECT count(*) AS total FROM matches) AS totals
             LEFT JOIN (
                 SELECT page.sort_key, page.platform, page.game_id, game.name, game.box_art_url, game.live_viewers,
                     game.live_channels, range.avg_viewers, range.peak_viewers, range.hours_watched
                 FROM page
                 CROSS JOIN LATERAL (SELECT * FROM public_games AS games
                     WHERE games.platform = page.platform AND games.game_id = page.game_id OFFSET 0) AS game
                 LEFT JOIN LATERAL (SELECT * FROM public_game_ranges AS ranges
                     WHERE ranges.range_days = $1 AND ranges.platform = page.platform
                         AND ranges.game_id = page.game_id OFFSET 0) AS range ON true
             ) AS shown ON true ORDER BY {ORDER}"
        ),
        parameters: numbers(amounts).map(|page| format!("30, 'twitch', NULL, 25, {}", page * 25)).collect(),
    }
}

/// Pages of the ideas by votes.
fn ideas(stack: &Stack, amounts: Amounts) -> Reads {
    const ORDER: &str = "score DESC, created_at DESC, id DESC";
    Reads {
        work: "Ideas by votes",
        max_p99: None,
        paths: numbers(amounts)
            .map(|page| format!("/v1/ideas?sort=most_voted&limit=20&offset={}", page * 20))
            .collect(),
        types: "bigint, bigint, uuid",
        statement: format!(
            "WITH page AS (
                 SELECT ideas.*, users.display_name AS author_name, users.avatar_url AS author_avatar_url,
                     categories.name AS category_name, texts.title, texts.description,
                     (SELECT vote_type FROM idea_votes WHERE idea_id = ideas.id AND user_id = $3) AS my_vote, tags.*
                 FROM (SELECT * FROM ideas ORDER BY {ORDER} LIMIT $1 OFFSET $2) AS ideas
                 JOIN users ON users.id = ideas.author_id
                 JOIN idea_categories AS categories ON categories.id = ideas.category_id
                 JOIN idea_texts AS texts ON texts.idea_id = ideas.id
                 CROSS JOIN LATERAL (
                     SELECT coalesce(array_agg(tags.id ORDER BY tags.name), '{{}}') AS tag_ids,
                         coalesce(array_agg(tags.name ORDER BY tags.name), '{{}}') AS tag_names
                     FROM idea_tag_links AS links JOIN idea_tags AS tags ON tags.id = links.tag_id
                     WHERE links.idea_id = ideas.id) AS tags)
             SELECT totals.total, page.*
             FROM (SELECT coalesce(sum(ideas), 0)::bigint AS total FROM idea_totals) AS totals
             LEFT JOIN page ON true ORDER BY {ORDER}"
        ),
        parameters: numbers(amounts).map(|page| format!("20, {}, '{}'", page * 20, stack.user_id)).collect(),
    }
}

const COLUMNS: &str =
    "id, session_type, platforms, title, category, started_at, ended_at, duration_secs, peak_viewers,
    avg_viewers, total_messages, unique_chatters, new_followers, new_subscribers";

const WANTED: &str =
    "account_id = $1 AND ($2 IS NULL OR started_at >= $2) AND ($3 IS NULL OR started_at < $3)
    AND ($4 IS NULL OR session_type = $4) AND ($5 IS NULL OR $5 = ANY(platforms))
    AND ($6 IS NULL OR title ILIKE $6) AND ($7 IS NULL OR $7 = ANY(categories))";
