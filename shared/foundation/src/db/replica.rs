//! Reads that may be a second old, on a replica (reference/storage.md#replicas).

use std::time::Instant;

use diesel_async::{AnsiTransactionManager, AsyncPgConnection, TransactionManager};
use shared::{Error, Result, config::DatabasesConfig};

use super::{
    Connection, Database, Databases, PoolOptions, Reader,
    freshness::{Freshness, is_fresh},
};

/// Reads that may be a second old. Every other read sees all that was acknowledged before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplicaRead {
    /// Public statistics: directories, channels, games, emotes, streams.
    PublicStats,
    /// Report of a session that has no stored report yet.
    LiveReport,
    /// Samples of a session, also for its exports.
    ReportSamples,
    /// Invocations of an extension, summed.
    ExtensionMetrics,
}

/// Server of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Server {
    /// A replica that has everything of a second ago.
    Replica,
    /// The primary.
    Primary,
}

/// Pool of connections to one replica or several of one address, with measurements of their age. Cheap to clone.
#[derive(Clone)]
pub struct Replica {
    database: Database,
    freshness: Freshness,
    /// True when the time-series database is the same one.
    has_timeseries: bool,
}

/// Pools of one server for reads that may be a second old.
#[derive(Clone, Copy)]
pub struct ReadPools<'a> {
    databases: &'a Databases,
    /// Replica, and the time of which each of its connections must have everything. `None` for the primary.
    replica: Option<(&'a Replica, Option<Instant>)>,
}

/// Connection for reads that may be a second old. It is none for writes:
///
/// ```compile_fail,E0308
/// use diesel_async::AsyncPgConnection;
/// use foundation::db::ReplicaConnection;
///
/// async fn write(_: &mut AsyncPgConnection) {}
///
/// async fn on_a_replica(mut connection: ReplicaConnection<'_>) {
///     write(&mut connection).await;
/// }
/// ```
///
/// Functions that read take its [`Reader`]:
///
/// ```
/// use foundation::db::{Reader, ReplicaConnection};
///
/// async fn read(_: &mut Reader<'_>) {}
///
/// async fn on_a_replica(mut connection: ReplicaConnection<'_>) {
///     read(&mut connection.reader()).await;
/// }
/// ```
pub struct ReplicaConnection<'a>(Connection<'a>);

impl ReplicaRead {
    /// Value of the metric label `read`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PublicStats => "public_stats",
            Self::LiveReport => "live_report",
            Self::ReportSamples => "report_samples",
            Self::ExtensionMetrics => "extension_metrics",
        }
    }
}

impl Server {
    /// Value of the metric label `server`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Replica => "replica",
            Self::Primary => "primary",
        }
    }
}

impl Replica {
    /// Creates the pool of the configured replica. It connects on demand, and measures after its first use.
    pub(super) fn of(config: &DatabasesConfig) -> Option<Self> {
        let url = config.replica.as_ref()?;
        let options = PoolOptions { is_read_only: true, ..PoolOptions::of(config) };
        Some(Self {
            database: Database::open(url, options),
            freshness: Freshness::of(config, url.expose()),
            has_timeseries: config.timescaledb == config.postgres,
        })
    }

    /// Pool of the connections.
    #[must_use]
    pub const fn database(&self) -> &Database {
        &self.database
    }

    /// Time since which the replica may lack something of the primary. `None` before the measurements begin.
    #[must_use]
    pub fn lacking_since(&self) -> Option<Instant> {
        self.freshness.lacking_since()
    }

    /// True when the measured replica has everything that the primary had a second ago, and at `since`.
    fn serves(&self, since: Option<Instant>) -> bool {
        self.freshness.measure();
        has(self.freshness.until(), since)
    }

    /// Borrows a connection to a server that is so fresh. It may be another one than the measured replica.
    async fn connection(&self, since: Option<Instant>) -> Result<ReplicaConnection<'_>> {
        let mut connection = self.database.get().await?;
        let until = self.freshness.until_of(&mut connection).await;
        if !matches!(until, Ok(Some(until)) if is_fresh(until)) {
            discard(&mut connection);
        }
        if has(until?, since) {
            Ok(ReplicaConnection(connection))
        } else {
            Err(Error::Pool("the replica of a connection is too old".to_owned()))
        }
    }
}

/// True when a replica that has everything of one time may serve reads of what was there at another.
fn has(until: Option<Instant>, since: Option<Instant>) -> bool {
    until.is_some_and(|until| is_fresh(until) && since.is_none_or(|since| until >= since))
}

/// Makes the pool close a connection instead of keeping it. The next one may lead to another server.
fn discard(connection: &mut AsyncPgConnection) {
    AnsiTransactionManager::transaction_manager_status_mut(connection).set_in_error();
}

impl Databases {
    /// Pools for reads that may be a second old, but not older than `since`: those of the replica while it is
    /// known to be so fresh, else those of the primary.
    #[must_use]
    pub fn for_reads(&self, since: Option<Instant>) -> ReadPools<'_> {
        let replica = self.replica.as_ref().filter(|replica| replica.serves(since));
        ReadPools { databases: self, replica: replica.map(|replica| (replica, since)) }
    }

    /// Pools of the primary, for such reads.
    #[must_use]
    pub const fn primary_for_reads(&self) -> ReadPools<'_> {
        ReadPools { databases: self, replica: None }
    }
}

impl<'a> ReadPools<'a> {
    /// Server of the main database.
    #[must_use]
    pub const fn server(&self) -> Server {
        if self.replica.is_some() { Server::Replica } else { Server::Primary }
    }

    /// Borrows a connection to the main database.
    ///
    /// # Errors
    /// Those of [`Database::get`]; [`Error::Pool`] when the connection leads to a replica that is too old.
    pub async fn postgres(&self) -> Result<ReplicaConnection<'a>> {
        match self.replica {
            Some((replica, since)) => replica.connection(since).await,
            None => Ok(ReplicaConnection(self.databases.postgres.get().await?)),
        }
    }

    /// Borrows a connection to the time-series database. It is the primary's where that database is another one.
    ///
    /// # Errors
    /// As [`postgres`](Self::postgres).
    pub async fn timeseries(&self) -> Result<ReplicaConnection<'a>> {
        match self.replica {
            Some((replica, since)) if replica.has_timeseries => replica.connection(since).await,
            _ => Ok(ReplicaConnection(self.databases.timescaledb.get().await?)),
        }
    }
}

impl ReplicaConnection<'_> {
    /// View for functions that read.
    pub fn reader(&mut self) -> Reader<'_> {
        Reader::of(&mut self.0)
    }
}
