//! Query for the entry of the lists that decides about a song.

use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Bool, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{Error, Result, id::AccountId};
use uuid::Uuid;

use super::{SongList, SongQuery};

/// Field by which a list has a song.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SongMatchField {
    /// Id of the track at Spotify.
    SpotifyTrackId,
    /// International Standard Recording Code.
    Isrc,
    /// Title and artist, in any case.
    Names,
}

/// Entry that decides about a song.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SongMatch {
    /// List of the entry.
    pub list: SongList,
    /// Field that matched.
    pub matched_by: SongMatchField,
    /// True for an entry of the account.
    pub is_own: bool,
    /// Song of the entry.
    pub song: MatchedSong,
}

/// Song of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedSong {
    /// Identifier of the entry.
    pub id: Uuid,
    /// Title.
    pub title: String,
    /// Artist.
    pub artist: String,
    /// Id of the track at Spotify.
    pub spotify_track_id: Option<String>,
    /// International Standard Recording Code without dashes.
    pub isrc: Option<String>,
    /// Time at which the entry was added.
    pub created_at: DateTime<Utc>,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    title: String,
    #[diesel(sql_type = Text)]
    artist: String,
    #[diesel(sql_type = Nullable<Text>)]
    spotify_track_id: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    isrc: Option<String>,
    #[diesel(sql_type = Timestamptz)]
    created_at: DateTime<Utc>,
    #[diesel(sql_type = Text)]
    list: String,
    #[diesel(sql_type = Bool)]
    is_own: bool,
    #[diesel(sql_type = Integer)]
    layer: i32,
}

/// Entries of the account ($1, null for none) and of all accounts. What is null equals nothing.
const BEST: &str = "
    SELECT id, title, artist, spotify_track_id, isrc, created_at, list, account_id IS NOT NULL AS is_own,
        CASE WHEN spotify_track_id = $2 THEN 0 WHEN isrc = $3 THEN 1 ELSE 2 END AS layer
    FROM listed_songs
    WHERE (account_id = $1 OR account_id IS NULL)
        AND (spotify_track_id = $2 OR isrc = $3 OR (title_key = $4 AND artist_key = $5))
    ORDER BY layer, account_id IS NULL, array_position(ARRAY['blocked', 'reported', 'safe'], list),
        created_at DESC, id DESC
    LIMIT 1";

/// Returns the entry that decides about a song, of the lists of the account and of all accounts. `None` when
/// no list has the song.
///
/// # Errors
/// A failure of the database.
pub async fn check(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    query: &SongQuery,
) -> Result<Option<SongMatch>> {
    best(connection, Some(account), query).await
}

/// Returns the entry that decides about a song, of the lists of all accounts alone. `None` when none of them
/// has the song.
///
/// # Errors
/// A failure of the database.
pub async fn check_global(
    connection: &mut AsyncPgConnection,
    query: &SongQuery,
) -> Result<Option<SongMatch>> {
    best(connection, None, query).await
}

async fn best(
    connection: &mut AsyncPgConnection,
    account: Option<AccountId>,
    query: &SongQuery,
) -> Result<Option<SongMatch>> {
    let (title, artist) = query.names.clone().unzip();
    let row: Option<Row> = sql_query(BEST)
        .bind::<Nullable<SqlUuid>, _>(account.map(|account| account.uuid()))
        .bind::<Nullable<Text>, _>(&query.spotify_track_id)
        .bind::<Nullable<Text>, _>(&query.isrc)
        .bind::<Nullable<Text>, _>(title)
        .bind::<Nullable<Text>, _>(artist)
        .get_result(connection)
        .await
        .optional()?;
    row.map(Row::into_match).transpose()
}

impl Row {
    fn into_match(self) -> Result<SongMatch> {
        let list = SongList::parse(&self.list)
            .ok_or_else(|| Error::Internal("a song is in a list that is not known".into()))?;
        let matched_by = match self.layer {
            0 => SongMatchField::SpotifyTrackId,
            1 => SongMatchField::Isrc,
            _ => SongMatchField::Names,
        };
        let Self { id, title, artist, spotify_track_id, isrc, created_at, is_own, .. } = self;
        let song = MatchedSong { id, title, artist, spotify_track_id, isrc, created_at };
        Ok(SongMatch { list, matched_by, is_own, song })
    }
}
