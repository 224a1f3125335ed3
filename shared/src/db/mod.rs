//! The two databases: pools, connections and migrations.
//!
//! Queries stand beside the resource they serve; here is only what every process needs.

pub mod schema;

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
    shares::{Place, Shares},
    silence::{Patience, Scissors},
};
use crate::{Result, config::DatabasesConfig, secret::Secret};

/// How the server and the network are kept from making anybody wait without end: a statement is cancelled after 10 s,
/// a connection whose other side is silent is given up. Migrations have connections of their own, without this.
const LIMITS: [(&str, &str); 4] = [
    ("options", "-c%20statement_timeout%3D10000"),
    ("keepalives_idle", "30"),
    ("keepalives_interval", "10"),
    ("tcp_user_timeout", "20"),
];

/// A column of rows, as statements with `unnest` take it.
pub fn column<R, T>(rows: impl IntoIterator<Item = R>, value: impl FnMut(R) -> T) -> Vec<T> {
    rows.into_iter().map(value).collect()
}

/// A pool of connections to one database.
#[derive(Clone)]
pub struct Database {
    pool: bb8::Pool<AsyncPgConnection>,
    failure: LastFailure,
    shares: Arc<Shares>,
    /// Ends with the last clone.
    _watch: Arc<AbortOnDropHandle<()>>,
}

/// A connection borrowed from a pool.
pub struct Connection<'a> {
    // Given back before the place in the shares, so that no more are held than counted.
    borrowed: bb8::PooledConnection<'a, AsyncPgConnection>,
    _place: Option<Place>,
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

/// The primary database and the one that holds rows over time (they may be the same server).
#[derive(Clone)]
pub struct Databases {
    pub postgres: Database,
    pub timescaledb: Database,
}

/// How many connections a pool holds, for the gauges of specification A §4.1.
#[derive(Debug, Clone, Copy)]
pub struct PoolState {
    pub connections: u32,
    pub idle: u32,
}

impl Databases {
    /// Pools for both databases. Nothing is connected yet: a database that is away fails the query, not the start.
    #[must_use]
    pub fn new(config: &DatabasesConfig) -> Self {
        Self {
            postgres: Database::new(&config.postgres, config.pool_size, config.pool_timeout),
            timescaledb: Database::new(&config.timescaledb, config.pool_size, config.pool_timeout),
        }
    }
}

impl Database {
    /// A pool that connects on demand and gives up after `timeout`, also on a server that is silent. To be called
    /// inside a tokio runtime.
    #[must_use]
    pub fn new(url: &Secret, size: u32, timeout: Duration) -> Self {
        // The default recycling runs a query at every checkout, a third of the cost of a short request; asking
        // whether the socket was closed meanwhile is free and finds the connections that a restart cut.
        let mut recycling = ManagerConfig::default();
        recycling.recycling_method = RecyclingMethod::CustomFunction(Box::new(|connection| {
            let broken = PoolableConnection::is_broken(connection);
            async move { if broken { Err(diesel::result::Error::BrokenTransactionManager) } else { Ok(()) } }
                .boxed()
        }));
        let (url, scissors) = (limited(url.expose()), Scissors::new());
        let (connects, failure) = (scissors.clone(), LastFailure::default());
        let noted = failure.clone();
        recycling.custom_setup = Box::new(move |url| {
            let (connects, noted, url) = (connects.clone(), noted.clone(), url.to_owned());
            async move { noted.outcome(connects.connect(&url, timeout).await) }.boxed()
        });
        let manager = AsyncDieselConnectionManager::new_with_config(&url, recycling);
        let pool = bb8::Pool::builder()
            .max_size(size)
            // The one used last, which has its statements prepared and its server's process in the processor's cache.
            .queue_strategy(::bb8::QueueStrategy::Lifo)
            .connection_timeout(timeout)
            .build_unchecked(manager);
        let state = pool.clone();
        let is_in_use = move || {
            let state = state.state();
            state.connections > state.idle_connections
        };
        let watch = scissors.watch(url, Patience::within(timeout), is_in_use);
        let watch = Arc::new(AbortOnDropHandle::new(tokio::spawn(watch)));
        Self { pool, failure, shares: Shares::new(size), _watch: watch }
    }

    /// Borrows a connection.
    ///
    /// # Errors
    /// [`Error::Busy`] when the caller's requests hold all of its share; [`Error::Pool`] when none is free or the server
    /// cannot be reached in time.
    pub async fn get(&self) -> Result<Connection<'_>> {
        let place = self.shares.enter().await?;
        let borrowed = self.shares.note(self.pool.get().await);
        Ok(Connection { borrowed: borrowed.map_err(|error| self.failure.explain(error))?, _place: place })
    }

    /// Borrows a connection that may be kept beside what it is used for.
    ///
    /// # Errors
    /// As [`Database::get`].
    pub async fn get_owned(&self) -> Result<Connection<'static>> {
        let place = self.shares.enter().await?;
        let borrowed = self.shares.note(self.pool.get_owned().await);
        Ok(Connection { borrowed: borrowed.map_err(|error| self.failure.explain(error))?, _place: place })
    }

    /// How the shares of requests, people and accounts were used.
    #[must_use]
    pub fn shares(&self) -> ShareState {
        self.shares.state()
    }

    /// How full the pool is.
    #[must_use]
    pub fn state(&self) -> PoolState {
        let state = self.pool.state();
        PoolState { connections: state.connections, idle: state.idle_connections }
    }

    /// Asks the server for a sign of life.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn ping(&self) -> Result<()> {
        diesel::sql_query("SELECT 1").execute(&mut *self.get().await?).await?;
        Ok(())
    }
}

/// The URL with [`LIMITS`], except those that it sets itself.
fn limited(url: &str) -> String {
    let is_set = |name: &str| url.contains(&format!("?{name}=")) || url.contains(&format!("&{name}="));
    LIMITS.iter().filter(|(name, _)| !is_set(name)).fold(url.to_owned(), |url, (name, value)| {
        let separator = if url.contains('?') { '&' } else { '?' };
        format!("{url}{separator}{name}={value}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_added_to_the_url_and_its_own_stand() {
        assert_eq!(
            limited("postgres://u@h/d"),
            "postgres://u@h/d?options=-c%20statement_timeout%3D10000&keepalives_idle=30&keepalives_interval=10\
             &tcp_user_timeout=20"
        );
        let own = "postgres://u@h/d?options=-c%20statement_timeout%3D5&tcp_user_timeout=7";
        assert_eq!(limited(own), format!("{own}&keepalives_idle=30&keepalives_interval=10"));
    }
}
