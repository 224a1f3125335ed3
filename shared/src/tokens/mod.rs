//! Access tokens of connections, kept fresh (specification A §2.8, D §1): one refresh at a time a connection across
//! every process, rotated tokens stored before anybody uses them, and a connection flagged only when its platform says
//! that the grant is dead or its secrets cannot be read.
//!
//! The database is what processes agree through: a claim in `token_refreshes` for the one that refreshes, and the
//! connection's `token_version`, which every writer of tokens raises, against writers that no longer hold theirs.

mod backoff;
mod claim;
mod flag;
mod holder;

use std::{sync::Arc, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::AsyncConnection;
use tokio::{sync::Semaphore, time::Instant};
use uuid::Uuid;

use crate::{
    Error, Result,
    clock::Clock,
    config::Config,
    connections::{
        CredentialModes,
        applications::{self, Directory, Pinned},
    },
    crypto::Keyring,
    db::Database,
    platforms::{OAuthApp, Platform, PlatformError, Platforms, PlatformsConfig, TokenGrant},
    secret::Secret,
};
use claim::Claim;
use flag::Reason;
use holder::Row;

pub use holder::{Due, Holder};

/// Tokens are refreshed when they live no longer than this (A §2.8).
pub const MARGIN: TimeDelta = TimeDelta::minutes(5);

/// Refreshes that one process has under way; more wait for their turn.
const CONCURRENCY: usize = 16;
/// A refresh that could not begin so long after its claim gives it up: the call must end before the claim does.
const LATEST_START: Duration = Duration::from_secs(20);
/// How long whoever needs a token waits for another process that refreshes it: a call and what surrounds it.
const PATIENCE: Duration = Duration::from_secs(15);
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// Tries to store what a platform handed out; it cannot be asked for again.
const STORE_TRIES: u32 = 6;
const STORE_PAUSE: Duration = Duration::from_millis(250);

/// Keeps tokens fresh. Cheap to clone; the clones share one limit of concurrent refreshes.
#[derive(Clone)]
pub struct Tokens(Arc<Parts>);

struct Parts {
    database: Database,
    keyring: Keyring,
    platforms: Platforms,
    config: PlatformsConfig,
    modes: CredentialModes,
    clock: Clock,
    permits: Semaphore,
}

/// A token that can be used now.
#[derive(Debug, Clone)]
pub struct Access {
    pub token: Secret,
    /// The application that it was issued to; `None` for a connection whose tokens were set by hand.
    pub client_id: Option<String>,
    /// For [`Tokens::refresh`].
    pub version: i64,
}

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum Unavailable {
    /// There is no such connection, or it holds no token.
    #[error("there is no token")]
    Missing,
    /// The connection is flagged: it never yields a token (A §2.8).
    #[error("the connection must be renewed by its owner")]
    ReconnectRequired,
    /// The token has expired and cannot be refreshed now.
    #[error("the token cannot be refreshed at the moment")]
    Postponed,
    /// The call was made, and failed.
    #[error(transparent)]
    Platform(#[from] PlatformError),
    #[error(transparent)]
    Failed(#[from] Error),
}

/// What came of a refresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// New tokens are stored.
    Refreshed,
    /// Others stored newer tokens than those that were to be replaced.
    Newer,
    /// Another process is refreshing, or a failed refresh is not to be repeated yet.
    Busy,
    /// The platform or the application does not play along now: it is tried again later.
    Postponed,
    /// The grant is dead: the connection is flagged.
    Flagged,
    /// There is nothing to refresh: no connection, no refresh token, or flagged already.
    Nothing,
}

impl Outcome {
    /// For metrics and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Refreshed => "refreshed",
            Self::Newer => "newer",
            Self::Busy => "busy",
            Self::Postponed => "postponed",
            Self::Flagged => "flagged",
            Self::Nothing => "nothing",
        }
    }
}

impl Tokens {
    #[must_use]
    pub fn new(
        config: &Config,
        database: Database,
        keyring: Keyring,
        platforms: Platforms,
        clock: Clock,
    ) -> Self {
        Self(Arc::new(Parts {
            database,
            keyring,
            platforms,
            config: config.platforms.clone(),
            modes: config.connections.modes.clone(),
            clock,
            permits: Semaphore::new(CONCURRENCY),
        }))
    }

    /// The token of a connection, refreshed when it lives no longer than [`MARGIN`].
    ///
    /// # Errors
    /// [`Unavailable`]; `Platform` is not among what it answers.
    pub async fn access(&self, holder: Holder) -> Result<Access, Unavailable> {
        let row = self.usable(holder).await?;
        let now = self.0.clock.now();
        if !row.is_due(now) {
            return self.open(holder, &row).await;
        }
        match self.refresh_and_wait(holder, row.token_version).await? {
            Outcome::Flagged => Err(Unavailable::ReconnectRequired),
            Outcome::Refreshed | Outcome::Newer => self.open(holder, &self.usable(holder).await?).await,
            // What is not refreshed in time is still good until its last second.
            _ if row.expires_at.is_some_and(|at| at > now) => self.open(holder, &row).await,
            _ => Err(Unavailable::Postponed),
        }
    }

    /// Makes a call with the token of a connection; one that the platform does not take is refreshed, and the call is
    /// made once more (D §2).
    ///
    /// # Errors
    /// [`Unavailable`]. A connection whose token is refused and cannot be refreshed is flagged.
    pub async fn call<T, F>(
        &self,
        holder: Holder,
        // Not an async closure, whose future nobody can promise to be `Send`.
        mut call: impl FnMut(Access) -> F,
    ) -> Result<T, Unavailable>
    where
        F: Future<Output = Result<T, PlatformError>>,
    {
        let access = self.access(holder).await?;
        match call(access.clone()).await {
            Err(PlatformError::Unauthorized) => {}
            other => return Ok(other?),
        }
        let access = self.replace(holder, &access).await?;
        Ok(call(access).await?)
    }

    /// Another token in place of one that the platform did not take.
    ///
    /// # Errors
    /// [`Unavailable`]; `ReconnectRequired` when nothing can be put in its place, which flags the connection.
    pub async fn replace(&self, holder: Holder, refused: &Access) -> Result<Access, Unavailable> {
        match self.refresh_and_wait(holder, refused.version).await? {
            Outcome::Refreshed | Outcome::Newer => {}
            Outcome::Flagged => return Err(Unavailable::ReconnectRequired),
            Outcome::Busy | Outcome::Postponed => return Err(Unavailable::Postponed),
            Outcome::Nothing => {
                let row = self.usable(holder).await?;
                if row.token_version == refused.version {
                    self.flag(holder, &row, Reason::TokenRefused).await?;
                    return Err(Unavailable::ReconnectRequired);
                }
            }
        }
        self.open(holder, &self.usable(holder).await?).await
    }

    /// Refreshes the tokens of a connection, unless they are newer than `version` already.
    ///
    /// The work goes on when the caller stops waiting: what a platform hands out must be stored.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn refresh(&self, holder: Holder, version: i64) -> Result<Outcome> {
        let this = self.clone();
        let work = tokio::spawn(async move { this.refresh_claimed(holder, version).await });
        work.await.map_err(|error| Error::Internal(format!("a token refresh failed: {error}")))?
    }

    /// Flags the channel of an account, because its platform says that the authorisation was taken away.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn revoked(&self, account: Uuid, platform: Platform) -> Result<()> {
        let mut connection = self.0.database.get().await?;
        let Some(holder) = holder::channel_of(&mut connection, account, platform).await? else {
            return Ok(());
        };
        let row = holder::find(&mut connection, holder).await?;
        drop(connection);
        if let Some(row) = row {
            self.flag(holder, &row, Reason::Revoked).await?;
        }
        Ok(())
    }

    /// Connections whose tokens are to be refreshed now, those that expire first before others.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn due(&self, limit: i64) -> Result<Vec<Due>> {
        holder::due(&mut *self.0.database.get().await?, self.0.clock.now(), limit).await
    }

    /// As [`Self::refresh`], but waits for another process that is at it.
    async fn refresh_and_wait(&self, holder: Holder, version: i64) -> Result<Outcome> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let outcome = self.refresh(holder, version).await?;
            if outcome != Outcome::Busy {
                return Ok(outcome);
            }
            if !claim::is_held(&mut *self.0.database.get().await?, holder.id()).await? {
                // Nobody is at it: an earlier failure keeps it back, or it has just ended.
                let row = holder::find(&mut *self.0.database.get().await?, holder).await?;
                let is_newer = row.is_some_and(|row| row.token_version != version);
                return Ok(if is_newer { Outcome::Newer } else { Outcome::Postponed });
            }
            if Instant::now() >= deadline {
                return Ok(Outcome::Busy);
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    async fn refresh_claimed(&self, holder: Holder, version: i64) -> Result<Outcome> {
        let _permit =
            self.0.permits.acquire().await.map_err(|_closed| Error::Internal("no permits".into()))?;
        let now = self.0.clock.now();
        let Some(claim) = claim::take(&mut *self.0.database.get().await?, holder.id(), now).await? else {
            return Ok(Outcome::Busy);
        };
        let outcome = self.refresh_alone(holder, version, &claim).await;
        match outcome {
            Ok(Outcome::Postponed) => {}
            // A failure of the database is no reason to wait: the next one who looks tries again.
            _ => self.release(&claim).await,
        }
        outcome
    }

    /// Holding the claim.
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
            Pinned::Undecryptable => return self.flag(holder, &row, Reason::Undecryptable).await,
        };
        drop(connection);
        if claim.taken_at.elapsed() > LATEST_START {
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
            Err(PlatformError::InvalidGrant { .. }) => self.grant_is_dead(holder, row).await,
            Err(error) => self.postpone(holder, row, claim, &error).await,
        }
    }

    /// Another process may have won: only a grant that is still the stored one is dead (D §1).
    async fn grant_is_dead(&self, holder: Holder, row: &Row) -> Result<Outcome> {
        let now = holder::find(&mut *self.0.database.get().await?, holder).await?;
        match now {
            None => Ok(Outcome::Nothing),
            Some(now) if now.token_version != row.token_version => Ok(Outcome::Newer),
            Some(now) => self.flag(holder, &now, Reason::GrantDead).await,
        }
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
        let mut pause = STORE_PAUSE;
        for attempt in 1.. {
            let stored = self.store_once(holder, row, &access, refresh.as_deref(), expires_at, now).await;
            match stored {
                Ok(true) => {
                    tracing::debug!(connection_id = %holder.id(), platform = row.platform, "tokens refreshed");
                    return Ok(Outcome::Refreshed);
                }
                // Somebody connected anew meanwhile: those tokens are another grant's.
                Ok(false) => return Ok(Outcome::Newer),
                Err(error) if attempt == STORE_TRIES => {
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
        error: &PlatformError,
    ) -> Result<Outcome> {
        let pause = backoff::pause(error, claim.failures);
        tracing::warn!(
            connection_id = %holder.id(), platform = row.platform, %error, ?pause, "a token refresh is put off"
        );
        let retry_at = self.0.clock.now() + pause;
        claim::postpone(&mut *self.0.database.get().await?, claim, retry_at).await?;
        Ok(Outcome::Postponed)
    }

    /// Flags the connection, once, with everything that tells of it.
    async fn flag(&self, holder: Holder, row: &Row, reason: Reason) -> Result<Outcome> {
        let now = self.0.clock.now();
        let mut connection = self.0.database.get().await?;
        let is_flagged = connection
            .transaction(async |connection| flag::flag(connection, holder, row, reason, now).await)
            .await?;
        if is_flagged {
            tracing::info!(
                connection_id = %holder.id(), platform = row.platform, reason = reason.as_str(),
                "a connection must be renewed by its owner"
            );
        }
        Ok(if is_flagged { Outcome::Flagged } else { Outcome::Newer })
    }

    async fn release(&self, claim: &Claim) {
        let release = async { claim::release(&mut *self.0.database.get().await?, claim).await };
        if let Err(error) = release.await {
            tracing::warn!(connection_id = %claim.connection_id, %error, "a claim is left to run out");
        }
    }

    async fn usable(&self, holder: Holder) -> Result<Row, Unavailable> {
        let row = holder::find(&mut *self.0.database.get().await?, holder).await?;
        let row = row.ok_or(Unavailable::Missing)?;
        if row.reconnect_required { Err(Unavailable::ReconnectRequired) } else { Ok(row) }
    }

    async fn open(&self, holder: Holder, row: &Row) -> Result<Access, Unavailable> {
        let sealed = row.access_token.as_deref().ok_or(Unavailable::Missing)?;
        let Some(token) = self.unseal(holder, "access_token", sealed)? else {
            self.flag(holder, row, Reason::Undecryptable).await?;
            return Err(Unavailable::ReconnectRequired);
        };
        Ok(Access { token, client_id: row.client_id.clone(), version: row.token_version })
    }

    fn seal(&self, holder: Holder, column: &str, secret: &Secret) -> Result<Vec<u8>> {
        self.0.keyring.seal(holder.place(column, &holder.id().to_string()), secret)
    }

    /// `None` when the configured keys do not open it.
    fn unseal(&self, holder: Holder, column: &str, sealed: &[u8]) -> Result<Option<Secret>> {
        match self.0.keyring.open(holder.place(column, &holder.id().to_string()), sealed) {
            Ok(secret) => Ok(Some(secret)),
            Err(Error::Decryption(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn directory(&self) -> Directory<'_> {
        Directory { keyring: &self.0.keyring, platforms: &self.0.config, modes: &self.0.modes }
    }
}

/// `None` when the token does not expire.
fn expiry(grant: &TokenGrant, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let lives = TimeDelta::from_std(grant.expires_in?).ok()?;
    now.checked_add_signed(lives)
}
