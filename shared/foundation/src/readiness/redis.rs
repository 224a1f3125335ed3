//! Checks of Redis.

use redis::{ErrorKind, RedisError};
use redis_servers::Connection;

use super::{
    ReasonCode,
    findings::{CHECK_TIMEOUT, Findings, Problem},
};
use crate::redis::Redis;

/// Redis server, over a separate connection.
pub(super) struct RedisServer {
    redis: Redis,
    connection: Option<Connection>,
}

impl RedisServer {
    /// Name of the store in reasons and metrics.
    pub const NAME: &str = "redis";

    /// Creates the check without connecting.
    pub fn new(redis: Redis) -> Self {
        Self { redis, connection: None }
    }

    /// Checks that the server replies.
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

    async fn ask(&self, known: Option<Connection>) -> Result<Connection, RedisError> {
        let mut connection = match known {
            Some(connection) => connection,
            None => self.redis.separate().await?,
        };
        self.redis.check(&mut connection).await?;
        Ok(connection)
    }
}

fn code(error: &RedisError) -> ReasonCode {
    let is_refusal = error.kind() == ErrorKind::AuthenticationFailed || error.code().is_some();
    if is_refusal { ReasonCode::Refused } else { ReasonCode::Unreachable }
}
