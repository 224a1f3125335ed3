//! Redis servers of the tests.

use std::{
    io::{BufRead, BufReader},
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    sync::OnceLock,
    time::{Duration, Instant},
};

use tempfile::TempDir;

const START_DEADLINE: Duration = Duration::from_secs(30);

/// URL of the Redis for tests that do not disturb it.
pub fn shared_url() -> String {
    static OWN: OnceLock<RedisServer> = OnceLock::new();
    std::env::var("LUMIO_TEST_REDIS_URL").unwrap_or_else(|_| OWN.get_or_init(RedisServer::start).url())
}

/// A Redis with an append-only file, on a free port. It ends with the test process in any case.
pub struct RedisServer {
    port: u16,
    directory: TempDir,
    process: Option<Process>,
}

struct Process {
    /// A shell that kills the server once its standard input is closed.
    guard: Child,
    pid: String,
}

impl RedisServer {
    /// Starts a server.
    pub fn start() -> Self {
        let mut server = Self::stopped();
        server.restart();
        server
    }

    /// A server that has a port and is not running.
    pub fn stopped() -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        Self { port, directory: TempDir::new().unwrap(), process: None }
    }

    /// URL of the server.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Starts it with its data and waits until it replies.
    pub fn restart(&mut self) {
        let deadline = Instant::now() + START_DEADLINE;
        while !self.answers() {
            assert!(Instant::now() < deadline, "redis-server does not start");
            if self.process.as_ref().is_none_or(|process| !process.is_alive()) {
                self.process = Some(Process::start(self.port, self.directory.path().to_str().unwrap()));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        drop(self.process.take().expect("redis-server runs"));
    }

    /// Stops the process without ending it.
    pub fn freeze(&self) {
        self.signal("STOP");
    }

    /// Continues the process.
    pub fn thaw(&self) {
        self.signal("CONT");
    }

    fn signal(&self, signal: &str) {
        send_signal(signal, &self.process.as_ref().expect("redis-server runs").pid);
    }

    fn answers(&self) -> bool {
        let Ok(client) = redis::Client::open(self.url()) else { return false };
        let Ok(mut connection) = client.get_connection_with_timeout(Duration::from_secs(1)) else {
            return false;
        };
        redis::cmd("PING").query::<String>(&mut connection).is_ok()
    }
}

impl Process {
    fn start(port: u16, directory: &str) -> Self {
        let script = "redis-server --port \"$1\" --bind 127.0.0.1 --dir \"$2\" --appendonly yes --save '' \
                      >/dev/null 2>&1 & echo $!; read -r _; kill -9 $!; wait $!";
        let mut guard = Command::new("sh")
            .args(["-c", script, "sh", &port.to_string(), directory])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut pid = String::new();
        BufReader::new(guard.stdout.as_mut().unwrap()).read_line(&mut pid).unwrap();
        Self { guard, pid: pid.trim().to_owned() }
    }

    fn is_alive(&self) -> bool {
        Command::new("sh")
            .args(["-c", "kill -0 \"$1\" 2>/dev/null", "sh", &self.pid])
            .status()
            .unwrap()
            .success()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        self.guard.wait().unwrap();
    }
}

/// Sends a signal to a process.
pub fn send_signal(signal: &str, pid: &str) {
    let status =
        Command::new("sh").args(["-c", "kill -s \"$1\" \"$2\"", "sh", signal, pid]).status().unwrap();
    assert!(status.success(), "kill -s {signal} {pid}");
}

/// True when nothing listens at the address.
pub fn refuses(url: &str) -> bool {
    TcpStream::connect(url.trim_start_matches("redis://")).is_err()
}
