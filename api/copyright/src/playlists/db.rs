//! Queries over `playlist_syncs`.

use api_core::{ApiError, Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{dsl::count_star, insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use live_model::copyright::SongList;
use shared::{
    id::{self, AccountId},
    schema::playlist_syncs::{self, dsl},
};
use uuid::Uuid;

use super::{CopyrightPlaylistList, CopyrightPlaylistSync};

#[derive(Queryable, Selectable)]
#[diesel(table_name = playlist_syncs)]
struct Row {
    id: Uuid,
    playlist_id: String,
    name: String,
    list: String,
    track_count: i32,
    last_synced_at: Option<Timestamp>,
    error: Option<String>,
    created_at: Timestamp,
}

impl Row {
    fn into_sync(self) -> Result<CopyrightPlaylistSync> {
        let list = match SongList::parse(&self.list) {
            Some(SongList::Safe) => CopyrightPlaylistList::Safe,
            Some(SongList::Blocked) => CopyrightPlaylistList::Blocked,
            _ => return Err(ApiError::internal("a playlist fills a list that is not known")),
        };
        let Self { id, playlist_id, name, track_count, last_synced_at, error, created_at, .. } = self;
        Ok(CopyrightPlaylistSync {
            id,
            playlist_id,
            name,
            list,
            track_count,
            last_synced_at,
            error,
            created_at,
        })
    }
}

/// Returns the playlists that the account follows, newest first.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    limit: i64,
) -> Result<Vec<CopyrightPlaylistSync>> {
    let rows: Vec<Row> = dsl::playlist_syncs
        .filter(dsl::account_id.eq(account.uuid()))
        .order((dsl::created_at.desc(), dsl::id.desc()))
        .limit(limit)
        .select(Row::as_select())
        .load(connection)
        .await?;
    rows.into_iter().map(Row::into_sync).collect()
}

pub(super) async fn get(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<CopyrightPlaylistSync>> {
    let row: Option<Row> = dsl::playlist_syncs
        .filter(dsl::account_id.eq(account.uuid()).and(dsl::id.eq(id)))
        .select(Row::as_select())
        .first(connection)
        .await
        .optional()?;
    row.map(Row::into_sync).transpose()
}

/// Returns the id of the sync of a playlist and list.
pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    playlist_id: &str,
    list: CopyrightPlaylistList,
) -> Result<Option<Uuid>> {
    Ok(dsl::playlist_syncs
        .filter(dsl::account_id.eq(account.uuid()))
        .filter(dsl::playlist_id.eq(playlist_id).and(dsl::list.eq(SongList::from(list).as_str())))
        .select(dsl::id)
        .first(connection)
        .await
        .optional()?)
}

pub(super) async fn count(connection: &mut AsyncPgConnection, account: AccountId) -> Result<i64> {
    let own = dsl::playlist_syncs.filter(dsl::account_id.eq(account.uuid()));
    Ok(own.select(count_star()).first(connection).await?)
}

/// Adds a sync and returns its id.
pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    (playlist_id, list): (&str, CopyrightPlaylistList),
    name: &str,
    now: DateTime<Utc>,
) -> Result<Uuid> {
    let id = id::new();
    insert_into(dsl::playlist_syncs)
        .values((
            dsl::id.eq(id),
            dsl::account_id.eq(account.uuid()),
            dsl::playlist_id.eq(playlist_id),
            dsl::name.eq(name),
            dsl::list.eq(SongList::from(list).as_str()),
            dsl::due_at.eq(now),
            dsl::created_at.eq(now),
            dsl::updated_at.eq(now),
        ))
        .execute(connection)
        .await?;
    Ok(id)
}

/// Removes a sync. `None` when the account has no such sync.
pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<CopyrightPlaylistSync>> {
    let own = dsl::playlist_syncs.filter(dsl::account_id.eq(account.uuid()).and(dsl::id.eq(id)));
    let row: Option<Row> =
        diesel::delete(own).returning(Row::as_returning()).get_result(connection).await.optional()?;
    row.map(Row::into_sync).transpose()
}
