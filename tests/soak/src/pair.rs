//! A PostgreSQL server with a replica that every commit waits for, and that takes its place.

use stack::PostgresServer;

use crate::chaos::unix_seconds;

/// Settings beyond those of tests: room for the pools of all processes, and commits that wait for the disk.
const SETTINGS: [&str; 3] = ["max_connections=400", "shared_buffers=128MB", "fsync=on"];

/// Primary and replica.
pub struct Pair {
    primary: PostgresServer,
    replica: PostgresServer,
}

impl Pair {
    /// Starts both servers; returns when commits wait for the replica.
    pub async fn start() -> Self {
        let primary = PostgresServer::start_with(&SETTINGS).await;
        let replica = primary.replica().await;
        primary.wait_for_replica().await;
        Self { primary, replica }
    }

    /// URL with both hosts, of which the writable one is used.
    pub fn url(&self) -> String {
        let [primary, replica] = [&self.primary, &self.replica].map(PostgresServer::port);
        format!(
            "postgres://lumio@127.0.0.1:{primary},127.0.0.1:{replica}/postgres?target_session_attrs=read-write"
        )
    }

    /// Kills the primary and promotes the replica; returns the times of both in Unix seconds.
    pub async fn fail_over(&mut self) -> (f64, f64) {
        self.primary.kill();
        let killed_at = unix_seconds();
        let promoted_at = unix_seconds();
        self.replica.promote().await;
        (killed_at, promoted_at)
    }
}
