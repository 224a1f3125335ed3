//! A PgBouncer that shares connections by transaction, for one test.

use std::{
    path::{Path, PathBuf},
    process::Child,
    time::Duration,
};

use tempfile::TempDir;
use tokio::net::TcpStream;

use crate::DEADLINE;

/// First version that keeps prepared statements, by transaction too.
const KEEPS_STATEMENTS: (u32, u32) = (1, 21);
/// Connections to the server: so few that clients take them from each other.
const POOL_SIZE: u32 = 3;

/// A pooler before a server. It can be killed and restarted.
pub struct PgBouncer {
    program: PathBuf,
    port: u16,
    folder: TempDir,
    child: Option<Child>,
}

impl PgBouncer {
    /// Starts a pooler before a server of this machine without passwords; `None` when PgBouncer is not installed.
    pub async fn start(server: u16) -> Option<Self> {
        let program = installed()?;
        let (port, folder) =
            (stack::free_port().expect("a free port"), TempDir::new().expect("a temporary folder"));
        let kept = if keeps_statements(&program) { "max_prepared_statements = 200\n" } else { "" };
        let settings = format!(
            "[databases]\n* = host=127.0.0.1 port={server} user=lumio connect_query='SET statement_timeout = 10000'\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\n\
             pool_mode = transaction\ndefault_pool_size = {POOL_SIZE}\nreserve_pool_size = 2\n\
             reserve_pool_timeout = 1\nmax_client_conn = 500\n\
             ignore_startup_parameters = options\n{kept}"
        );
        std::fs::write(folder.path().join("pgbouncer.ini"), settings).expect("the settings are written");
        for path in [folder.path().to_owned(), folder.path().join("pgbouncer.ini")] {
            stack::own(&path);
        }
        let mut pooler = Self { program, port, folder, child: None };
        pooler.restart().await;
        Some(pooler)
    }

    /// The address of a database behind the pooler.
    #[must_use]
    pub fn url(&self) -> String {
        format!("postgres://lumio@127.0.0.1:{}/postgres", self.port)
    }

    /// True when the pooler keeps prepared statements.
    #[must_use]
    pub fn keeps_statements(&self) -> bool {
        keeps_statements(&self.program)
    }

    /// Starts the pooler, which is not running.
    pub async fn restart(&mut self) {
        assert!(self.child.is_none(), "the pooler runs");
        let mut command = stack::unprivileged(&self.program);
        command.arg("--quiet").arg(self.folder.path().join("pgbouncer.ini"));
        self.child = Some(command.spawn().expect("pgbouncer starts"));
        let deadline = tokio::time::Instant::now() + DEADLINE;
        while TcpStream::connect(("127.0.0.1", self.port)).await.is_err() {
            assert!(tokio::time::Instant::now() < deadline, "pgbouncer does not listen");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().expect("the pooler can be killed");
            child.wait().expect("the pooler ends");
        }
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Debian has it outside of the `PATH` of some users.
fn installed() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&path).chain(["/usr/sbin".into()]);
    folders.find_map(|folder| Some(folder.join("pgbouncer")).filter(|program| program.is_file()))
}

fn keeps_statements(program: &Path) -> bool {
    let output = std::process::Command::new(program).arg("--version").output().expect("pgbouncer runs");
    let printed = String::from_utf8(output.stdout).expect("text");
    let version = printed.lines().next().and_then(|line| line.strip_prefix("PgBouncer ")).expect("a version");
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap_or_default());
    (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default()) >= KEEPS_STATEMENTS
}
