//! Ideas in the order of their trend: score / (hours + 2)^1.5 (reference/ideas.md#trending).
//!
//! The order changes with time, so that no stored value has it. Stored is the band of the score: scores of
//! one band differ by an eighth at most. Within a band the trend falls with the age, for scores below 0 it
//! rises, so the index over band and time gives the best rows of each band without the others.
//!
//! A page of `n` rows from the top is found in two steps. The `n` youngest rows of each band (the oldest
//! below 0) are a sample. The trend of its n-th best row is a bound: `n` rows at least have it or more, so
//! that no row below it is on the page. A row of a band reaches the bound only below an age that follows
//! from the highest score of the band. The rows of all bands within these ages hold the page, and are sorted
//! by the trend itself. Their number grows with `n`, which therefore has a bound.

/// Trend of a row of `ideas`; `$10` is the present time. A row of the future counts as new.
pub(super) const TREND: &str =
    "score / power(greatest(date_part('epoch', $10 - created_at), 0) / 3600 + 2, 1.5)";

/// Common table expressions up to `ranges`, the times of each band within which the page lies. `$1` and `$2`
/// are limit and offset. `filter` is a condition on columns of `ideas`, `category` the one of it on their category: each
/// category has bands of its own in an index.
pub(super) fn ranges(category: &str, filter: &str) -> String {
    // The bounds of time have a second to spare, and reach back 900 years at most: beyond is no valid time.
    format!(
        "levels AS (
            SELECT max(trend_band) AS band FROM ideas WHERE {category}
            UNION ALL
            SELECT (SELECT max(trend_band) FROM ideas WHERE trend_band < levels.band AND {category}) FROM levels
            WHERE levels.band IS NOT NULL),
         bands AS MATERIALIZED (
            SELECT band, CASE WHEN size < 8 THEN size ELSE (8 + size % 8) << (size / 8 - 1)::integer END AS lowest,
                CASE WHEN size < 8 THEN size ELSE ((9 + size % 8) << (size / 8 - 1)::integer) - 1 END AS highest
            FROM (SELECT band, abs(band)::bigint AS size FROM levels WHERE band IS NOT NULL) AS sizes),
         bound AS MATERIALIZED (
            SELECT trend FROM (
                SELECT best.trend FROM bands CROSS JOIN LATERAL (
                    SELECT {TREND} AS trend FROM ideas WHERE trend_band = bands.band AND {filter}
                    ORDER BY created_at DESC LIMIT $1 + $2) AS best
                WHERE bands.band >= 0
                UNION ALL
                SELECT best.trend FROM bands CROSS JOIN LATERAL (
                    SELECT {TREND} AS trend FROM ideas WHERE trend_band = bands.band AND {filter}
                    ORDER BY created_at LIMIT $1 + $2) AS best
                WHERE bands.band < 0) AS sample
            ORDER BY trend DESC OFFSET $1 + $2 - 1 LIMIT 1),
         ranges AS MATERIALIZED (
            SELECT band,
                CASE WHEN band > 0 AND trend > 0 THEN $10 - make_interval(secs =>
                    least((power(highest / trend, 2 / 3::double precision) - 2) * 3600 + 1, 3e10))
                    ELSE '-infinity'::timestamptz END AS since,
                CASE WHEN band < 0 AND trend < 0 THEN $10 - make_interval(secs =>
                    least((power(lowest / -trend, 2 / 3::double precision) - 2) * 3600 - 1, 3e10))
                    ELSE 'infinity'::timestamptz END AS until
            FROM bands LEFT JOIN bound ON true
            WHERE trend IS NULL OR band > 0 OR (band = 0 AND trend <= 0) OR trend < 0)"
    )
}

/// Rows of `ideas` within the ranges, with their trend.
pub(super) fn candidates(filter: &str) -> String {
    // Bands of one score from 0 to 7 are in the order of time, so that as many rows as the page needs are
    // enough of each. `OFFSET 0` keeps the index scan of each other range apart; joined otherwise, all rows
    // would be read.
    let within = format!(
        "SELECT *, {TREND} AS trend FROM ideas WHERE trend_band = ranges.band
            AND created_at >= ranges.since AND created_at <= ranges.until AND {filter}"
    );
    format!(
        "SELECT * FROM (
            SELECT rows.* FROM ranges CROSS JOIN LATERAL (
                {within} ORDER BY created_at DESC, id DESC LIMIT $1 + $2) AS rows
            WHERE ranges.band BETWEEN 0 AND 7
            UNION ALL
            SELECT rows.* FROM ranges CROSS JOIN LATERAL ({within} OFFSET 0) AS rows
            WHERE ranges.band NOT BETWEEN 0 AND 7) AS candidates"
    )
}
