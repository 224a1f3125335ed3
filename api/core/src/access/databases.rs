//! Databases behind the access layer (reference/storage.md#connections). The pools are private: a connection
//! comes from a caller, whose rule was checked, or from a named [`SystemReason`](super::SystemReason).

use foundation::db::{Connection, Database, Databases};

use crate::Result;

/// Databases of a process, which only the access layer opens.
pub struct GuardedDatabases(Databases);

impl GuardedDatabases {
    /// Guards the databases.
    #[must_use]
    pub const fn new(databases: Databases) -> Self {
        Self(databases)
    }

    /// Connection to the primary database.
    pub(super) async fn primary(&self) -> Result<Connection<'_>> {
        Ok(self.0.postgres.get().await?)
    }

    /// Connection to the time-series database.
    pub(super) async fn timeseries(&self) -> Result<Connection<'_>> {
        Ok(self.0.timescaledb.get().await?)
    }

    /// Pool of the primary database.
    pub(super) fn primary_pool(&self) -> Database {
        self.0.postgres.clone()
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
}
