//! Lists of safe and blocked songs of an account (reference/copyright.md#lists), and the songs about which staff
//! has decided for all accounts.

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Page, PageRequest, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    validate,
};
use diesel_async::AsyncConnection;
use foundation::audit::{self, Entry};
use juniper::GraphQLObject;
pub use live_model::copyright::SongList;
use live_model::copyright::{
    MatchedSong,
    playlists::{MAX_LISTED_SONGS, lock_lists},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::catalogue::{AccountPermission, Feature};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::songs::{CopyrightSongInput, NamedSong};

pub(crate) use db::decide;

api_core::limits::submit! {
    api_core::limits::CountLimit::of_account(
        "safe_songs",
        MAX_LISTED_SONGS,
        "SELECT count(*) FROM listed_songs WHERE account_id = $1 AND list = 'safe'",
    )
}

api_core::limits::submit! {
    api_core::limits::CountLimit::of_account(
        "blocked_songs",
        MAX_LISTED_SONGS,
        "SELECT count(*) FROM listed_songs WHERE account_id = $1 AND list = 'blocked'",
    )
}

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &SAFE_SONGS,
    &ADD_SAFE_SONG,
    &DELETE_SAFE_SONG,
    &BLOCKED_SONGS,
    &ADD_BLOCKED_SONG,
    &DELETE_BLOCKED_SONG,
];

/// Length of a search, in characters.
pub(crate) const MAX_SEARCH_LENGTH: usize = 100;

/// Song in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ListedSong {
    /// Identifier.
    pub id: Uuid,
    /// Title.
    pub title: String,
    /// Artist.
    pub artist: String,
    /// Id of the track at Spotify. Null: not given.
    pub spotify_track_id: Option<String>,
    /// International Standard Recording Code without dashes. Null: not given.
    pub isrc: Option<String>,
    /// Time at which it was added.
    pub created_at: Timestamp,
}

/// Query of a list of songs.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListedSongsQuery {
    /// Part of the title or artist, in any case; 1 to 100 characters.
    #[param(max_length = 100)]
    pub search: Option<String>,
    /// Page number, from 1; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// Entries a page, 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

pub static SAFE_SONGS: Operation<AccountCaller> =
    Operation::account("safeSongs", AccountPermission::CopyrightRead, Grants::Nothing)
        .feature(Feature::CopyrightDetection)
        .polled();

/// Lists the songs that the account plays, newest first.
///
/// # Errors
/// Refusals of the access rule; 400 for a search or page out of bounds.
#[api_core::operation]
pub async fn safe_songs(cx: &Cx, query: Input<ListedSongsQuery>) -> Result<Page<ListedSong>> {
    let caller = cx.authorize(&SAFE_SONGS).await?;
    page(&caller, SongList::Safe, query).await
}

pub static BLOCKED_SONGS: Operation<AccountCaller> =
    Operation::account("blockedSongs", AccountPermission::CopyrightRead, Grants::Nothing)
        .feature(Feature::CopyrightDetection)
        .polled();

/// Lists the songs that the account does not play, newest first.
///
/// # Errors
/// Refusals of the access rule; 400 for a search or page out of bounds.
#[api_core::operation]
pub async fn blocked_songs(cx: &Cx, query: Input<ListedSongsQuery>) -> Result<Page<ListedSong>> {
    let caller = cx.authorize(&BLOCKED_SONGS).await?;
    page(&caller, SongList::Blocked, query).await
}

async fn page(
    caller: &AccountCaller,
    list: SongList,
    query: Input<ListedSongsQuery>,
) -> Result<Page<ListedSong>> {
    let query = query?;
    let search = checked_search(query.search)?;
    let window = PageRequest { page: query.page, limit: query.limit }.check()?;
    let connection = &mut *caller.db().await?;
    let (items, total) = db::page(connection, caller.account, list, search.as_deref(), window).await?;
    Ok(Page { items, total, window })
}

pub static ADD_SAFE_SONG: Operation<AccountCaller> =
    Operation::account("addSafeSong", AccountPermission::CopyrightEdit, Grants::Nothing)
        .feature(Feature::CopyrightDetection)
        .idempotent();

/// Adds a song to the account's list of safe songs.
///
/// The song may also be in the list of blocked songs: then it counts as blocked.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field; 409 when the list has the same song; 403
/// `PLAN_LIMIT_REACHED` beyond 10,000 songs.
#[api_core::operation]
pub async fn add_safe_song(cx: &Cx, input: Input<CopyrightSongInput>) -> Result<ListedSong> {
    let caller = cx.authorize(&ADD_SAFE_SONG).await?;
    add(cx, &caller, SongList::Safe, input, |id| cx.audit("safe_song:added", "safe_song", id)).await
}

pub static ADD_BLOCKED_SONG: Operation<AccountCaller> =
    Operation::account("addBlockedSong", AccountPermission::CopyrightEdit, Grants::Nothing)
        .feature(Feature::CopyrightDetection)
        .idempotent();

/// Adds a song to the account's list of blocked songs.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field; 409 when the list has the same song; 403
/// `PLAN_LIMIT_REACHED` beyond 10,000 songs.
#[api_core::operation]
pub async fn add_blocked_song(cx: &Cx, input: Input<CopyrightSongInput>) -> Result<ListedSong> {
    let caller = cx.authorize(&ADD_BLOCKED_SONG).await?;
    add(cx, &caller, SongList::Blocked, input, |id| cx.audit("blocked_song:added", "blocked_song", id)).await
}

async fn add<'a>(
    cx: &Cx,
    caller: &AccountCaller,
    list: SongList,
    input: Input<CopyrightSongInput>,
    entry: impl Fn(Uuid) -> Entry<'a> + Send + Sync,
) -> Result<ListedSong> {
    let song: NamedSong = input?.check("")?;
    let (account, now) = (caller.account, cx.state().clock.now());
    caller
        .db()
        .await?
        .transaction(async |connection| {
            lock_lists(connection, account).await?;
            if db::count(connection, account, list).await? >= MAX_LISTED_SONGS {
                return Err(ApiError::new(api_core::Code::PlanLimitReached, "Song limit reached"));
            }
            let added = db::insert(connection, account, list, &song, now).await?;
            let added = added.ok_or_else(|| ApiError::conflict("Song is already in the list"))?;
            let metadata = json!({ "title": added.title, "artist": added.artist });
            audit::record(connection, Entry { metadata, ..entry(added.id) }).await?;
            Ok(added)
        })
        .await
}

pub static DELETE_SAFE_SONG: Operation<AccountCaller> =
    Operation::account("deleteSafeSong", AccountPermission::CopyrightDelete, Grants::Nothing)
        .feature(Feature::CopyrightDetection);

/// Removes a song from the account's list of safe songs.
///
/// # Errors
/// Refusals of the access rule; 404 when the list has no such song.
#[api_core::operation]
pub async fn delete_safe_song(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_SAFE_SONG).await?;
    delete(&caller, SongList::Safe, id, |id| cx.audit("safe_song:deleted", "safe_song", id)).await
}

pub static DELETE_BLOCKED_SONG: Operation<AccountCaller> =
    Operation::account("deleteBlockedSong", AccountPermission::CopyrightDelete, Grants::Nothing)
        .feature(Feature::CopyrightDetection);

/// Removes a song from the account's list of blocked songs.
///
/// # Errors
/// Refusals of the access rule; 404 when the list has no such song.
#[api_core::operation]
pub async fn delete_blocked_song(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_BLOCKED_SONG).await?;
    delete(&caller, SongList::Blocked, id, |id| cx.audit("blocked_song:deleted", "blocked_song", id)).await
}

async fn delete<'a>(
    caller: &AccountCaller,
    list: SongList,
    id: Input<Uuid>,
    entry: impl Fn(Uuid) -> Entry<'a> + Send + Sync,
) -> Result<()> {
    let id = id?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            // A playlist that is read at the same time locks its songs in another order.
            lock_lists(connection, caller.account).await?;
            let deleted = db::delete(connection, caller.account, list, id).await?;
            let deleted = deleted.ok_or_else(|| ApiError::not_found("Song not found"))?;
            let metadata = json!({ "title": deleted.title, "artist": deleted.artist });
            audit::record(connection, Entry { metadata, ..entry(id) }).await?;
            Ok(())
        })
        .await
}

/// Checks a search and brings it into the form of comparisons.
pub(crate) fn checked_search(search: Option<String>) -> Result<Option<String>> {
    let checked = search.map(|text| validate::text("search", &text, 1, MAX_SEARCH_LENGTH)).transpose()?;
    Ok(checked.map(|text| text.to_lowercase()))
}

impl From<MatchedSong> for ListedSong {
    fn from(song: MatchedSong) -> Self {
        let MatchedSong { id, title, artist, spotify_track_id, isrc, created_at } = song;
        Self { id, title, artist, spotify_track_id, isrc, created_at: created_at.into() }
    }
}
