//! A Redis server of one's own, to be killed and restarted.

use std::{
    net::TcpListener,
    process::{Child, Command, Stdio},
    time::Duration,
};

use tempfile::TempDir;

/// A server that keeps its data across restarts.
pub struct RedisServer {
    port: u16,
    folder: TempDir,
    child: Option<Child>,
}

impl RedisServer {
    /// Starts a server on a free port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        drop(listener);
        let mut server = Self { port, folder: TempDir::new().expect("a temporary folder"), child: None };
        server.restart().await;
        server
    }

    #[must_use]
    pub fn url(&self) -> String {
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
            ])
            .arg("--dir")
            .arg(self.folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("redis-server is installed");
        self.child = Some(child);
        let client = redis::Client::open(self.url()).expect("a Redis address");
        for _ in 0..500 {
            if let Ok(mut connection) = client.get_multiplexed_async_connection().await
                && redis::cmd("PING").query_async::<()>(&mut connection).await.is_ok()
            {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("redis-server does not answer");
    }

    /// Kills the server at once.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().expect("the server can be killed");
            child.wait().expect("the server ends");
        }
    }

    /// Cuts every connection that hears what is published.
    pub async fn cut_subscribers(&self) {
        let client = redis::Client::open(self.url()).expect("a Redis address");
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

    /// Drops everything it holds.
    pub async fn flush(&self) {
        self.ask::<()>(&redis::cmd("FLUSHALL")).await;
    }

    /// Patterns of channels that somebody listens to.
    pub async fn patterns(&self) -> usize {
        self.ask(redis::cmd("PUBSUB").arg("NUMPAT")).await
    }

    async fn ask<T: redis::FromRedisValue>(&self, command: &redis::Cmd) -> T {
        let client = redis::Client::open(self.url()).expect("a Redis address");
        let mut connection = client.get_multiplexed_async_connection().await.expect("the server answers");
        command.query_async(&mut connection).await.expect("the server answers")
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
    }
}
