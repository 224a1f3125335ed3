//! Erasure of a person from stored reports and public streams (reference/history.md#people-in-reports).

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, column};
use shared::Result;
use uuid::Uuid;

use super::Chatter;

/// Rows of one statement.
const BATCH_SIZE: i64 = 1000;
/// Statements of one call on one table. A row is found once, so the next call changes the rest.
const MAX_BATCHES: usize = 10_000;

/// Condition for a row of `stream_sessions` whose report names a person: `$1` is the platform, `$2` the
/// platform's id of the person. It has an index.
pub const REPORT_NAMES_CHATTER: &str = "report IS NOT NULL AND report -> 'top_chatters' @> jsonb_build_array(
    jsonb_build_object('platform', $1::text, 'platform_user_id', $2::text))";

/// Assignment that removes the person from such a row.
pub const REPORT_WITHOUT_CHATTER: &str = "report = jsonb_set(report, '{top_chatters}', (
    SELECT coalesce(jsonb_agg(entry ORDER BY place), '[]')
    FROM jsonb_array_elements(report -> 'top_chatters') WITH ORDINALITY AS listed (entry, place)
    WHERE NOT entry @> jsonb_build_object('platform', $1::text, 'platform_user_id', $2::text)))";

/// Condition for a row of `public_streams` that names a person. It has an index.
pub const STREAM_NAMES_CHATTER: &str = "top_chatters IS NOT NULL AND top_chatters @> jsonb_build_array(
    jsonb_build_object('platform', $1::text, 'platform_user_id', $2::text))";

/// Assignment that removes the person from such a row.
pub const STREAM_WITHOUT_CHATTER: &str = "top_chatters = (
    SELECT coalesce(jsonb_agg(entry ORDER BY place), '[]')
    FROM jsonb_array_elements(top_chatters) WITH ORDINALITY AS listed (entry, place)
    WHERE NOT entry @> jsonb_build_object('platform', $1::text, 'platform_user_id', $2::text))";

#[derive(QueryableByName)]
struct Missing {
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Text)]
    platform_user_id: String,
}

/// Removes a person from the stored reports and public streams of one account, or of all. Returns the number of
/// changed rows. Counts stay: they name no one. [`crate::minutes::forget_chatter`] removes the person's key from
/// the lines that are counted.
///
/// # Errors
/// A failure of the database.
pub async fn forget_chatter(
    postgres: &mut AsyncPgConnection,
    platform: &str,
    platform_user_id: &str,
    account: Option<Uuid>,
) -> Result<usize> {
    let of_reports = format!(
        "UPDATE stream_sessions SET {REPORT_WITHOUT_CHATTER} WHERE {REPORT_NAMES_CHATTER} AND id = ANY (ARRAY(
            SELECT id FROM stream_sessions
            WHERE {REPORT_NAMES_CHATTER} AND ($3 IS NULL OR account_id = $3) LIMIT $4))"
    );
    let of_streams = format!(
        "UPDATE public_streams SET {STREAM_WITHOUT_CHATTER}
        WHERE {STREAM_NAMES_CHATTER} AND (platform, broadcast_id) IN (
            SELECT platform, broadcast_id FROM public_streams AS stream
            WHERE {STREAM_NAMES_CHATTER} AND ($3 IS NULL OR EXISTS (
                SELECT FROM stream_broadcasts AS own WHERE own.account_id = $3
                    AND own.platform = stream.platform AND own.broadcast_id = stream.broadcast_id)) LIMIT $4)"
    );
    let mut changed = 0;
    for sql in [of_reports, of_streams] {
        for _ in 0..MAX_BATCHES {
            let rows = sql_query(&sql)
                .bind::<Text, _>(platform)
                .bind::<Text, _>(platform_user_id)
                .bind::<Nullable<SqlUuid>, _>(account)
                .bind::<BigInt, _>(BATCH_SIZE)
                .execute(postgres)
                .await?;
            changed += rows;
            if i64::try_from(rows).unwrap_or(i64::MAX) < BATCH_SIZE {
                break;
            }
        }
    }
    Ok(changed)
}

/// Removes the people from the stored reports and public streams of an account who were erased since the report
/// was read: nothing is known of them any more. Call it after each write of a report.
///
/// # Errors
/// A failure of a database.
pub async fn forget_erased(
    postgres: &mut AsyncPgConnection,
    timeseries: &mut AsyncPgConnection,
    account: Uuid,
    listed: &[Chatter],
) -> Result<()> {
    const MISSING: &str = "
        SELECT DISTINCT platform, platform_user_id FROM unnest($2, $3) AS person (platform, platform_user_id)
        WHERE NOT EXISTS (
            SELECT FROM platform_users AS known WHERE known.account_id = $1 AND known.platform = person.platform
                AND known.platform_user_id = person.platform_user_id)";
    if listed.is_empty() {
        return Ok(());
    }
    let missing: Vec<Missing> = sql_query(MISSING)
        .bind::<SqlUuid, _>(account)
        .bind::<Array<Text>, _>(column(listed, |person| person.platform.as_str()))
        .bind::<Array<Text>, _>(column(listed, |person| {
            person.platform_user_id.as_deref().unwrap_or_default()
        }))
        .prepared()
        .load(timeseries)
        .await?;
    for Missing { platform, platform_user_id } in missing {
        forget_chatter(postgres, &platform, &platform_user_id, Some(account)).await?;
    }
    Ok(())
}
