//! Databases behind the access layer (reference/storage.md#connections). The pools are private: a connection
//! comes from a caller, whose rule was checked, or from a named [`SystemReason`](super::SystemReason).

use std::time::Instant;

use foundation::{
    db::{Connection, Database, Databases, PinnedConnection, ReadPools, ReplicaRead, Server},
    telemetry::Metrics,
};
use prometheus::IntCounterVec;

use crate::{Code, Result};

/// Databases of a process, which only the access layer opens.
pub struct GuardedDatabases {
    databases: Databases,
    /// Reads that may be a second old, by the server that answered.
    reads: IntCounterVec,
}

impl GuardedDatabases {
    /// Guards the databases.
    ///
    /// # Errors
    /// The name of a metric that is taken.
    pub fn new(databases: Databases, metrics: &Metrics) -> shared::Result<Self> {
        let help = "Reads that may be a second old, by the server that answered.";
        let reads = metrics.counters("lumio_db_replica_reads_total", help, &["read", "server"])?;
        Ok(Self { databases, reads })
    }

    /// Connection to the primary database.
    pub(super) async fn primary(&self) -> Result<Connection<'_>> {
        Ok(self.databases.postgres.get().await?)
    }

    /// Connection to the primary database that a request keeps to its end.
    pub(super) async fn primary_pinned(&self) -> Result<PinnedConnection> {
        Ok(self.databases.postgres.get_pinned().await?)
    }

    /// Connection to the time-series database.
    pub(super) async fn timeseries(&self) -> Result<Connection<'_>> {
        Ok(self.databases.timescaledb.get().await?)
    }

    /// Pool of the primary database.
    pub(super) fn primary_pool(&self) -> Database {
        self.databases.postgres.clone()
    }
}

/// Right to open the databases: a caller, or a system reason. For functions that several kinds of callers
/// share.
pub trait DatabaseAccess: Sync {
    /// Connection to the primary database.
    ///
    /// # Errors
    /// 500 `DATABASE_ERROR` when none is free in time.
    fn db(&self) -> impl Future<Output = Result<Connection<'_>>> + Send;

    /// Connection to the time-series database.
    ///
    /// # Errors
    /// 500 `DATABASE_ERROR` when none is free in time.
    fn timeseries(&self) -> impl Future<Output = Result<Connection<'_>>> + Send;

    /// Databases for reads that may be a second old. Only [`read_on_replica`] opens them.
    fn guarded(&self) -> &GuardedDatabases;
}

/// Runs a read that may be a second old, but not older than `since`: on the replica, if it is so fresh, and on the
/// primary, if it is not, or fails (reference/storage.md#replicas).
///
/// # Errors
/// Those of the read.
pub async fn read_on_replica<'a, T, Fut>(
    access: &'a impl DatabaseAccess,
    read: ReplicaRead,
    since: Option<Instant>,
    run: impl Fn(ReadPools<'a>) -> Fut,
) -> Result<T>
where
    Fut: Future<Output = Result<T>>,
{
    let GuardedDatabases { databases, reads } = access.guarded();
    let count = |server: Server| reads.with_label_values(&[read.as_str(), server.as_str()]).inc();
    let pools = databases.for_reads(since);
    if pools.server() == Server::Replica {
        match run(pools).await {
            Err(error) if error.code == Code::DatabaseError => {
                tracing::debug!(%error, read = read.as_str(), "a read on the replica failed");
            }
            outcome => {
                count(Server::Replica);
                return outcome;
            }
        }
    }
    count(Server::Primary);
    run(databases.primary_for_reads()).await
}
