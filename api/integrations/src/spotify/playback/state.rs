//! State of the player with its queue, devices and playlists.

use api_core::{
    Cx, Operation, Result,
    access::{AccountCaller, Grants},
};
use juniper::GraphQLObject;
use live_model::music::Song;
use platform_access::{PlatformAccess as _, spotify::Player};
use platforms::{
    PlatformError,
    spotify::{
        SpotifyClient,
        player::{Device, PlaybackState, Track, UserPlaylist},
    },
};
use serde::Serialize;
use shared::{
    catalogue::{AccountPermission, Feature},
    secret::Secret,
};
use utoipa::ToSchema;

use super::SpotifyRepeatMode;
use crate::spotify::{
    SpotifyDevice, SpotifyNowPlaying, SpotifyPlaylist, SpotifyTrack,
    objects::{MAX_PLAYLISTS, int},
};

/// Number of tracks of the queue that are returned (reference/music.md#player).
const MAX_QUEUE: usize = 20;
/// Number of devices that are returned (reference/music.md#player).
const MAX_DEVICES: usize = 20;

/// Player of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct SpotifyState {
    /// Track in the player. Null: none.
    pub now_playing: Option<SpotifyNowPlaying>,
    /// True while it plays.
    pub is_playing: bool,
    /// Position in the track in milliseconds. Null: no track.
    pub progress_ms: Option<i32>,
    /// Volume of the device in percent. Null: no device, or it has none.
    pub volume: Option<i32>,
    /// True when tracks play in random order.
    pub shuffle: bool,
    /// Repetition.
    pub repeat: SpotifyRepeatMode,
    /// Device that plays. Null: none.
    pub device: Option<SpotifyDevice>,
    /// Tracks that play next, at most 20.
    pub queue: Vec<SpotifyTrack>,
    /// Devices that can be reached, at most 20.
    pub devices: Vec<SpotifyDevice>,
    /// First playlists of the user's library, at most 50. Empty when the connection lacks their scope.
    pub playlists: Vec<SpotifyPlaylist>,
}

pub static SPOTIFY_STATE: Operation<AccountCaller> =
    Operation::account("spotifyState", AccountPermission::SpotifyRead, Grants::Nothing)
        .feature(Feature::Music)
        .polled();

/// Returns the state of the player with its queue, devices and playlists, as Spotify has it now.
///
/// # Errors
/// Refusals of the access rule; 400 when Spotify refuses; 404 when Spotify is not connected; 409 when Spotify must be
/// connected again; 429 while Spotify limits the calls.
#[api_core::operation]
pub async fn spotify_state(cx: &Cx) -> Result<SpotifyState> {
    let caller = cx.authorize(&SPOTIFY_STATE).await?;
    let client = cx.state().platforms().spotify();
    let player = Player::of(&caller).await?;
    let read = player.call(cx, |token| async move { read(client, &token).await }).await?;
    let polled = live_model::music::load(&cx.state().redis, caller.account).await?;
    Ok(SpotifyState::new(read, polled.and_then(|polled| polled.song)))
}

/// Results of the four calls.
struct Read {
    state: Option<PlaybackState>,
    queue: Vec<Track>,
    devices: Vec<Device>,
    playlists: Vec<UserPlaylist>,
}

/// Makes the four calls at the same time.
async fn read(client: &SpotifyClient, token: &Secret) -> Result<Read, PlatformError> {
    let (state, queue, devices, playlists) = tokio::try_join!(
        client.player_state(token),
        client.queue(token),
        client.devices(token),
        playlists(client, token),
    )?;
    Ok(Read { state, queue, devices, playlists })
}

/// Playlists of the user; none for a connection from before their scope was requested, whose player works.
async fn playlists(client: &SpotifyClient, token: &Secret) -> Result<Vec<UserPlaylist>, PlatformError> {
    match client.playlists(token).await {
        Err(PlatformError::Rejected { .. }) => Ok(Vec::new()),
        other => other,
    }
}

impl SpotifyState {
    /// State of a player; `polled` is the song of the last poll, which the poller has checked.
    fn new(read: Read, polled: Option<Song>) -> Self {
        let Read { state, queue, devices, playlists } = read;
        let track = state.as_ref().and_then(|state| state.item.clone()).map(SpotifyTrack::from);
        let is_playing = state.as_ref().is_some_and(|state| state.is_playing);
        let progress_ms = state.as_ref().and_then(|state| state.progress_ms).map(int);
        let device = state.as_ref().and_then(|state| state.device.clone()).map(SpotifyDevice::from);
        Self {
            progress_ms: progress_ms.filter(|_| track.is_some()),
            now_playing: track.map(|track| {
                let checked = polled.filter(|song| song.uri == track.uri);
                let status = checked.and_then(|song| song.copyright_status);
                SpotifyNowPlaying::new(track, progress_ms, is_playing, status)
            }),
            is_playing,
            volume: device.as_ref().and_then(|device| device.volume),
            shuffle: state.as_ref().is_some_and(|state| state.shuffle),
            repeat: state.map(|state| state.repeat).unwrap_or_default().into(),
            device,
            queue: queue.into_iter().take(MAX_QUEUE).map(SpotifyTrack::from).collect(),
            devices: devices.into_iter().take(MAX_DEVICES).map(SpotifyDevice::from).collect(),
            playlists: playlists.into_iter().take(MAX_PLAYLISTS).map(SpotifyPlaylist::from).collect(),
        }
    }
}
