//! Sums of the public statistics by plain SQL, and the same as they are stored.

/// Days of channels by plain SQL over the samples: of a day with first-party samples only these count.
pub const DAYS: &str = "
    SELECT platform, platform_channel_id, day, source,
        coalesce(sum(weight_secs) FILTER (WHERE viewer_count IS NOT NULL), 0)::bigint AS live_secs,
        coalesce(sum(viewer_count * weight_secs), 0)::bigint AS viewer_secs,
        coalesce(max(viewer_count), 0) AS peak_viewers, sum(message_count)::bigint AS message_count,
        count(*) AS sample_count
    FROM (
        SELECT *, (at AT TIME ZONE 'UTC')::date AS day, source = max(source) OVER (
            PARTITION BY platform, platform_channel_id, (at AT TIME ZONE 'UTC')::date) AS is_counted
        FROM channel_samples
    ) AS sample
    WHERE is_counted GROUP BY platform, platform_channel_id, day, source";
/// The same days as they are stored.
pub const STORED_DAYS: &str = "
    SELECT platform, platform_channel_id, day, source, live_secs, viewer_secs, peak_viewers, message_count, sample_count
    FROM public_channel_days";
/// Ranges of channels by plain SQL over the stored days.
pub const RANGES: &str = "
    SELECT range_days::smallint AS range_days, platform, platform_channel_id, max(peak_viewers) AS peak_viewers,
        sum(live_secs)::bigint AS live_secs, sum(message_count)::bigint AS total_messages
    FROM public_channel_days, unnest('{7,30,90}'::integer[]) AS range_days
    WHERE day > (now() AT TIME ZONE 'UTC')::date - range_days GROUP BY 1, 2, 3";
/// The same ranges as they are stored.
pub const STORED_RANGES: &str = "
    SELECT range_days, platform, platform_channel_id, peak_viewers, live_secs, total_messages FROM public_channel_ranges";
