//! A PostgreSQL server for one test that can be frozen, killed and restarted.

use std::{
    net::TcpListener,
    os::unix::fs::chown,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::db::Database;
use shared::{config::DatabasesConfig, secret::Secret};
use tempfile::TempDir;

use crate::DEADLINE;

/// Reached only by a server that does not start at all. PostgreSQL refuses to run as root; these users own nothing that
/// it could harm.
const UNPRIVILEGED: [&str; 2] = ["postgres", "nobody"];

/// A server that keeps its data across restarts, with a migrated and seeded database.
pub struct PostgresServer {
    port: u16,
    folder: TempDir,
    programs: PathBuf,
    child: Option<Child>,
}

impl PostgresServer {
    /// Starts a server on a free port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        drop(listener);
        let folder = TempDir::new().expect("a temporary folder");
        if let Some((user, group)) = owner() {
            chown(folder.path(), Some(user), Some(group)).expect("root gives a folder away");
        }
        let mut server = Self { port, folder, programs: programs(), child: None };
        server.make_cluster();
        server.restart().await;
        server.migrate().await;
        server
    }

    /// The address of the database.
    #[must_use]
    pub fn url(&self) -> String {
        format!("postgres://lumio@127.0.0.1:{}/postgres", self.port)
    }

    /// Starts the server, which is not running.
    pub async fn restart(&mut self) {
        assert!(self.child.is_none(), "the server runs");
        let mut command = self.command("postgres");
        command.arg("-D").arg(self.data()).arg("-p").arg(self.port.to_string());
        // A killed process loses no written data: an acknowledged commit is kept, also without waiting for the disk.
        for setting in [
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "fsync=off",
            "max_connections=60",
            "shared_buffers=16MB",
        ] {
            command.arg("-c").arg(setting);
        }
        self.child = Some(command.spawn().expect("postgres starts"));
        let deadline = tokio::time::Instant::now() + DEADLINE;
        while AsyncPgConnection::establish(&self.url()).await.is_err() {
            assert!(tokio::time::Instant::now() < deadline, "postgres does not answer");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Stops every process of the server, as an overloaded machine or a failing disk does: it keeps its connections,
    /// takes new ones, and does not reply.
    pub fn freeze(&self) {
        self.signal("STOP");
    }

    /// Resumes a frozen server.
    pub fn thaw(&self) {
        self.signal("CONT");
    }

    /// Kills every process of the server at once.
    pub fn kill(&mut self) {
        self.signal("KILL");
        if let Some(mut child) = self.child.take() {
            child.wait().expect("the server ends");
        }
    }

    /// Shuts the server down as an operator does: connections are ended, then it ends.
    pub fn shut_down(&mut self) {
        let mut child = self.child.take().expect("the server runs");
        send("INT", &[child.id()]);
        child.wait().expect("the server ends");
    }

    fn signal(&self, signal: &str) {
        if let Some(child) = &self.child {
            // The first process starts the others, so it is stopped first.
            let mut processes = vec![child.id()];
            processes.extend(children(child.id()));
            send(signal, &processes);
        }
    }

    fn make_cluster(&self) {
        let mut command = self.command("initdb");
        command.arg("-D").arg(self.data());
        command.args(["-U", "lumio", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]);
        assert!(command.status().expect("initdb runs").success(), "initdb fails");
    }

    async fn migrate(&self) {
        let url = Secret::new(self.url());
        let config = DatabasesConfig {
            postgres: url.clone(),
            timescaledb: url.clone(),
            pool_size: 1,
            pool_timeout: DEADLINE,
        };
        foundation::db::migrate(&config).await.expect("the migrations run");
        lumio_api::seeds::apply(&Database::new(&url, 1, DEADLINE)).await.expect("the seeds apply");
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        let mut command = match owner() {
            Some((user, group)) => {
                let mut command = Command::new("setpriv");
                command.arg(format!("--reuid={user}")).arg(format!("--regid={group}"));
                command.args(["--clear-groups", "--inh-caps=-all"]).arg(program);
                command
            }
            None => Command::new(program),
        };
        command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// User and group of the server when this process is root.
fn owner() -> Option<(u32, u32)> {
    let is_root =
        std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    if !is_root {
        return None;
    }
    let users = std::fs::read_to_string("/etc/passwd").expect("the users of this machine");
    let of = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    Some(UNPRIVILEGED.into_iter().find_map(of).expect("an unprivileged user"))
}

/// The folder of the newest installed server; Debian keeps it out of `PATH`.
fn programs() -> PathBuf {
    let has = |folder: &Path| folder.join("initdb").exists() && folder.join("postgres").exists();
    let given = std::env::var_os("PGBIN").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut versions: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let entry = entry.ok()?;
            Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin")))
        })
        .collect();
    versions.sort();
    let debian = versions.into_iter().rev().map(|(_, folder)| folder);
    let found =
        given.into_iter().chain(debian).chain(std::env::split_paths(&path)).find(|folder| has(folder));
    found.expect("initdb and postgres are installed: run ./scripts/packages")
}

/// The processes that a process has started.
fn children(parent: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").expect("the kernel's processes");
    let ids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let is_child = |id: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // The name before the last parenthesis may hold anything.
        let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        after_name.split_whitespace().nth(1) == Some(&parent.to_string())
    };
    ids.filter(is_child).collect()
}

/// Sends a signal to processes. One that has ended meanwhile needs none.
pub(crate) fn send(signal: &str, processes: &[u32]) {
    let mut command = Command::new("sh");
    command.args(["-c", "signal=$1; shift; kill -s \"$signal\" \"$@\" 2>/dev/null", "sh", signal]);
    command.args(processes.iter().map(ToString::to_string));
    command.status().expect("a shell runs");
}
