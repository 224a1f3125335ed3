//! The two databases: pools, connections and migrations (reference/storage.md#connections).
//!
//! Queries are beside the resource that they serve. This module has only what every process needs.

mod commit;
pub(crate) mod connect;
mod demotion;
pub(crate) mod driver;
mod failure;
mod freshness;
mod inline;
mod migrate;
mod pin;
mod prepared;
mod reader;
mod replica;
mod shares;
mod silence;

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
    time::Duration,
};

use diesel_async::{
    AsyncPgConnection, RunQueryDsl,
    pooled_connection::{
        AsyncDieselConnectionManager, ManagerConfig, PoolableConnection, RecyclingMethod, bb8,
    },
};
use futures::FutureExt;
use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};
use tokio_util::task::AbortOnDropHandle;

pub use commit::{WithoutWaiting, without_waiting};
pub use freshness::{MAX_STALENESS, ReplicaProblem, check_replica};
pub use migrate::{Migration, Ran, Schema, migrate, revert};
pub use pin::PinnedConnection;
pub use prepared::{Prepare, Prepared};
pub use reader::Reader;
pub use replica::{ReadPools, Replica, ReplicaConnection, ReplicaRead, Server};
pub use shares::{Holder, MAX_PER_REQUEST, Request, ShareState, operation};

use self::{
    connect::{Hosts, Statements},
    failure::LastFailure,
    shares::{ConnectionPermit, Shares},
    silence::{ConnectionBreaker, SilenceTimeouts},
};
use shared::{Error, Result, config::DatabasesConfig, secret::Secret};

/// Limits of the server and the network, so that no caller waits without end. A statement is cancelled after
/// 10 s, and a connection whose other side is silent is closed. Migrations have separate connections without
/// these limits.
const CONNECTION_OPTIONS: [(&str, &str); 3] =
    [("keepalives_idle", "30"), ("keepalives_interval", "10"), ("tcp_user_timeout", "20")];

/// Longest wait until fewer requests keep a connection. Most of them end within milliseconds.
const PIN_TIMEOUT: Duration = Duration::from_secs(1);

/// Number of connections of a pool that requests may keep to their end.
fn max_pins(pool_size: u32) -> usize {
    usize::try_from(pool_size / 2).unwrap_or(usize::MAX).clamp(1, Semaphore::MAX_PERMITS)
}

/// Column of rows, in the form that statements with `unnest` take.
pub fn column<R, T>(rows: impl IntoIterator<Item = R>, value: impl FnMut(R) -> T) -> Vec<T> {
    rows.into_iter().map(value).collect()
}

/// Pool of connections to one database.
#[derive(Clone)]
pub struct Database {
    pool: bb8::Pool<AsyncPgConnection>,
    failure: LastFailure,
    shares: Arc<Shares>,
    pins: Arc<Semaphore>,
    /// Task that ends with the last clone.
    _watch: Arc<AbortOnDropHandle<()>>,
}

/// Connection borrowed from a pool, or from a request that keeps one.
pub struct Connection<'a>(Source<'a>);

/// Owner of a borrowed connection.
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every connection is of the pool, and boxing it would cost each"
)]
enum Source<'a> {
    Pool {
        // Dropped before the place in the shares, so that no more connections are held than counted.
        borrowed: bb8::PooledConnection<'a, AsyncPgConnection>,
        _place: Option<ConnectionPermit>,
        _pin: Option<OwnedSemaphorePermit>,
    },
    Pinned(OwnedMutexGuard<Connection<'static>>),
}

impl Deref for Connection<'_> {
    type Target = AsyncPgConnection;

    fn deref(&self) -> &AsyncPgConnection {
        match &self.0 {
            Source::Pool { borrowed, .. } => borrowed,
            Source::Pinned(connection) => connection,
        }
    }
}

impl DerefMut for Connection<'_> {
    fn deref_mut(&mut self) -> &mut AsyncPgConnection {
        match &mut self.0 {
            Source::Pool { borrowed, .. } => borrowed,
            Source::Pinned(connection) => connection,
        }
    }
}

/// Main database and time-series database. Both may be on the same server.
#[derive(Clone)]
pub struct Databases {
    /// The main database.
    pub postgres: Database,
    /// The time-series database.
    pub timescaledb: Database,
    /// Replica of the main database, if there is one.
    pub replica: Option<Replica>,
}

/// Properties of a pool.
#[derive(Debug, Clone, Copy)]
pub struct PoolOptions {
    /// Highest number of connections.
    pub size: u32,
    /// Longest wait for a connection.
    pub timeout: Duration,
    /// False when a connection pooler between loses prepared statements.
    pub are_statements_prepared: bool,
    /// True for sessions that cannot write.
    pub is_read_only: bool,
}

impl PoolOptions {
    /// Properties of the pools of a process.
    #[must_use]
    pub const fn of(config: &DatabasesConfig) -> Self {
        Self {
            size: config.pool_size,
            timeout: config.pool_timeout,
            are_statements_prepared: config.are_statements_prepared,
            is_read_only: false,
        }
    }

    const fn statements(&self) -> Statements {
        if self.are_statements_prepared { Statements::Named } else { Statements::Inline }
    }
}

/// Numbers of connections of a pool, for gauges (reference/telemetry.md#metrics).
#[derive(Debug, Clone, Copy)]
pub struct PoolState {
    /// Open connections, borrowed or idle.
    pub connections: u32,
    /// Idle connections.
    pub idle: u32,
}

impl Databases {
    /// Creates pools for both databases. It connects nothing yet: an unreachable database fails the query,
    /// not the start.
    #[must_use]
    pub fn new(config: &DatabasesConfig) -> Self {
        let options = PoolOptions::of(config);
        Self {
            postgres: Database::open(&config.postgres, options),
            timescaledb: Database::open(&config.timescaledb, options),
            replica: Replica::of(config),
        }
    }
}

impl Database {
    /// Creates a pool that connects on demand and gives up after `timeout`, also on a silent server. Requires
    /// a tokio runtime.
    #[must_use]
    pub fn new(url: &Secret, size: u32, timeout: Duration) -> Self {
        let options = PoolOptions { size, timeout, are_statements_prepared: true, is_read_only: false };
        Self::open(url, options)
    }

    /// Creates a pool like [`Database::new`] with further properties.
    #[must_use]
    pub fn open(url: &Secret, options: PoolOptions) -> Self {
        let PoolOptions { size, timeout, .. } = options;
        // The default recycling runs a query at every checkout, a third of the cost of a short request.
        // Checking whether the socket was closed meanwhile costs nothing, and finds the connections that a
        // restart cut.
        let mut recycling = ManagerConfig::default();
        recycling.recycling_method = RecyclingMethod::CustomFunction(Box::new(|connection| {
            let broken = PoolableConnection::is_broken(connection);
            async move { if broken { Err(diesel::result::Error::BrokenTransactionManager) } else { Ok(()) } }
                .boxed()
        }));
        let (url, breaker) = (limited(url.expose(), options.is_read_only), ConnectionBreaker::new());
        let hosts = Arc::new(Hosts::new(&url, options.statements()));
        let (connects, failure) = (breaker.clone(), LastFailure::default());
        let (last_failure, connected) = (failure.clone(), Arc::clone(&hosts));
        recycling.custom_setup = Box::new(move |url| {
            let (connects, last_failure, url) = (connects.clone(), last_failure.clone(), url.to_owned());
            let hosts = Arc::clone(&connected);
            async move { last_failure.outcome(connects.connect(&url, &hosts, timeout).await) }.boxed()
        });
        let manager = AsyncDieselConnectionManager::new_with_config(&url, recycling);
        let pool = bb8::Pool::builder()
            .max_size(size)
            // The connection used last has its statements prepared, and its server process is in the cache of
            // the processor.
            .queue_strategy(::bb8::QueueStrategy::Lifo)
            .connection_timeout(timeout)
            .build_unchecked(manager);
        let state = pool.clone();
        let is_in_use = move || {
            let state = state.state();
            state.connections > state.idle_connections
        };
        let watch = breaker.watch(hosts, SilenceTimeouts::within(timeout), is_in_use);
        let watch = Arc::new(AbortOnDropHandle::new(tokio::spawn(watch)));
        let pins = Arc::new(Semaphore::new(max_pins(size)));
        Self { pool, failure, shares: Shares::new(size), pins, _watch: watch }
    }

    /// Borrows a connection.
    ///
    /// # Errors
    /// [`Error::Busy`] when the caller's requests hold all of its share; [`Error::Pool`] when none is free or
    /// the server cannot be reached in time.
    pub async fn get(&self) -> Result<Connection<'_>> {
        let place = self.shares.enter().await?;
        let borrowed = self.pool.get().await;
        self.shares.note(&borrowed);
        let borrowed = borrowed.map_err(|error| self.failure.explain(error))?;
        Ok(Connection(Source::Pool { borrowed, _place: place, _pin: None }))
    }

    /// Borrows a connection that does not borrow the pool.
    ///
    /// # Errors
    /// Those of [`Database::get`].
    pub async fn get_owned(&self) -> Result<Connection<'static>> {
        let place = self.shares.enter().await?;
        self.owned(place, None).await
    }

    /// Borrows a connection that a request keeps to its end. Such requests keep at most half of the pool, because each
    /// may need a further connection meanwhile (reference/limits.md#idempotency-keys).
    ///
    /// # Errors
    /// Those of [`Database::get`]; [`Error::Busy`] while others keep the half.
    pub async fn get_pinned(&self) -> Result<PinnedConnection> {
        // The own share comes first: a caller who waits for it must not take the place of others.
        let place = self.shares.enter().await?;
        let pin = tokio::time::timeout(PIN_TIMEOUT, Arc::clone(&self.pins).acquire_owned()).await;
        let pin = pin.map_err(|_elapsed| Error::Busy)?;
        let pin = pin.map_err(|closed| Error::Internal(closed.to_string()))?;
        Ok(PinnedConnection::new(self.owned(place, Some(pin)).await?))
    }

    async fn owned(
        &self,
        place: Option<ConnectionPermit>,
        pin: Option<OwnedSemaphorePermit>,
    ) -> Result<Connection<'static>> {
        let borrowed = self.pool.get_owned().await;
        self.shares.note(&borrowed);
        let borrowed = borrowed.map_err(|error| self.failure.explain(error))?;
        Ok(Connection(Source::Pool { borrowed, _place: place, _pin: pin }))
    }

    /// Usage of the shares of requests, persons and accounts.
    #[must_use]
    pub fn shares(&self) -> ShareState {
        self.shares.state()
    }

    /// Numbers of connections of the pool.
    #[must_use]
    pub fn state(&self) -> PoolState {
        let state = self.pool.state();
        PoolState { connections: state.connections, idle: state.idle_connections }
    }

    /// Checks that the server replies.
    ///
    /// # Errors
    /// No reply, or a refusal.
    pub async fn ping(&self) -> Result<()> {
        diesel::sql_query("SELECT 1").execute(&mut *self.get().await?).await?;
        Ok(())
    }
}

/// Limit of a statement, as an option of the server.
const STATEMENT_TIMEOUT: &str = "-c%20statement_timeout%3D10000";
/// Option of a session that cannot write.
const READ_ONLY: &str = "%20-c%20default_transaction_read_only%3Don";

/// Adds the options of the server and [`CONNECTION_OPTIONS`] to the URL, except those that it sets itself.
fn limited(url: &str, is_read_only: bool) -> String {
    let options = format!("{STATEMENT_TIMEOUT}{}", if is_read_only { READ_ONLY } else { "" });
    let all = [("options", options.as_str())].into_iter().chain(CONNECTION_OPTIONS);
    let is_set = |name: &str| url.contains(&format!("?{name}=")) || url.contains(&format!("&{name}="));
    all.filter(|(name, _)| !is_set(name)).fold(url.to_owned(), |url, (name, value)| {
        let separator = if url.contains('?') { '&' } else { '?' };
        format!("{url}{separator}{name}={value}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn max_pins_leaves_half_of_the_pool() {
        assert_eq!([1, 2, 3, 16, 500].map(max_pins), [1, 1, 1, 8, 250]);
    }

    #[test]
    fn limited_adds_limits_to_the_url_and_keeps_its_own() {
        assert_eq!(
            limited("postgres://u@h/d", false),
            "postgres://u@h/d?options=-c%20statement_timeout%3D10000&keepalives_idle=30&keepalives_interval=10\
             &tcp_user_timeout=20"
        );
        let own = "postgres://u@h/d?options=-c%20statement_timeout%3D5&tcp_user_timeout=7";
        assert_eq!(limited(own, false), format!("{own}&keepalives_idle=30&keepalives_interval=10"));
        assert!(
            limited("postgres://u@h/d", true).contains("10000%20-c%20default_transaction_read_only%3Don&")
        );
    }
}
