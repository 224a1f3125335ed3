//! Playlists of the user, and the search in Spotify's catalogue (reference/music.md#library).

pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
    http::Success,
    validate,
};
use platform_access::{PlatformAccess as _, spotify::Player};
use serde::Deserialize;
use shared::catalogue::{AccountPermission, Feature};
use utoipa::IntoParams;

use super::{SpotifyPlaylist, SpotifyTrack, objects::MAX_PLAYLISTS, uri::playlist_id};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&SPOTIFY_PLAYLISTS, &SPOTIFY_PLAY_PLAYLIST, &SPOTIFY_SEARCH];

/// Length of a search, in characters (reference/music.md#library).
const MAX_SEARCH_LENGTH: usize = 200;
/// Number of results of a search: the most of Spotify's development mode (reference/music.md#library).
const MAX_SEARCH_RESULTS: i64 = 10;

/// Query of the search.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SpotifySearchQuery {
    /// Text to find, 1 to 200 characters. Filters of Spotify such as `artist:` are allowed.
    #[param(max_length = 200)]
    pub q: String,
    /// Number of tracks, 1 to 10; 10 when absent.
    #[param(minimum = 1, maximum = 10)]
    pub limit: Option<i64>,
}

pub static SPOTIFY_PLAYLISTS: Operation<AccountCaller> =
    Operation::account("spotifyPlaylists", AccountPermission::SpotifyPlaylist, Grants::Nothing)
        .feature(Feature::Music);

/// Lists the first 50 playlists of the user's library, in its order.
///
/// # Errors
/// Refusals of the access rule; 400 for a connection without the scope `playlist-read-private`; 404 when Spotify is not
/// connected; 409 when Spotify must be connected again; 429 while Spotify limits the calls.
#[api_core::operation]
pub async fn spotify_playlists(cx: &Cx) -> Result<Vec<SpotifyPlaylist>> {
    let caller = cx.authorize(&SPOTIFY_PLAYLISTS).await?;
    let client = cx.state().platforms().spotify();
    let player = Player::of(&caller).await?;
    let found = player.call(cx, |token| async move { client.playlists(&token).await }).await?;
    Ok(found.into_iter().take(MAX_PLAYLISTS).map(SpotifyPlaylist::from).collect())
}

pub static SPOTIFY_PLAY_PLAYLIST: Operation<AccountCaller> =
    Operation::account("spotifyPlayPlaylist", AccountPermission::SpotifyPlaylist, Grants::Nothing)
        .feature(Feature::Music)
        .idempotent_by_claim();

/// Plays a playlist by its id at Spotify, also one that is not in the user's library.
///
/// # Errors
/// Refusals of the access rule; 400 for a malformed id, without Spotify Premium, or when Spotify refuses; 404 when
/// Spotify is not connected or has no such playlist; 409 without an active device, or when Spotify must be connected
/// again; 429 while Spotify limits the calls.
#[api_core::operation]
pub async fn spotify_play_playlist(cx: &Cx, id: &str) -> Result<Success> {
    let caller = cx.authorize(&SPOTIFY_PLAY_PLAYLIST).await?;
    let id = playlist_id(id)?;
    let client = cx.state().platforms().spotify();
    let player = Player::of(&caller).await?;
    if player.command(cx, |token| async move { client.play_playlist(&token, id).await }).await? {
        Ok(Success::DONE)
    } else {
        Err(ApiError::not_found("Spotify playlist not found"))
    }
}

pub static SPOTIFY_SEARCH: Operation<AccountCaller> =
    Operation::account("spotifySearch", AccountPermission::SpotifyRead, Grants::Nothing)
        .feature(Feature::Music);

/// Finds tracks in Spotify's catalogue, best matches first.
///
/// # Errors
/// Refusals of the access rule; 400 for a text or number out of bounds, or when Spotify refuses; 404 when Spotify is not
/// connected; 409 when Spotify must be connected again; 429 while Spotify limits the calls.
#[api_core::operation]
pub async fn spotify_search(cx: &Cx, query: Input<SpotifySearchQuery>) -> Result<Vec<SpotifyTrack>> {
    let caller = cx.authorize(&SPOTIFY_SEARCH).await?;
    let SpotifySearchQuery { q, limit } = query?;
    let limit = checked_limit(limit)?;
    let text = validate::text("q", &q, 1, MAX_SEARCH_LENGTH)?;
    let (client, text) = (cx.state().platforms().spotify(), text.as_str());
    let player = Player::of(&caller).await?;
    let found =
        player.call(cx, |token| async move { client.search_tracks(&token, text, limit).await }).await?;
    Ok(found.into_iter().take(limit).map(SpotifyTrack::from).collect())
}

fn checked_limit(limit: Option<i64>) -> Result<usize> {
    let limit = limit.unwrap_or(MAX_SEARCH_RESULTS);
    let within = (1..=MAX_SEARCH_RESULTS).contains(&limit).then(|| usize::try_from(limit).ok()).flatten();
    within.ok_or_else(|| ApiError::invalid(format!("limit must be between 1 and {MAX_SEARCH_RESULTS}")))
}
