//! Query for the entry of the lists that decides about a song.

use api_core::{ApiError, Result, Timestamp};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Bool, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::id::AccountId;
use uuid::Uuid;

use super::{Identity, SongMatch};
use crate::listed_songs::{ListedSong, SongList};

/// Entry that decides about a song.
pub(crate) struct Found {
    /// List of the entry.
    pub list: SongList,
    /// Field that matched.
    pub matched_by: SongMatch,
    /// True for an entry of the account.
    pub is_own: bool,
    /// Song of the entry.
    pub song: ListedSong,
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
    created_at: Timestamp,
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

/// Returns the entry that decides about a song, of the account and all accounts, or of all accounts alone.
pub(crate) async fn best(
    connection: &mut AsyncPgConnection,
    account: Option<AccountId>,
    identity: &Identity,
) -> Result<Option<Found>> {
    let (title, artist) = identity.names.clone().unzip();
    let row: Option<Row> = sql_query(BEST)
        .bind::<Nullable<SqlUuid>, _>(account.map(|account| account.uuid()))
        .bind::<Nullable<Text>, _>(&identity.spotify_track_id)
        .bind::<Nullable<Text>, _>(&identity.isrc)
        .bind::<Nullable<Text>, _>(title)
        .bind::<Nullable<Text>, _>(artist)
        .get_result(connection)
        .await
        .optional()?;
    row.map(Row::into_found).transpose()
}

impl Row {
    fn into_found(self) -> Result<Found> {
        let list = SongList::parse(&self.list)
            .ok_or_else(|| ApiError::internal("a song is in a list that is not known"))?;
        let matched_by = match self.layer {
            0 => SongMatch::SpotifyTrackId,
            1 => SongMatch::Isrc,
            _ => SongMatch::Names,
        };
        let Self { id, title, artist, spotify_track_id, isrc, created_at, is_own, .. } = self;
        let song = ListedSong { id, title, artist, spotify_track_id, isrc, created_at };
        Ok(Found { list, matched_by, is_own, song })
    }
}
