//! Emotes and their use (reference/public-stats.md#roll-ups).

use chrono::{DateTime, NaiveDate, Utc};
use diesel::{
    sql_query,
    sql_types::{Array, BigInt, Bool, Date, Nullable, Text, Timestamptz},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use shared::{Result, platform::Platform};

use crate::{
    counts::counted,
    text::{storable, storable_id, storable_name},
};

/// Providers of emotes in the catalogue.
pub const PROVIDERS: [&str; 6] = ["twitch", "7tv", "bttv", "ffz", "youtube", "kick"];
/// Number of emotes of one statement.
const BATCH_SIZE: usize = 1_000;
/// Maximum number of emotes of one channel and day that are counted, the most used first.
pub const MAX_EMOTES_OF_A_DAY: usize = 5_000;
/// Number of rows that one statement deletes.
const DELETE_BATCH_SIZE: i64 = 5_000;
/// Maximum number of such statements of one call.
const MAX_DELETE_BATCHES: usize = 10_000;

/// Emote of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Emote {
    /// One of [`PROVIDERS`]; emotes of others are skipped.
    pub provider: String,
    /// Id at the provider.
    pub emote_id: String,
    /// Code in chat lines.
    pub name: String,
    /// Address of the picture; `None` keeps the known one.
    pub url: Option<String>,
    /// True for moving pictures; `None` keeps what is known.
    pub animated: Option<bool>,
}

/// Use of an emote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmoteUse {
    /// One of [`PROVIDERS`]; emotes of others are skipped.
    pub provider: String,
    /// Id at the provider.
    pub emote_id: String,
    /// Number of times that it was used.
    pub usage_count: i64,
}

/// Use of emotes in a channel on one UTC day, all streams together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmoteDay {
    /// Platform of the channel.
    pub platform: Platform,
    /// Id of the channel on its platform.
    pub platform_channel_id: String,
    /// Day.
    pub day: NaiveDate,
    /// Emotes; of several with one id the counts are summed up.
    pub uses: Vec<EmoteUse>,
}

/// Adds emotes to the catalogue, or changes what is known of them.
///
/// # Errors
/// A failure of the database.
pub async fn catalogue(
    connection: &mut AsyncPgConnection,
    emotes: &[Emote],
    now: DateTime<Utc>,
) -> Result<()> {
    for batch in emotes.chunks(BATCH_SIZE) {
        sql_query(CATALOGUE)
            .bind::<Array<Text>, _>(column(batch, |emote| emote.provider.as_str()))
            .bind::<Array<Text>, _>(column(batch, |emote| storable_id(&emote.emote_id)))
            .bind::<Array<Text>, _>(column(batch, |emote| storable_name(&emote.name)))
            .bind::<Array<Nullable<Text>>, _>(column(batch, |emote| emote.url.as_deref().map(storable)))
            .bind::<Array<Nullable<Bool>>, _>(column(batch, |emote| emote.animated))
            .bind::<Timestamptz, _>(now)
            .bind::<Array<Text>, _>(PROVIDERS.as_slice())
            .prepared()
            .execute(connection)
            .await?;
    }
    Ok(())
}

/// Replaces the counts of a channel's day, and marks the emotes whose count changed, in one statement.
/// Emotes with a count below one are absent.
///
/// # Errors
/// A failure of the database.
pub async fn use_counts(connection: &mut AsyncPgConnection, of: &EmoteDay) -> Result<()> {
    let mut uses: Vec<&EmoteUse> = of.uses.iter().collect();
    uses.sort_by_key(|used| std::cmp::Reverse(used.usage_count));
    uses.truncate(MAX_EMOTES_OF_A_DAY);
    sql_query(USE_COUNTS)
        .bind::<Text, _>(of.platform.slug())
        .bind::<Text, _>(storable_id(&of.platform_channel_id))
        .bind::<Date, _>(of.day)
        .bind::<Array<Text>, _>(column(&uses, |used| used.provider.as_str()))
        .bind::<Array<Text>, _>(column(&uses, |used| storable_id(&used.emote_id)))
        .bind::<Array<BigInt>, _>(column(&uses, |used| counted(used.usage_count)))
        .bind::<Array<Text>, _>(PROVIDERS.as_slice())
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

/// Marks the emotes of a channel's days in the ranges, for a channel that was hidden or shown in the caller's
/// transaction: those of hidden channels do not count.
///
/// # Errors
/// A failure of the database.
pub(crate) async fn mark_channel(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    platform_channel_id: &str,
) -> Result<()> {
    sql_query(MARK_CHANNEL)
        .bind::<Text, _>(platform.slug())
        .bind::<Text, _>(platform_channel_id)
        .prepared()
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes the counts of a channel, and marks its emotes.
///
/// # Errors
/// A failure of the database.
pub(crate) async fn delete_channel(
    connection: &mut AsyncPgConnection,
    platform: Platform,
    platform_channel_id: &str,
) -> Result<()> {
    for _ in 0..MAX_DELETE_BATCHES {
        let deleted = sql_query(DELETE_CHANNEL)
            .bind::<Text, _>(platform.slug())
            .bind::<Text, _>(platform_channel_id)
            .bind::<BigInt, _>(DELETE_BATCH_SIZE)
            .get_result::<Deleted>(connection)
            .await?;
        if deleted.count < DELETE_BATCH_SIZE {
            break;
        }
    }
    Ok(())
}

#[derive(diesel::QueryableByName)]
struct Deleted {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

const CATALOGUE: &str = "
    INSERT INTO public_emotes AS known (provider, emote_id, name, url, animated, first_seen_at)
    SELECT DISTINCT ON (provider, emote_id) provider, emote_id, name, url, coalesce(animated, false), $6
    FROM unnest($1, $2, $3, $4, $5) AS given (provider, emote_id, name, url, animated)
    WHERE provider = ANY ($7) ORDER BY provider, emote_id
    ON CONFLICT (provider, emote_id) DO UPDATE SET name = excluded.name, url = coalesce(excluded.url, known.url),
        animated = known.animated OR excluded.animated
    WHERE (known.name, known.url, known.animated)
        IS DISTINCT FROM (excluded.name, coalesce(excluded.url, known.url), known.animated OR excluded.animated)";

const USE_COUNTS: &str = "
    WITH given AS MATERIALIZED (
        SELECT provider, emote_id, sum(usage_count)::bigint AS usage_count
        FROM unnest($4, $5, $6) AS given (provider, emote_id, usage_count)
        WHERE provider = ANY ($7) GROUP BY provider, emote_id HAVING sum(usage_count) > 0
    ), gone AS (
        DELETE FROM public_emote_days AS known
        WHERE known.platform = $1 AND known.platform_channel_id = $2 AND known.day = $3 AND NOT EXISTS (
            SELECT 1 FROM given WHERE given.provider = known.provider AND given.emote_id = known.emote_id)
        RETURNING known.provider, known.emote_id
    ), written AS (
        INSERT INTO public_emote_days AS known (provider, emote_id, platform, platform_channel_id, day, usage_count)
        SELECT provider, emote_id, $1, $2, $3, usage_count FROM given ORDER BY provider, emote_id
        ON CONFLICT (provider, emote_id, platform, day, platform_channel_id) DO UPDATE SET
            usage_count = excluded.usage_count
        WHERE known.usage_count <> excluded.usage_count
        RETURNING provider, emote_id
    )
    INSERT INTO public_emote_marks AS known (platform, provider, emote_id)
    SELECT $1, changed.provider, changed.emote_id
    FROM (SELECT provider, emote_id FROM gone UNION SELECT provider, emote_id FROM written) AS changed
    ORDER BY 2, 3
    ON CONFLICT (platform, provider, emote_id) DO UPDATE SET emote_id = excluded.emote_id WHERE false";

const MARK_CHANNEL: &str = "
    INSERT INTO public_emote_marks AS known (platform, provider, emote_id)
    SELECT DISTINCT $1, provider, emote_id FROM public_emote_days
    WHERE platform = $1 AND platform_channel_id = $2
        AND day > (SELECT day FROM public_sweeps WHERE sweep = 'emotes') - 90
    ORDER BY 2, 3
    ON CONFLICT (platform, provider, emote_id) DO UPDATE SET emote_id = excluded.emote_id WHERE false";

const DELETE_CHANNEL: &str = "
    WITH gone AS (
        DELETE FROM public_emote_days WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM public_emote_days WHERE platform = $1 AND platform_channel_id = $2 LIMIT $3))
        RETURNING provider, emote_id
    ), marked AS (
        INSERT INTO public_emote_marks AS known (platform, provider, emote_id)
        SELECT DISTINCT $1, provider, emote_id FROM gone ORDER BY 2, 3
        ON CONFLICT (platform, provider, emote_id) DO UPDATE SET emote_id = excluded.emote_id WHERE false
    )
    SELECT count(*) AS count FROM gone";
