//! Playing and ending of sounds in browser sources.

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, Grants},
    http::Success,
};
use diesel_async::AsyncPgConnection;
use live_model::sounds::{SoundTarget, find_playable, publish_play, publish_stop};
use shared::{
    catalogue::{AccountPermission, Feature},
    id::AccountId,
};
use uuid::Uuid;

use super::{
    db,
    input::{PlaySoundInput, SoundTargetInput, SoundTargetType, StopSoundInput},
    not_found,
};
use crate::signed::links;

pub static PLAY_SOUND: Operation<AccountCaller> =
    Operation::account("playSound", AccountPermission::SoundsPlay, Grants::Nothing)
        .feature(Feature::Sounds)
        .idempotent_by_claim();

/// Plays a sound in browser sources.
///
/// It is published as `sound:play` with an address of the sound that is valid for ten minutes. Without a target
/// every browser source of the account plays it.
///
/// # Errors
/// Refusals of the access rule; 400 for a volume outside of 0 to 1 or another target; 404 when the account has no
/// such sound, widget or overlay.
#[api_core::operation]
pub async fn play_sound(cx: &Cx, id: Input<Uuid>, input: Input<PlaySoundInput>) -> Result<Success> {
    let caller = cx.authorize(&PLAY_SOUND).await?;
    let (id, input) = (id?, input?);
    let volume = input.volume()?;
    let (sound, target) = {
        let connection = &mut *caller.db().await?;
        let sound = find_playable(connection, caller.account, id).await?.ok_or_else(not_found)?;
        (sound, target(connection, caller.account, input.target).await?)
    };
    let (state, now) = (cx.state(), cx.state().clock.now());
    cx.begin_effect();
    publish_play(&state.events, &links(cx), caller.account, &sound, (volume, target), now).await?;
    Ok(Success::DONE)
}

pub static STOP_SOUND: Operation<AccountCaller> =
    Operation::account("stopSound", AccountPermission::SoundsPlay, Grants::Nothing)
        .feature(Feature::Sounds)
        .idempotent_by_claim()
        .repeatable();

/// Ends a sound in browser sources.
///
/// It is published as `sound:stop`. A browser source that does not play the sound ignores it.
///
/// # Errors
/// Refusals of the access rule; 400 for another target; 404 when the account has no such sound, widget or overlay.
#[api_core::operation]
pub async fn stop_sound(cx: &Cx, id: Input<Uuid>, input: Input<StopSoundInput>) -> Result<Success> {
    let caller = cx.authorize(&STOP_SOUND).await?;
    let (id, input) = (id?, input?);
    let (sound, target) = {
        let connection = &mut *caller.db().await?;
        let sound = find_playable(connection, caller.account, id).await?.ok_or_else(not_found)?;
        (sound, target(connection, caller.account, input.target).await?)
    };
    cx.begin_effect();
    publish_stop(&cx.state().events, caller.account, Some(sound.id), target, cx.state().clock.now()).await?;
    Ok(Success::DONE)
}

async fn target(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    given: Option<SoundTargetInput>,
) -> Result<Option<SoundTarget>> {
    let Some(SoundTargetInput { target_type, id }) = given else { return Ok(None) };
    match target_type {
        SoundTargetType::Widget if db::has_widget(connection, account, id).await? => {
            Ok(Some(SoundTarget::Widget(id)))
        }
        SoundTargetType::Overlay if db::has_overlay(connection, account, id).await? => {
            Ok(Some(SoundTarget::Overlay(id)))
        }
        SoundTargetType::Widget => Err(ApiError::not_found("Widget not found")),
        SoundTargetType::Overlay => Err(ApiError::not_found("Overlay not found")),
    }
}
