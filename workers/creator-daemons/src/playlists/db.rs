//! Queries over `playlist_syncs` of all accounts.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use live_model::copyright::{SongList, playlists::PlaylistSync};
use shared::{Error, Result, id::AccountId, schema::playlist_syncs::dsl};
use uuid::Uuid;

/// Time after which another copy may read a playlist that a copy has claimed.
const CLAIM_TTL: TimeDelta = TimeDelta::minutes(5);

/// Playlist that is due, claimed by this copy.
#[derive(Debug, QueryableByName)]
pub(super) struct Due {
    /// Identifier of the sync.
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    /// Account.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: AccountId,
    /// Id of the playlist at Spotify.
    #[diesel(sql_type = Text)]
    pub playlist_id: String,
    #[diesel(sql_type = Text)]
    list: String,
    /// Version that the list has.
    #[diesel(sql_type = Nullable<Text>)]
    pub snapshot_id: Option<String>,
    /// The account's connection to Spotify, unless it must be renewed.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub connection_id: Option<Uuid>,
    /// Application of the connection. Tokens that were set by hand have none: each such connection counts as
    /// one.
    #[diesel(sql_type = Nullable<Text>)]
    pub app: Option<String>,
}

impl Due {
    /// The followed playlist.
    pub fn sync(&self) -> Result<PlaylistSync> {
        let list = SongList::parse(&self.list)
            .ok_or_else(|| Error::Internal("a playlist fills a list that is not known".into()))?;
        Ok(PlaylistSync { id: self.id, account: self.account_id, list })
    }
}

/// Claims playlists that are due, the longest waiting first.
pub(super) async fn claim(
    connection: &mut AsyncPgConnection,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<Due>> {
    const CLAIM: &str = "
        WITH due AS (
            SELECT sync.id, connection.id AS connection_id,
                coalesce(connection.client_id, connection.id::text) AS app
            FROM playlist_syncs AS sync
            LEFT JOIN channel_connections AS connection ON connection.account_id = sync.account_id
                AND connection.platform = 'spotify' AND NOT connection.reconnect_required
            WHERE sync.due_at <= $1 AND (sync.claimed_until IS NULL OR sync.claimed_until <= $1)
            ORDER BY sync.due_at, sync.id LIMIT $3 FOR UPDATE OF sync SKIP LOCKED
        )
        UPDATE playlist_syncs AS sync SET claimed_until = $2 FROM due WHERE sync.id = due.id
        RETURNING sync.id, sync.account_id, sync.playlist_id, sync.list, sync.snapshot_id, due.connection_id,
            due.app";
    Ok(sql_query(CLAIM)
        .bind::<Timestamptz, _>(now)
        .bind::<Timestamptz, _>(now + CLAIM_TTL)
        .bind::<BigInt, _>(limit)
        .load(connection)
        .await?)
}

/// Locks a sync until the transaction ends. False when the account has ended it.
pub(super) async fn lock(connection: &mut AsyncPgConnection, due: &Due) -> Result<bool> {
    let found: Option<Uuid> = dsl::playlist_syncs
        .filter(dsl::account_id.eq(due.account_id.uuid()).and(dsl::id.eq(due.id)))
        .select(dsl::id)
        .for_update()
        .first(connection)
        .await
        .optional()?;
    Ok(found.is_some())
}

/// Stores that the playlist has not changed, and ends the claim.
pub(super) async fn unchanged(
    connection: &mut AsyncPgConnection,
    due: &Due,
    name: &str,
    now: DateTime<Utc>,
    next: DateTime<Utc>,
) -> Result<()> {
    let own = dsl::playlist_syncs.filter(dsl::account_id.eq(due.account_id.uuid()).and(dsl::id.eq(due.id)));
    diesel::update(own)
        .set((
            dsl::name.eq(name),
            dsl::error.eq(None::<String>),
            dsl::last_synced_at.eq(now),
            dsl::updated_at.eq(now),
            dsl::due_at.eq(next),
            dsl::claimed_until.eq(None::<DateTime<Utc>>),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

/// Stores the reason of a failure, and ends the claim.
pub(super) async fn failed(
    connection: &mut AsyncPgConnection,
    due: &Due,
    reason: &str,
    now: DateTime<Utc>,
    next: DateTime<Utc>,
) -> Result<()> {
    let own = dsl::playlist_syncs.filter(dsl::account_id.eq(due.account_id.uuid()).and(dsl::id.eq(due.id)));
    diesel::update(own)
        .set((
            dsl::error.eq(reason),
            dsl::updated_at.eq(now),
            dsl::due_at.eq(next),
            dsl::claimed_until.eq(None::<DateTime<Utc>>),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

/// Ends the claim without a reading.
pub(super) async fn postpone(
    connection: &mut AsyncPgConnection,
    due: &Due,
    next: DateTime<Utc>,
) -> Result<()> {
    let own = dsl::playlist_syncs.filter(dsl::account_id.eq(due.account_id.uuid()).and(dsl::id.eq(due.id)));
    diesel::update(own)
        .set((dsl::due_at.eq(next), dsl::claimed_until.eq(None::<DateTime<Utc>>)))
        .execute(connection)
        .await?;
    Ok(())
}

/// Postpones the playlists of all accounts whose connection belongs to an application ([`Due::app`]).
pub(super) async fn postpone_application(
    connection: &mut AsyncPgConnection,
    app: &str,
    until: DateTime<Utc>,
) -> Result<()> {
    const POSTPONE: &str = "
        WITH affected AS (
            SELECT sync.id FROM playlist_syncs AS sync
            JOIN channel_connections AS connection ON connection.account_id = sync.account_id
                AND connection.platform = 'spotify'
                AND coalesce(connection.client_id, connection.id::text) = $1
            WHERE sync.due_at < $2 ORDER BY sync.id FOR UPDATE OF sync
        )
        UPDATE playlist_syncs AS sync SET due_at = $2 FROM affected WHERE sync.id = affected.id";
    sql_query(POSTPONE).bind::<Text, _>(app).bind::<Timestamptz, _>(until).execute(connection).await?;
    Ok(())
}
