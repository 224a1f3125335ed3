//! Calls to Spotify with the connection of an account (reference/music.md#player).

use std::time::Duration;

use api_core::{ApiError, Code, Cx, Result, access::AccountCaller};
use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use live_model::music::{self, Schedule};
use platform_credentials::tokens::{Holder, Unavailable};
use platforms::PlatformError;
use shared::{id::AccountId, secret::Secret};
use tokio::time::timeout;
use uuid::Uuid;

use super::{
    db::{self, Connection},
    limit,
};
use crate::PlatformAccess as _;

/// Calls of an account to Spotify in a minute (reference/music.md#limits-of-spotify).
const MAX_CALLS_PER_MINUTE: u32 = 120;

api_core::limits::submit! {
    api_core::limits::WindowLimit {
        name: "spotify_calls",
        limit: MAX_CALLS_PER_MINUTE,
        seconds: 60,
        holder: api_core::limits::Holder::Account,
    }
}

/// Maximum duration of the calls of one operation, a refresh of the token included
/// (reference/music.md#player).
const CALL_TIMEOUT: Duration = Duration::from_secs(8);

/// Player of an account.
pub struct Player {
    account: AccountId,
    connection: Connection,
}

impl Player {
    /// Finds the player of the caller's account. No database connection is held afterwards.
    ///
    /// # Errors
    /// 404 when Spotify is not connected.
    pub async fn of(caller: &AccountCaller) -> Result<Self> {
        Self::find(&mut *caller.db().await?, caller.account).await
    }

    /// Finds the player of an account.
    ///
    /// # Errors
    /// 404 when Spotify is not connected.
    pub async fn find(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Self> {
        let found = db::connection(connection, account).await?;
        Ok(Self { account, connection: found.ok_or_else(not_connected)? })
    }

    /// Calls Spotify with the token of the connection.
    ///
    /// # Errors
    /// The refusal of Spotify; 429 without a call while Spotify takes none.
    pub async fn call<T, F>(&self, cx: &Cx, mut call: impl FnMut(Secret) -> F) -> Result<T>
    where
        F: Future<Output = Result<T, PlatformError>>,
    {
        let state = cx.state();
        // Spotify counts the calls of an application, which several accounts may share.
        let account = self.account.to_string();
        cx.refuse_over(&state.limiter.count("spotify_calls", &account, MAX_CALLS_PER_MINUTE, 60).await)?;
        self.check_limit(cx).await?;
        let calls = state.tokens().call(Holder::Channel(self.connection.id), |access| call(access.token));
        match timeout(CALL_TIMEOUT, calls).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(Unavailable::Platform(PlatformError::RateLimited { retry_after }))) => {
                Err(self.limit(cx, retry_after).await?)
            }
            Ok(Err(unavailable)) => Err(refusal(unavailable)),
            Err(_elapsed) => Err(ApiError::internal("Spotify did not answer in time")),
        }
    }

    /// Id of the connection.
    #[must_use]
    pub const fn connection_id(&self) -> Uuid {
        self.connection.id
    }

    /// Checks that Spotify takes calls of the connection.
    ///
    /// # Errors
    /// 429 with the remaining time while it takes none.
    pub async fn check_limit(&self, cx: &Cx) -> Result<()> {
        let now = cx.state().clock.now();
        match limit::until(&cx.state().redis, self.connection.id, now).await? {
            Some(until) => Err(limited(until, now)),
            None => Ok(()),
        }
    }

    /// Sends a command to the player. The poller sees its effect immediately.
    ///
    /// # Errors
    /// As [`Player::call`].
    pub async fn command<T, F>(&self, cx: &Cx, call: impl FnMut(Secret) -> F) -> Result<T>
    where
        F: Future<Output = Result<T, PlatformError>>,
    {
        cx.begin_effect();
        let done = self.call(cx, call).await;
        cx.undo_effect_if_refused(&done);
        let done = done?;
        if let Err(error) = music::wake(&cx.state().redis, self.account).await {
            tracing::warn!(account_id = %self.account, %error, "a command is seen by the next poll only");
        }
        Ok(done)
    }

    /// Stores the limit of a 429, for this connection and for the polls of its application, and returns the
    /// error.
    ///
    /// # Errors
    /// 500 when Redis fails.
    pub async fn limit(&self, cx: &Cx, retry_after: Option<Duration>) -> Result<ApiError> {
        let (redis, now) = (&cx.state().redis, cx.state().clock.now());
        let Connection { id, client_id } = &self.connection;
        let until = limit::store(redis, *id, retry_after, now).await?;
        // Tokens that were set by hand have no application: each such connection counts as one.
        let app = client_id.clone().unwrap_or_else(|| id.to_string());
        Schedule::new(redis).pause(&app, until).await?;
        Ok(limited(until, now))
    }
}

fn limited(until: DateTime<Utc>, now: DateTime<Utc>) -> ApiError {
    let wait = u64::try_from((until - now).num_milliseconds()).unwrap_or_default().div_ceil(1000);
    ApiError::new(Code::RateLimitExceeded, "Spotify limits the calls").with_retry_after(wait.max(1))
}

fn not_connected() -> ApiError {
    ApiError::not_found("Spotify is not connected")
}

fn reconnect_required() -> ApiError {
    ApiError::conflict("Spotify must be connected again")
}

fn refusal(unavailable: Unavailable) -> ApiError {
    match unavailable {
        Unavailable::Missing => not_connected(),
        // A token that is refused although it is new lacks a scope.
        Unavailable::ReconnectRequired | Unavailable::Platform(PlatformError::Unauthorized) => {
            reconnect_required()
        }
        Unavailable::Failed(error) => error.into(),
        Unavailable::Platform(PlatformError::PremiumRequired) => {
            ApiError::bad_request("Spotify Premium required")
        }
        Unavailable::Platform(PlatformError::NoActiveDevice) => {
            ApiError::conflict("No active Spotify device")
        }
        Unavailable::Platform(PlatformError::Rejected { message }) => ApiError::bad_request(message),
        other => ApiError::internal(format_args!("Spotify could not be called: {other}")),
    }
}
