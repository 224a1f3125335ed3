//! Songs of playlists in the lists of accounts (reference/copyright.md#playlists). A song that a playlist
//! brought is linked to it. It leaves the list when no playlist has it any more; a song that was added by hand
//! has no link and stays.

use std::collections::HashSet;

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Bool, Integer, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use shared::{
    Result,
    id::{self, AccountId},
};
use uuid::Uuid;

use super::{SongList, clipped_name, is_spotify_id, keys, parse_isrc};

/// Number of songs in one list of an account (reference/copyright.md#lists).
pub const MAX_LISTED_SONGS: i64 = 10_000;
/// Interval between readings of a playlist.
pub const SYNC_INTERVAL: TimeDelta = TimeDelta::hours(6);
/// Reason of a sync whose list has no room for all songs.
pub const LIST_IS_FULL: &str = "Song limit reached";

/// Playlist that an account follows in one of its lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaylistSync {
    /// Identifier.
    pub id: Uuid,
    /// Account.
    pub account: AccountId,
    /// List that has the songs.
    pub list: SongList,
}

/// Song of a playlist, in the form of a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlaylistSong {
    id: Uuid,
    spotify_track_id: String,
    isrc: Option<String>,
    title: String,
    artist: String,
    title_key: String,
    artist_key: String,
    place: usize,
}

/// Changes of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ListChange {
    /// Number of songs that were added.
    pub added: i64,
    /// Number of songs that were removed.
    pub removed: i64,
    /// True when the list had no room for all songs.
    pub is_full: bool,
}

/// Songs of a playlist, each once. A track without an id, title or artist is none.
#[derive(Debug, Default)]
pub struct PlaylistSongs {
    songs: Vec<PlaylistSong>,
    known: HashSet<(String, Option<String>, String, String)>,
}

impl PlaylistSongs {
    /// Adds a track as the platform describes it.
    pub fn push(&mut self, spotify_track_id: &str, isrc: Option<&str>, title: &str, artist: &str) {
        let names = clipped_name(title).zip(clipped_name(artist));
        let Some((title, artist)) = names.filter(|_| is_spotify_id(spotify_track_id)) else { return };
        let (title_key, artist_key) = keys(&title, &artist);
        let song = PlaylistSong {
            id: id::new(),
            spotify_track_id: spotify_track_id.to_owned(),
            isrc: isrc.and_then(parse_isrc),
            title,
            artist,
            title_key,
            artist_key,
            place: self.songs.len(),
        };
        let key = (
            song.spotify_track_id.clone(),
            song.isrc.clone(),
            song.title_key.clone(),
            song.artist_key.clone(),
        );
        if self.known.insert(key) {
            self.songs.push(song);
        }
    }

    /// Number of songs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.songs.len()
    }

    /// True without a song.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.songs.is_empty()
    }
}

/// Songs of the playlist ($4).
macro_rules! with_given {
    ($rest:literal) => {
        concat!(
            "WITH given AS (SELECT * FROM jsonb_to_recordset($4) AS given(id uuid, spotify_track_id text, isrc text,
                title text, artist text, title_key text, artist_key text, place integer)),",
            $rest
        )
    };
}

/// Adds what the list ($1, $3) does not have, in the order of the playlist, and links it to the sync ($2).
const ADD: &str = with_given!(
    "
    fresh AS (
        SELECT given.* FROM given WHERE NOT EXISTS (
            SELECT FROM listed_songs AS known WHERE known.account_id = $1 AND known.list = $3
                AND known.title_key = given.title_key AND known.artist_key = given.artist_key
                AND known.spotify_track_id = given.spotify_track_id AND known.isrc IS NOT DISTINCT FROM given.isrc)
    ),
    room AS (
        SELECT greatest($5 - count(*), 0) AS songs FROM listed_songs WHERE account_id = $1 AND list = $3
    ),
    added AS (
        INSERT INTO listed_songs
            (id, account_id, list, spotify_track_id, isrc, title, artist, title_key, artist_key, created_at)
        SELECT id, $1, $3, spotify_track_id, isrc, title, artist, title_key, artist_key, $6
        FROM fresh ORDER BY place LIMIT (SELECT songs FROM room)
        ON CONFLICT ON CONSTRAINT listed_songs_once DO NOTHING RETURNING id
    ),
    linked AS (
        INSERT INTO playlist_sync_songs (account_id, sync_id, song_id) SELECT $1, $2, id FROM added
    )
    SELECT (SELECT count(*) FROM fresh) AS fresh, (SELECT count(*) FROM added) AS changed"
);
/// Links the songs that another playlist brought.
const SHARE: &str = with_given!(
    "
    shared AS (
        INSERT INTO playlist_sync_songs (account_id, sync_id, song_id)
        SELECT DISTINCT known.account_id, $2, known.id FROM given JOIN listed_songs AS known
            ON known.account_id = $1 AND known.list = $3
            AND known.title_key = given.title_key AND known.artist_key = given.artist_key
            AND known.spotify_track_id = given.spotify_track_id AND known.isrc IS NOT DISTINCT FROM given.isrc
        WHERE EXISTS (SELECT FROM playlist_sync_songs AS link WHERE link.account_id = $1 AND link.song_id = known.id)
        ON CONFLICT DO NOTHING RETURNING song_id
    )
    SELECT 0::bigint AS fresh, count(*) AS changed FROM shared"
);
/// Ends the links of songs that the playlist does not have, and removes those that no other playlist has.
const REMOVE: &str = with_given!(
    "
    present AS (
        SELECT known.id FROM given JOIN listed_songs AS known
            ON known.account_id = $1 AND known.list = $3
            AND known.title_key = given.title_key AND known.artist_key = given.artist_key
            AND known.spotify_track_id = given.spotify_track_id AND known.isrc IS NOT DISTINCT FROM given.isrc
    ),
    ended AS (
        DELETE FROM playlist_sync_songs WHERE account_id = $1 AND sync_id = $2
            AND song_id NOT IN (SELECT id FROM present) RETURNING song_id
    ),
    removed AS (
        DELETE FROM listed_songs WHERE account_id = $1 AND id IN (SELECT song_id FROM ended)
            AND NOT EXISTS (SELECT FROM playlist_sync_songs AS link
                WHERE link.account_id = $1 AND link.song_id = listed_songs.id AND link.sync_id <> $2)
        RETURNING id
    )
    SELECT 0::bigint AS fresh, count(*) AS changed FROM removed"
);

#[derive(QueryableByName)]
struct Counts {
    #[diesel(sql_type = BigInt)]
    fresh: i64,
    #[diesel(sql_type = BigInt)]
    changed: i64,
}

/// Lets additions to the lists of an account follow each other, so that the limit holds. Must be called in a
/// transaction.
///
/// # Errors
/// A failure of the database.
pub async fn lock_lists(connection: &mut AsyncPgConnection, account: AccountId) -> Result<()> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("listed_songs:{account}"))
        .execute(connection)
        .await?;
    Ok(())
}

/// Adds songs of a playlist to the list. Must be called in a transaction after [`lock_lists`].
///
/// # Errors
/// A failure of the database.
pub async fn add_songs(
    connection: &mut AsyncPgConnection,
    sync: PlaylistSync,
    songs: &PlaylistSongs,
    now: DateTime<Utc>,
) -> Result<ListChange> {
    let given = serde_json::to_value(&songs.songs)?;
    let added: Counts = sql_query(ADD)
        .bind::<SqlUuid, _>(sync.account.uuid())
        .bind::<SqlUuid, _>(sync.id)
        .bind::<Text, _>(sync.list.as_str())
        .bind::<Jsonb, _>(&given)
        .bind::<BigInt, _>(MAX_LISTED_SONGS)
        .bind::<Timestamptz, _>(now)
        .get_result(connection)
        .await?;
    change(connection, SHARE, sync, &given).await?;
    Ok(ListChange { added: added.changed, removed: 0, is_full: added.changed < added.fresh })
}

/// Brings the list to the songs of the whole playlist: adds what it has, and removes what it brought and does
/// not have any more. Must be called in a transaction after [`lock_lists`].
///
/// # Errors
/// A failure of the database.
pub async fn replace_songs(
    connection: &mut AsyncPgConnection,
    sync: PlaylistSync,
    songs: &PlaylistSongs,
    now: DateTime<Utc>,
) -> Result<ListChange> {
    let given = serde_json::to_value(&songs.songs)?;
    let removed = change(connection, REMOVE, sync, &given).await?;
    let added = add_songs(connection, sync, songs, now).await?;
    Ok(ListChange { removed, ..added })
}

async fn change(
    connection: &mut AsyncPgConnection,
    sql: &'static str,
    sync: PlaylistSync,
    given: &serde_json::Value,
) -> Result<i64> {
    let counts: Counts = sql_query(sql)
        .bind::<SqlUuid, _>(sync.account.uuid())
        .bind::<SqlUuid, _>(sync.id)
        .bind::<Text, _>(sync.list.as_str())
        .bind::<Jsonb, _>(given)
        .get_result(connection)
        .await?;
    Ok(counts.changed)
}

/// Stores the result of a reading whose songs are in the list: `snapshot_id` is the version of the playlist,
/// `None` when the list has only a part of it. The next reading is due after [`SYNC_INTERVAL`], at a time that
/// differs from sync to sync, or at `continued_at`.
///
/// # Errors
/// A failure of the database.
pub async fn finish_reading(
    connection: &mut AsyncPgConnection,
    sync: PlaylistSync,
    reading: &Reading<'_>,
    now: DateTime<Utc>,
) -> Result<()> {
    const FINISH: &str = "
        UPDATE playlist_syncs SET name = $3, snapshot_id = $4, track_count = $5, error = $6, updated_at = $7,
            last_synced_at = CASE WHEN $8 THEN last_synced_at ELSE $7 END, claimed_until = NULL,
            due_at = $9
        WHERE account_id = $1 AND id = $2";
    let next = reading.continued_at.unwrap_or_else(|| now + spread(SYNC_INTERVAL, sync.id));
    sql_query(FINISH)
        .bind::<SqlUuid, _>(sync.account.uuid())
        .bind::<SqlUuid, _>(sync.id)
        .bind::<Text, _>(reading.name)
        .bind::<Nullable<Text>, _>(reading.snapshot_id)
        .bind::<Integer, _>(i32::try_from(reading.track_count).unwrap_or(i32::MAX))
        .bind::<Nullable<Text>, _>(reading.error)
        .bind::<Timestamptz, _>(now)
        .bind::<Bool, _>(reading.continued_at.is_some())
        .bind::<Timestamptz, _>(next)
        .execute(connection)
        .await?;
    Ok(())
}

/// Result of a reading of a playlist.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    /// Name of the playlist.
    pub name: &'a str,
    /// Version of the playlist that the list has.
    pub snapshot_id: Option<&'a str>,
    /// Number of songs that were read.
    pub track_count: usize,
    /// Reason why the list does not have all songs.
    pub error: Option<&'a str>,
    /// Time at which the daemon is to read the rest. `None`: the reading is complete.
    pub continued_at: Option<DateTime<Utc>>,
}

/// Interval, longer by up to a tenth, so that playlists that were imported together are read apart.
#[must_use]
pub fn spread(interval: TimeDelta, sync: Uuid) -> TimeDelta {
    let part = i32::from(sync.as_bytes()[15]);
    interval + interval / 10 * part / i32::from(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACK: &str = "6dGnYIeXmHdcikdzNNDMm2";

    #[test]
    fn playlist_songs_hold_each_song_once() {
        let mut songs = PlaylistSongs::default();
        songs.push(TRACK, Some("GB-AYE-06-01690"), "Here Comes the Sun", "The Beatles");
        songs.push(TRACK, Some("GBAYE0601690"), "HERE comes the sun", "the beatles");
        songs.push("local", None, "A", "B");
        songs.push(TRACK, None, " ", "B");
        assert_eq!((songs.len(), songs.is_empty()), (1, false));
        assert_eq!(songs.songs[0].isrc.as_deref(), Some("GBAYE0601690"));
    }

    #[test]
    fn spread_lengthens_an_interval_by_a_tenth_at_most() {
        for _ in 0..50 {
            let wait = spread(SYNC_INTERVAL, Uuid::new_v4());
            assert!(wait >= SYNC_INTERVAL && wait <= SYNC_INTERVAL + SYNC_INTERVAL / 10, "{wait}");
        }
    }
}
