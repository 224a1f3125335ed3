//! A slow, silent or cut network between the API or a worker and PostgreSQL, Redis or a platform.

use std::time::{Duration, Instant};

use lumio_tests::{Network, SocketRequest, TestApp, TestDatabase, Weather, redis_url};
use lumio_worker::{Daemon, Running};
use platforms_stand_in::{Platform, StandIn};
use serde_json::json;
use shared::{
    events::{self, Event},
    secret::Secret,
};

use super::{Channel, eventually, health, is_database_error};
use crate::live::world::{messages, told};

/// Slow enough to be seen, and far below what anybody waits.
const DELAY: Duration = Duration::from_millis(60);
/// How long the network is bad at least: longer than anybody waits for a connection.
const SPELL: Duration = Duration::from_secs(3);

/// A server whose primary database lies behind a network.
async fn app_behind(network: &Network, database: &TestDatabase) -> TestApp {
    TestApp::builder()
        .with("DATABASE_URL", network.url(&database.url))
        .with("LUMIO_TIMESCALEDB_URL", &database.url)
        .with("LUMIO_DATABASE_POOL_TIMEOUT_MS", 2000)
        .start()
        .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_api_bears_any_network_to_postgres() {
    let database = TestDatabase::create().await;
    let network = Network::to(&database.url).await;
    let app = app_behind(&network, &database).await;
    let owner = app.owner().await;

    network.turn(Weather::Slow(DELAY));
    for _ in 0..3 {
        owner.get("/v1/accounts").await.expect(200);
    }
    for bad in [Weather::Silent, Weather::Cut] {
        network.turn(bad);
        let began = Instant::now();
        loop {
            is_database_error(&owner.get("/v1/accounts").await);
            if began.elapsed() > SPELL {
                break;
            }
        }
        eventually("health tells", async || health(&app, "postgres").await.1 == "unhealthy").await;
        assert_eq!(health(&app, "postgres").await.0, "degraded");
        network.turn(Weather::Fair);
        let back =
            eventually("it serves again", async || owner.get("/v1/accounts").await.status == 200).await;
        eprintln!("{bad:?} to PostgreSQL: served again after {back:?}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_api_bears_any_network_to_redis() {
    let network = Network::to(&redis_url()).await;
    let app = TestApp::builder().with("REDIS_URL", network.url(&redis_url())).start().await;
    let owner = app.owner().await;
    let channel = events::Channel::Chat(owner.account_id);
    let mut socket = SocketRequest::to(app.url()).bearer(owner.token()).connect().await;
    socket.subscribe(&channel.to_string()).await;

    network.turn(Weather::Slow(DELAY));
    owner.get("/v1/accounts").await.expect(200);
    for (n, bad) in [Weather::Silent, Weather::Cut].into_iter().enumerate() {
        network.turn(bad);
        let began = Instant::now();
        let mut slowest = Duration::ZERO;
        while began.elapsed() < SPELL {
            // Who may do what is in PostgreSQL, and every process counts for itself.
            let asked = Instant::now();
            owner.get("/v1/accounts").await.expect(200);
            slowest = slowest.max(asked.elapsed());
        }
        socket.is_quiet().await;
        eprintln!("{bad:?} to Redis: the slowest answer took {slowest:?}");
        eventually("health tells", async || health(&app, "redis").await.1 == "unhealthy").await;
        network.turn(Weather::Fair);
        let event = Event::new(channel, "test:event", json!({ "n": n }), app.clock.now());
        let append = async || app.state.events.append(&event).await.is_ok();
        let back = eventually("events pass again", append).await;
        eprintln!("{bad:?} to Redis: events pass again after {back:?}");
        let heard = tokio::time::timeout(Duration::from_secs(60), socket.frame()).await;
        assert_eq!(heard.expect("the socket hears it")["data"]["n"], n);
    }
    app.stop().await;
}

/// An ingest worker whose databases and Redis lie behind networks.
async fn worker_behind(app: &TestApp, postgres: &Network, redis: &Network) -> Running {
    let mut config = app.config();
    for url in [&mut config.databases.postgres, &mut config.databases.timescaledb] {
        *url = Secret::new(postgres.url(url.expose()));
    }
    config.databases.pool_timeout = Duration::from_secs(2);
    config.redis.url = Secret::new(redis.url(config.redis.url.expose()));
    lumio_worker::start_with(config, app.clock.clone(), &[Daemon::Ingest]).await.expect("the worker starts")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_behind_any_network_loses_nothing_and_repeats_nothing() {
    let app = TestApp::start().await;
    let (postgres, redis) = (Network::to(&app.database.url).await, Network::to(&redis_url()).await);
    let channel = Channel::open(&app).await;
    let account = channel.owner.account_id;
    let worker = worker_behind(&app, &postgres, &redis).await;
    let mut said = 0;
    let mut say = async |lines: usize| {
        for _ in 0..lines {
            channel.say(&app, &format!("line {said}")).await;
            said += 1;
        }
        said
    };
    let each_once = async |said: usize| {
        eventually("every line is stored", async || messages(&app, account).await.len() == said).await;
        assert_eq!(told(&app, &format!("chat:{account}")).await.len(), said);
    };
    let lines = say(5).await;
    each_once(lines).await;
    for weather in [Weather::Slow(DELAY), Weather::Silent, Weather::Cut] {
        for network in [&postgres, &redis] {
            network.turn(weather);
            say(5).await;
            tokio::time::sleep(SPELL).await;
            let lines = say(5).await;
            network.turn(Weather::Fair);
            each_once(lines).await;
        }
    }
    worker.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_platform_keeps_nobody_but_those_who_ask_it() {
    let platforms = StandIn::start().await;
    let network = Network::to(platforms.url()).await;
    let through = network.url(platforms.url());
    let mut builder = TestApp::builder();
    for (name, value) in platforms.environment() {
        let value = value.replace(platforms.url().trim_end_matches('/'), through.trim_end_matches('/'));
        builder = builder.with(&name, value);
    }
    let mut app = builder.start().await;
    app.platforms = platforms;
    let channel = Channel::open(&app).await;
    let owner = &channel.owner;
    let send = async |text: &str| {
        // Longer than the API itself waits for a platform.
        let request = owner.request(reqwest::Method::POST, "/v1/chat/send").timeout(Duration::from_secs(60));
        owner.send(request.json(&json!({ "platform": "twitch", "message": text }))).await
    };
    let connections = network.connections();
    assert_eq!(send("fair").await.data()["sent"], true);
    assert!(network.connections() > connections, "the platform is asked through the network");
    network.turn(Weather::Slow(DELAY));
    assert_eq!(send("slow").await.data()["sent"], true);

    network.turn(Weather::Silent);
    let asking = send("silent");
    tokio::pin!(asking);
    let mut meanwhile = 0;
    let answer = loop {
        tokio::select! {
            answer = &mut asking => break answer,
            read = owner.get("/v1/accounts") => {
                read.expect(200);
                meanwhile += 1;
            }
        }
    };
    assert!(meanwhile > 10, "others are served meanwhile: {meanwhile}");
    let answer = answer.data().clone();
    eprintln!("a silent platform: {meanwhile} others were served, then {answer}");
    assert_eq!((&answer["sent"], &answer["message_id"]), (&json!(false), &json!(null)), "{answer}");
    assert!(answer["error_code"].is_string() && answer["error"].is_string(), "{answer}");

    network.turn(Weather::Fair);
    eventually("it is sent again", async || send("fair again").await.data()["sent"] == true).await;
    let sent = app.platforms.sent_messages(Platform::Twitch);
    let times = |text: &str| sent.iter().filter(|message| message.text == text).count();
    assert_eq!((times("fair"), times("slow")), (1, 1));
    assert!(times("silent") <= 1, "it may have arrived, and is not repeated");
    app.stop().await;
}
