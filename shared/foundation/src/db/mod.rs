//! The two databases: pools, connections and migrations (reference/storage.md#connections).
//!
//! Queries are beside the resource that they serve. This module has only what every process needs.

mod commit;
mod failure;
mod migrate;
mod prepared;
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
use tokio_util::task::AbortOnDropHandle;

pub use commit::{WithoutWaiting, without_waiting};
pub use migrate::{Migration, Ran, Schema, migrate, revert};
pub use prepared::{Prepare, Prepared};
pub use shares::{Holder, MAX_PER_REQUEST, Request, ShareState, operation};

use self::{
    failure::LastFailure,
    shares::{ConnectionPermit, Shares},
    silence::{ConnectionBreaker, SilenceTimeouts},
};
use shared::{Result, config::DatabasesConfig, secret::Secret};

/// Limits of the server and the network, so that no caller waits without end. A statement is cancelled after
/// 10 s, and a connection whose other side is silent is closed. Migrations have separate connections without
/// these limits.
const CONNECTION_OPTIONS: [(&str, &str); 4] = [
    ("options", "-c%20statement_timeout%3D10000"),
    ("keepalives_idle", "30"),
    ("keepalives_interval", "10"),
    ("tcp_user_timeout", "20"),
];

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
    /// Task that ends with the last clone.
    _watch: Arc<AbortOnDropHandle<()>>,
}

/// Connection borrowed from a pool.
pub struct Connection<'a> {
    // Dropped before the place in the shares, so that no more connections are held than counted.
    borrowed: bb8::PooledConnection<'a, AsyncPgConnection>,
    _place: Option<ConnectionPermit>,
}

impl Deref for Connection<'_> {
    type Target = AsyncPgConnection;

    fn deref(&self) -> &AsyncPgConnection {
        &self.borrowed
    }
}

impl DerefMut for Connection<'_> {
    fn deref_mut(&mut self) -> &mut AsyncPgConnection {
        &mut self.borrowed
    }
}

/// Main database and time-series database. Both may be on the same server.
#[derive(Clone)]
pub struct Databases {
    /// The main database.
    pub postgres: Database,
    /// The time-series database.
    pub timescaledb: Database,
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
        Self {
            postgres: Database::new(&config.postgres, config.pool_size, config.pool_timeout),
            timescaledb: Database::new(&config.timescaledb, config.pool_size, config.pool_timeout),
        }
    }
}

impl Database {
    /// Creates a pool that connects on demand and gives up after `timeout`, also on a silent server. Requires
    /// a tokio runtime.
    #[must_use]
    pub fn new(url: &Secret, size: u32, timeout: Duration) -> Self {
        // The default recycling runs a query at every checkout, a third of the cost of a short request.
        // Checking whether the socket was closed meanwhile costs nothing, and finds the connections that a
        // restart cut.
        let mut recycling = ManagerConfig::default();
        recycling.recycling_method = RecyclingMethod::CustomFunction(Box::new(|connection| {
            let broken = PoolableConnection::is_broken(connection);
            async move { if broken { Err(diesel::result::Error::BrokenTransactionManager) } else { Ok(()) } }
                .boxed()
        }));
        let (url, breaker) = (limited(url.expose()), ConnectionBreaker::new());
        let (connects, failure) = (breaker.clone(), LastFailure::default());
        let noted = failure.clone();
        recycling.custom_setup = Box::new(move |url| {
            let (connects, noted, url) = (connects.clone(), noted.clone(), url.to_owned());
            async move { noted.outcome(connects.connect(&url, timeout).await) }.boxed()
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
        let watch = breaker.watch(url, SilenceTimeouts::within(timeout), is_in_use);
        let watch = Arc::new(AbortOnDropHandle::new(tokio::spawn(watch)));
        Self { pool, failure, shares: Shares::new(size), _watch: watch }
    }

    /// Borrows a connection.
    ///
    /// # Errors
    /// [`Error::Busy`] when the caller's requests hold all of its share; [`Error::Pool`] when none is free or
    /// the server cannot be reached in time.
    pub async fn get(&self) -> Result<Connection<'_>> {
        let place = self.shares.enter().await?;
        let borrowed = self.shares.note(self.pool.get().await);
        Ok(Connection { borrowed: borrowed.map_err(|error| self.failure.explain(error))?, _place: place })
    }

    /// Borrows a connection that does not borrow the pool.
    ///
    /// # Errors
    /// Those of [`Database::get`].
    pub async fn get_owned(&self) -> Result<Connection<'static>> {
        let place = self.shares.enter().await?;
        let borrowed = self.shares.note(self.pool.get_owned().await);
        Ok(Connection { borrowed: borrowed.map_err(|error| self.failure.explain(error))?, _place: place })
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

/// Adds [`CONNECTION_OPTIONS`] to the URL, except those that it sets itself.
fn limited(url: &str) -> String {
    let is_set = |name: &str| url.contains(&format!("?{name}=")) || url.contains(&format!("&{name}="));
    CONNECTION_OPTIONS.iter().filter(|(name, _)| !is_set(name)).fold(url.to_owned(), |url, (name, value)| {
        let separator = if url.contains('?') { '&' } else { '?' };
        format!("{url}{separator}{name}={value}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limited_adds_limits_to_the_url_and_keeps_its_own() {
        assert_eq!(
            limited("postgres://u@h/d"),
            "postgres://u@h/d?options=-c%20statement_timeout%3D10000&keepalives_idle=30&keepalives_interval=10\
             &tcp_user_timeout=20"
        );
        let own = "postgres://u@h/d?options=-c%20statement_timeout%3D5&tcp_user_timeout=7";
        assert_eq!(limited(own), format!("{own}&keepalives_idle=30&keepalives_interval=10"));
    }
}
