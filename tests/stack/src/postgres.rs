//! A PostgreSQL server that can be frozen, killed, restarted and replaced by its replica.

use std::{
    os::unix::fs::chown,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use tempfile::TempDir;
use tokio_postgres::{NoTls, SimpleQueryMessage};

use crate::{DEADLINE, free_port, process_tree::children};

/// PostgreSQL refuses to run as root; these users own nothing that it could harm.
const UNPRIVILEGED: [&str; 2] = ["postgres", "nobody"];
/// Settings of every server. A killed process loses no written data: an acknowledged commit is kept, also without
/// waiting for the disk.
const SETTINGS: [&str; 5] = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "fsync=off",
    "max_connections=60",
    "shared_buffers=16MB",
];

/// A server that keeps its data across restarts, with an empty database.
pub struct PostgresServer {
    port: u16,
    folder: TempDir,
    programs: PathBuf,
    settings: Vec<String>,
    child: Option<Child>,
}

impl PostgresServer {
    /// Starts a server on a free port.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// Starts a server with further settings, such as `max_connections=300`.
    pub async fn start_with(settings: &[&str]) -> Self {
        let mut server = Self::new(settings);
        let mut command = server.command("initdb");
        command.arg("-D").arg(server.data());
        command.args(["-U", "lumio", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]);
        assert!(command.status().expect("initdb runs").success(), "initdb fails");
        server.restart().await;
        server
    }

    /// Starts a replica that follows the server.
    pub async fn replica(&self) -> Self {
        let settings: Vec<&str> = self.settings.iter().map(String::as_str).collect();
        let mut replica = Self::new(&settings);
        let mut command = self.command("pg_basebackup");
        command.args(["-h", "127.0.0.1", "-U", "lumio", "-p", &self.port.to_string(), "-D"]);
        command.arg(replica.data()).args(["-R", "-X", "stream", "-c", "fast", "--no-sync"]);
        assert!(command.status().expect("pg_basebackup runs").success(), "pg_basebackup fails");
        replica.restart().await;
        replica
    }

    /// Makes every commit wait for a replica, which follows already.
    pub async fn wait_for_replica(&self) {
        self.value("ALTER SYSTEM SET synchronous_standby_names = '*'").await;
        self.value("SELECT pg_reload_conf()").await;
        let state = "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'";
        self.until(state, "sync").await;
    }

    /// Makes a replica the primary. Returns when it is one.
    pub async fn promote(&self) {
        assert_eq!(self.value("SELECT pg_promote()").await.as_deref(), Some("t"), "the replica is promoted");
    }

    /// The address of the database.
    #[must_use]
    pub fn url(&self) -> String {
        format!("postgres://lumio@127.0.0.1:{}/postgres", self.port)
    }

    /// The port of the server.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Starts the server, which is not running.
    pub async fn restart(&mut self) {
        assert!(self.child.is_none(), "the server runs");
        let mut command = self.command("postgres");
        command.arg("-D").arg(self.data()).arg("-p").arg(self.port.to_string());
        for setting in SETTINGS.into_iter().chain(self.settings.iter().map(String::as_str)) {
            command.arg("-c").arg(setting);
        }
        self.child = Some(command.spawn().expect("postgres starts"));
        self.until("SELECT 1", "1").await;
    }

    /// First value of the answer to a statement.
    pub async fn value(&self, sql: &str) -> Option<String> {
        self.try_value(sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"))
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

    fn new(settings: &[&str]) -> Self {
        let port = free_port().expect("a free port");
        let folder = TempDir::new().expect("a temporary folder");
        own(folder.path());
        let settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
        Self { port, folder, programs: programs(), settings, child: None }
    }

    async fn try_value(&self, sql: &str) -> Result<Option<String>, tokio_postgres::Error> {
        let (client, connection) = tokio_postgres::connect(&self.url(), NoTls).await?;
        let driving = tokio::spawn(connection);
        let rows = client.simple_query(sql).await;
        drop(client);
        // Its end is not of interest: the server may be gone.
        driving.await.ok();
        let value = |message: &SimpleQueryMessage| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        };
        Ok(rows?.iter().find_map(value))
    }

    async fn until(&self, sql: &str, expected: &str) {
        let deadline = tokio::time::Instant::now() + DEADLINE;
        while self.try_value(sql).await.ok().flatten().as_deref() != Some(expected) {
            assert!(tokio::time::Instant::now() < deadline, "{sql} never answers {expected}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn signal(&self, signal: &str) {
        if let Some(child) = &self.child {
            // The first process starts the others, so it is stopped first.
            let mut processes = vec![child.id()];
            processes.extend(children(child.id()));
            send(signal, &processes);
        }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self, program: &str) -> Command {
        unprivileged(&self.programs.join(program))
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A program that is about to be started, silent, and not as root.
#[must_use]
pub fn unprivileged(program: &Path) -> Command {
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

/// Gives a file to the user of such programs.
pub fn own(path: &Path) {
    if let Some((user, group)) = owner() {
        chown(path, Some(user), Some(group)).expect("root gives a file away");
    }
}

/// User and group of servers when this process is root.
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

/// Sends a signal to processes. One that has ended meanwhile needs none.
pub fn send(signal: &str, processes: &[u32]) {
    let mut command = Command::new("sh");
    command.args(["-c", "signal=$1; shift; kill -s \"$signal\" \"$@\" 2>/dev/null", "sh", signal]);
    command.args(processes.iter().map(ToString::to_string));
    command.status().expect("a shell runs");
}
