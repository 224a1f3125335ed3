//! The connection to a cluster that all users of a process share.

use std::{
    collections::HashMap,
    io,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak},
    time::Duration,
};

use redis::{
    Cmd, ConnectionInfo, ErrorKind, Pipeline, ProtocolVersion, RedisError, RedisResult, ServerErrorKind,
    Value,
    aio::ConnectionLike,
    cluster::{ClusterClient, ClusterConfig},
    cluster_async::ClusterConnection,
    cluster_routing::{MultipleNodeRoutingInfo, RoutingInfo, SingleNodeRoutingInfo},
};
use tokio::{runtime::Runtime, time::Instant};

use crate::{Timeouts, pipeline, resolver::PacedResolver, topology::Topology};

/// Number of times that a command is sent again: after a redirection, while a part of the cluster has no master, and
/// after a lost connection. A command that had its effect before the loss has it a second time.
const MAX_RETRIES: u32 = 8;
/// Bounds of the delay before a command is sent again, in milliseconds.
const MIN_RETRY_DELAY_MS: u64 = 20;
const MAX_RETRY_DELAY_MS: u64 = 500;

/// Interval of the checks that every master replies.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Time without a reply after which a master counts as silent.
const PING_TIMEOUT: Duration = Duration::from_secs(2);
/// Shortest life of a connection that is given up because a master is silent.
const MIN_CONNECTION_LIFE: Duration = Duration::from_secs(5);

/// Cluster with the one connection to its nodes.
pub struct Cluster {
    /// Some nodes, with the credentials of all.
    nodes: Vec<ConnectionInfo>,
    timeouts: Timeouts,
    /// Thread that drives the connection: the threads of its users may end before each other.
    driver: OnceLock<Driver>,
    current: Arc<Mutex<Current>>,
}

#[derive(Default)]
struct Current {
    /// Connection and the time at which it was opened.
    connection: Option<(ClusterConnection, Instant)>,
    /// Masters that were known last. One of them may reply when none of the configured nodes does.
    masters: Vec<ConnectionInfo>,
}

/// Runtime of one thread. `None` only while it is dropped.
struct Driver(Option<Runtime>);

impl Cluster {
    /// Creates a cluster from some of its nodes. Nothing connects.
    pub fn new(nodes: Vec<ConnectionInfo>, timeouts: Timeouts) -> RedisResult<Self> {
        client(&nodes, timeouts)?;
        Ok(Self { nodes, timeouts, driver: OnceLock::new(), current: Arc::default() })
    }

    /// Runs a command on the node that has its key.
    pub async fn run(&self, command: &Cmd) -> RedisResult<Value> {
        self.connection()?.req_packed_command(command).await
    }

    /// Runs a pipeline. A transaction goes to one node; any other pipeline is cut by slot.
    pub async fn run_all(&self, commands: &Pipeline, offset: usize, count: usize) -> RedisResult<Vec<Value>> {
        let mut connection = self.connection()?;
        if commands.is_transaction() {
            return connection.req_packed_commands(commands, offset, count).await;
        }
        pipeline::run_in_parts(&connection, commands).await
    }

    /// Checks that every slot has a master, as each of them knows.
    pub async fn check(&self) -> RedisResult<()> {
        let infos = self.info_of_all().await?;
        if !infos.is_empty() && infos.iter().all(|info| info.contains("cluster_state:ok")) {
            return Ok(());
        }
        Err(RedisError::from((
            ErrorKind::Server(ServerErrorKind::ClusterDown),
            "a part of the cluster has no master",
        )))
    }

    /// Returns `CLUSTER INFO` of each master.
    pub async fn info_of_all(&self) -> RedisResult<Vec<String>> {
        let command = redis::cmd("CLUSTER").arg("INFO").to_owned();
        let routing = RoutingInfo::MultiNode((MultipleNodeRoutingInfo::AllMasters, None));
        let answer = self.connection()?.route_command(command, routing).await?;
        let by_node: HashMap<String, String> = redis::from_redis_value(answer)?;
        Ok(by_node.into_values().collect())
    }

    /// Returns the nodes that have keys at present, as one of them knows them.
    pub async fn topology(&self) -> RedisResult<Topology> {
        let command = redis::cmd("CLUSTER").arg("SLOTS").to_owned();
        let routing = RoutingInfo::SingleNode(SingleNodeRoutingInfo::Random);
        let answer = self.connection()?.route_command(command, routing).await?;
        let no_node = || io::Error::new(io::ErrorKind::InvalidInput, "the cluster has no node");
        let topology = Topology::read(answer, self.nodes.first().ok_or_else(no_node)?)?;
        lock(&self.current).masters = topology.masters().to_vec();
        Ok(topology)
    }

    fn connection(&self) -> RedisResult<ClusterConnection> {
        let mut current = lock(&self.current);
        if let Some((connection, _)) = &current.connection {
            return Ok(connection.clone());
        }
        let nodes: Vec<ConnectionInfo> = self.nodes.iter().chain(&current.masters).cloned().collect();
        let client = client(&nodes, self.timeouts)?;
        let driver = self.driver()?;
        let connection = {
            let _entered = driver.enter();
            client.get_pending_async_connection_with_config(ClusterConfig::new())
        };
        let opened = Instant::now();
        driver.spawn(watch(Arc::downgrade(&self.current), connection.clone(), opened));
        current.connection = Some((connection.clone(), opened));
        Ok(connection)
    }

    fn driver(&self) -> io::Result<&Runtime> {
        let driver = match self.driver.get() {
            Some(driver) => driver,
            None => {
                let driver = Driver::start()?;
                self.driver.get_or_init(|| driver)
            }
        };
        driver.0.as_ref().ok_or_else(|| io::Error::other("the thread of the cluster has ended"))
    }
}

/// Gives a connection up when a master is silent: the client keeps one to a node that is gone without closing it, and does
/// not learn that a replica was elected. Callers may not wait as long.
async fn watch(current: Weak<Mutex<Current>>, mut connection: ClusterConnection, opened: Instant) {
    loop {
        tokio::time::sleep(CHECK_INTERVAL).await;
        let routing = RoutingInfo::MultiNode((MultipleNodeRoutingInfo::AllMasters, None));
        let ping = connection.route_command(redis::cmd("PING"), routing);
        let is_silent = match tokio::time::timeout(PING_TIMEOUT, ping).await {
            Ok(answer) => answer.is_err_and(|error| error.is_timeout()),
            Err(_elapsed) => true,
        };
        let Some(current) = current.upgrade() else { return };
        let mut current = lock(&current);
        if current.connection.as_ref().is_none_or(|(_, other)| *other != opened) {
            return;
        }
        if is_silent && opened.elapsed() >= MIN_CONNECTION_LIFE {
            current.connection = None;
            return;
        }
    }
}

fn lock(current: &Mutex<Current>) -> MutexGuard<'_, Current> {
    current.lock().unwrap_or_else(PoisonError::into_inner)
}

fn client(nodes: &[ConnectionInfo], timeouts: Timeouts) -> RedisResult<ClusterClient> {
    ClusterClient::builder(nodes.iter().cloned())
        .connection_timeout(timeouts.connect)
        .response_timeout(timeouts.response)
        // Bounds a command with all its retries.
        .overall_response_timeout(Some(timeouts.response))
        .retries(MAX_RETRIES)
        .min_retry_wait(MIN_RETRY_DELAY_MS)
        .max_retry_wait(MAX_RETRY_DELAY_MS)
        .async_dns_resolver(PacedResolver::default())
        // A closed connection is noticed without a command.
        .use_protocol(ProtocolVersion::RESP3)
        .build()
}

impl Driver {
    fn start() -> io::Result<Self> {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        Ok(Self(Some(builder.worker_threads(1).thread_name("redis-cluster").enable_all().build()?)))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // A runtime that waits for its threads must not be dropped by a task.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
