//! Stored messages of a removal.

use chrono::{DateTime, Duration, Utc};
use diesel::{
    sql_query,
    sql_types::{Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::events::Removal;
use shared::Result;
use uuid::Uuid;

/// Age of the messages that a cleared chat concerns.
const MAX_VISIBLE_AGE: Duration = Duration::hours(24);

/// Marks the stored messages that were sent up to the time of the removal. Returns their number. Later
/// messages of a user are not affected, because a time-out ends.
///
/// # Errors
/// A failure of the database.
pub async fn mark(
    removal: &Removal,
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    platform: &str,
    until: DateTime<Utc>,
) -> Result<usize> {
    let (column, id, until) = match removal {
        Removal::Message { message_id } => ("platform_message_id", message_id, None),
        Removal::User { platform_user_id, .. } => ("platform_user_id", platform_user_id, Some(until)),
        Removal::Chat { at } => return mark_shown(connection, account_id, platform, *at).await,
    };
    let marked = sql_query(format!(
        "UPDATE chat_messages SET is_deleted = true \
         WHERE account_id = $1 AND platform = $2 AND {column} = $3 \
         AND sent_at <= coalesce($4, 'infinity') AND NOT is_deleted"
    ))
    .bind::<SqlUuid, _>(account_id)
    .bind::<Text, _>(platform)
    .bind::<Text, _>(id)
    .bind::<Nullable<Timestamptz>, _>(until)
    .execute(connection)
    .await?;
    Ok(marked)
}

async fn mark_shown(
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    platform: &str,
    at: DateTime<Utc>,
) -> Result<usize> {
    let marked = sql_query(
        "UPDATE chat_messages SET is_deleted = true \
         WHERE account_id = $1 AND platform = $2 AND sent_at > $3 AND sent_at <= $4 AND NOT is_deleted",
    )
    .bind::<SqlUuid, _>(account_id)
    .bind::<Text, _>(platform)
    .bind::<Timestamptz, _>(at - MAX_VISIBLE_AGE)
    .bind::<Timestamptz, _>(at)
    .execute(connection)
    .await?;
    Ok(marked)
}
