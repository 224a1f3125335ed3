//! Programs of this build as processes of their own, which can be terminated and killed.

use std::{
    collections::BTreeMap,
    fs::File,
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::atomic::{AtomicU16, Ordering},
    time::Duration,
};

use tokio::net::TcpStream;

use crate::{DEADLINE, TestApp, postgres_server::send};

/// A running program. It is killed when it is dropped.
pub struct Program(Child);

/// A program that has run to its end.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a program to its end with these arguments and nothing but these variables and `PATH`.
pub async fn run(name: &str, arguments: &[&str], variables: &BTreeMap<String, String>) -> Ended {
    let mut command = command(name, arguments, variables);
    let ended = tokio::task::spawn_blocking(move || command.output()).await.expect("no panic");
    let ended = ended.unwrap_or_else(|error| panic!("{name} does not start: {error}"));
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Ended { code: ended.status.code(), stdout: text(ended.stdout), stderr: text(ended.stderr) }
}

/// A program that is about to be started.
#[must_use]
pub fn command(name: &str, arguments: &[&str], variables: &BTreeMap<String, String>) -> Command {
    let mut command = Command::new(path(name));
    command.args(arguments).env_clear().envs(variables);
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).stdin(Stdio::null());
    command
}

impl Program {
    /// Starts a program with these arguments and nothing but these variables and `PATH`.
    #[must_use]
    pub fn start(name: &str, arguments: &[&str], variables: &BTreeMap<String, String>) -> Self {
        let mut command = command(name, arguments, variables);
        // `LUMIO_TEST_KEEP=1` shows what it logs.
        let log =
            || if std::env::var_os("LUMIO_TEST_KEEP").is_some() { Stdio::inherit() } else { Stdio::null() };
        command.stdout(log()).stderr(log());
        Self(command.spawn().unwrap_or_else(|error| panic!("{name} does not start: {error}")))
    }

    /// Starts a program as [`Self::start`] does; its log goes to a file.
    #[must_use]
    pub fn logging_to(
        log: &Path,
        name: &str,
        arguments: &[&str],
        variables: &BTreeMap<String, String>,
    ) -> Self {
        let log = std::fs::File::create(log).expect("a file for the log");
        let mut command = command(name, arguments, variables);
        command.stdout(Stdio::null()).stderr(log);
        Self(command.spawn().unwrap_or_else(|error| panic!("{name} does not start: {error}")))
    }

    /// The same, with its log in a file.
    #[must_use]
    pub fn start_logging(
        name: &str,
        arguments: &[&str],
        variables: &BTreeMap<String, String>,
        log: &Path,
    ) -> Self {
        let log = File::create(log).expect("the log can be written");
        let mut command = Command::new(path(name));
        command.args(arguments).env_clear().envs(variables);
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        Self(command.spawn().unwrap_or_else(|error| panic!("{name} does not start: {error}")))
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        self.0.kill().expect("it can be killed");
        self.0.wait().expect("it ends");
    }

    /// SIGTERM.
    pub fn terminate(&self) {
        send("TERM", &[self.0.id()]);
    }

    /// SIGSTOP: it stays and does nothing.
    pub fn freeze(&self) {
        send("STOP", &[self.0.id()]);
    }

    /// True while it runs.
    pub fn runs(&mut self) -> bool {
        self.0.try_wait().expect("its state can be asked for").is_none()
    }

    /// Waits for its end.
    pub async fn ended(&mut self) -> ExitStatus {
        let deadline = tokio::time::Instant::now() + DEADLINE;
        loop {
            if let Some(status) = self.0.try_wait().expect("its state can be asked for") {
                return status;
            }
            assert!(tokio::time::Instant::now() < deadline, "it does not end");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if self.runs() {
            self.kill();
        }
    }
}

impl TestApp {
    /// Waits until the server reports that it is ready.
    pub async fn ready(&self) {
        let deadline = tokio::time::Instant::now() + Duration::from_secs(60);
        loop {
            let answer = self.anonymous().get("/ready").await;
            if answer.status == 200 {
                return;
            }
            assert!(tokio::time::Instant::now() < deadline, "it is not ready: {}", answer.text);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// A second API process over the same databases and Redis, and its address.
    pub async fn second_process(&self) -> (Program, String) {
        self.process(BTreeMap::new(), None).await
    }

    /// The same with more variables, and with its log in a file.
    pub async fn second_process_logging(
        &self,
        log: &Path,
        more: &BTreeMap<String, String>,
    ) -> (Program, String) {
        self.process(more.clone(), Some(log)).await
    }

    async fn process(&self, more: BTreeMap<String, String>, log: Option<&Path>) -> (Program, String) {
        let address = free_address();
        let mut variables = self.variables();
        variables.insert("LUMIO_HTTP_BIND".into(), address.to_string());
        variables.extend(more);
        let mut program = match log {
            Some(log) => Program::start_logging("lumio-api", &["serve"], &variables, log),
            None => Program::start("lumio-api", &["serve"], &variables),
        };
        let deadline = tokio::time::Instant::now() + DEADLINE;
        while TcpStream::connect(address).await.is_err() {
            assert!(program.runs(), "it ended: {:?}", log.map(std::fs::read_to_string));
            assert!(tokio::time::Instant::now() < deadline, "it does not listen");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let url = format!("http://{address}");
        self.anonymous().at(&url).get("/v1/health").await.expect(200);
        (program, url)
    }
}

/// Below the ports that the system gives to clients, so that none of them takes a free one.
const FIRST_PORT: u16 = 10_000;
const PORTS_OF_A_TEST: u16 = 500;

/// An address on which nothing listens, for a program to bind. Tests that run at the same time have different ports:
/// otherwise another test's program could bind it first, and answer.
#[must_use]
pub fn free_address() -> SocketAddr {
    static GIVEN: AtomicU16 = AtomicU16::new(0);
    let first = FIRST_PORT + slot() * PORTS_OF_A_TEST;
    let ports = (0..PORTS_OF_A_TEST).map(|_| first + GIVEN.fetch_add(1, Ordering::Relaxed) % PORTS_OF_A_TEST);
    let mut free = ports.filter_map(|port| TcpListener::bind(("127.0.0.1", port)).ok()?.local_addr().ok());
    free.next().expect("a free port")
}

/// Number that no other running test has, as far as the runner gives one.
fn slot() -> u16 {
    const SLOTS: u16 = 40;
    let given = std::env::var("NEXTEST_TEST_GLOBAL_SLOT").ok().and_then(|slot| slot.parse::<u16>().ok());
    let own = (std::process::id() % u32::from(SLOTS)) as u16;
    given.unwrap_or(own) % SLOTS
}

/// A program that was built together with the tests.
fn path(name: &str) -> PathBuf {
    let own = std::env::current_exe().expect("the test has a path");
    let folders = own.ancestors().flat_map(|folder| [folder.to_owned(), folder.join("debug")]);
    let found = folders.map(|folder| folder.join(name)).find(|program| program.is_file());
    found.unwrap_or_else(|| panic!("{name} is not built: cargo build --workspace --bins"))
}
