//! Whether a channel is on air, for those who ask later (specification C §10, channel status): platforms that push it
//! are believed at once.

use chrono::{DateTime, Utc};
use diesel::{
    sql_query,
    sql_types::{Array, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::Result;
use uuid::Uuid;

/// What a platform said of a channel, and when.
#[derive(Debug, Clone, Copy)]
pub(super) struct StreamStatus {
    pub is_online: bool,
    pub started_at: Option<DateTime<Utc>>,
    pub said_at: DateTime<Utc>,
}

/// Notes it for every account that has connected the channel, unless something newer is known: deliveries overtake each
/// other.
pub(super) async fn note(
    connection: &mut AsyncPgConnection,
    platform: &str,
    accounts: &[Uuid],
    status: StreamStatus,
) -> Result<()> {
    let sql = "
        INSERT INTO channel_statuses (id, account_id, platform, is_online, broadcast_status, started_at, updated_at)
        SELECT gen_random_uuid(), account_id, platform, $3, CASE WHEN $3 THEN 'live' END, $4, $5
        FROM channel_connections WHERE platform = $1 AND account_id = ANY ($2)
        ON CONFLICT (account_id, platform, broadcast_id) DO UPDATE SET
            is_online = excluded.is_online, broadcast_status = excluded.broadcast_status,
            started_at = excluded.started_at, updated_at = excluded.updated_at
        WHERE channel_statuses.updated_at <= excluded.updated_at";
    sql_query(sql)
        .bind::<Text, _>(platform)
        .bind::<Array<SqlUuid>, _>(accounts)
        .bind::<Bool, _>(status.is_online)
        .bind::<Nullable<Timestamptz>, _>(status.started_at)
        .bind::<Timestamptz, _>(status.said_at)
        .execute(connection)
        .await?;
    Ok(())
}
