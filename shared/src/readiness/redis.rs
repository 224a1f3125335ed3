//! Checks of Redis.

use redis::{ErrorKind, RedisError, aio::MultiplexedConnection};

use super::{
    ReasonCode,
    watch::{CHECK_TIMEOUT, Findings, Problem},
};
use crate::redis::Redis;

/// The Redis server, over a connection of its own.
pub(super) struct RedisServer {
    redis: Redis,
    connection: Option<MultiplexedConnection>,
}

impl RedisServer {
    pub const NAME: &str = "redis";

    pub fn new(redis: Redis) -> Self {
        Self { redis, connection: None }
    }

    /// Asks for a sign of life.
    pub async fn check(&mut self) -> Findings {
        let connection = self.connection.take();
        let asked = tokio::time::timeout(CHECK_TIMEOUT, self.ask(connection)).await;
        let problem = match asked {
            Ok(Ok(connection)) => {
                self.connection = Some(connection);
                None
            }
            Ok(Err(error)) => Some(Problem { code: code(&error), detail: error.to_string() }),
            Err(_elapsed) => {
                let detail = "the server does not answer".to_owned();
                Some(Problem { code: ReasonCode::Unreachable, detail })
            }
        };
        vec![(Self::NAME, problem)]
    }

    async fn ask(&self, known: Option<MultiplexedConnection>) -> Result<MultiplexedConnection, RedisError> {
        let mut connection = match known {
            Some(connection) => connection,
            None => self.redis.client().get_multiplexed_async_connection().await?,
        };
        redis::cmd("PING").query_async::<()>(&mut connection).await?;
        Ok(connection)
    }
}

fn code(error: &RedisError) -> ReasonCode {
    let is_refusal = error.kind() == ErrorKind::AuthenticationFailed || error.code().is_some();
    if is_refusal { ReasonCode::Refused } else { ReasonCode::Unreachable }
}
