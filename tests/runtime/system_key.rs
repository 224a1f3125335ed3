//! The credential of the workers: missing, written, revoked and replaced while a worker runs.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use lumio_tests::{Program, TestApp, free_address, run};
use serde_json::Value;

use lumio_tests::world::eventually_within;

/// Reached only by a hang; the longest pause of a worker between two attempts is a minute.
const DEADLINE: Duration = Duration::from_secs(150);
const DAEMON: &str = "extension-runtime";
const REFUSED: &str = "does not accept the system key";

/// A worker with a key in a file.
struct Worker<'a> {
    app: &'a TestApp,
    origin: String,
}

impl Worker<'_> {
    async fn reasons(&self) -> Option<Vec<Value>> {
        let request = self.app.anonymous().at(&self.origin).request(reqwest::Method::GET, "/ready");
        let body: Value = request.send().await.ok()?.json().await.ok()?;
        body["data"]["reasons"].as_array().cloned()
    }

    async fn eventually_says(&self, subject: &str, code: &str) {
        eventually_within(DEADLINE, "the worker says why it is not ready", async || {
            let reasons = self.reasons().await.unwrap_or_default();
            reasons.iter().any(|reason| reason["subject"] == subject && reason["code"] == code)
        })
        .await;
    }

    async fn eventually_ready(&self) {
        let ready = eventually_within(DEADLINE, "the worker is ready", async || {
            self.reasons().await.is_some_and(|reasons| reasons.is_empty())
        });
        ready.await;
    }

    /// Waits until the API counts this many workers.
    async fn eventually_counted(&self, copies: usize) {
        eventually_within(DEADLINE, "the API counts the workers", async || {
            let metrics = self.app.anonymous().at(self.app.metrics_url()).get("/metrics").await.text;
            let of_daemon = |line: &&str| {
                line.starts_with("lumio_workers_working{") && line.contains(&format!("daemon=\"{DAEMON}\""))
            };
            metrics.lines().find(of_daemon).is_some_and(|line| line.ends_with(&format!(" {copies}")))
        })
        .await;
    }
}

async fn write_key(app: &TestApp, file: &Path) {
    let arguments = ["admin", "create-system-key", "--label", "workers", "--file", file.to_str().unwrap()];
    let ended = run("lumio-api", &arguments, &app.variables()).await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

fn complaints(log: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(log).unwrap();
    let is_complaint = |line: &&str| line.contains(" WARN ") || line.contains(" ERROR ");
    text.lines().filter(is_complaint).map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn system_key_that_is_refused_is_reported_briefly_until_replaced() {
    let (app, folder) = (TestApp::start().await, tempfile::TempDir::new().unwrap());
    let staff = app.admin_with(&["system-keys:read", "system-keys:delete"]).await;
    let (file, log, address) = (folder.path().join("key"), folder.path().join("log"), free_address());
    let mut variables = app.variables();
    variables.insert("LUMIO_SYSTEM_KEY_FILE".into(), file.display().to_string());
    variables.insert("LUMIO_WORKER_METRICS_BIND".into(), address.to_string());
    variables.insert("LUMIO_RUNTIME_FEED_POLL_SECS".into(), "1".into());
    let _program = Program::logging_to(&log, "lumio-worker", &[DAEMON], &variables);
    let worker = Worker { app: &app, origin: format!("http://{address}") };

    worker.eventually_says(DAEMON, "failed").await;
    worker.eventually_counted(0).await;
    let health = app.anonymous().at(&worker.origin).get("/health").await;
    assert!(health.status == 200 && health.text.contains("LUMIO_SYSTEM_KEY_FILE"), "{}", health.text);
    write_key(&app, &file).await;
    worker.eventually_ready().await;
    worker.eventually_counted(1).await;

    let (before, revoked) = (complaints(&log).len(), Instant::now());
    let keys = staff.get("/v1/admin/system-keys").await;
    for key in keys.data().as_array().unwrap() {
        let path = format!("/v1/admin/system-keys/{}", key["id"].as_str().unwrap());
        staff.delete(&path).await.expect(204);
    }
    worker.eventually_says("system_key", "key_refused").await;
    worker.eventually_counted(0).await;
    let tries = || complaints(&log).iter().filter(|line| line.contains(REFUSED)).count();
    eventually_within(DEADLINE, "it tries again", async || tries() >= 4).await;
    let complaints = complaints(&log).split_off(before);
    // Pauses double from a second, so that this many tries fit into the time at most.
    let most = 2 + (revoked.elapsed().as_secs() + 1).ilog2() as usize;
    assert!(complaints.len() <= most, "one line a try, at most {most}: {complaints:#?}");

    write_key(&app, &file).await;
    worker.eventually_ready().await;
    worker.eventually_counted(1).await;
    let text = std::fs::read_to_string(&log).unwrap();
    assert_eq!(text.matches("accepts the system key again").count(), 1);
    assert!(!text.contains("lm_sys_"));
}
