//! Player of the account: its state, and commands to it (reference/music.md#player).

pub mod graphql;
mod inputs;
pub mod rest;
mod state;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
    http::Success,
    validate,
};
use live_model::music;
use platform_access::{
    PlatformAccess as _,
    spotify::{Player, track_uri},
};
use shared::catalogue::{AccountPermission, Feature};

pub use inputs::{
    SpotifyAddToQueueInput, SpotifyPlayInput, SpotifyRepeatInput, SpotifyRepeatMode, SpotifySeekInput,
    SpotifySetDeviceInput, SpotifySetVolumeInput, SpotifyShuffleInput,
};
pub use state::{SPOTIFY_STATE, SpotifyState, spotify_state};

use inputs::{MAX_DEVICE_ID_LENGTH, MAX_POSITION_MS, MAX_VOLUME_PERCENT, within};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &SPOTIFY_STATE,
    &SPOTIFY_PLAY,
    &SPOTIFY_PAUSE,
    &SPOTIFY_NEXT,
    &SPOTIFY_PREVIOUS,
    &SPOTIFY_SEEK,
    &SPOTIFY_SHUFFLE,
    &SPOTIFY_REPEAT,
    &SPOTIFY_SET_VOLUME,
    &SPOTIFY_ADD_TO_QUEUE,
    &SPOTIFY_SET_DEVICE,
];

pub static SPOTIFY_PLAY: Operation<AccountCaller> =
    Operation::account("spotifyPlay", AccountPermission::SpotifyPlayback, Grants::Nothing)
        .feature(Feature::Music)
        .idempotent_by_claim();

/// Resumes playback, or plays the given track in place of the present one.
///
/// # Errors
/// Refusals of the access rule; 400 for a wrong address, without Spotify Premium, or when Spotify refuses; 404 when
/// Spotify is not connected; 409 without an active device, or when Spotify must be connected again; 429 while Spotify
/// limits the calls.
#[api_core::operation]
pub async fn spotify_play(cx: &Cx, input: Input<SpotifyPlayInput>) -> Result<Success> {
    let caller = cx.authorize(&SPOTIFY_PLAY).await?;
    let uri = input?.uri.as_deref().map(track_uri).transpose()?;
    let (client, uri) = (cx.state().platforms().spotify(), uri.as_deref());
    let player = Player::of(&caller).await?;
    player.command(cx, |token| async move { client.play(&token, uri).await }).await?;
    Ok(Success::DONE)
}

pub static SPOTIFY_PAUSE: Operation<AccountCaller> =
    Operation::account("spotifyPause", AccountPermission::SpotifyPlayback, Grants::Nothing)
        .feature(Feature::Music)
        .idempotent_by_claim()
        .repeatable();

/// Pauses playback.
///
/// # Errors
/// Refusals of the access rule; 400 without Spotify Premium, or when Spotify refuses, for example because nothing
/// plays; 404 when Spotify is not connected; 409 without an active device, or when Spotify must be connected again;
/// 429 while Spotify limits the calls.
#[api_core::operation]
pub async fn spotify_pause(cx: &Cx) -> Result<Success> {
    let caller = cx.authorize(&SPOTIFY_PAUSE).await?;
    let client = cx.state().platforms().spotify();
    let player = Player::of(&caller).await?;
    player.command(cx, |token| async move { client.pause(&token).await }).await?;
    Ok(Success::DONE)
}

pub static SPOTIFY_NEXT: Operation<AccountCaller> =
    Operation::account("spotifyNext", AccountPermission::SpotifyPlayback, Grants::Nothing)
        .feature(Feature::Music)
        .idempotent_by_claim();

/// Skips to the next track.
///
/// # Errors
/// Refusals of the access rule; 400 without Spotify Premium, or when Spotify refuses; 404 when Spotify is not
/// connected; 409 without an active device, or when Spotify must be connected again; 429 while Spotify limits the
/// calls.
#[api_core::operation]
pub async fn spotify_next(cx: &Cx) -> Result<Success> {
    let caller = cx.authorize(&SPOTIFY_NEXT).await?;
    let client = cx.state().platforms().spotify();
    let player = Player::of(&caller).await?;
    player.command(cx, |token| async move { client.next(&token).await }).await?;
    Ok(Success::DONE)
}

pub static SPOTIFY_PREVIOUS: Operation<AccountCaller> =
    Operation::account("spotifyPrevious", AccountPermission::SpotifyPlayback, Grants::Nothing)
        .feature(Feature::Music)
        .idempotent_by_claim();

/// Returns to the previous track.
///
/// # Errors
/// Refusals of the access rule; 400 without Spotify Premium, or when Spotify refuses; 404 when Spotify is not
/// connected; 409 without an active device, or when Spotify must be connected again; 429 while Spotify limits the
/// calls.
#[api_core::operation]
pub async fn spotify_previous(cx: &Cx) -> Result<Success> {
    let caller = cx.authorize(&SPOTIFY_PREVIOUS).await?;
    let client = cx.state().platforms().spotify();
    let player = Player::of(&caller).await?;
    player.command(cx, |token| async move { client.previous(&token).await }).await?;
    Ok(Success::DONE)
}

pub static SPOTIFY_SEEK: Operation<AccountCaller> =
    Operation::account("spotifySeek", AccountPermission::SpotifyPlayback, Grants::Nothing)
        .feature(Feature::Music)
        .idempotent_by_claim()
        .repeatable();

/// Jumps to a position in the track. A position behind its end starts the next track.
///
/// # Errors
/// Refusals of the access rule; 400 for a position out of bounds, without Spotify Premium, or when Spotify refuses;
/// 404 when Spotify is not connected; 409 without an active device, or when Spotify must be connected again; 429
/// while Spotify limits the calls.
#[api_core::operation]
pub async fn spotify_seek(cx: &Cx, input: Input<SpotifySeekInput>) -> Result<Success> {
    let caller = cx.authorize(&SPOTIFY_SEEK).await?;
    let position_ms = within("position_ms", input?.position_ms, MAX_POSITION_MS)?;
    let client = cx.state().platforms().spotify();
    let player = Player::of(&caller).await?;
    player.command(cx, |token| async move { client.seek(&token, position_ms).await }).await?;
    Ok(Success::DONE)
}

pub static SPOTIFY_SHUFFLE: Operation<AccountCaller> =
    Operation::account("spotifyShuffle", AccountPermission::SpotifyPlayback, Grants::Nothing)
        .feature(Feature::Music)
        .idempotent_by_claim()
        .repeatable();

/// Starts or ends random order of the tracks.
///
/// # Errors
/// Refusals of the access rule; 400 without Spotify Premium, or when Spotify refuses; 404 when Spotify is not
/// connected; 409 without an active device, or when Spotify must be connected again; 429 while Spotify limits the
/// calls.
#[api_core::operation]
pub async fn spotify_shuffle(cx: &Cx, input: Input<SpotifyShuffleInput>) -> Result<Success> {
    let caller = cx.authorize(&SPOTIFY_SHUFFLE).await?;
    let SpotifyShuffleInput { enabled } = input?;
    let client = cx.state().platforms().spotify();
    let player = Player::of(&caller).await?;
    player.command(cx, |token| async move { client.set_shuffle(&token, enabled).await }).await?;
    Ok(Success::DONE)
}

pub static SPOTIFY_REPEAT: Operation<AccountCaller> =
    Operation::account("spotifyRepeat", AccountPermission::SpotifyPlayback, Grants::Nothing)
        .feature(Feature::Music)
        .idempotent_by_claim()
        .repeatable();

/// Sets what is repeated: nothing, the track, or the playlist or album.
///
/// # Errors
/// Refusals of the access rule; 400 for an unknown mode, without Spotify Premium, or when Spotify refuses; 404 when
/// Spotify is not connected; 409 without an active device, or when Spotify must be connected again; 429 while Spotify
/// limits the calls.
#[api_core::operation]
pub async fn spotify_repeat(cx: &Cx, input: Input<SpotifyRepeatInput>) -> Result<Success> {
    let caller = cx.authorize(&SPOTIFY_REPEAT).await?;
    let SpotifyRepeatInput { mode } = input?;
    let client = cx.state().platforms().spotify();
    let player = Player::of(&caller).await?;
    player.command(cx, |token| async move { client.set_repeat(&token, mode.into()).await }).await?;
    Ok(Success::DONE)
}

pub static SPOTIFY_SET_VOLUME: Operation<AccountCaller> =
    Operation::account("spotifySetVolume", AccountPermission::SpotifyVolume, Grants::Nothing)
        .feature(Feature::Music);

/// Sets the volume of the device that plays.
///
/// # Errors
/// Refusals of the access rule; 400 for a volume out of bounds, without Spotify Premium, or when Spotify refuses, for
/// example because the device has no volume; 404 when Spotify is not connected; 409 without an active device, or when
/// Spotify must be connected again; 429 while Spotify limits the calls.
#[api_core::operation]
pub async fn spotify_set_volume(cx: &Cx, input: Input<SpotifySetVolumeInput>) -> Result<Success> {
    let caller = cx.authorize(&SPOTIFY_SET_VOLUME).await?;
    let percent = within("percent", input?.percent, MAX_VOLUME_PERCENT)?;
    let client = cx.state().platforms().spotify();
    let player = Player::of(&caller).await?;
    player.command(cx, |token| async move { client.set_volume(&token, percent).await }).await?;
    Ok(Success::DONE)
}

pub static SPOTIFY_ADD_TO_QUEUE: Operation<AccountCaller> =
    Operation::account("spotifyAddToQueue", AccountPermission::SpotifyQueue, Grants::Nothing)
        .feature(Feature::Music)
        .idempotent_by_claim();

/// Adds a track to the queue. The change is published as `spotify:queue`.
///
/// # Errors
/// Refusals of the access rule; 400 for a wrong address, without Spotify Premium, or when Spotify refuses; 404 when
/// Spotify is not connected; 409 without an active device, or when Spotify must be connected again; 429 while Spotify
/// limits the calls.
#[api_core::operation]
pub async fn spotify_add_to_queue(cx: &Cx, input: Input<SpotifyAddToQueueInput>) -> Result<Success> {
    let caller = cx.authorize(&SPOTIFY_ADD_TO_QUEUE).await?;
    let uri = track_uri(&input?.uri)?;
    let (state, uri) = (cx.state(), uri.as_str());
    let client = state.platforms().spotify();
    let player = Player::of(&caller).await?;
    player.command(cx, |token| async move { client.add_to_queue(&token, uri).await }).await?;
    if let Err(error) = music::publish_queue(&state.events, caller.account, state.clock.now()).await {
        tracing::warn!(account_id = %caller.account, %error, "a change of the queue is not published");
    }
    Ok(Success::DONE)
}

pub static SPOTIFY_SET_DEVICE: Operation<AccountCaller> =
    Operation::account("spotifySetDevice", AccountPermission::SpotifyDevice, Grants::Nothing)
        .feature(Feature::Music)
        .idempotent_by_claim()
        .repeatable();

/// Moves playback to another device. It plays there if it played before.
///
/// # Errors
/// Refusals of the access rule; 400 for a malformed id, without Spotify Premium, or when Spotify refuses; 404 when
/// Spotify is not connected or has no such device; 409 when Spotify must be connected again; 429 while Spotify limits
/// the calls.
#[api_core::operation]
pub async fn spotify_set_device(cx: &Cx, input: Input<SpotifySetDeviceInput>) -> Result<Success> {
    let caller = cx.authorize(&SPOTIFY_SET_DEVICE).await?;
    let device_id = validate::text("device_id", &input?.device_id, 1, MAX_DEVICE_ID_LENGTH)?;
    let (client, device_id) = (cx.state().platforms().spotify(), device_id.as_str());
    let player = Player::of(&caller).await?;
    if player.command(cx, |token| async move { client.transfer(&token, device_id).await }).await? {
        Ok(Success::DONE)
    } else {
        Err(ApiError::not_found("Spotify device not found"))
    }
}
