//! Subscriptions to published messages: over one connection to one server, or over one to each node of a cluster that
//! has one of the channels (sharded publish/subscribe).

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
};

use futures::future::try_join_all;
use redis::{
    ConnectionInfo, FromRedisValue, Msg, Pipeline, PushInfo, PushKind, RedisResult,
    aio::MultiplexedConnection,
};
use redis_servers::{Servers, Topology};
use tokio::sync::mpsc;

use super::RESPONSE_TIMEOUT;
use shared::{Error, Result};

/// Subscribing half.
pub struct Subscriber {
    servers: Servers,
    topology: Topology,
    /// Connections by address.
    nodes: HashMap<String, MultiplexedConnection>,
    pushes: mpsc::UnboundedSender<PushInfo>,
    ended: EndedChannels,
}

/// Channels whose subscription is being ended here. A node of a cluster ends that of a channel that another node takes
/// over.
type EndedChannels = Arc<Mutex<HashSet<String>>>;

/// Receiving half. It ends when a connection is lost, or when another node takes a channel over: messages may be lost
/// from then on, so the owner opens a new subscription.
pub struct Messages {
    pushes: mpsc::UnboundedReceiver<PushInfo>,
    ended: EndedChannels,
}

/// Opens a subscription without channels.
pub(super) async fn open(servers: &Servers) -> Result<(Subscriber, Messages)> {
    let (sender, receiver) = mpsc::unbounded_channel();
    let topology = within_timeout(servers.topology()).await?;
    let ended = EndedChannels::default();
    let mut subscriber = Subscriber {
        servers: servers.clone(),
        topology,
        nodes: HashMap::new(),
        pushes: sender,
        ended: Arc::clone(&ended),
    };
    if !servers.is_cluster() {
        // A server that is away is found now and not at the first channel.
        for node in subscriber.topology.masters().to_vec() {
            subscriber.connection(&node).await?;
        }
    }
    Ok((subscriber, Messages { pushes: receiver, ended }))
}

impl Subscriber {
    /// Subscribes to channels.
    ///
    /// # Errors
    /// A failure of Redis. Some of the channels may be subscribed to.
    pub async fn subscribe(&mut self, channels: &[impl AsRef<str>]) -> Result<()> {
        let name = if self.servers.is_cluster() { "SSUBSCRIBE" } else { "SUBSCRIBE" };
        self.send(name, channels).await
    }

    /// Ends subscriptions.
    ///
    /// # Errors
    /// A failure of Redis.
    pub async fn unsubscribe(&mut self, channels: &[impl AsRef<str>]) -> Result<()> {
        if !self.servers.is_cluster() {
            return self.send("UNSUBSCRIBE", channels).await;
        }
        let names = channels.iter().map(|channel| channel.as_ref().to_owned());
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).extend(names);
        self.send("SUNSUBSCRIBE", channels).await
    }

    /// Checks that every connection replies.
    ///
    /// # Errors
    /// No reply in time.
    pub async fn ping(&mut self) -> Result<()> {
        for connection in self.nodes.values_mut() {
            within_timeout(redis::cmd("PING").query_async::<()>(connection)).await?;
        }
        Ok(())
    }

    /// Sends a command for each channel to the nodes that have them, all at once. Each command has one confirmation, so
    /// that all of them are awaited and none is taken for the reply to a later command.
    async fn send(&mut self, name: &str, channels: &[impl AsRef<str>]) -> Result<()> {
        let mut calls: HashMap<String, (MultiplexedConnection, Pipeline)> = HashMap::new();
        for channel in channels.iter().map(AsRef::as_ref) {
            let node = self.topology.node_of(channel)?;
            let connection = self.connection(&node).await?;
            let call = calls.entry(node.addr().to_string()).or_insert_with(|| (connection, Pipeline::new()));
            call.1.cmd(name).arg(channel).ignore();
        }
        let calls = calls.into_values().map(async |(mut connection, pipeline)| {
            within_timeout(pipeline.query_async::<()>(&mut connection)).await
        });
        try_join_all(calls).await?;
        Ok(())
    }

    async fn connection(&mut self, node: &ConnectionInfo) -> Result<MultiplexedConnection> {
        let address = node.addr().to_string();
        if let Some(connection) = self.nodes.get(&address) {
            return Ok(connection.clone());
        }
        let connecting = self.servers.connect_for_pushes(node, self.pushes.clone());
        let connection = within_timeout(connecting).await?;
        self.nodes.insert(address, connection.clone());
        Ok(connection)
    }
}

impl Messages {
    /// Returns the next message; `None` when the subscription has ended.
    pub async fn next(&mut self) -> Option<Msg> {
        loop {
            let push = self.pushes.recv().await?;
            match push.kind {
                PushKind::Message | PushKind::SMessage => return Msg::from_push_info(push),
                PushKind::Disconnection => return None,
                PushKind::SUnsubscribe if !self.is_ended_here(push) => return None,
                _ => {}
            }
        }
    }

    fn is_ended_here(&self, push: PushInfo) -> bool {
        let channel = push.data.into_iter().next().and_then(|channel| String::from_redis_value(channel).ok());
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        channel.is_some_and(|channel| ended.remove(&channel))
    }
}

async fn within_timeout<T>(answer: impl Future<Output = RedisResult<T>>) -> Result<T> {
    match tokio::time::timeout(RESPONSE_TIMEOUT, answer).await {
        Ok(answer) => Ok(answer?),
        Err(_elapsed) => Err(Error::Redis("the subscription does not answer".into())),
    }
}
