//! Connections of the pool. One that failed is replaced, and when one failed the others are asked for a sign of life
//! before they are used again, so that a restarted server costs one failed command and not one for each connection.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use bb8_redis::RedisConnectionManager;
use redis::{
    Cmd, IntoConnectionInfo, Pipeline, RedisError, RedisFuture, RedisResult, Value,
    aio::{ConnectionLike, MultiplexedConnection},
};

use super::RESPONSE_TIMEOUT;

/// Makes connections as `bb8-redis` does and judges them: its own check never notices one whose server is gone.
pub struct Manager {
    connections: RedisConnectionManager,
    failures: Arc<AtomicU64>,
}

/// A connection that knows whether it failed.
pub struct Pooled {
    inner: MultiplexedConnection,
    is_broken: bool,
    /// How many failures of the pool's connections this one has outlived.
    outlived: u64,
    failures: Arc<AtomicU64>,
}

impl Manager {
    pub(super) fn new(server: impl IntoConnectionInfo) -> RedisResult<Self> {
        Ok(Self { connections: RedisConnectionManager::new(server)?, failures: Arc::default() })
    }
}

impl bb8::ManageConnection for Manager {
    type Connection = Pooled;
    type Error = RedisError;

    async fn connect(&self) -> Result<Pooled, RedisError> {
        let outlived = self.failures.load(Ordering::SeqCst);
        let mut inner = self.connections.connect().await?;
        inner.set_response_timeout(RESPONSE_TIMEOUT);
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
    /// Notes what an answer tells of the connection. One that does not answer in time is given up as well: its server
    /// may be gone without a word.
    fn judge<T>(&mut self, answer: RedisResult<T>) -> RedisResult<T> {
        if let Err(error) = &answer
            && (error.is_unrecoverable_error() || error.is_io_error() || error.is_timeout())
            && !self.is_broken
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
            self.judge(answer)
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
            self.judge(answer)
        })
    }

    fn get_db(&self) -> i64 {
        self.inner.get_db()
    }
}
