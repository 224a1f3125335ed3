//! Queries over `songs`, which belong to no account.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use live_model::copyright::keys;
use shared::{
    id,
    schema::songs::{self, dsl},
};
use uuid::Uuid;

use super::{CopyrightSong, NamedSong};

#[derive(Queryable, Selectable)]
#[diesel(table_name = songs)]
struct Row {
    id: Uuid,
    title: String,
    artist: String,
    spotify_track_id: Option<String>,
    isrc: Option<String>,
    title_key: String,
    artist_key: String,
}

/// Returns the best match of up to three songs and locks it until the transaction ends.
pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    song: &NamedSong,
) -> Result<Option<CopyrightSong>> {
    let (title, artist) = keys(&song.title, &song.artist);
    let named = dsl::title_key.eq(&title).and(dsl::artist_key.eq(&artist));
    let mut rows: Vec<Row> = dsl::songs
        // An absent id is NULL, which equals no value.
        .filter(named.or(dsl::spotify_track_id.eq(&song.spotify_track_id)).or(dsl::isrc.eq(&song.isrc)))
        .order(dsl::id)
        .select(Row::as_select())
        .for_no_key_update()
        .load(connection)
        .await?;
    let is_same = |known: &Option<String>, given: &Option<String>| given.is_some() && known == given;
    rows.sort_by_key(|row| {
        let by_spotify = is_same(&row.spotify_track_id, &song.spotify_track_id);
        let by_isrc = is_same(&row.isrc, &song.isrc);
        let by_name = row.title_key == title && row.artist_key == artist;
        (!by_spotify, !by_isrc, !by_name)
    });
    Ok(rows.into_iter().next().map(|row| CopyrightSong {
        id: row.id,
        title: row.title,
        artist: row.artist,
        spotify_track_id: row.spotify_track_id,
        isrc: row.isrc,
    }))
}

/// Adds the song, unless another transaction does so at the same time.
pub(super) async fn add(
    connection: &mut AsyncPgConnection,
    song: &NamedSong,
    now: DateTime<Utc>,
) -> Result<()> {
    let (title_key, artist_key) = keys(&song.title, &song.artist);
    insert_into(dsl::songs)
        .values((
            dsl::id.eq(id::new()),
            dsl::spotify_track_id.eq(&song.spotify_track_id),
            dsl::isrc.eq(&song.isrc),
            dsl::title.eq(&song.title),
            dsl::artist.eq(&song.artist),
            dsl::title_key.eq(title_key),
            dsl::artist_key.eq(artist_key),
            dsl::created_at.eq(now),
        ))
        .on_conflict_do_nothing()
        .execute(connection)
        .await?;
    Ok(())
}
