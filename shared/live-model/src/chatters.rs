//! Counts of chatters (reference/ingest.md#chatters).
//!
//! The statement that stores messages also records the writers of the new ones. Shortly after, the records
//! are counted into `platform_users` in one transaction, by any process. Each message is thus counted once,
//! however often it is read and wherever a process ends. In a lively chat one row of `platform_users` covers
//! many messages, so it is not written with them.

use diesel::{QueryableByName, sql_query, sql_types::BigInt};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use shared::{Error, Result};

/// Records of one statement, each of a batch of messages.
const BATCH_SIZE: i64 = 100;
/// Statements of one call. The rest waits for the next call.
const MAX_BATCHES: usize = 100;

/// Rows are written in the order of their keys, so that two counting processes never wait for each other in a
/// circle.
const COUNT: &str = "
    WITH taken AS (
        DELETE FROM chatter_notes WHERE id = ANY (ARRAY(
            SELECT id FROM chatter_notes ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
        RETURNING account_ids, platforms, platform_user_ids, usernames, display_names, sent_ats
    ),
    counted AS (
        INSERT INTO platform_users AS known (account_id, platform, platform_user_id, username, display_name,
            message_count, first_seen_at, last_seen_at)
        SELECT account_id, platform, platform_user_id, (array_agg(username ORDER BY sent_at DESC))[1],
            (array_agg(display_name ORDER BY sent_at DESC))[1], count(*), min(sent_at), max(sent_at)
        FROM taken, unnest(account_ids, platforms, platform_user_ids, usernames, display_names, sent_ats)
            AS said (account_id, platform, platform_user_id, username, display_name, sent_at)
        GROUP BY account_id, platform, platform_user_id
        ORDER BY account_id, platform, platform_user_id
        ON CONFLICT (account_id, platform, platform_user_id) DO UPDATE SET
            username = CASE WHEN excluded.last_seen_at < known.last_seen_at
                THEN known.username ELSE excluded.username END,
            display_name = CASE WHEN excluded.last_seen_at < known.last_seen_at
                THEN known.display_name ELSE excluded.display_name END,
            message_count = known.message_count + excluded.message_count,
            first_seen_at = least(known.first_seen_at, excluded.first_seen_at),
            last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at)
    )
    SELECT count(*) AS notes FROM taken";

#[derive(QueryableByName)]
struct Taken {
    #[diesel(sql_type = BigInt)]
    notes: i64,
}

/// Counts the writers of stored messages. Returns the number of counted batches of messages. Records that
/// another process is counting are left to it. A failed statement is tried again with half as many records:
/// it may have been too much for the time limit of a statement.
///
/// # Errors
/// A failure of the time-series database even with a single record. Uncounted records are kept.
pub async fn count_chatters(connection: &mut AsyncPgConnection) -> Result<i64> {
    let (mut counted, mut batch) = (0, BATCH_SIZE);
    for _ in 0..MAX_BATCHES {
        let taken = sql_query(COUNT).bind::<BigInt, _>(batch).get_result::<Taken>(&mut *connection).await;
        match taken.map_err(Error::from) {
            Ok(Taken { notes }) => {
                counted += notes;
                if notes < batch {
                    break;
                }
            }
            Err(error) if batch > 1 && error.is_refusal() => {
                batch /= 2;
                tracing::debug!(%error, batch, "the batch of counted messages is reduced");
            }
            Err(error) => return Err(error),
        }
    }
    Ok(counted)
}
