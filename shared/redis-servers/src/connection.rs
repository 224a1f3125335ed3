//! A connection for commands.

use std::sync::Arc;

use redis::{
    Cmd, Pipeline, RedisFuture, Value,
    aio::{ConnectionLike, ConnectionManager, MultiplexedConnection},
};

use crate::cluster::Cluster;

/// Connection to one server or to a cluster. Clones share it.
#[derive(Clone)]
pub enum Connection {
    /// Connection that ends when it is lost.
    One(MultiplexedConnection),
    /// Connection that connects again after a loss.
    Managed(ConnectionManager),
    /// Connection to the nodes of a cluster. It connects again after a loss.
    Cluster(Arc<Cluster>),
}

impl ConnectionLike for Connection {
    fn req_packed_command<'a>(&'a mut self, command: &'a Cmd) -> RedisFuture<'a, Value> {
        match self {
            Self::One(connection) => connection.req_packed_command(command),
            Self::Managed(connection) => connection.req_packed_command(command),
            Self::Cluster(cluster) => Box::pin(cluster.run(command)),
        }
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        commands: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        match self {
            Self::One(connection) => connection.req_packed_commands(commands, offset, count),
            Self::Managed(connection) => connection.req_packed_commands(commands, offset, count),
            Self::Cluster(cluster) => Box::pin(cluster.run_all(commands, offset, count)),
        }
    }

    fn get_db(&self) -> i64 {
        match self {
            Self::One(connection) => connection.get_db(),
            Self::Managed(connection) => connection.get_db(),
            Self::Cluster(_) => 0,
        }
    }
}
