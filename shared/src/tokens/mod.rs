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
mod refresh;
mod revoked;
mod unmended;

use std::{sync::Arc, time::Duration};

use chrono::TimeDelta;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use tokio::{sync::Semaphore, time::Instant};

use crate::{
    Error, Result,
    clock::Clock,
    config::Config,
    connections::{CredentialModes, applications::Directory},
    crypto::Keyring,
    db::Database,
    platforms::{PlatformError, Platforms, PlatformsConfig},
    secret::Secret,
};
use flag::Reason;
use holder::Row;
use unmended::Unmended;

pub use holder::{Due, Holder};
pub use revoked::TakenAway;

/// Tokens are refreshed when they live no longer than this (A §2.8).
pub const MARGIN: TimeDelta = TimeDelta::minutes(5);

/// Refreshes that one process has under way; more wait for their turn.
const CONCURRENCY: usize = 16;
/// How long whoever needs a token waits for another process that refreshes it: a call and what surrounds it.
const REFRESH_WAIT_TIMEOUT: Duration = Duration::from_secs(15);
const RECHECK_DELAY: Duration = Duration::from_millis(100);

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
    unmended: Unmended,
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
            unmended: Unmended::default(),
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
    /// made once more (D §2). When that does not help either, it is not the token that is wrong: nothing is refreshed
    /// for such a refusal for a while.
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
        let version = access.version;
        let answer = call(access).await;
        if matches!(answer, Err(PlatformError::Unauthorized)) {
            self.0.unmended.note(holder.id(), version, self.0.clock.now());
        }
        Ok(answer?)
    }

    /// Another token in place of one that the platform did not take.
    ///
    /// # Errors
    /// [`Unavailable`]; `ReconnectRequired` when nothing can be put in its place, which flags the connection;
    /// `Platform(Unauthorized)` for a token that was refused although it was new.
    pub async fn replace(&self, holder: Holder, refused: &Access) -> Result<Access, Unavailable> {
        if self.0.unmended.knows(holder.id(), refused.version, self.0.clock.now()) {
            return Err(PlatformError::Unauthorized.into());
        }
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

    /// Connections whose tokens are to be refreshed now, those that expire first before others.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn due(&self, limit: i64) -> Result<Vec<Due>> {
        holder::due(&mut *self.0.database.get().await?, self.0.clock.now(), limit).await
    }

    /// As [`Self::refresh`], but waits for another process that is at it.
    async fn refresh_and_wait(&self, holder: Holder, version: i64) -> Result<Outcome> {
        let deadline = Instant::now() + REFRESH_WAIT_TIMEOUT;
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
            tokio::time::sleep(RECHECK_DELAY).await;
        }
    }

    /// Flags the connection, once, with everything that tells of it.
    async fn flag(&self, holder: Holder, row: &Row, reason: Reason) -> Result<Outcome> {
        let mut connection = self.0.database.get().await?;
        let is_flagged =
            connection.transaction(async |connection| self.flag_in(connection, holder, row, reason).await);
        Ok(if is_flagged.await? { Outcome::Flagged } else { Outcome::Newer })
    }

    /// Whether this flagged the connection: not when it was already, or holds other tokens by now.
    async fn flag_in(
        &self,
        connection: &mut AsyncPgConnection,
        holder: Holder,
        row: &Row,
        reason: Reason,
    ) -> Result<bool> {
        let is_flagged = flag::flag(connection, holder, row, reason, self.0.clock.now()).await?;
        if is_flagged {
            tracing::info!(
                connection_id = %holder.id(), platform = row.platform, reason = reason.as_str(),
                "a connection must be renewed by its owner"
            );
        }
        Ok(is_flagged)
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
