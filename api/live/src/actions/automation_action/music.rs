//! Commands to the account's player at Spotify.

use api_core::{ApiError, Cx, Result, access::SystemReason};
use live_model::music;
use platform_access::{
    PlatformAccess as _,
    spotify::{Player, track_uri},
};
use platforms::PlatformError;
use serde_json::json;
use shared::secret::Secret;

use super::{Call, Failure, Outcome};

/// Resumes playback, or plays a track.
pub(super) async fn play(cx: &Cx, call: &Call, uri: Option<&str>) -> Result<Outcome> {
    let uri = match uri.map(str::trim).filter(|uri| !uri.is_empty()).map(track_uri).transpose() {
        Ok(uri) => uri,
        Err(wrong) => return Ok(Err(Failure::new(wrong.message))),
    };
    let (client, uri) = (cx.state().platforms().spotify(), uri.as_deref());
    command(cx, call, |token| async move { client.play(&token, uri).await }).await
}

/// Pauses playback.
pub(super) async fn pause(cx: &Cx, call: &Call) -> Result<Outcome> {
    let client = cx.state().platforms().spotify();
    command(cx, call, |token| async move { client.pause(&token).await }).await
}

/// Skips to the next track.
pub(super) async fn skip(cx: &Cx, call: &Call) -> Result<Outcome> {
    let client = cx.state().platforms().spotify();
    command(cx, call, |token| async move { client.next(&token).await }).await
}

/// Adds a track to the queue.
pub(super) async fn queue(cx: &Cx, call: &Call, uri: &str) -> Result<Outcome> {
    let uri = match track_uri(uri.trim()) {
        Ok(uri) => uri,
        Err(wrong) => return Ok(Err(Failure::new(wrong.message))),
    };
    let (state, uri) = (cx.state(), uri.as_str());
    let client = state.platforms().spotify();
    let queued = command(cx, call, |token| async move { client.add_to_queue(&token, uri).await }).await?;
    if queued.is_ok()
        && let Err(error) = music::publish_queue(&state.events, call.account, state.clock.now()).await
    {
        tracing::warn!(account_id = %call.account, %error, "a change of the queue is not published");
    }
    Ok(queued)
}

async fn command<F>(cx: &Cx, call: &Call, command: impl FnMut(Secret) -> F) -> Result<Outcome>
where
    F: Future<Output = Result<(), PlatformError>>,
{
    let mut connection = cx.state().system(SystemReason::HandlerAction).db().await?;
    let found = Player::find(&mut connection, call.account).await;
    drop(connection);
    let player = match found {
        Ok(player) => player,
        Err(error) if error.code.status().is_server_error() => return Err(error),
        Err(refusal) => return Ok(Err(Failure::new(refusal.message))),
    };
    Ok(match player.command(cx, command).await {
        Ok(()) => Ok(json!({})),
        Err(error) => Err(failure(&error)),
    })
}

/// Failure of a command. Without an answer of Spotify it may have been executed.
fn failure(error: &ApiError) -> Failure {
    if error.code.status().is_server_error() {
        return Failure::unknown("Spotify could not be called");
    }
    Failure::new(error.message.clone())
}
