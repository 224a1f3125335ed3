//! Queries over the entries of `listed_songs` that belong to no account.

use api_core::{ApiError, Result, Timestamp, page::Window};
use diesel::{pg::Pg, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::schema::listed_songs::{self, dsl};
use uuid::Uuid;

use super::MusicSong;
use crate::{checks::CopyrightStatus, listed_songs::SongList};

#[derive(Queryable, Selectable)]
#[diesel(table_name = listed_songs)]
struct Row {
    id: Uuid,
    title: String,
    artist: String,
    spotify_track_id: Option<String>,
    isrc: Option<String>,
    list: String,
    created_at: Timestamp,
}

impl Row {
    fn into_song(self) -> Result<MusicSong> {
        let list = SongList::parse(&self.list)
            .ok_or_else(|| ApiError::internal("a song is in a list that is not known"))?;
        let Self { id, title, artist, spotify_track_id, isrc, created_at, .. } = self;
        Ok(MusicSong { id, title, artist, spotify_track_id, isrc, status: list.into(), created_at })
    }
}

/// Returns one page of the directory, by title, and the total number.
pub(super) async fn page(
    connection: &mut AsyncPgConnection,
    search: Option<&str>,
    status: Option<CopyrightStatus>,
    window: Window,
) -> Result<(Vec<MusicSong>, i64)> {
    let filtered = || {
        let mut songs = dsl::listed_songs.filter(dsl::account_id.is_null()).into_boxed::<Pg>();
        if let Some(search) = search {
            let beginning = beginning_with(search);
            songs = songs.filter(dsl::title_key.like(beginning.clone()).or(dsl::artist_key.like(beginning)));
        }
        if let Some(status) = status {
            songs = songs.filter(dsl::list.eq(stored(status)));
        }
        songs
    };
    let total = filtered().count().get_result(connection).await?;
    let rows: Vec<Row> = filtered()
        .order((dsl::title_key, dsl::artist_key, dsl::id))
        .limit(window.limit)
        .offset(window.offset())
        .select(Row::as_select())
        .load(connection)
        .await?;
    Ok((rows.into_iter().map(Row::into_song).collect::<Result<_>>()?, total))
}

pub(super) async fn find(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<MusicSong>> {
    let row: Option<Row> = dsl::listed_songs
        .filter(dsl::account_id.is_null().and(dsl::id.eq(id)))
        .select(Row::as_select())
        .first(connection)
        .await
        .optional()?;
    row.map(Row::into_song).transpose()
}

/// Stored text of a status. No row has the text of `unknown`.
const fn stored(status: CopyrightStatus) -> &'static str {
    match status {
        CopyrightStatus::Safe => SongList::Safe.as_str(),
        CopyrightStatus::Blocked => SongList::Blocked.as_str(),
        CopyrightStatus::Reported => SongList::Reported.as_str(),
        CopyrightStatus::Unknown => "unknown",
    }
}

/// Pattern of texts that begin with this one; `%`, `_` and the backslash are literal.
fn beginning_with(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 1);
    for character in text.chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}
