//! Playlists of Spotify whose songs an account keeps in one of its lists (reference/copyright.md#playlists).
//! An import reads a short playlist itself. The daemon `copyright-sync` reads the rest of longer ones, and
//! follows the changes of all.

mod db;
pub mod graphql;
mod reading;
pub mod rest;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::audit::{self, Entry};
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use live_model::copyright::{
    SongList,
    playlists::{self, LIST_IS_FULL, ListChange, PlaylistSync, Reading, lock_lists},
};
use platform_access::spotify::Player;
use platforms::spotify::playlist::playlist_of;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::catalogue::{AccountPermission, Feature};
use utoipa::ToSchema;
use uuid::Uuid;

use reading::{Contents, Songs};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&IMPORT_COPYRIGHT_PLAYLIST, &COPYRIGHT_PLAYLIST_SYNCS, &DELETE_COPYRIGHT_PLAYLIST_SYNC];

/// Number of playlists that an account follows (reference/copyright.md#playlists).
const MAX_PLAYLIST_SYNCS: i64 = 20;

api_core::limits::submit! {
    api_core::limits::CountLimit::of_account(
        "copyright_playlists",
        MAX_PLAYLIST_SYNCS,
        "SELECT count(*) FROM playlist_syncs WHERE account_id = $1",
    )
}

/// Length of the address of a playlist, in characters.
const MAX_PLAYLIST_URL_LENGTH: usize = 500;

/// List that a playlist fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CopyrightPlaylistList {
    /// Songs that can be played.
    Safe,
    /// Songs that are claimed.
    Blocked,
}

/// Playlist to import.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "playlist_url": "https://open.spotify.com/playlist/3cEYpjA9oz9GiPac4AsH4n", "list": "safe" }))]
pub struct ImportCopyrightPlaylistInput {
    /// Address of a playlist: `https://open.spotify.com/playlist/…` or `spotify:playlist:…`; at most 500
    /// characters.
    #[schema(extensions(("maxLength" = json!(MAX_PLAYLIST_URL_LENGTH))))]
    pub playlist_url: String,
    /// List that gets the songs.
    pub list: CopyrightPlaylistList,
}

/// Playlist whose songs are kept in a list of the account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct CopyrightPlaylistSync {
    /// Identifier.
    pub id: Uuid,
    /// Id of the playlist at Spotify.
    pub playlist_id: String,
    /// Name of the playlist when it was last read.
    pub name: String,
    /// List that has the songs.
    pub list: CopyrightPlaylistList,
    /// Number of songs that were read last.
    pub track_count: i32,
    /// Time at which the list last had every song of the playlist. Null: not yet.
    pub last_synced_at: Option<Timestamp>,
    /// Reason why the last reading failed. Null: it did not.
    pub error: Option<String>,
    /// Time of the first import.
    pub created_at: Timestamp,
}

/// Result of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct CopyrightPlaylistImport {
    /// The followed playlist.
    pub sync: CopyrightPlaylistSync,
    /// Number of songs that were added to the list.
    pub imported: i32,
    /// Number of entries that were read and not added: songs that the list has, local files and episodes, and
    /// songs beyond the limit of the list.
    pub skipped: i32,
    /// True when the whole playlist was read. False: the rest follows in the background.
    pub is_complete: bool,
}

/// Import, and whether the account did not follow the playlist before.
#[derive(Debug)]
pub struct Imported {
    /// Result.
    pub import: CopyrightPlaylistImport,
    /// True when the account did not follow the playlist before.
    pub is_new: bool,
}

pub static IMPORT_COPYRIGHT_PLAYLIST: Operation<AccountCaller> =
    Operation::account("importCopyrightPlaylist", AccountPermission::CopyrightEdit, Grants::Nothing)
        .feature(Feature::CopyrightDetection)
        .idempotent_by_claim()
        .repeatable();

/// Adds the songs of a playlist of Spotify to a list of the account, and follows the playlist from then on.
///
/// The playlist is read with the account's Spotify connection. Up to 500 entries are imported at once, if
/// Spotify returns them within ten seconds; the others follow in the background. A playlist that is followed
/// already is read again.
///
/// # Errors
/// Refusals of the access rule; 400 for another address, or when Spotify does not return the playlist to the
/// connected user; 404 without a Spotify connection or playlist; 409 when Spotify must be connected again; 429
/// when Spotify refuses calls for a time; 403 `PLAN_LIMIT_REACHED` beyond 20 playlists.
#[api_core::operation]
pub async fn import_copyright_playlist(
    cx: &Cx,
    input: Input<ImportCopyrightPlaylistInput>,
) -> Result<Imported> {
    let caller = cx.authorize(&IMPORT_COPYRIGHT_PLAYLIST).await?;
    let input = input?;
    let playlist_id = checked_playlist(&input.playlist_url)?;
    let player = Player::of(&caller).await?;
    // No connection to the database is held during the calls to Spotify.
    let contents = reading::read(cx, &player, &playlist_id).await?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            lock_lists(connection, caller.account).await?;
            store(cx, &caller, connection, (&playlist_id, input.list), &contents).await
        })
        .await
}

async fn store(
    cx: &Cx,
    caller: &AccountCaller,
    connection: &mut AsyncPgConnection,
    (playlist_id, list): (&str, CopyrightPlaylistList),
    contents: &Contents,
) -> Result<Imported> {
    let (account, now) = (caller.account, cx.state().clock.now());
    let known = db::find(connection, account, playlist_id, list).await?;
    if known.is_none() && db::count(connection, account).await? >= MAX_PLAYLIST_SYNCS {
        return Err(ApiError::new(Code::PlanLimitReached, "Playlist limit reached"));
    }
    let is_new = known.is_none();
    let id = match known {
        Some(id) => id,
        None => db::insert(connection, account, (playlist_id, list), &contents.name, now).await?,
    };
    let sync = PlaylistSync { id, account, list: list.into() };
    let change = fill(connection, sync, contents, now).await?;
    let metadata = json!({ "playlist_id": playlist_id, "name": contents.name, "list": sync.list.as_str(),
        "imported": change.added });
    let entry = Entry { metadata, ..cx.audit("playlist_sync:imported", "playlist_sync", id) };
    audit::record(connection, entry).await?;
    let sync = db::get(connection, account, id).await?;
    let imported = i32::try_from(change.added).unwrap_or(i32::MAX);
    let entries = i32::try_from(contents.songs.entries()).unwrap_or(i32::MAX);
    let import = CopyrightPlaylistImport {
        sync: sync.ok_or_else(|| ApiError::internal("a playlist that was imported is not there"))?,
        imported,
        skipped: entries.saturating_sub(imported).max(0),
        is_complete: matches!(contents.songs, Songs::Whole { .. }),
    };
    Ok(Imported { import, is_new })
}

/// Brings the list to what was read of the playlist, and stores the result of the reading.
async fn fill(
    connection: &mut AsyncPgConnection,
    sync: PlaylistSync,
    contents: &Contents,
    now: chrono::DateTime<chrono::Utc>,
) -> Result<ListChange> {
    let (change, track_count, continued_at) = match &contents.songs {
        Songs::Whole { songs, .. } => {
            (playlists::replace_songs(connection, sync, songs, now).await?, songs.len(), None)
        }
        Songs::Beginning { songs, .. } => {
            (playlists::add_songs(connection, sync, songs, now).await?, songs.len(), Some(now))
        }
        Songs::Unread { wait } => (ListChange::default(), 0, Some(now + *wait)),
    };
    let is_whole = continued_at.is_none();
    let reading = Reading {
        name: &contents.name,
        snapshot_id: (is_whole && !change.is_full).then_some(contents.snapshot_id.as_str()),
        track_count,
        error: change.is_full.then_some(LIST_IS_FULL),
        continued_at,
    };
    playlists::finish_reading(connection, sync, &reading, now).await?;
    Ok(change)
}

pub static COPYRIGHT_PLAYLIST_SYNCS: Operation<AccountCaller> =
    Operation::account("copyrightPlaylistSyncs", AccountPermission::CopyrightEdit, Grants::Nothing)
        .feature(Feature::CopyrightDetection)
        .polled();

/// Lists the playlists that the account follows, newest first: at most 20.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn copyright_playlist_syncs(cx: &Cx) -> Result<Vec<CopyrightPlaylistSync>> {
    let caller = cx.authorize(&COPYRIGHT_PLAYLIST_SYNCS).await?;
    db::list(&mut *caller.db().await?, caller.account, MAX_PLAYLIST_SYNCS).await
}

pub static DELETE_COPYRIGHT_PLAYLIST_SYNC: Operation<AccountCaller> =
    Operation::account("deleteCopyrightPlaylistSync", AccountPermission::CopyrightEdit, Grants::Nothing)
        .feature(Feature::CopyrightDetection);

/// Stops following a playlist.
///
/// The songs that it brought stay in the list, as if they had been added by hand.
///
/// # Errors
/// Refusals of the access rule; 404 when the account follows no such playlist.
#[api_core::operation]
pub async fn delete_copyright_playlist_sync(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_COPYRIGHT_PLAYLIST_SYNC).await?;
    let id = id?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            lock_lists(connection, caller.account).await?;
            let deleted = db::delete(connection, caller.account, id).await?;
            let deleted = deleted.ok_or_else(|| ApiError::not_found("Playlist sync not found"))?;
            let metadata = json!({ "playlist_id": deleted.playlist_id, "name": deleted.name,
                "list": deleted.list });
            let entry = Entry { metadata, ..cx.audit("playlist_sync:deleted", "playlist_sync", id) };
            audit::record(connection, entry).await?;
            Ok(())
        })
        .await
}

fn checked_playlist(address: &str) -> Result<String> {
    let found = (address.chars().count() <= MAX_PLAYLIST_URL_LENGTH).then(|| playlist_of(address)).flatten();
    found.ok_or_else(|| ApiError::invalid("playlist_url must be the address of a playlist at Spotify"))
}

impl From<CopyrightPlaylistList> for SongList {
    fn from(list: CopyrightPlaylistList) -> Self {
        match list {
            CopyrightPlaylistList::Safe => Self::Safe,
            CopyrightPlaylistList::Blocked => Self::Blocked,
        }
    }
}
