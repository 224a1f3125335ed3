//! Access tokens of connections, and their refresh (reference/connections.md#refresh). Of all processes, one
//! at a time refreshes a connection. Rotated tokens are stored before their first use. A connection is
//! flagged only when its platform reports a dead grant or its secrets cannot be decrypted.
//!
//! Processes agree through the database. A claim in `token_refreshes` selects the process that refreshes. The
//! `token_version` of the connection, which every writer of tokens raises, stops writers that have lost their
//! claim.

mod backoff;
mod claim;
mod flag;
mod holder;
mod persistent_refusals;
mod refresh;
mod revoked;

use std::{sync::Arc, time::Duration};

use chrono::TimeDelta;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use tokio::{sync::Semaphore, time::Instant};

use connection_model::applications::Directory;
use flag::Reason;
use foundation::{crypto::Keyring, db::Database};
use holder::Row;
use persistent_refusals::PersistentRefusals;
use platforms::{PlatformError, Platforms};
use shared::{
    Error, Result,
    clock::Clock,
    config::{Config, platforms::PlatformsConfig},
    connection::CredentialModes,
    secret::Secret,
};

pub use holder::{Due, Holder};
pub use revoked::GrantRevocation;

/// Remaining lifetime below which a token is refreshed.
pub const REFRESH_MARGIN: TimeDelta = TimeDelta::minutes(5);

/// Refreshes that one process runs at once. Others wait for their turn.
const MAX_CONCURRENT_REFRESHES: usize = 16;
/// Longest wait for another process that refreshes the token: one call and its overhead.
const REFRESH_WAIT_TIMEOUT: Duration = Duration::from_secs(15);
const RECHECK_DELAY: Duration = Duration::from_millis(100);

/// Provider of access tokens. Cheap to clone; the clones share one limit of concurrent refreshes.
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
    persistent_refusals: PersistentRefusals,
}

/// Token that can be used now.
#[derive(Debug, Clone)]
pub struct Access {
    /// The access token.
    pub token: Secret,
    /// Application that it was issued to; `None` for a connection whose tokens were set by hand.
    pub client_id: Option<String>,
    /// Version of the token, for [`Tokens::refresh`].
    pub version: i64,
}

/// Reason why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum Unavailable {
    /// There is no such connection, or it holds no token.
    #[error("there is no token")]
    Missing,
    /// The connection is flagged: it never yields a token.
    #[error("the connection must be renewed by its owner")]
    ReconnectRequired,
    /// The token has expired and cannot be refreshed now.
    #[error("the token cannot be refreshed at the moment")]
    Postponed,
    /// The call was made, and failed.
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// A failure below, for example of the database.
    #[error(transparent)]
    Failed(#[from] Error),
}

/// Result of a refresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// New tokens are stored.
    Refreshed,
    /// Newer tokens than those to replace were stored meanwhile.
    Newer,
    /// Another process is refreshing, or a failed refresh is not to be repeated yet.
    Busy,
    /// The platform or the application cannot refresh now. It is tried again later.
    Postponed,
    /// The grant is dead: the connection is flagged.
    Flagged,
    /// There is nothing to refresh: no connection, no refresh token, or flagged already.
    Nothing,
}

impl Outcome {
    /// Text in metrics and logs.
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
    /// Creates a provider for the connections of a database.
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
            permits: Semaphore::new(MAX_CONCURRENT_REFRESHES),
            persistent_refusals: PersistentRefusals::default(),
        }))
    }

    /// Returns the token of a connection, refreshed when it expires within [`REFRESH_MARGIN`].
    ///
    /// # Errors
    /// [`Unavailable`], except `Platform`.
    pub async fn access(&self, holder: Holder) -> Result<Access, Unavailable> {
        let row = self.usable(holder).await?;
        let now = self.0.clock.now();
        if !row.is_due(now) {
            return self.open(holder, &row).await;
        }
        match self.refresh_and_wait(holder, row.token_version).await? {
            Outcome::Flagged => Err(Unavailable::ReconnectRequired),
            Outcome::Refreshed | Outcome::Newer => self.open(holder, &self.usable(holder).await?).await,
            // A token that was not refreshed in time is valid until its last second.
            _ if row.expires_at.is_some_and(|at| at > now) => self.open(holder, &row).await,
            _ => Err(Unavailable::Postponed),
        }
    }

    /// Makes a call with the token of a connection. A token that the platform refuses is refreshed, and the
    /// call is made once more. When that is refused too, the token is not the cause: such a refusal causes no
    /// refresh for a while (reference/connections.md#refresh).
    ///
    /// # Errors
    /// [`Unavailable`]. A connection whose token is refused and cannot be refreshed is flagged.
    pub async fn call<T, F>(
        &self,
        holder: Holder,
        // Not an async closure: its future cannot be declared `Send`.
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
            self.0.persistent_refusals.note(holder.id(), version, self.0.clock.now());
        }
        Ok(answer?)
    }

    /// Returns another token in place of one that the platform refused.
    ///
    /// # Errors
    /// [`Unavailable`]; `ReconnectRequired` when the token cannot be replaced, which flags the connection;
    /// `Platform(Unauthorized)` for a token that was refused although it was new.
    pub async fn replace(&self, holder: Holder, refused: &Access) -> Result<Access, Unavailable> {
        if self.0.persistent_refusals.knows(holder.id(), refused.version, self.0.clock.now()) {
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
    /// The work goes on when the caller stops waiting: tokens that a platform issued must be stored.
    ///
    /// # Errors
    /// A failure of the database.
    pub async fn refresh(&self, holder: Holder, version: i64) -> Result<Outcome> {
        let this = self.clone();
        let work = tokio::spawn(async move { this.refresh_claimed(holder, version).await });
        work.await.map_err(|error| Error::Internal(format!("a token refresh failed: {error}")))?
    }

    /// Connections whose tokens are to be refreshed now, earliest expiry first.
    ///
    /// # Errors
    /// A failure of the database.
    pub async fn due(&self, limit: i64) -> Result<Vec<Due>> {
        holder::due(&mut *self.0.database.get().await?, self.0.clock.now(), limit).await
    }

    /// Works as [`Self::refresh`], but waits for another process that is refreshing.
    async fn refresh_and_wait(&self, holder: Holder, version: i64) -> Result<Outcome> {
        let deadline = Instant::now() + REFRESH_WAIT_TIMEOUT;
        loop {
            let outcome = self.refresh(holder, version).await?;
            if outcome != Outcome::Busy {
                return Ok(outcome);
            }
            if !claim::is_held(&mut *self.0.database.get().await?, holder.id()).await? {
                // No process is refreshing: an earlier failure blocks the refresh, or one has just ended.
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

    /// Flags the connection, once, with its announcements.
    async fn flag(&self, holder: Holder, row: &Row, reason: Reason) -> Result<Outcome> {
        let mut connection = self.0.database.get().await?;
        let is_flagged =
            connection.transaction(async |connection| self.flag_in(connection, holder, row, reason).await);
        Ok(if is_flagged.await? { Outcome::Flagged } else { Outcome::Newer })
    }

    /// Flags the connection. Returns false when it was flagged already, or holds other tokens by now.
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

    /// Decrypts a token; `None` when the configured keys do not decrypt it.
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
