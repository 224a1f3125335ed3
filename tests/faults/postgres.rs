//! The primary database frozen, killed and restarted under a running API and its workers.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use foundation::events::{self, Event};
use futures::future::join_all;
use lumio_tests::{PostgresServer, SocketRequest, TestApp, TestDatabase};
use lumio_worker::Daemon;
use serde_json::json;

use super::{Channel, eventually, health, is_database_error, outage};
use lumio_tests::world::{messages, published, workers};

/// The primary database on a server of its own, the rows over time on the one that tests share.
async fn app_on(postgres: &PostgresServer, timeseries: &TestDatabase) -> TestApp {
    TestApp::builder()
        .with("DATABASE_URL", postgres.url())
        .with("LUMIO_TIMESCALEDB_URL", &timeseries.url)
        .with("LUMIO_DATABASE_POOL_TIMEOUT_MS", 2000)
        .start()
        .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_frozen_gives_errors_until_it_is_thawed() {
    let (postgres, timeseries) = (PostgresServer::start().await, TestDatabase::create().await);
    let app = app_on(&postgres, &timeseries).await;
    let owner = app.owner().await;
    let channel = events::Channel::Chat(owner.account_id);
    let mut socket = SocketRequest::to(app.url()).bearer(owner.token()).connect().await;
    socket.subscribe(&channel.to_string()).await;
    owner.get("/v1/accounts").await.expect(200);
    assert_eq!(health(&app, "postgres").await, ("healthy".into(), "healthy".into()));

    postgres.freeze();
    let began = Instant::now();
    // The first requests get connections that were good a moment ago, and there are more requests than connections.
    for answer in join_all((0..20).map(|_| owner.get("/v1/accounts"))).await {
        is_database_error(&answer);
    }
    eprintln!("frozen: the first answers took {:?}", began.elapsed());
    let mut slowest = Duration::ZERO;
    while began.elapsed() < outage() {
        let asked = Instant::now();
        let (read, write, graphql) = tokio::join!(
            owner.get("/v1/accounts"),
            owner.post("/v1/roles", json!({ "name": "Frozen", "permissions": ["chat:read"] })),
            owner.graphql("{ accounts { id } }", json!({})),
        );
        is_database_error(&read);
        is_database_error(&write);
        graphql.refused("DATABASE_ERROR", "Internal database error");
        slowest = slowest.max(asked.elapsed());
    }
    eprintln!("frozen: the slowest later answer took {slowest:?}");
    let found = eventually("health tells", async || {
        health(&app, "postgres").await == ("degraded".into(), "unhealthy".into())
    });
    found.await;
    assert_eq!(health(&app, "timescaledb").await.1, "healthy");
    // Requests that need no database are served.
    let event = Event::new(channel, "test:event", json!({ "n": 1 }), app.clock.now());
    app.state.events.append(&event).await.unwrap();
    assert_eq!(socket.frame().await["data"]["n"], 1);

    postgres.thaw();
    let back = eventually("it serves again", async || owner.get("/v1/accounts").await.status == 200).await;
    eprintln!("thawed: served again after {back:?}");
    eventually("health tells", async || health(&app, "postgres").await.0 == "healthy").await;
    let roles = owner.get("/v1/roles").await;
    let frozen = roles.data().as_array().unwrap().iter().filter(|role| role["name"] == "Frozen").count();
    assert!(frozen <= 1, "a name stands once, whatever became of the refused writes");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_killed_and_restarted_keeps_acknowledged_deliveries() {
    let (mut postgres, timeseries) = (PostgresServer::start().await, TestDatabase::create().await);
    let app = Arc::new(app_on(&postgres, &timeseries).await);
    let channel = Arc::new(Channel::open(&app).await);
    let (account, owner) = (channel.owner.account_id, channel.owner.clone());
    let running = workers(&app, &[Daemon::Ingest, Daemon::Outbox]).await;
    let (accepted, repeated) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let is_over = Arc::new(AtomicBool::new(false));
    let writer = {
        let (app, channel, accepted) = (Arc::clone(&app), Arc::clone(&channel), Arc::clone(&accepted));
        let (repeated, is_over) = (Arc::clone(&repeated), Arc::clone(&is_over));
        tokio::spawn(async move {
            while !is_over.load(Relaxed) {
                let deliveries = channel.say(&app, &format!("line {}", accepted.load(Relaxed))).await;
                repeated.fetch_add(deliveries - 1, Relaxed);
                accepted.fetch_add(1, Relaxed);
            }
        })
    };
    let more = async || {
        let enough = accepted.load(Relaxed) + 20;
        eventually("deliveries are accepted", async || accepted.load(Relaxed) >= enough).await;
    };
    more().await;
    for kill in [true, false, true] {
        if kill {
            postgres.kill();
        } else {
            postgres.shut_down();
        }
        is_database_error(&owner.get("/v1/accounts").await);
        postgres.restart().await;
        let back =
            eventually("it serves again", async || owner.get("/v1/accounts").await.status == 200).await;
        eprintln!("restarted: served again after {back:?}");
        more().await;
    }
    is_over.store(true, Relaxed);
    writer.await.unwrap();
    let accepted = accepted.load(Relaxed);
    assert!(repeated.load(Relaxed) > 0, "no delivery met the outage");
    eventually("every accepted line is stored", async || messages(&app, account).await.len() >= accepted)
        .await;
    let mut texts: Vec<String> = messages(&app, account)
        .await
        .iter()
        .map(|row| row["text"].as_str().expect("a text").to_owned())
        .collect();
    texts.sort();
    let stored = texts.len();
    texts.dedup();
    assert_eq!((stored, texts.len()), (accepted, accepted), "each once");
    let published = published(&app, &format!("chat:{account}")).await;
    assert_eq!(published.len(), accepted, "each told once");
    running.stop().await.unwrap();
    Arc::into_inner(app).expect("nobody else holds it").stop().await;
}
