//! Queries over `listed_songs`. Those of an account carry it; a row without an account is a decision of staff.

use api_core::{Result, Timestamp, page::Window};
use chrono::{DateTime, Utc};
use diesel::{
    dsl::{count_star, sql},
    insert_into,
    pg::Pg,
    prelude::*,
    sql_types::{Bool, Text},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use live_model::copyright::keys;
use shared::{
    id::{self, AccountId},
    schema::listed_songs::{self, dsl},
};
use uuid::Uuid;

use super::{ListedSong, SongList};
use crate::songs::{CopyrightSong, NamedSong};

#[derive(Queryable, Selectable)]
#[diesel(table_name = listed_songs)]
struct Row {
    id: Uuid,
    title: String,
    artist: String,
    spotify_track_id: Option<String>,
    isrc: Option<String>,
    created_at: Timestamp,
}

impl From<Row> for ListedSong {
    fn from(row: Row) -> Self {
        let Row { id, title, artist, spotify_track_id, isrc, created_at } = row;
        Self { id, title, artist, spotify_track_id, isrc, created_at }
    }
}

/// Returns one page of a list, newest first, and the total number.
pub(super) async fn page(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    list: SongList,
    search: Option<&str>,
    window: Window,
) -> Result<(Vec<ListedSong>, i64)> {
    let filtered = || {
        let own = dsl::account_id.eq(account.uuid()).and(dsl::list.eq(list.as_str()));
        let mut songs = dsl::listed_songs.filter(own).into_boxed::<Pg>();
        if let Some(search) = search {
            let has = sql::<Bool>("(strpos(title_key, ").bind::<Text, _>(search.to_owned());
            let has =
                has.sql(") > 0 OR strpos(artist_key, ").bind::<Text, _>(search.to_owned()).sql(") > 0)");
            songs = songs.filter(has);
        }
        songs
    };
    let total = filtered().count().get_result(connection).await?;
    let rows: Vec<Row> = filtered()
        .order((dsl::created_at.desc(), dsl::id.desc()))
        .limit(window.limit)
        .offset(window.offset())
        .select(Row::as_select())
        .load(connection)
        .await?;
    Ok((rows.into_iter().map(ListedSong::from).collect(), total))
}

pub(super) async fn count(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    list: SongList,
) -> Result<i64> {
    let own = dsl::account_id.eq(account.uuid()).and(dsl::list.eq(list.as_str()));
    Ok(dsl::listed_songs.filter(own).select(count_star()).first(connection).await?)
}

/// Adds a song. `None` when the list has the same one.
pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    list: SongList,
    song: &NamedSong,
    now: DateTime<Utc>,
) -> Result<Option<ListedSong>> {
    let (title_key, artist_key) = keys(&song.title, &song.artist);
    let row: Option<Row> = insert_into(dsl::listed_songs)
        .values((
            dsl::id.eq(id::new()),
            dsl::account_id.eq(account.uuid()),
            dsl::list.eq(list.as_str()),
            dsl::spotify_track_id.eq(&song.spotify_track_id),
            dsl::isrc.eq(&song.isrc),
            dsl::title.eq(&song.title),
            dsl::artist.eq(&song.artist),
            dsl::title_key.eq(title_key),
            dsl::artist_key.eq(artist_key),
            dsl::created_at.eq(now),
        ))
        .on_conflict_do_nothing()
        .returning(Row::as_returning())
        .get_result(connection)
        .await
        .optional()?;
    Ok(row.map(ListedSong::from))
}

/// Removes a song. `None` when the list has no such song.
pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    list: SongList,
    id: Uuid,
) -> Result<Option<ListedSong>> {
    let own = dsl::account_id.eq(account.uuid()).and(dsl::list.eq(list.as_str())).and(dsl::id.eq(id));
    let row: Option<Row> = diesel::delete(dsl::listed_songs.filter(own))
        .returning(Row::as_returning())
        .get_result(connection)
        .await
        .optional()?;
    Ok(row.map(ListedSong::from))
}

/// Puts a song into a list of all accounts, out of the others. Must be called in a transaction.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub(crate) async fn decide(
    connection: &mut AsyncPgConnection,
    list: SongList,
    song: &CopyrightSong,
    now: DateTime<Utc>,
) -> Result<()> {
    let (title_key, artist_key) = keys(&song.title, &song.artist);
    let same = dsl::listed_songs
        .filter(dsl::account_id.is_null())
        .filter(dsl::title_key.eq(&title_key).and(dsl::artist_key.eq(&artist_key)))
        .filter(dsl::spotify_track_id.is_not_distinct_from(&song.spotify_track_id))
        .filter(dsl::isrc.is_not_distinct_from(&song.isrc));
    diesel::delete(same).execute(connection).await?;
    insert_into(dsl::listed_songs)
        .values((
            dsl::id.eq(id::new()),
            dsl::list.eq(list.as_str()),
            dsl::spotify_track_id.eq(&song.spotify_track_id),
            dsl::isrc.eq(&song.isrc),
            dsl::title.eq(&song.title),
            dsl::artist.eq(&song.artist),
            dsl::title_key.eq(title_key),
            dsl::artist_key.eq(artist_key),
            dsl::created_at.eq(now),
        ))
        .execute(connection)
        .await?;
    Ok(())
}
