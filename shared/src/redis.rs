//! Redis: a pool for commands, connections of their own for subscriptions, and the names of keys and channels.

pub mod families;
mod pooled;
mod round_trip;

use std::time::Duration;

use redis::{AsyncConnectionConfig, Client, aio::MultiplexedConnection};

pub use pooled::{Manager, Pooled};
pub use round_trip::{Answers, Asked, RoundTrip};

use crate::{Error, Result, config::RedisConfig};

/// Longest wait for the answer to a command.
pub const RESPONSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Access to Redis. Cheap to clone.
#[derive(Clone)]
pub struct Redis {
    pool: bb8::Pool<Manager>,
    client: Client,
    prefix: String,
}

/// A connection borrowed from the pool.
pub type Connection<'a> = bb8::PooledConnection<'a, Manager>;

impl Redis {
    /// A pool that connects on demand: Redis being away fails the command, not the start.
    ///
    /// # Errors
    /// When the URL is not a Redis URL.
    pub fn new(config: &RedisConfig) -> Result<Self> {
        let client = Client::open(config.url.expose())?;
        let pool = bb8::Pool::builder()
            .max_size(config.pool_size)
            // The one used last, whose socket is in the processor's cache.
            .queue_strategy(bb8::QueueStrategy::Lifo)
            .connection_timeout(config.pool_timeout)
            .build_unchecked(Manager::new(config.url.expose())?);
        Ok(Self { pool, client, prefix: config.prefix.clone() })
    }

    /// Borrows a connection for commands.
    ///
    /// # Errors
    /// When Redis cannot be reached in time.
    pub async fn get(&self) -> Result<Connection<'_>> {
        self.pool.get().await.map_err(|error| Error::Redis(error.to_string()))
    }

    /// A connection of its own, for commands that block.
    ///
    /// # Errors
    /// When Redis cannot be reached.
    pub async fn dedicated(&self, response_timeout: Duration) -> Result<MultiplexedConnection> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(RESPONSE_TIMEOUT))
            .set_response_timeout(Some(response_timeout));
        Ok(self.client.get_multiplexed_async_connection_with_config(&config).await?)
    }

    /// A connection that receives published messages.
    ///
    /// # Errors
    /// When Redis cannot be reached.
    pub async fn pubsub(&self) -> Result<redis::aio::PubSub> {
        tokio::time::timeout(RESPONSE_TIMEOUT, self.client.get_async_pubsub())
            .await
            .map_err(|_elapsed| Error::Redis("timed out while subscribing".into()))?
            .map_err(Error::from)
    }

    /// The full name of a key or channel of this deployment.
    #[must_use]
    pub fn key(&self, name: impl std::fmt::Display) -> String {
        format!("{}:{name}", self.prefix)
    }

    /// The part of every name that belongs to this deployment.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The client, for libraries that keep connections of their own.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Asks the server for a sign of life.
    ///
    /// # Errors
    /// When it does not answer in time.
    pub async fn ping(&self) -> Result<()> {
        let mut connection = self.get().await?;
        tokio::time::timeout(RESPONSE_TIMEOUT, redis::cmd("PING").query_async::<()>(&mut *connection))
            .await
            .map_err(|_elapsed| Error::Redis("no answer to PING".into()))?
            .map_err(Error::from)
    }

    /// Publishes a message.
    ///
    /// # Errors
    /// When Redis cannot be reached.
    pub async fn publish(&self, channel: &str, message: &[u8]) -> Result<()> {
        let mut connection = self.get().await?;
        redis::cmd("PUBLISH").arg(channel).arg(message).query_async::<()>(&mut *connection).await?;
        Ok(())
    }
}
