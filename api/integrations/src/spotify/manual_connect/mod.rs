//! Manual connect: the player of an account is polled for a time although no channel is live
//! (reference/music.md#manual-connect).

pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
};
use chrono::TimeDelta;
use diesel_async::AsyncConnection;
use foundation::audit;
use juniper::GraphQLObject;
use live_model::music::{self, manual};
use platform_access::spotify::Player;
use serde::Serialize;
use shared::catalogue::{AccountPermission, Feature};
use utoipa::ToSchema;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&SPOTIFY_MANUAL_CONNECT, &START_SPOTIFY_MANUAL_CONNECT, &STOP_SPOTIFY_MANUAL_CONNECT];

/// Manual connect of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct SpotifyManualConnect {
    /// True while the player is polled although no channel is live.
    pub active: bool,
    /// Time until it ends, in seconds. 0 when it is not active.
    pub remaining_seconds: i32,
}

pub static SPOTIFY_MANUAL_CONNECT: Operation<AccountCaller> =
    Operation::account("spotifyManualConnect", AccountPermission::SpotifyWorker, Grants::Nothing)
        .feature(Feature::Music);

/// Returns whether the player is polled although no channel is live, and for how long.
///
/// # Errors
/// Refusals of the access rule; 404 when Spotify is not connected.
#[api_core::operation]
pub async fn spotify_manual_connect(cx: &Cx) -> Result<SpotifyManualConnect> {
    let caller = cx.authorize(&SPOTIFY_MANUAL_CONNECT).await?;
    Player::of(&caller).await?;
    let state = cx.state();
    Ok(manual::remaining(&state.redis, caller.account, state.clock.now()).await?.into())
}

pub static START_SPOTIFY_MANUAL_CONNECT: Operation<AccountCaller> =
    Operation::account("startSpotifyManualConnect", AccountPermission::SpotifyWorker, Grants::Nothing)
        .feature(Feature::Music)
        .idempotent_by_claim();

/// Polls the player for 30 minutes although no channel is live. An active manual connect lasts for 30 minutes
/// from now on.
///
/// # Errors
/// Refusals of the access rule; 404 when Spotify is not connected.
#[api_core::operation]
pub async fn start_spotify_manual_connect(cx: &Cx) -> Result<SpotifyManualConnect> {
    let caller = cx.authorize(&START_SPOTIFY_MANUAL_CONNECT).await?;
    Player::of(&caller).await?;
    let (state, account) = (cx.state(), caller.account);
    cx.begin_effect();
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let entry = cx.audit("spotify:manual_connect_started", "account", account);
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(())
        })
        .await?;
    manual::start(&state.redis, account, state.clock.now()).await?;
    music::wake(&state.redis, account).await?;
    Ok(Some(manual::MANUAL_CONNECT_TTL).into())
}

pub static STOP_SPOTIFY_MANUAL_CONNECT: Operation<AccountCaller> =
    Operation::account("stopSpotifyManualConnect", AccountPermission::SpotifyWorker, Grants::Nothing)
        .feature(Feature::Music);

/// Ends a manual connect. The player is still polled while a channel is live. Without effect when it is not
/// active.
///
/// # Errors
/// Refusals of the access rule; 404 when Spotify is not connected.
#[api_core::operation]
pub async fn stop_spotify_manual_connect(cx: &Cx) -> Result<SpotifyManualConnect> {
    let caller = cx.authorize(&STOP_SPOTIFY_MANUAL_CONNECT).await?;
    Player::of(&caller).await?;
    let (state, account) = (cx.state(), caller.account);
    if manual::remaining(&state.redis, account, state.clock.now()).await?.is_some() {
        caller
            .db()
            .await?
            .transaction(async |connection| {
                let entry = cx.audit("spotify:manual_connect_stopped", "account", account);
                audit::record(connection, entry).await?;
                Ok::<_, ApiError>(())
            })
            .await?;
        manual::stop(&state.redis, account).await?;
    }
    Ok(None.into())
}

impl From<Option<TimeDelta>> for SpotifyManualConnect {
    fn from(remaining: Option<TimeDelta>) -> Self {
        // A begun second counts, so that an active one has time left.
        let seconds = remaining.map_or(0, |left| (left.num_milliseconds() + 999) / 1000);
        Self { active: remaining.is_some(), remaining_seconds: i32::try_from(seconds).unwrap_or(i32::MAX) }
    }
}
