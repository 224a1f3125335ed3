//! Connections of the pool. A failed one is replaced, and after a failure the others are checked before their
//! next use. A restarted server thus costs one failed command and not one for each connection.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use bb8_redis::RedisConnectionManager;
use redis::{Cmd, Pipeline, RedisError, RedisFuture, RedisResult, Value, aio::ConnectionLike};
use redis_servers::Servers;

use super::RESPONSE_TIMEOUT;

/// Creates connections as `bb8-redis` does and validates them. The check of that crate never notices a server
/// that is gone.
pub struct Manager {
    connections: Connections,
    failures: Arc<AtomicU64>,
}

enum Connections {
    Server(RedisConnectionManager),
    Cluster(Servers),
}

/// Connection that knows whether it failed.
pub struct Pooled {
    inner: redis_servers::Connection,
    is_broken: bool,
    /// Number of failures in the pool that this connection has survived.
    outlived: u64,
    failures: Arc<AtomicU64>,
}

impl Manager {
    pub(super) fn new(url: &str, servers: &Servers) -> RedisResult<Self> {
        let connections = if servers.is_cluster() {
            Connections::Cluster(servers.clone())
        } else {
            Connections::Server(RedisConnectionManager::new(url)?)
        };
        Ok(Self { connections, failures: Arc::default() })
    }
}

impl bb8::ManageConnection for Manager {
    type Connection = Pooled;
    type Error = RedisError;

    async fn connect(&self) -> Result<Pooled, RedisError> {
        let outlived = self.failures.load(Ordering::SeqCst);
        let inner = match &self.connections {
            Connections::Server(connections) => {
                let mut connection = connections.connect().await?;
                connection.set_response_timeout(RESPONSE_TIMEOUT);
                redis_servers::Connection::One(connection)
            }
            Connections::Cluster(servers) => servers.connect().await?,
        };
        Ok(Pooled { inner, is_broken: false, outlived, failures: Arc::clone(&self.failures) })
    }

    /// Costs a round trip only after a failure.
    async fn is_valid(&self, connection: &mut Pooled) -> Result<(), RedisError> {
        let failures = self.failures.load(Ordering::SeqCst);
        if connection.outlived != failures {
            redis::cmd("PING").query_async::<()>(connection).await?;
            connection.outlived = failures;
        }
        Ok(())
    }

    fn has_broken(&self, connection: &mut Pooled) -> bool {
        connection.is_broken
    }
}

impl Pooled {
    /// Records the state of the connection after a reply. A connection without a reply in time is given up as
    /// well: its server may be gone without closing it.
    fn note_failure<T>(&mut self, answer: RedisResult<T>) -> RedisResult<T> {
        if let Err(error) = &answer
            && (error.is_unrecoverable_error() || error.is_io_error() || error.is_timeout())
            && !self.is_broken
            // The connection to a cluster replaces those to its nodes itself.
            && !matches!(self.inner, redis_servers::Connection::Cluster(_))
        {
            self.is_broken = true;
            self.failures.fetch_add(1, Ordering::SeqCst);
        }
        answer
    }
}

impl ConnectionLike for Pooled {
    fn req_packed_command<'a>(&'a mut self, command: &'a Cmd) -> RedisFuture<'a, Value> {
        Box::pin(async move {
            let answer = self.inner.req_packed_command(command).await;
            self.note_failure(answer)
        })
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        commands: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        Box::pin(async move {
            let answer = self.inner.req_packed_commands(commands, offset, count).await;
            self.note_failure(answer)
        })
    }

    fn get_db(&self) -> i64 {
        self.inner.get_db()
    }
}
