//! `lumio-api admin doctor` (reference/telemetry.md#doctor-of-a-deployment).

use std::collections::{BTreeMap, BTreeSet};

use base64::{Engine, prelude::BASE64_STANDARD};
use chrono::TimeDelta;
use foundation::{
    daemons::{DAEMONS, count_until},
    jobs::{Housekeep, HousekeepingTask, Job},
};
use lumio_api::doctor::{Finding, Report, Severity, examine};
use lumio_tests::{RedisServer, TestApp, TestDatabase, on_cluster, run};
use serde_json::{Value, json};
use shared::{
    clock::Clock,
    config::{Config, Environment, EventSubTransport, JwtKey},
    secret::{NamedKey, Secret},
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use uuid::Uuid;

const CHECKS: [&str; 11] = [
    "stores",
    "replica",
    "storage",
    "secrets",
    "encryption",
    "clocks",
    "public_address",
    "fonts",
    "engine",
    "queues",
    "workers",
];

/// Configuration of a server with other variables.
fn config(app: &TestApp, changes: &[(&str, &str)]) -> Config {
    let mut variables = app.variables();
    variables.extend(changes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    Config::from_variables(variables).expect("the configuration is sound")
}

/// Codes of a report, apart from those about the settings of the Redis server that tests share.
#[track_caller]
fn codes(report: &Report) -> BTreeSet<&'static str> {
    for Finding { message, remedy, .. } in report.findings() {
        assert!(!message.is_empty() && remedy.ends_with('.'), "{message}: {remedy}");
    }
    let codes = report.findings().map(|finding| finding.code);
    codes.filter(|code| !["redis_evicts", "redis_volatile"].contains(code)).collect()
}

async fn redis_command<T: redis::FromRedisValue>(url: &str, command: &redis::Cmd) -> T {
    let client = redis::Client::open(url).expect("an address of Redis");
    let mut connection = client.get_multiplexed_async_connection().await.expect("Redis answers");
    command.query_async(&mut connection).await.expect("Redis answers")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn doctor_finds_nothing_in_a_deployment_that_works() {
    let redis = RedisServer::start().await;
    let app = TestApp::builder().with("REDIS_URL", redis.url()).start().await;
    let owner = app.owner().await;
    owner.post("/v1/overlays", json!({ "name": "Main" })).await.expect(201);
    let key = app.system_key().await;
    let changes = [("LUMIO_PUBLIC_URL", app.url()), ("LUMIO_SYSTEM_KEY", key.token().to_owned())];
    let until = app.clock.now() + TimeDelta::minutes(10);
    for daemon in DAEMONS {
        count_until(&app.state.redis, daemon, Uuid::now_v7(), until).await.unwrap();
    }

    let mut variables = app.variables();
    variables.extend(changes.map(|(name, value)| (name.to_owned(), value)));
    let ended = run("lumio-api", &["admin", "doctor", "--json"], &variables).await;
    let printed: Value = serde_json::from_str(&ended.stdout).expect("a JSON object");
    assert_eq!((ended.code, &printed["healthy"]), (Some(0), &json!(true)), "{ended:?}");
    let checks = printed["checks"].as_array().unwrap();
    let names: Vec<&Value> = checks.iter().map(|check| &check["check"]).collect();
    assert_eq!(names, CHECKS);
    for check in checks {
        assert_eq!((&check["status"], &check["findings"]), (&json!("ok"), &json!([])), "{printed:#}");
    }
    let left: u64 = redis_command(
        // A cluster of one node replies as a server does.
        &redis.url().replace("redis+cluster", "redis"),
        redis::cmd("EVAL").arg("return #redis.call('KEYS', '*doctor:*')").arg(0),
    )
    .await;
    assert_eq!(left, 0, "the probes are removed");

    // Words for people, and the exit code of an error.
    variables.insert("LUMIO_PUBLIC_URL".into(), app.metrics_url());
    let ended = run("lumio-api", &["admin", "doctor"], &variables).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stdout.starts_with("ok       stores\n"), "{ended:?}");
    let expected = format!(
        "error    public_address\n         public_address_unreachable: {}/v1 answers 404 instead of 200\n",
        app.metrics_url()
    );
    assert!(ended.stdout.contains(&expected), "{ended:?}");
    assert!(ended.stderr.contains("errors that need a remedy: 1"), "{ended:?}");

    if !on_cluster() {
        for (setting, value) in [("maxmemory-policy", "allkeys-lru"), ("appendonly", "no")] {
            let set = redis::cmd("CONFIG").arg("SET").arg(setting).arg(value).to_owned();
            redis_command::<()>(&redis.url(), &set).await;
        }
        let report = examine(&app.config(), Clock::default()).await;
        let warned = report.findings().filter(|finding| finding.severity == Severity::Warning);
        let warned: BTreeSet<&str> = warned.map(|finding| finding.code).collect();
        assert!(warned.is_superset(&BTreeSet::from(["redis_evicts", "redis_volatile"])), "{report:?}");
    }
    app.stop().await;
}

#[tokio::test]
async fn doctor_names_what_is_wrong_with_secrets_files_and_addresses() {
    let app = TestApp::start().await;
    app.owner().await.post("/v1/overlays", json!({ "name": "Main" })).await.expect(201);
    let empty = TempDir::new().unwrap();
    let folder = empty.path().to_str().unwrap();
    let other_key = format!("other:{}", BASE64_STANDARD.encode([7; 32]));
    let mut config = config(
        &app,
        &[
            ("LUMIO_STORAGE_URL", "file:///dev/null/objects"),
            ("LUMIO_SYSTEM_KEY", "lost"),
            ("LUMIO_ENCRYPTION_KEYS", &other_key),
            ("LUMIO_FONT_DIR", folder),
            ("LUMIO_ENGINE_DIR", folder),
        ],
    );
    config.environment = Environment::Production;
    config.ingest.twitch_transport = EventSubTransport::Webhook;
    config.platforms.twitch_eventsub_secret = None;
    config.secrets.jwt = JwtKey::EdDsa(Secret::new("not a key"));
    let report = examine(&config, Clock::default()).await;
    let expected = BTreeSet::from([
        "storage_unusable",
        "system_key_refused",
        "undecryptable",
        "fonts_missing",
        "engine_unusable",
        "public_address_unreachable",
        "public_address_insecure",
        "eventsub_secret",
        "signing_key",
        "no_workers",
    ]);
    assert_eq!(codes(&report), expected, "{report:#?}");
    let lost = report.findings().find(|finding| finding.code == "undecryptable").unwrap();
    assert!(lost.message.starts_with("overlays.token holds values that cannot be decrypted"), "{lost:?}");
    assert!(lost.remedy.contains("`development`"), "it names the missing key: {lost:?}");
    app.stop().await;
}

#[tokio::test]
async fn doctor_names_what_is_wrong_with_stores_and_proxies() {
    let app = TestApp::start().await;
    let empty = TestDatabase::empty().await;
    let public = reading_proxy().await;
    let mut config = config(
        &app,
        &[
            ("DATABASE_URL", &empty.url),
            ("LUMIO_TIMESCALEDB_URL", &empty.url),
            ("REDIS_URL", "redis://127.0.0.1:1"),
            ("LUMIO_REDIS_POOL_TIMEOUT_MS", "500"),
            ("LUMIO_SYSTEM_KEY_FILE", "/dev/null/key"),
            ("LUMIO_PUBLIC_URL", &public),
        ],
    );
    config.secrets.encryption_keys = vec![NamedKey { id: "twice".into(), key: [7; 32] }; 2];
    let report = examine(&config, Clock::default()).await;
    let expected = BTreeSet::from([
        "schema_outdated",
        "unreachable",
        "system_key_unreadable",
        "encryption_keys",
        "webhooks_unreachable",
        "queues_unread",
        "workers_unread",
    ]);
    assert_eq!(codes(&report), expected, "{report:#?}");
    let migrate = report.findings().filter(|finding| finding.remedy == "Run `lumio-api migrate`.");
    assert_eq!(migrate.count(), 2, "both databases: {report:#?}");
    app.stop().await;
}

#[tokio::test]
async fn doctor_names_what_is_wrong_with_clocks_queues_and_workers() {
    let app = TestApp::start().await;
    let task = HousekeepingTask::ForgetHandled;
    assert!(app.state.jobs.enqueue(&Housekeep { task }, &Uuid::now_v7().to_string()).await.unwrap());
    let dead = format!("{{{}:{}}}:dead", app.state.config.redis.prefix, Housekeep::QUEUE);
    let bury = redis::cmd("XADD").arg(dead).arg("*").arg("j").arg("{}").arg("e").arg("failed").to_owned();
    bury.query_async::<()>(&mut *app.state.redis.get().await.unwrap()).await.unwrap();
    let until = app.clock.now() + TimeDelta::minutes(10);
    count_until(&app.state.redis, "mail", Uuid::now_v7(), until).await.unwrap();
    let mut absent = url::Url::parse(&app.database.url).unwrap();
    absent.set_path("lumio_absent");
    let config = config(
        &app,
        &[
            ("DATABASE_URL", "postgres://lumio:kept-from-lines@127.0.0.1:1/none"),
            ("LUMIO_TIMESCALEDB_URL", absent.as_str()),
            ("LUMIO_DATABASE_POOL_TIMEOUT_MS", "500"),
            ("LUMIO_SYSTEM_KEY", app.system_key().await.token()),
            ("LUMIO_PUBLIC_URL", &app.url()),
        ],
    );
    let ahead = Clock::default();
    ahead.advance(TimeDelta::seconds(90));
    let report = examine(&config, ahead).await;
    let expected = BTreeSet::from([
        "unreachable",
        "refused",
        "system_key_unchecked",
        "samples_unread",
        "clock_skew",
        "dead_letters",
        "queue_lag",
        "daemons_missing",
    ]);
    assert_eq!(codes(&report), expected, "{report:#?}");
    assert!(!format!("{:?} {}", report.lines(), report.json()).contains("kept-from-lines"), "{report:#?}");
    let by_code: BTreeMap<&str, Severity> =
        report.findings().map(|finding| (finding.code, finding.severity)).collect();
    for warning in ["system_key_unchecked", "dead_letters", "queue_lag", "daemons_missing"] {
        assert_eq!(by_code[warning], Severity::Warning, "{warning}");
    }
    assert_eq!(by_code["clock_skew"], Severity::Error, "more than a minute");
    app.stop().await;
}

/// Address of a proxy that refuses everything but reading requests.
async fn reading_proxy() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut method = [0; 4];
                socket.read_exact(&mut method).await?;
                let status = if &method == b"GET " { "200 OK" } else { "405 Method Not Allowed" };
                let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
                socket.write_all(answer.as_bytes()).await?;
                // What was not read would reset the connection before the answer arrives.
                socket.shutdown().await?;
                socket.read_to_end(&mut Vec::new()).await
            });
        }
    });
    url
}
