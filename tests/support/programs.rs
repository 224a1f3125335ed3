//! The programs of this build as processes of their own, to be told to stop and to be killed.

use std::{
    collections::BTreeMap,
    net::TcpListener,
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    time::Duration,
};

use tokio::net::TcpStream;

use crate::{DEADLINE, TestApp, postgres_server::send};

/// A running program. It is killed when it is dropped.
pub struct Program(Child);

impl Program {
    /// Starts a program with these arguments and nothing but these variables and `PATH`.
    #[must_use]
    pub fn start(name: &str, arguments: &[&str], variables: &BTreeMap<String, String>) -> Self {
        let mut command = Command::new(path(name));
        command.args(arguments).env_clear().envs(variables);
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        // `LUMIO_TEST_KEEP=1` shows what it logs.
        let log =
            || if std::env::var_os("LUMIO_TEST_KEEP").is_some() { Stdio::inherit() } else { Stdio::null() };
        command.stdin(Stdio::null()).stdout(log()).stderr(log());
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

    /// Whether it still runs.
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
    /// A second API process over the same databases and Redis, and where it answers.
    pub async fn second_process(&self) -> (Program, String) {
        let bound = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let address = bound.expect("a free port");
        let mut variables = self.variables();
        variables.insert("LUMIO_HTTP_BIND".into(), address.to_string());
        let mut program = Program::start("lumio-api", &["serve"], &variables);
        let deadline = tokio::time::Instant::now() + DEADLINE;
        while TcpStream::connect(address).await.is_err() {
            assert!(program.runs(), "it ended");
            assert!(tokio::time::Instant::now() < deadline, "it does not listen");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let url = format!("http://{address}");
        self.anonymous().at(&url).get("/v1/health").await.expect(200);
        (program, url)
    }
}

/// A program that was built together with the tests.
fn path(name: &str) -> PathBuf {
    let own = std::env::current_exe().expect("the test has a path");
    let folders = own.ancestors().flat_map(|folder| [folder.to_owned(), folder.join("debug")]);
    let found = folders.map(|folder| folder.join(name)).find(|program| program.is_file());
    found.unwrap_or_else(|| panic!("{name} is not built: cargo build --workspace --bins"))
}
