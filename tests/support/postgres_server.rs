//! A PostgreSQL server for one test, with a migrated and seeded database.

use std::ops::{Deref, DerefMut};

use foundation::db::Database;
use shared::{config::DatabasesConfig, secret::Secret};

use crate::DEADLINE;

pub(crate) use stack::send;

/// A server that can be frozen, killed and restarted. It keeps its data.
pub struct PostgresServer(stack::PostgresServer);

impl PostgresServer {
    /// Starts a server on a free port.
    pub async fn start() -> Self {
        let server = stack::PostgresServer::start().await;
        let url = Secret::new(server.url());
        let config = DatabasesConfig::new(url.clone(), url);
        foundation::db::migrate(&config).await.expect("the migrations run");
        let database = Database::new(&config.postgres, 1, DEADLINE);
        lumio_api::seeds::apply(&database).await.expect("the seeds apply");
        Self(server)
    }

    /// Starts a replica that follows the server.
    pub async fn replica(&self) -> Self {
        Self(self.0.replica().await)
    }
}

impl Deref for PostgresServer {
    type Target = stack::PostgresServer;

    fn deref(&self) -> &stack::PostgresServer {
        &self.0
    }
}

impl DerefMut for PostgresServer {
    fn deref_mut(&mut self) -> &mut stack::PostgresServer {
        &mut self.0
    }
}
