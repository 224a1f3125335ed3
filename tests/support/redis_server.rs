//! A Redis server for one test that can be killed and restarted. When the tests run on clusters, it is one of one node.

use std::{
    net::TcpListener,
    process::{Child, Command, Stdio},
    time::Duration,
};

use tempfile::TempDir;

/// A server that keeps its data across restarts.
pub struct RedisServer {
    port: u16,
    /// Port for other nodes, when it is a cluster.
    bus_port: u16,
    folder: TempDir,
    child: Option<Child>,
}

impl RedisServer {
    /// Starts a server on a free port.
    pub async fn start() -> Self {
        let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").expect("a free port"));
        let [port, bus_port] =
            listeners.each_ref().map(|listener| listener.local_addr().expect("an address").port());
        drop(listeners);
        let folder = TempDir::new().expect("a temporary folder");
        let mut server = Self { port, bus_port, folder, child: None };
        server.restart().await;
        server
    }

    /// URL for the service.
    #[must_use]
    pub fn url(&self) -> String {
        if crate::on_cluster() {
            format!("redis+cluster://127.0.0.1:{}", self.port)
        } else {
            self.server_url()
        }
    }

    /// URL for commands to the server itself.
    fn server_url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Starts the server that was killed.
    pub async fn restart(&mut self) {
        let child = Command::new("redis-server")
            .args([
                "--port",
                &self.port.to_string(),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "yes",
                "--cluster-enabled",
                if crate::on_cluster() { "yes" } else { "no" },
                "--cluster-port",
                &self.bus_port.to_string(),
            ])
            .arg("--dir")
            .arg(self.folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("redis-server is installed");
        self.child = Some(child);
        let client = redis::Client::open(self.server_url()).expect("a Redis address");
        for _ in 0..500 {
            if let Ok(mut connection) = client.get_multiplexed_async_connection().await
                && self.serves(&mut connection).await
            {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("redis-server does not answer");
    }

    /// True when it accepts writes. A new cluster gets its slots first.
    async fn serves(&self, connection: &mut redis::aio::MultiplexedConnection) -> bool {
        if crate::on_cluster() {
            let slots = redis::cmd("CLUSTER").arg("ADDSLOTSRANGE").arg(0).arg(16383).to_owned();
            // Refused when it has them already.
            slots.query_async::<()>(connection).await.ok();
        }
        redis::cmd("SET").arg("serves").arg(1).query_async::<()>(connection).await.is_ok()
    }

    /// Kills the server at once.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().expect("the server can be killed");
            child.wait().expect("the server ends");
        }
    }

    /// Cuts every connection with a subscription.
    pub async fn cut_subscribers(&self) {
        let client = redis::Client::open(self.server_url()).expect("a Redis address");
        let mut connection = client.get_multiplexed_async_connection().await.expect("the server answers");
        let mut command = redis::cmd("CLIENT");
        command
            .arg("KILL")
            .arg("TYPE")
            .arg("pubsub")
            .query_async::<()>(&mut connection)
            .await
            .expect("it kills");
    }

    /// Deletes all its data.
    pub async fn flush(&self) {
        self.ask::<()>(&redis::cmd("FLUSHALL")).await;
    }

    /// Patterns of channels that have subscribers.
    pub async fn patterns(&self) -> usize {
        self.ask(redis::cmd("PUBSUB").arg("NUMPAT")).await
    }

    async fn ask<T: redis::FromRedisValue>(&self, command: &redis::Cmd) -> T {
        let client = redis::Client::open(self.server_url()).expect("a Redis address");
        let mut connection = client.get_multiplexed_async_connection().await.expect("the server answers");
        command.query_async(&mut connection).await.expect("the server answers")
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
    }
}
