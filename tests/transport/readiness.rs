//! Readiness of a process, and its reasons for not being ready (reference/telemetry.md#readiness).

use std::{collections::BTreeMap, path::Path, time::Duration};

use lumio_tests::{Answer, PostgresServer, Program, RedisServer, TestApp, TestDatabase, free_address, run};
use serde_json::{Value, json};

use lumio_tests::world::eventually_within;

/// Reached only by a hang.
const DEADLINE: Duration = Duration::from_secs(90);

/// The reasons by subject that `/ready` returns at an address; none before it listens.
async fn reasons(app: &TestApp, origin: &str) -> Option<BTreeMap<String, Value>> {
    let response = app.anonymous().at(origin).request(reqwest::Method::GET, "/ready").send().await.ok()?;
    let status = response.status().as_u16();
    let body: Value = response.json().await.ok()?;
    let data = &body["data"];
    let reasons = data["reasons"].as_array().expect("a list of reasons");
    assert_eq!(status == 200, reasons.is_empty(), "{body}");
    assert_eq!(data["status"], if reasons.is_empty() { "ready" } else { "unready" });
    let subject = |reason: &Value| reason["subject"].as_str().expect("a subject").to_owned();
    Some(reasons.iter().map(|reason| (subject(reason), reason.clone())).collect())
}

async fn eventually_reasons(
    app: &TestApp,
    origin: &str,
    expected: &[(&str, &str)],
) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    let expected: BTreeMap<&str, &str> = expected.iter().copied().collect();
    let asked = eventually_within(DEADLINE, "it says why it is not ready", async || {
        let Some(reasons) = reasons(app, origin).await else { return false };
        found = reasons;
        let is_reported = |(subject, code): (&&str, &&str)| {
            found.get(*subject).is_some_and(|reason| reason["code"] == **code)
        };
        expected.iter().all(is_reported) && expected.is_empty() == found.is_empty()
    });
    asked.await;
    found
}

fn lines_with(log: &Path, text: &str) -> Vec<String> {
    let lines = std::fs::read_to_string(log).expect("a log");
    lines.lines().filter(|line| line.contains(text)).map(str::to_owned).collect()
}

async fn internal(app: &TestApp, path: &str) -> Answer {
    app.anonymous().at(app.metrics_url()).get(path).await
}

#[tokio::test]
async fn readiness_is_served_on_both_listeners() {
    let app = TestApp::start().await;
    app.ready().await;
    for origin in [app.url(), app.metrics_url()] {
        assert_eq!(reasons(&app, &origin).await, Some(BTreeMap::new()));
    }
    assert_eq!(internal(&app, "/health").await.text, "ok\n");
    internal(&app, "/nothing").await.expect(404);
    let metrics = internal(&app, "/metrics").await.text;
    for store in ["postgres", "timescaledb", "redis"] {
        let up =
            |line: &&str| line.starts_with("lumio_store_up{") && line.contains(store) && line.ends_with(" 1");
        assert!(metrics.lines().any(|line| up(&line)), "{store}: {metrics}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readiness_names_a_store_that_is_away_until_it_is_back() {
    let (mut postgres, mut redis) = (PostgresServer::start().await, RedisServer::start().await);
    let timeseries = TestDatabase::create().await;
    let app = TestApp::builder()
        .with("DATABASE_URL", postgres.url())
        .with("LUMIO_TIMESCALEDB_URL", &timeseries.url)
        .with("REDIS_URL", redis.url())
        .start()
        .await;
    app.ready().await;
    postgres.kill();
    let found = eventually_reasons(&app, &app.url(), &[("postgres", "unreachable")]).await;
    assert_eq!(found["postgres"], json!({ "subject": "postgres", "code": "unreachable" }), "no more outside");
    eventually_within(DEADLINE, "the cause is named inside", async || {
        let inside = reasons(&app, &app.metrics_url()).await.unwrap_or_default();
        let cause = inside.get("postgres").and_then(|reason| reason["detail"].as_str());
        cause.is_some_and(|cause| cause.contains("Connection refused"))
    })
    .await;
    let health = internal(&app, "/health").await;
    assert!(
        health.status == 200 && health.text.starts_with("degraded\npostgres unreachable: "),
        "{}",
        health.text
    );
    redis.kill();
    let both = [("postgres", "unreachable"), ("redis", "unreachable")];
    eventually_reasons(&app, &app.url(), &both).await;
    postgres.restart().await;
    redis.restart().await;
    app.ready().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readiness_names_an_older_schema_until_it_is_migrated() {
    let (app, empty) = (TestApp::start().await, TestDatabase::empty().await);
    let folder = tempfile::TempDir::new().unwrap();
    let (address, internal, workers) = (free_address(), free_address(), free_address());
    let mut variables = app.variables();
    variables.insert("DATABASE_URL".into(), empty.url.clone());
    variables.insert("LUMIO_HTTP_BIND".into(), address.to_string());
    variables.insert("LUMIO_METRICS_BIND".into(), internal.to_string());
    variables.insert("LUMIO_WORKER_METRICS_BIND".into(), workers.to_string());
    let logs = [folder.path().join("api.log"), folder.path().join("worker.log")];
    let _api = Program::logging_to(&logs[0], "lumio-api", &["serve"], &variables);
    let _worker = Program::logging_to(&logs[1], "lumio-worker", &["rollout"], &variables);
    let origins = [address, internal, workers].map(|address| format!("http://{address}"));
    let outdated = [("postgres", "schema_outdated"), ("timescaledb", "schema_outdated")];
    for origin in &origins {
        eventually_reasons(&app, origin, &outdated).await;
    }
    for log in &logs {
        let lines = lines_with(log, "run `lumio-api migrate`");
        assert_eq!(lines.len(), 2, "one for each database: {lines:#?}");
    }
    let migrated = run("lumio-api", &["migrate"], &variables).await;
    assert_eq!(migrated.code, Some(0), "{migrated:?}");
    for origin in &origins {
        eventually_reasons(&app, origin, &[]).await;
    }
    for log in &logs {
        assert_eq!(lines_with(log, "a store can be used again").len(), 2);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readiness_logs_a_refused_password_once_without_showing_it() {
    let (app, folder) = (TestApp::start().await, tempfile::TempDir::new().unwrap());
    let log = folder.path().join("api.log");
    let mut url = url::Url::parse(&app.database.url).unwrap();
    url.set_password(Some("hunter2")).unwrap();
    let (address, internal) = (free_address(), free_address());
    let mut variables = app.variables();
    variables.insert("DATABASE_URL".into(), url.to_string());
    variables.insert("LUMIO_HTTP_BIND".into(), address.to_string());
    variables.insert("LUMIO_METRICS_BIND".into(), internal.to_string());
    variables.insert("LUMIO_DATABASE_POOL_TIMEOUT_MS".into(), "1000".into());
    let _api = Program::logging_to(&log, "lumio-api", &["serve"], &variables);
    let origin = format!("http://{address}");
    let refused = [("postgres", "refused"), ("timescaledb", "refused")];
    eventually_reasons(&app, &origin, &refused).await;
    let inside = eventually_reasons(&app, &format!("http://{internal}"), &refused).await;
    let cause = "password authentication failed for user";
    assert!(inside["postgres"]["detail"].as_str().unwrap().contains(cause), "{inside:?}");
    let key = format!("lm_usr_{}", "0".repeat(64));
    for _ in 0..3 {
        let answer = app.bearer(&key).at(&origin).get("/v1/users/me").await;
        answer.expect(500);
        answer.refused("DATABASE_ERROR", "Internal database error");
    }
    let named = lines_with(&log, "a store cannot be used");
    assert_eq!(named.len(), 2, "once for each database: {named:#?}");
    assert!(named.iter().all(|line| line.contains(cause)), "{named:#?}");
    let failed = lines_with(&log, "database pool");
    let times = |line: &String| line.matches(cause).count();
    assert!(failed.iter().any(|line| times(line) == 1), "{failed:#?}");
    assert!(failed.iter().all(|line| times(line) <= 1), "{failed:#?}");
    assert!(lines_with(&log, "hunter2").is_empty());
}

#[tokio::test]
async fn readiness_ends_when_a_process_stops() {
    let app = TestApp::start().await;
    app.ready().await;
    let (owner, anonymous) = (app.owner().await, app.anonymous());
    let (origin, metrics) = (app.url(), app.metrics_url());
    let (mut rest_of_body, body) = futures::channel::mpsc::channel::<Result<&str, std::io::Error>>(4);
    rest_of_body.try_send(Ok(r#"{"label":"#)).unwrap();
    let in_progress = tokio::spawn(async move {
        owner.post_raw("/v1/api-keys", "application/json", reqwest::Body::wrap_stream(body)).await.status
    });
    let before = anonymous.at(&metrics).get("/metrics").await.text;
    assert!(before.contains("lumio_ready{"), "{before}");
    // Long enough for the head to arrive, which cannot be observed outside the server.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let stop = tokio::spawn(app.stop());
    eventually_within(DEADLINE, "it says that it stops", async || {
        let answer = anonymous.at(&metrics).get("/ready").await;
        answer.status == 503 && answer.body["data"]["reasons"][0]["code"] == "draining"
    })
    .await;
    assert!(!stop.is_finished(), "a request is in progress at {origin}");
    rest_of_body.try_send(Ok(r#""late","permissions":[]}"#)).unwrap();
    drop(rest_of_body);
    assert_eq!(in_progress.await.unwrap(), 201);
    stop.await.unwrap();
}
