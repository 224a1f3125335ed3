//! A Redis Cluster of real servers, with masters that can be killed.

use std::{
    net::TcpListener,
    process::{Child, Command, Stdio},
    time::Duration,
};

use redis::aio::MultiplexedConnection;
use tempfile::TempDir;

const MASTERS: usize = 3;
/// Longest wait for a state of the cluster.
const DEADLINE: Duration = Duration::from_secs(60);
/// Time after which the nodes take a silent one for failed.
const NODE_TIMEOUT: Duration = Duration::from_secs(5);
/// Ports of nodes: below those of outgoing connections, which may take any of theirs.
const PORTS: std::ops::Range<u16> = 12_000..31_000;
/// A node listens for the other nodes on its port plus this.
const BUS_OFFSET: u16 = 1_000;

/// Three masters with equal shares of the slots, and a replica of each.
pub struct RedisCluster {
    nodes: Vec<Node>,
    _folder: TempDir,
}

struct Node {
    port: u16,
    process: Option<Child>,
}

impl RedisCluster {
    /// Starts the nodes and waits until they serve and the replicas have all data.
    pub async fn start() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let mut nodes: Vec<Node> = Vec::new();
        while nodes.len() < 2 * MASTERS {
            let port = free_port(&nodes);
            let data = folder.path().join(port.to_string());
            std::fs::create_dir(&data).expect("a folder for a node");
            let process = Command::new("redis-server")
                .args([
                    "--port",
                    &port.to_string(),
                    "--bind",
                    "127.0.0.1",
                    "--save",
                    "",
                    "--appendonly",
                    "yes",
                ])
                .args(["--cluster-enabled", "yes", "--repl-diskless-sync-delay", "0"])
                .args(["--cluster-port", &(port + BUS_OFFSET).to_string()])
                .args(["--cluster-node-timeout", &NODE_TIMEOUT.as_millis().to_string()])
                .arg("--dir")
                .arg(data)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("redis-server is installed");
            nodes.push(Node { port, process: Some(process) });
        }
        let cluster = Self { nodes, _folder: folder };
        cluster.join().await;
        cluster
    }

    /// URL for the service, with one of the nodes.
    #[must_use]
    pub fn url(&self) -> String {
        let others: Vec<String> =
            self.nodes[1..].iter().map(|node| format!("node=127.0.0.1:{}", node.port)).collect();
        format!("redis+cluster://127.0.0.1:{}?{}", self.nodes[0].port, others.join("&"))
    }

    /// Number of keys of each master.
    pub async fn keys(&self) -> Vec<usize> {
        let mut keys = Vec::new();
        for node in &self.nodes[..MASTERS] {
            keys.push(node.ask(&["DBSIZE"]).await);
        }
        keys
    }

    /// Index of the master that has a key.
    pub async fn master_of(&self, key: &str) -> usize {
        let slot: usize = self.nodes[0].ask(&["CLUSTER", "KEYSLOT", key]).await;
        (0..MASTERS).find(|master| slots(*master).1 >= slot).expect("a master for every slot")
    }

    /// Kills a master at once. Its replica is elected after the node timeout.
    pub fn kill_master(&mut self, master: usize) {
        let mut process = self.nodes[master].process.take().expect("the master runs");
        process.kill().expect("the master can be killed");
        process.wait().expect("the master ends");
    }

    /// Stops the process of a master without closing its connections, as a host that vanishes.
    pub fn freeze_master(&self, master: usize) {
        let process = self.nodes[master].process.as_ref().expect("the master runs");
        let frozen = Command::new("kill").args(["-STOP", &process.id().to_string()]).status();
        assert!(frozen.expect("kill runs").success(), "the master can be frozen");
    }

    async fn join(&self) {
        let first = self.nodes[0].port;
        let (first, first_bus) = (first.to_string(), (first + BUS_OFFSET).to_string());
        for (index, node) in self.nodes.iter().enumerate() {
            node.wait_until_it_answers().await;
            node.ask::<()>(&["CLUSTER", "SET-CONFIG-EPOCH", &(index + 1).to_string()]).await;
            if index < MASTERS {
                let (start, end) = slots(index);
                node.ask::<()>(&["CLUSTER", "ADDSLOTSRANGE", &start.to_string(), &end.to_string()]).await;
            }
            node.ask::<()>(&["CLUSTER", "MEET", "127.0.0.1", &first, &first_bus]).await;
        }
        let known = format!("cluster_known_nodes:{}", self.nodes.len());
        self.everywhere(&["CLUSTER", "INFO"], &known).await;
        for index in 0..MASTERS {
            let master: String = self.nodes[index].ask(&["CLUSTER", "MYID"]).await;
            let replica = &self.nodes[MASTERS + index];
            replica.ask::<()>(&["CLUSTER", "REPLICATE", &master]).await;
            replica.wait_for(&["INFO", "replication"], "master_link_status:up").await;
        }
        self.everywhere(&["CLUSTER", "INFO"], "cluster_state:ok").await;
    }

    async fn everywhere(&self, command: &[&str], expected: &str) {
        for node in &self.nodes {
            node.wait_for(command, expected).await;
        }
    }
}

impl Node {
    async fn connect(&self) -> redis::RedisResult<MultiplexedConnection> {
        let client = redis::Client::open(format!("redis://127.0.0.1:{}", self.port))?;
        client.get_multiplexed_async_connection().await
    }

    async fn try_ask<T: redis::FromRedisValue>(&self, command: &[&str]) -> redis::RedisResult<T> {
        let call = redis::cmd(command[0]).arg(&command[1..]).to_owned();
        call.query_async(&mut self.connect().await?).await
    }

    async fn ask<T: redis::FromRedisValue>(&self, command: &[&str]) -> T {
        self.try_ask(command).await.unwrap_or_else(|error| panic!("{command:?}: {error}"))
    }

    async fn wait_until_it_answers(&self) {
        let answers = async {
            while self.try_ask::<()>(&["PING"]).await.is_err() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(DEADLINE, answers).await.expect("redis-server answers");
    }

    async fn wait_for(&self, command: &[&str], expected: &str) {
        let states = async {
            while !self.try_ask::<String>(command).await.is_ok_and(|answer| answer.contains(expected)) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(DEADLINE, states)
            .await
            .unwrap_or_else(|_| panic!("{command:?} never has {expected}"));
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            // It may have ended.
            process.kill().ok();
            process.wait().ok();
        }
    }
}

/// First and last slot of a master.
const fn slots(master: usize) -> (usize, usize) {
    (master * 16384 / MASTERS, (master + 1) * 16384 / MASTERS - 1)
}

/// Port whose bus port is free too.
fn free_port(taken: &[Node]) -> u16 {
    let is_free = |port: u16| TcpListener::bind(("127.0.0.1", port)).is_ok();
    (0..1000)
        .map(|_| rand::random_range(PORTS))
        .find(|port| {
            taken.iter().all(|node| node.port != *port) && is_free(*port) && is_free(*port + BUS_OFFSET)
        })
        .expect("free ports")
}
