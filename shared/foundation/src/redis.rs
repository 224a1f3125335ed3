//! Redis or a Redis Cluster: a pool for commands, separate connections for subscriptions, and the names of keys and
//! channels (reference/storage.md#redis).

pub mod families;
mod pooled;
mod round_trip;
mod subscription;

use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis_servers::{Servers, Timeouts};

pub use pooled::{Manager, Pooled};
pub use round_trip::{Answers, PendingReply, RoundTrip};
pub use subscription::{Messages, Subscriber};

use shared::{Error, Result, config::RedisConfig};

/// Longest wait for the reply to a command.
pub const RESPONSE_TIMEOUT: Duration = Duration::from_secs(2);
/// Longest wait for a connection to a server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// Access to Redis. Cheap to clone.
#[derive(Clone)]
pub struct Redis {
    pool: bb8::Pool<Manager>,
    servers: Servers,
    prefix: String,
}

/// Connection beside the pool. One to a single server is driven by the runtime that opened it; one to a cluster is shared.
pub type SeparateConnection = redis_servers::Connection;

/// Connection borrowed from the pool.
pub type Connection<'a> = bb8::PooledConnection<'a, Manager>;

impl Redis {
    /// Creates a pool that connects on demand. An unreachable Redis fails the command, not the start.
    ///
    /// # Errors
    /// A URL that is not a Redis URL.
    pub fn new(config: &RedisConfig) -> Result<Self> {
        let timeouts = Timeouts { connect: CONNECT_TIMEOUT, response: RESPONSE_TIMEOUT };
        let servers = Servers::open(config.url.expose(), timeouts)?;
        let pool = bb8::Pool::builder()
            .max_size(config.pool_size)
            // The socket of the connection used last is in the cache of the processor.
            .queue_strategy(bb8::QueueStrategy::Lifo)
            .connection_timeout(config.pool_timeout)
            .build_unchecked(Manager::new(config.url.expose(), &servers)?);
        Ok(Self { pool, servers, prefix: config.prefix.clone() })
    }

    /// Borrows a connection for commands.
    ///
    /// # Errors
    /// Redis cannot be reached in time.
    pub async fn get(&self) -> Result<Connection<'_>> {
        self.pool.get().await.map_err(|error| Error::Redis(error.to_string()))
    }

    /// Opens a separate connection to the server that has a key, for commands that block.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn dedicated(&self, key: &str, response_timeout: Duration) -> Result<MultiplexedConnection> {
        Ok(self.servers.connect_to(key, response_timeout).await?)
    }

    /// Opens a separate connection to each server that has keys, for commands about all keys.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn dedicated_to_all(&self) -> Result<Vec<MultiplexedConnection>> {
        Ok(self.servers.connect_to_all().await?)
    }

    /// Opens a subscription without channels.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn subscription(&self) -> Result<(Subscriber, Messages)> {
        subscription::open(&self.servers).await
    }

    /// Full name of a key or of a control channel of this deployment. In a cluster it has the hash tag of its family.
    #[must_use]
    pub fn key(&self, name: impl std::fmt::Display) -> String {
        if self.servers.is_cluster() {
            return format!("{}:{}", self.prefix, families::with_hash_tag(name.to_string()));
        }
        format!("{}:{name}", self.prefix)
    }

    /// Full name of the topic of a channel of clients. In a cluster the channel is the hash tag, as in the keys of its
    /// log.
    #[must_use]
    pub fn topic(&self, channel: &str) -> String {
        if self.servers.is_cluster() {
            return format!("{}:{{{channel}}}", self.prefix);
        }
        format!("{}:{channel}", self.prefix)
    }

    /// Channel of a topic; `None` for a name of another deployment.
    #[must_use]
    pub fn channel_of<'a>(&self, topic: &'a str) -> Option<&'a str> {
        let name = topic.strip_prefix(&self.prefix)?.strip_prefix(':')?;
        if self.servers.is_cluster() { name.strip_prefix('{')?.strip_suffix('}') } else { Some(name) }
    }

    /// Name of a key, without prefix and hash tag; `None` for a key of another deployment.
    #[must_use]
    pub fn name_of(&self, key: &str) -> Option<String> {
        let name = key.strip_prefix(&self.prefix)?.strip_prefix(':')?;
        Some(if self.servers.is_cluster() { families::without_hash_tag(name) } else { name.to_owned() })
    }

    /// Groups items by the hash slot of their keys, so that one script can use each group. One server has one group.
    pub fn by_slot<T>(&self, items: Vec<T>, key: impl Fn(&T) -> &str) -> Vec<Vec<T>> {
        self.servers.by_slot(items, key)
    }

    /// Prefix of every name of this deployment.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Full names of keys that begin with a name, one on each server that has keys.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn key_of_each_server(&self, name: &str) -> Result<Vec<String>> {
        if !self.is_cluster() {
            return Ok(vec![self.key(name)]);
        }
        Ok(self
            .servers
            .topology()
            .await?
            .key_of_each_master(|number| self.key(format_args!("{name}:{number}"))))
    }

    /// Number of the latest election in a cluster, in which a replica may have taken keys over; 0 for one server.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn epoch(&self) -> Result<i64> {
        if !self.is_cluster() {
            return Ok(0);
        }
        // The highest: a node that is cut off from the others does not know the latest election.
        let mut latest = 0;
        for info in self.servers.info_of_all().await? {
            let epoch = info.lines().find_map(|line| line.strip_prefix("cluster_current_epoch:"));
            let unknown = || Error::Redis("a node of the cluster does not state its epoch".into());
            latest = latest.max(epoch.and_then(|epoch| epoch.trim().parse().ok()).ok_or_else(unknown)?);
        }
        Ok(latest)
    }

    /// Returns true for a cluster.
    #[must_use]
    pub const fn is_cluster(&self) -> bool {
        self.servers.is_cluster()
    }

    /// Opens a connection for commands beside the pool.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn separate(&self) -> redis::RedisResult<SeparateConnection> {
        self.servers.connect().await
    }

    /// Checks that all keys have a server, over a connection beside the pool.
    ///
    /// # Errors
    /// A server without a reply, or a part of a cluster without a master.
    pub async fn check(&self, connection: &mut SeparateConnection) -> redis::RedisResult<()> {
        self.servers.check(connection).await
    }

    /// Checks that the server replies.
    ///
    /// # Errors
    /// No reply in time.
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
    /// A failure of Redis.
    pub async fn publish(&self, channel: &str, message: &[u8]) -> Result<()> {
        let mut connection = self.get().await?;
        redis::cmd(self.publish_command())
            .arg(channel)
            .arg(message)
            .query_async::<()>(&mut *connection)
            .await?;
        Ok(())
    }

    /// Command that publishes a message, for scripts too. In a cluster the channel has the slot of the keys of the script.
    #[must_use]
    pub const fn publish_command(&self) -> &'static str {
        if self.servers.is_cluster() { "SPUBLISH" } else { "PUBLISH" }
    }

    /// Channels of clients that begin with a text and have a listener.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn channels_with_listeners(&self, beginning: &str) -> Result<Vec<String>> {
        let command = if self.servers.is_cluster() { "SHARDCHANNELS" } else { "CHANNELS" };
        let pattern = self.topic(&format!("{beginning}*"));
        let topics: Vec<String> =
            redis::cmd("PUBSUB").arg(command).arg(pattern).query_async(&mut *self.get().await?).await?;
        Ok(topics.iter().filter_map(|topic| self.channel_of(topic)).map(str::to_owned).collect())
    }
}

/// Duration in whole milliseconds, the form that Redis takes.
#[must_use]
pub fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
