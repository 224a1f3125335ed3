//! Actions of moderators: in Lumio, on the platforms and by automations. They are recorded where removals are
//! marked, whether chat is stored or not (reference/history.md#moderation).

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::{
    db::{Prepare, column},
    events::{Removal, RemovalAction},
};
use shared::Result;
use uuid::Uuid;

use super::{Moderation, time::Window};
use crate::minutes::{begin, chatter_hash, line_hash};

/// Seconds within which the same action on the same person is one: the platform reports back what Lumio did.
const ECHO_DELAY_SECS: i64 = 60;

/// Bans and time-outs that the platform reports back are one with the action that it reports.
pub const REMOVALS: &str = "
    SELECT count(*) FILTER (WHERE kind = 'ban' AND is_new) AS bans,
        count(*) FILTER (WHERE kind = 'timeout' AND is_new) AS timeouts,
        count(DISTINCT (platform, subject)) FILTER (WHERE kind = 'message') AS deletions
    FROM (
        SELECT kind, platform, subject, coalesce(
            removed_at - lag(removed_at) OVER (PARTITION BY platform, kind, subject ORDER BY removed_at)
                > $4 * interval '1 second', true) AS is_new
        FROM stream_removals WHERE account_id = $1 AND removed_at >= $2 AND removed_at < $3
    ) AS removal";

/// A new record marks its minute, so that a report that was made before it is made again.
const NOTE: &str = "
    WITH noted AS (
        INSERT INTO stream_removals (account_id, platform, removed_at, kind, subject) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT DO NOTHING RETURNING account_id
    )
    INSERT INTO stream_minute_marks (account_id, platform, minute) SELECT account_id, $2, $6 FROM noted";

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = BigInt)]
    bans: i64,
    #[diesel(sql_type = BigInt)]
    timeouts: i64,
    #[diesel(sql_type = BigInt)]
    deletions: i64,
}

/// Counts the actions of moderators in a session.
pub(super) async fn read(
    timeseries: &mut AsyncPgConnection,
    account: Uuid,
    window: Window,
) -> Result<Moderation> {
    let Row { bans, timeouts, deletions } = sql_query(REMOVALS)
        .bind::<SqlUuid, _>(account)
        .bind::<Timestamptz, _>(window.from)
        .bind::<Timestamptz, _>(window.to)
        .bind::<BigInt, _>(ECHO_DELAY_SECS)
        .prepared()
        .get_result(timeseries)
        .await?;
    Ok(Moderation { bans, timeouts, deletions })
}

/// Records a ban, a time-out or the removal of one message, without names. It may be repeated with the same time.
/// Other removals are not counted.
///
/// # Errors
/// A failure of the database.
pub async fn note_removal(
    timeseries: &mut AsyncPgConnection,
    account: Uuid,
    platform: &str,
    removal: &Removal,
    removed_at: DateTime<Utc>,
) -> Result<()> {
    let (kind, subject) = match removal {
        Removal::Message { message_id } => ("message", line_hash(platform, message_id)),
        Removal::User { platform_user_id, action: RemovalAction::Ban, .. } => {
            ("ban", chatter_hash(account, platform, platform_user_id))
        }
        Removal::User { platform_user_id, action: RemovalAction::Timeout, .. } => {
            ("timeout", chatter_hash(account, platform, platform_user_id))
        }
        Removal::User { action: RemovalAction::Clear, .. } | Removal::Chat { .. } => return Ok(()),
    };
    sql_query(NOTE)
        .bind::<SqlUuid, _>(account)
        .bind::<Text, _>(platform)
        .bind::<Timestamptz, _>(removed_at)
        .bind::<Text, _>(kind)
        .bind::<BigInt, _>(subject)
        .bind::<Timestamptz, _>(begin(removed_at))
        .prepared()
        .execute(timeseries)
        .await?;
    Ok(())
}

/// Replaces the key of a person in the recorded bans and time-outs of these accounts by a random one, so that the
/// numbers stay the same. Returns the number of records.
///
/// # Errors
/// A failure of the database.
pub async fn forget_moderated(
    timeseries: &mut AsyncPgConnection,
    platform: &str,
    platform_user_id: &str,
    accounts: &[Uuid],
) -> Result<usize> {
    const FORGET: &str = "
        UPDATE stream_removals AS removal SET subject = wanted.replacement
        FROM unnest($1, $2, $3) AS wanted (account_id, subject, replacement)
        WHERE removal.account_id = wanted.account_id AND removal.platform = $4
            AND removal.subject = wanted.subject AND removal.kind IN ('ban', 'timeout')";
    // A fresh id is random enough that its hash cannot be found by trying.
    let replacement = |account: &Uuid| chatter_hash(*account, "", &shared::id::new().to_string());
    Ok(sql_query(FORGET)
        .bind::<Array<SqlUuid>, _>(accounts)
        .bind::<Array<BigInt>, _>(column(accounts, |account| {
            chatter_hash(*account, platform, platform_user_id)
        }))
        .bind::<Array<BigInt>, _>(column(accounts, replacement))
        .bind::<Text, _>(platform)
        .prepared()
        .execute(timeseries)
        .await?)
}
