//! One refresh: the claim, the call, and the storage of the tokens.

use std::{fmt::Display, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::AsyncConnection;

use super::{
    Outcome, Tokens, backoff,
    claim::{self, Claim},
    flag::Reason,
    holder::{self, Holder, Row},
};
use connection_model::applications::{self, Pinned};
use platforms::{PlatformError, TokenGrant};
use shared::connection::OAuthApp;
use shared::{Error, Result, secret::Secret};

/// Age of a claim after which a refresh no longer starts: the call must end before the claim does.
const MAX_START_DELAY: Duration = Duration::from_secs(20);
/// Attempts to store issued tokens. They cannot be requested again.
const MAX_STORE_ATTEMPTS: u32 = 6;
const STORE_RETRY_DELAY: Duration = Duration::from_millis(250);

impl Tokens {
    pub(super) async fn refresh_claimed(&self, holder: Holder, version: i64) -> Result<Outcome> {
        let _permit =
            self.0.permits.acquire().await.map_err(|_closed| Error::Internal("no permits".into()))?;
        let now = self.0.clock.now();
        let Some(claim) = claim::take(&mut *self.0.database.get().await?, holder.id(), now).await? else {
            return Ok(Outcome::Busy);
        };
        let outcome = self.refresh_alone(holder, version, &claim).await;
        match outcome {
            Ok(Outcome::Postponed) => {}
            // A failure of the database is no reason for a pause: the next caller tries again.
            _ => self.release(&claim).await,
        }
        outcome
    }

    /// Refreshes while holding the claim.
    async fn refresh_alone(&self, holder: Holder, version: i64, claim: &Claim) -> Result<Outcome> {
        let mut connection = self.0.database.get().await?;
        let Some(row) = holder::find(&mut connection, holder).await? else { return Ok(Outcome::Nothing) };
        if row.token_version != version {
            return Ok(Outcome::Newer);
        }
        let Some(sealed) = row.refresh_token.as_deref().filter(|_| !row.reconnect_required) else {
            return Ok(Outcome::Nothing);
        };
        let Some(refresh_token) = self.unseal(holder, "refresh_token", sealed)? else {
            return self.flag(holder, &row, Reason::Undecryptable).await;
        };
        let app = match applications::pinned(&mut connection, self.directory(), &row.pin()?).await? {
            Pinned::Application(app) => app,
            Pinned::Gone => return self.flag(holder, &row, Reason::ApplicationGone).await,
            Pinned::Absent => {
                drop(connection);
                let pause = backoff::pause_misconfigured(claim.failures);
                return self.postpone(holder, &row, claim, &"the application is not configured", pause).await;
            }
            Pinned::Undecryptable => return self.flag(holder, &row, Reason::Undecryptable).await,
        };
        drop(connection);
        if claim.taken_at.elapsed() > MAX_START_DELAY {
            return Ok(Outcome::Busy);
        }
        self.exchange(holder, &row, claim, &app, &refresh_token).await
    }

    async fn exchange(
        &self,
        holder: Holder,
        row: &Row,
        claim: &Claim,
        app: &OAuthApp,
        refresh_token: &Secret,
    ) -> Result<Outcome> {
        match self.0.platforms.client(row.platform()?).refresh(app, refresh_token).await {
            Ok(grant) => self.store(holder, row, &grant).await,
            Err(PlatformError::InvalidGrant { .. }) => self.grant_is_dead(holder, row, claim).await,
            Err(error) => {
                let pause = backoff::pause(&error, claim.failures);
                self.postpone(holder, row, claim, &error, pause).await
            }
        }
    }

    /// Flags the connection if the grant is dead. Another process may have refreshed first: only a grant that
    /// is still the stored one is dead. When the claim expired because the database was slow, another process
    /// may have sent the same refresh token, whose result is not stored yet: then that process decides.
    async fn grant_is_dead(&self, holder: Holder, row: &Row, claim: &Claim) -> Result<Outcome> {
        let mut connection = self.0.database.get().await?;
        let outcome = connection.transaction(async |connection| {
            if !claim::renew(connection, claim).await? {
                return Ok(Outcome::Busy);
            }
            match holder::find(connection, holder).await? {
                None => Ok(Outcome::Nothing),
                Some(now) if now.token_version != row.token_version => Ok(Outcome::Newer),
                Some(now) => {
                    let is_flagged = self.flag_in(connection, holder, &now, Reason::GrantDead).await?;
                    Ok(if is_flagged { Outcome::Flagged } else { Outcome::Newer })
                }
            }
        });
        outcome.await
    }

    async fn store(&self, holder: Holder, row: &Row, grant: &TokenGrant) -> Result<Outcome> {
        let access = self.seal(holder, "access_token", &grant.access_token)?;
        let refresh = grant
            .refresh_token
            .as_ref()
            .map(|token| self.seal(holder, "refresh_token", token))
            .transpose()?;
        let now = self.0.clock.now();
        let expires_at = expiry(grant, now);
        let mut pause = STORE_RETRY_DELAY;
        for attempt in 1.. {
            let stored = self.store_once(holder, row, &access, refresh.as_deref(), expires_at, now).await;
            match stored {
                Ok(true) => {
                    tracing::debug!(connection_id = %holder.id(), platform = row.platform, "tokens refreshed");
                    return Ok(Outcome::Refreshed);
                }
                // The connection was made again meanwhile: those tokens belong to another grant.
                Ok(false) => return Ok(Outcome::Newer),
                Err(error) if attempt == MAX_STORE_ATTEMPTS => {
                    tracing::error!(connection_id = %holder.id(), %error, "refreshed tokens could not be stored");
                    return Err(error);
                }
                Err(error) => {
                    tracing::warn!(connection_id = %holder.id(), %error, "refreshed tokens are not stored yet");
                    tokio::time::sleep(pause).await;
                    pause *= 2;
                }
            }
        }
        Ok(Outcome::Postponed)
    }

    async fn store_once(
        &self,
        holder: Holder,
        row: &Row,
        access: &[u8],
        refresh: Option<&[u8]>,
        expires_at: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        let mut connection = self.0.database.get().await?;
        holder::store(&mut connection, holder, row.token_version, access, refresh, expires_at, now).await
    }

    async fn postpone(
        &self,
        holder: Holder,
        row: &Row,
        claim: &Claim,
        reason: &(dyn Display + Sync),
        pause: TimeDelta,
    ) -> Result<Outcome> {
        tracing::warn!(
            connection_id = %holder.id(), platform = row.platform, %reason, %pause, "a token refresh is postponed"
        );
        let retry_at = self.0.clock.now() + pause;
        claim::postpone(&mut *self.0.database.get().await?, claim, retry_at).await?;
        Ok(Outcome::Postponed)
    }

    async fn release(&self, claim: &Claim) {
        let release = async { claim::release(&mut *self.0.database.get().await?, claim).await };
        if let Err(error) = release.await {
            tracing::warn!(connection_id = %claim.connection_id, %error, "a claim was not released; it expires");
        }
    }
}

/// Expiry of the token; `None` when it does not expire.
fn expiry(grant: &TokenGrant, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let lives = TimeDelta::from_std(grant.expires_in?).ok()?;
    now.checked_add_signed(lives)
}
