//! A replica of the main database: it serves named reads while it is fresh, and is never written to. A replica that
//! becomes the primary.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use diesel::{
    QueryableByName,
    result::{DatabaseErrorKind, Error},
    sql_query,
    sql_types::Integer,
};
use diesel_async::RunQueryDsl;
use foundation::{
    db::{Database, Databases, PoolOptions, ReplicaProblem, ReplicaRead, Server, check_replica},
    invalidation::Invalidation,
};
use futures::future::join_all;
use lumio_api::doctor::examine;
use lumio_tests::{Person, PostgresServer, TestApp, TestDatabase};
use serde_json::json;
use shared::{clock::Clock, config::DatabasesConfig, secret::Secret};
use uuid::Uuid;

use super::{Channel, eventually, health};
use lumio_tests::world::{messages, workers};
use lumio_worker::Daemon;

/// Number of reads of public statistics that a server has answered.
async fn reads(app: &TestApp, server: Server) -> u64 {
    let metrics = app.anonymous().at(app.metrics_url()).get("/metrics").await.text;
    let parts = [
        "lumio_db_replica_reads_total{",
        &format!("read=\"{}\"", ReplicaRead::PublicStats.as_str()),
        &format!("server=\"{}\"", server.as_str()),
    ];
    let mut lines = metrics.lines().filter(|line| parts.iter().all(|part| line.contains(part)));
    lines.next().map_or(0, |line| line.rsplit(' ').next().expect("a value").parse().expect("a number"))
}

/// Sends reads until a server has answered one. Each has another answer, so that none is a kept one.
async fn is_answered_by(app: &TestApp, server: Server) {
    let (before, mut number) = (reads(app, server).await, rand::random_range(0..1_000_000_000));
    eventually(server.as_str(), async || {
        number += 1;
        app.anonymous().get(&format!("/v1/public-stats/browse?search=name{number}")).await.expect(200);
        reads(app, server).await > before
    })
    .await;
}

/// The reads of sessions. Both databases are on the replica.
async fn read_history(app: &TestApp) {
    let pools = app.databases.for_reads(None);
    let (mut postgres, mut timeseries) = (pools.postgres().await.unwrap(), pools.timeseries().await.unwrap());
    let (postgres, timeseries) = (&mut postgres.reader(), &mut timeseries.reader());
    let (session, now) = (Uuid::now_v7(), app.clock.now());
    let report = history_model::report::build(postgres, timeseries, session, now).await.unwrap();
    assert_eq!(report, None, "there is no such session");
    let samples = history_model::samples::samples(timeseries, session, now, now, None, None, 1).await;
    assert!(samples.unwrap().is_empty());
}

/// Opens a session that began an hour ago.
async fn open_session(primary: &PostgresServer, owner: &Person) -> Uuid {
    let (id, account) = (Uuid::now_v7(), owner.account_id);
    let session = format!(
        "INSERT INTO stream_sessions (id, account_id, session_type, platforms, started_at, minutes_from)
        SELECT '{id}', '{account}', 'single', '{{twitch}}', hour, hour
        FROM (SELECT date_trunc('minute', now()) - interval '1 hour' AS hour) AS began"
    );
    primary.value(&session).await;
    id
}

/// Reports of sessions of which the replica, which replays nothing, lacks the end or everything.
async fn reports_are_of_what_was_read(primary: &PostgresServer, owner: &Person, session: Uuid) {
    let is_live = async |id: Uuid| {
        let report = owner.get(&format!("/v1/history/reports/{id}")).await;
        report.expect(200)["data"]["is_live"].as_bool()
    };
    let end = "UPDATE stream_sessions SET (ended_at, minutes_to) = (SELECT minute, minute
        FROM (SELECT date_trunc('minute', now()) AS minute) AS ended)";
    primary.value(end).await;
    assert_eq!(is_live(session).await, Some(false), "not as before its end");
    let unknown = open_session(primary, owner).await;
    assert_eq!(is_live(unknown).await, Some(true), "not deleted");
}

/// Codes of the doctor about the replica.
async fn findings(app: &TestApp, changes: &[(&str, String)]) -> Vec<&'static str> {
    let mut variables = app.variables();
    variables.extend(changes.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    let config = shared::config::Config::from_variables(variables).expect("a sound configuration");
    let report = examine(&config, Clock::default()).await;
    let check = report.checks.iter().find(|check| check.name == "replica").expect("a check");
    check.findings.iter().map(|finding| finding.code).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replica_serves_named_reads_while_it_is_fresh() {
    let primary = PostgresServer::start().await;
    let mut replica = primary.replica().await;
    let app = TestApp::builder()
        .with("DATABASE_URL", primary.url())
        .with("LUMIO_DATABASE_REPLICA_URL", replica.url())
        .with("LUMIO_DATABASE_POOL_TIMEOUT_MS", 2000)
        .start()
        .await;
    let owner = app.owner().await;
    let channel = "INSERT INTO public_channels (platform, platform_channel_id, login, source, first_seen_at)
        VALUES ('twitch', '1', 'first', 'external_crawler', now())";
    primary.value(channel).await;
    let has_channel = async || replica.value("SELECT login FROM public_channels").await.is_some();
    eventually("the replica has the channel", has_channel).await;
    is_answered_by(&app, Server::Replica).await;
    assert_eq!(findings(&app, &[]).await, Vec::<&str>::new());
    owner.get("/v1/public-stats/channels/twitch/first").await.expect(200);
    read_history(&app).await;
    let session = open_session(&primary, &owner).await;
    let is_replayed = async || replica.value("SELECT id FROM stream_sessions").await.is_some();
    eventually("the replica has the session", is_replayed).await;
    is_answered_by(&app, Server::Replica).await;

    replica.value("SELECT pg_wal_replay_pause()").await;
    primary.value("UPDATE public_channels SET is_hidden = true").await;
    // The replica counts as fresh for a second, and does not know of the change.
    app.state.caches.invalidate(&Invalidation::PublicStats);
    owner.get("/v1/public-stats/channels/twitch/first").await.expect(404);
    reports_are_of_what_was_read(&primary, &owner, session).await;
    is_answered_by(&app, Server::Primary).await;
    assert_eq!(findings(&app, &[]).await, ["replica_lags"]);
    replica.value("SELECT pg_wal_replay_resume()").await;
    is_answered_by(&app, Server::Replica).await;

    replica.kill();
    // Its connections break: each read is repeated on the primary.
    for number in 0..5 {
        app.anonymous().get(&format!("/v1/public-stats/browse?search=away{number}")).await.expect(200);
    }
    is_answered_by(&app, Server::Primary).await;
    assert_eq!(findings(&app, &[]).await, ["replica_unreachable"]);
    assert_eq!(health(&app, "postgres").await.0, "healthy");
    replica.restart().await;
    is_answered_by(&app, Server::Replica).await;
    let foreign = [("LUMIO_DATABASE_REPLICA_URL", primary.url())];
    assert_eq!(findings(&app, &foreign).await, ["replica_foreign"]);
    app.stop().await;
}

#[derive(QueryableByName)]
struct Port {
    #[diesel(sql_type = Integer)]
    port: i32,
}

/// Ports of the replicas that serve reads over a whole pool of connections.
async fn serving(databases: &Databases, since: Option<Instant>) -> BTreeSet<u16> {
    let pools = databases.for_reads(since);
    let mut ports = BTreeSet::new();
    if pools.server() == Server::Primary {
        return ports;
    }
    let connections = join_all((0..16).map(|_| pools.postgres())).await;
    for mut connection in connections.into_iter().flatten() {
        let port = sql_query("SELECT inet_server_port() AS port");
        let port: Port = connection.reader().row(port).await.unwrap();
        ports.insert(u16::try_from(port.port).unwrap());
    }
    ports
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replica_behind_another_one_of_the_same_address_serves_no_reads() {
    let primary = PostgresServer::start().await;
    let (late, fresh) = (primary.replica().await, primary.replica().await);
    let (port, fresh_port) = (late.port(), fresh.port());
    let hosts = format!(
        "postgres://lumio@127.0.0.1:{port},127.0.0.1:{fresh_port}/postgres?load_balance_hosts=random"
    );
    let url = Secret::new(primary.url());
    let config = DatabasesConfig {
        replica: Some(Secret::new(hosts)),
        pool_size: 16,
        ..DatabasesConfig::new(url.clone(), url)
    };
    let databases = Databases::new(&config);
    let both = BTreeSet::from([port, fresh_port]);
    eventually("both serve", async || serving(&databases, None).await == both).await;
    assert_eq!(check_replica(&config).await, None);

    late.value("SELECT pg_wal_replay_pause()").await;
    primary.value("CREATE TABLE changes ()").await;
    let changed_by = Some(Instant::now());
    let serves_the_change = async || {
        let ports = serving(&databases, changed_by).await;
        assert!(!ports.contains(&port), "it lacks the change");
        !ports.is_empty()
    };
    eventually("the other one serves the change", serves_the_change).await;
    let only = BTreeSet::from([fresh_port]);
    eventually("only the other one serves", async || serving(&databases, None).await == only).await;
    for _ in 0..5 {
        assert!(!serving(&databases, None).await.contains(&port), "it is too old");
    }
    assert_eq!(check_replica(&config).await, Some(ReplicaProblem::Lags), "each host is checked");
}

#[derive(QueryableByName)]
struct Process {
    #[diesel(sql_type = Integer)]
    pid: i32,
}

async fn process(database: &Database) -> i32 {
    let process: Process = sql_query("SELECT pg_backend_pid() AS pid")
        .get_result(&mut *database.get().await.unwrap())
        .await
        .unwrap();
    process.pid
}

async fn write(database: &Database) -> Result<usize, Error> {
    let sql = "UPDATE feature_flags SET updated_at = now() WHERE false";
    sql_query(sql).execute(&mut *database.get().await.unwrap()).await
}

fn is_refusal(outcome: &Result<usize, Error>) -> bool {
    matches!(outcome, Err(Error::DatabaseError(DatabaseErrorKind::ReadOnlyTransaction, _)))
}

#[tokio::test]
async fn replica_or_former_primary_takes_no_writes() {
    let database = TestDatabase::create().await;
    let url = Secret::new(&database.url);
    let pool = Database::new(&url, 2, Duration::from_secs(30));
    let before = process(&pool).await;
    // As after a change of roles in which the connections stayed.
    let session = "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY";
    sql_query(session).execute(&mut *pool.get().await.unwrap()).await.unwrap();
    assert!(is_refusal(&write(&pool).await));
    eventually("a new connection takes writes", async || write(&pool).await.is_ok()).await;
    assert_ne!(process(&pool).await, before);

    let options = PoolOptions::of(&DatabasesConfig::new(url.clone(), url.clone()));
    let read_only = Database::open(&url, PoolOptions { is_read_only: true, ..options });
    assert!(process(&read_only).await > 0);
    assert!(is_refusal(&write(&read_only).await), "a session of a replica takes none");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replica_that_becomes_the_primary_has_every_acknowledged_line() {
    let timeseries = TestDatabase::create().await;
    let mut primary = PostgresServer::start().await;
    let replica = primary.replica().await;
    primary.wait_for_replica().await;
    let hosts =
        format!("postgres://lumio@127.0.0.1:{},127.0.0.1:{}/postgres", primary.port(), replica.port());
    let app = TestApp::builder()
        .with("DATABASE_URL", hosts)
        .with("LUMIO_TIMESCALEDB_URL", &timeseries.url)
        .with("LUMIO_DATABASE_POOL_TIMEOUT_MS", 2000)
        .start()
        .await;
    let channel = Channel::open(&app).await;
    let running = workers(&app, &[Daemon::Ingest, Daemon::Outbox]).await;
    for number in 0..10 {
        channel.say(&app, &format!("before {number}")).await;
    }
    // A lost machine: it closes no connection, and answers no new one.
    primary.freeze();
    replica.promote().await;
    for number in 0..10 {
        channel.say(&app, &format!("after {number}")).await;
    }
    channel
        .owner
        .post("/v1/roles", json!({ "name": "After", "permissions": ["chat:read"] }))
        .await
        .expect(201);
    eventually("it is healthy", async || health(&app, "postgres").await.0 == "healthy").await;
    let account = channel.owner.account_id;
    eventually("every line is stored", async || messages(&app, account).await.len() >= 20).await;
    assert_eq!(messages(&app, account).await.len(), 20, "each once");
    running.stop().await.unwrap();
    primary.kill();
    app.stop().await;
}
