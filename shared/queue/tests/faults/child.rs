//! Processes that tests may kill: this test executable, with its role in an environment variable.

use std::{
    io::Read,
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use queue::{Connection, CronJob, StreamQueue};
use serde::{Deserialize, Serialize};
use tokio::signal::unix::{SignalKind, signal};

use crate::{
    journal::Journal,
    server::send_signal,
    work::{Context, Does, Settings, TestQueue, Work, handle},
};

const ROLE: &str = "LUMIO_QUEUE_TEST_CHILD";
const EXIT_DEADLINE: Duration = Duration::from_secs(60);

#[derive(Debug, Serialize, Deserialize)]
struct Role {
    kind: Kind,
    url: String,
    prefix: String,
    settings: Settings,
    journal: PathBuf,
    name: String,
}

#[derive(Debug, Serialize, Deserialize)]
enum Kind {
    Worker,
    /// Adds a job every second and records its ticks.
    Cron,
}

/// A process that ends with this one.
pub struct ChildProcess(Child);

impl ChildProcess {
    /// Starts a worker.
    pub fn worker(test: &TestQueue, name: &str) -> Self {
        Self::spawn(test, Kind::Worker, name, &test.journal)
    }

    /// Starts a process that adds jobs on a schedule. `ticks` records a start for each of its ticks.
    pub fn cron(test: &TestQueue, ticks: &Journal) -> Self {
        Self::spawn(test, Kind::Cron, "cron", ticks)
    }

    fn spawn(test: &TestQueue, kind: Kind, name: &str, journal: &Journal) -> Self {
        let role = Role {
            kind,
            url: test.url.clone(),
            prefix: test.prefix.clone(),
            settings: test.settings.clone(),
            journal: journal.path().to_owned(),
            name: name.to_owned(),
        };
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["child::child_process_entry_point", "--exact", "--nocapture"])
            .env(ROLE, serde_json::to_string(&role).unwrap())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self(child)
    }

    /// `kill -9`.
    pub fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Sends a signal.
    pub fn signal(&self, signal: &str) {
        send_signal(signal, &self.0.id().to_string());
    }

    /// True when it has ended.
    pub fn has_exited(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }

    /// Waits for its end.
    pub async fn exit(&mut self) -> ExitStatus {
        let deadline = Instant::now() + EXIT_DEADLINE;
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "the process does not end");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Sends SIGTERM, and checks that it ends successfully.
    pub async fn terminate(mut self) {
        self.signal("TERM");
        let status = self.exit().await;
        assert!(status.success(), "{status}");
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        if self.0.kill().is_ok() {
            self.0.wait().unwrap();
        }
    }
}

/// Entry point of the child processes, no test. Without its environment variable it does nothing.
#[test]
fn child_process_entry_point() {
    let Ok(role) = std::env::var(ROLE) else { return };
    std::thread::spawn(end_with_parent);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(play(serde_json::from_str(&role).unwrap()));
}

/// The parent holds the other end of standard input and never writes.
fn end_with_parent() {
    let end = std::io::stdin().read(&mut [0]);
    std::process::exit(if end.is_ok() { 3 } else { 4 });
}

async fn play(role: Role) {
    let connection = Connection::open(&role.url, &role.prefix).unwrap();
    let queue = StreamQueue::<Work>::new(&connection, role.settings.config()).unwrap();
    let journal = Journal::open(&role.journal);
    let monitor = match role.kind {
        Kind::Worker => {
            let context = Context { journal, worker: role.name };
            queue::monitor().register(move |_| queue.worker().data(context.clone()).build(handle))
        }
        Kind::Cron => {
            let payload = move |tick: queue::Tick| {
                journal.started(tick.get_timestamp(), 1);
                Work { job: tick.get_timestamp(), does: Does::Sleep { ms: 0 } }
            };
            let cron = CronJob::new("every-second", "* * * * * *", queue.producer(), payload).unwrap();
            queue::monitor().register(move |_| cron.worker())
        }
    };
    let mut terminate = signal(SignalKind::terminate()).unwrap();
    let signal = async move {
        terminate.recv().await;
        Ok(())
    };
    monitor.run_with_signal(signal).await.unwrap();
}
