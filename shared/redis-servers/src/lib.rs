//! Connections to one Redis server or to a Redis Cluster (reference/storage.md#redis-cluster).
//!
//! A command of a cluster goes to the node that has its key. A pipeline that is not a transaction is cut by hash slot;
//! its parts are sent at once. A transaction, and a script, has all its keys in one slot, else the cluster refuses it
//! with `CROSSSLOT`.

mod cluster;
mod connection;
mod pipeline;
mod resolver;
mod topology;

use std::{sync::Arc, time::Duration};

use redis::{
    AsyncConnectionConfig, Client, ConnectionInfo, ErrorKind, IntoConnectionInfo, ProtocolVersion, PushInfo,
    RedisError, RedisResult,
    aio::{ConnectionManager, ConnectionManagerConfig, MultiplexedConnection},
};
use tokio::sync::mpsc;
use url::Url;

use crate::cluster::Cluster;
pub use crate::{connection::Connection, topology::Topology};
pub use redis::cluster_routing::Slot;

/// Scheme of the URL of a cluster.
const CLUSTER_SCHEME: &str = "redis+cluster";

/// Longest waits of connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Wait for a connection to a server.
    pub connect: Duration,
    /// Wait for the reply to a command.
    pub response: Duration,
}

/// One server or a cluster. Cheap to clone. Nothing connects before its first use.
#[derive(Clone)]
pub struct Servers {
    kind: Kind,
    timeouts: Timeouts,
}

#[derive(Clone)]
enum Kind {
    One(Client),
    Cluster(Arc<Cluster>),
}

impl Servers {
    /// Reads a URL: `redis://…` and `redis+unix://…` for one server, or
    /// `redis+cluster://USER:PASSWORD@HOST:PORT?node=HOST:PORT&node=…` for a cluster, with some of its nodes. The others
    /// are found through them.
    ///
    /// # Errors
    /// A URL of another form.
    pub fn open(url: &str, timeouts: Timeouts) -> RedisResult<Self> {
        let kind = match cluster_nodes(url)? {
            Some(nodes) => Kind::Cluster(Arc::new(Cluster::new(nodes, timeouts)?)),
            None => Kind::One(Client::open(url)?),
        };
        Ok(Self { kind, timeouts })
    }

    /// Returns true for a cluster.
    #[must_use]
    pub const fn is_cluster(&self) -> bool {
        matches!(self.kind, Kind::Cluster(_))
    }

    /// Opens a connection for commands. All those of a cluster share one connection to each node.
    ///
    /// # Errors
    /// One server that cannot be reached. A cluster that cannot be reached fails the first command.
    pub async fn connect(&self) -> RedisResult<Connection> {
        match &self.kind {
            Kind::One(client) => {
                let config = self.config(self.timeouts.response);
                Ok(Connection::One(client.get_multiplexed_async_connection_with_config(&config).await?))
            }
            Kind::Cluster(cluster) => Ok(Connection::Cluster(Arc::clone(cluster))),
        }
    }

    /// Connection for commands that connects at its first use and again after every loss. The command that meets the
    /// loss fails.
    ///
    /// # Errors
    /// A malformed address.
    pub fn connect_on_demand(&self) -> RedisResult<Connection> {
        match &self.kind {
            Kind::One(client) => {
                let config = ConnectionManagerConfig::new()
                    .set_connection_timeout(Some(self.timeouts.connect))
                    .set_response_timeout(Some(self.timeouts.response))
                    // Callers get the error at once and decide for themselves. The next command connects again.
                    .set_number_of_retries(0);
                let manager = ConnectionManager::new_lazy_with_config(client.clone(), config)?;
                Ok(Connection::Managed(manager))
            }
            Kind::Cluster(cluster) => Ok(Connection::Cluster(Arc::clone(cluster))),
        }
    }

    /// Opens a separate connection to the server that has a key, for commands that block. It is closed, or replies with
    /// `MOVED`, when another node takes the key over.
    ///
    /// # Errors
    /// The server cannot be reached.
    pub async fn connect_to(
        &self,
        key: &str,
        response_timeout: Duration,
    ) -> RedisResult<MultiplexedConnection> {
        let client = match &self.kind {
            Kind::One(client) => client.clone(),
            Kind::Cluster(cluster) => Client::open(cluster.topology().await?.node_of(key)?)?,
        };
        client.get_multiplexed_async_connection_with_config(&self.config(response_timeout)).await
    }

    /// Opens a separate connection to each server that has keys: to the master of each part of a cluster.
    ///
    /// # Errors
    /// A server that cannot be reached.
    pub async fn connect_to_all(&self) -> RedisResult<Vec<MultiplexedConnection>> {
        let config = self.config(self.timeouts.response);
        let mut connections = Vec::new();
        for node in self.topology().await?.masters() {
            let client = Client::open(node.clone())?;
            connections.push(client.get_multiplexed_async_connection_with_config(&config).await?);
        }
        Ok(connections)
    }

    /// Opens a separate connection to a server for subscriptions. `pushes` receives messages and the end of the
    /// connection.
    ///
    /// # Errors
    /// The server cannot be reached.
    pub async fn connect_for_pushes(
        &self,
        node: &ConnectionInfo,
        pushes: mpsc::UnboundedSender<PushInfo>,
    ) -> RedisResult<MultiplexedConnection> {
        let settings = node.redis_settings().clone().set_protocol(ProtocolVersion::RESP3);
        let client = Client::open(node.clone().set_redis_settings(settings))?;
        let config = self.config(self.timeouts.response).set_push_sender(pushes);
        client.get_multiplexed_async_connection_with_config(&config).await
    }

    /// Returns the servers that have keys at present.
    ///
    /// # Errors
    /// No node of a cluster can be reached.
    pub async fn topology(&self) -> RedisResult<Topology> {
        match &self.kind {
            Kind::One(client) => Ok(Topology::one(client.get_connection_info().clone())),
            Kind::Cluster(cluster) => cluster.topology().await,
        }
    }

    /// Checks that all keys have a server: over the given connection for one, as its masters know it for a cluster.
    ///
    /// # Errors
    /// A server without a reply, or a part of a cluster without a master.
    pub async fn check(&self, connection: &mut Connection) -> RedisResult<()> {
        match &self.kind {
            Kind::One(_) => redis::cmd("PING").query_async(connection).await,
            Kind::Cluster(cluster) => cluster.check().await,
        }
    }

    /// Returns `CLUSTER INFO` of each master of a cluster; nothing for one server.
    ///
    /// # Errors
    /// A master that cannot be reached.
    pub async fn info_of_all(&self) -> RedisResult<Vec<String>> {
        match &self.kind {
            Kind::One(_) => Ok(Vec::new()),
            Kind::Cluster(cluster) => cluster.info_of_all().await,
        }
    }

    /// Groups items by the slot of their keys. One server has one group.
    pub fn by_slot<T>(&self, items: Vec<T>, key: impl Fn(&T) -> &str) -> Vec<Vec<T>> {
        if self.is_cluster() {
            pipeline::by_slot(items, |item| Some(Slot::for_key(key(item))))
        } else {
            vec![items]
        }
    }

    fn config(&self, response_timeout: Duration) -> AsyncConnectionConfig {
        AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.timeouts.connect))
            .set_response_timeout(Some(response_timeout))
    }
}

/// Returns the nodes that the URL of a cluster names; `None` for the URL of one server.
fn cluster_nodes(url: &str) -> RedisResult<Option<Vec<ConnectionInfo>>> {
    let Some(rest) = url.strip_prefix(CLUSTER_SCHEME) else { return Ok(None) };
    let invalid = |reason| RedisError::from((ErrorKind::InvalidClientConfig, reason));
    let mut server = Url::parse(&format!("redis{rest}")).map_err(|_error| invalid("the URL is malformed"))?;
    let mut hosts = Vec::new();
    for (name, value) in server.query_pairs() {
        match (name.as_ref(), value.rsplit_once(':')) {
            ("node", Some((host, port))) if !host.is_empty() => {
                let port: u16 = port.parse().map_err(|_error| invalid("a node has no port"))?;
                hosts.push((host.to_owned(), port));
            }
            _ => return Err(invalid("a parameter is not `node=HOST:PORT`")),
        }
    }
    if !matches!(server.path(), "" | "/" | "/0") {
        return Err(invalid("a cluster has only database 0"));
    }
    server.set_query(None);
    let first = server.into_connection_info()?;
    let mut nodes = vec![first.clone()];
    nodes.extend(
        hosts.into_iter().map(|(host, port)| first.clone().set_addr(redis::ConnectionAddr::Tcp(host, port))),
    );
    Ok(Some(nodes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(url: &str) -> Option<Vec<String>> {
        let nodes = cluster_nodes(url).unwrap()?;
        Some(nodes.iter().map(|node| node.addr().to_string()).collect())
    }

    #[test]
    fn servers_of_a_cluster_url_are_some_nodes() {
        assert_eq!(addresses("redis://r:6379"), None);
        assert_eq!(addresses("redis+unix:///run/redis.sock"), None);
        assert_eq!(addresses("redis+cluster://r"), Some(vec!["r:6379".to_owned()]));
        let both = addresses("redis+cluster://u:p%40@r:7000?node=[::1]:7001&node=s:7002");
        assert_eq!(both.unwrap(), ["r:7000", "[::1]:7001", "s:7002"]);
        for malformed in
            ["redis+cluster://", "redis+cluster://r/2", "redis+cluster://r?node=s", "redis+cluster://r?x=s:1"]
        {
            assert!(cluster_nodes(malformed).is_err(), "{malformed}");
        }
    }

    #[test]
    fn servers_of_a_cluster_have_the_credentials_of_the_url() {
        let nodes = cluster_nodes("redis+cluster://u:p%40@r?node=s:7001").unwrap().unwrap();
        for node in nodes {
            let settings = node.redis_settings();
            assert_eq!((settings.username(), settings.password()), (Some("u"), Some("p@")));
        }
    }
}
