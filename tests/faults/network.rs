//! A slow, silent or cut network between the API or a worker and PostgreSQL, Redis or a platform.

use std::time::{Duration, Instant};

use foundation::events::{self, Event};
use lumio_tests::{Network, SocketRequest, TestApp, TestDatabase, Weather, redis_server_url};
use lumio_worker::{Daemon, Running};
use platforms_stand_in::{Platform, StandIn};
use serde_json::json;
use shared::secret::Secret;

use super::{Channel, eventually, health, is_database_error};
use lumio_tests::world::{messages, published};

/// Long enough to be measured, and far below any timeout.
const DELAY: Duration = Duration::from_millis(60);
/// Shortest time for which the network is bad: longer than any wait for a connection.
const OUTAGE: Duration = Duration::from_secs(3);

/// A server whose primary database is behind a network.
async fn app_behind(network: &Network, database: &TestDatabase) -> TestApp {
    TestApp::builder()
        .with("DATABASE_URL", network.url(&database.url))
        .with("LUMIO_TIMESCALEDB_URL", &database.url)
        .with("LUMIO_DATABASE_POOL_TIMEOUT_MS", 2000)
        .start()
        .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn network_faults_to_postgres_are_reported_and_recovered_from() {
    let database = TestDatabase::create().await;
    let network = Network::to(&database.url).await;
    let app = app_behind(&network, &database).await;
    let owner = app.owner().await;

    network.set_weather(Weather::Slow(DELAY));
    for _ in 0..3 {
        owner.get("/v1/accounts").await.expect(200);
    }
    for bad in [Weather::Silent, Weather::Cut] {
        network.set_weather(bad);
        let began = Instant::now();
        loop {
            is_database_error(&owner.get("/v1/accounts").await);
            if began.elapsed() > OUTAGE {
                break;
            }
        }
        eventually("health tells", async || health(&app, "postgres").await.1 == "unhealthy").await;
        assert_eq!(health(&app, "postgres").await.0, "degraded");
        network.set_weather(Weather::Fair);
        let back =
            eventually("it serves again", async || owner.get("/v1/accounts").await.status == 200).await;
        eprintln!("{bad:?} to PostgreSQL: served again after {back:?}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn network_faults_to_redis_leave_the_api_serving() {
    let network = Network::to(&redis_server_url()).await;
    let app = TestApp::builder().with("REDIS_URL", network.url(&redis_server_url())).start().await;
    let owner = app.owner().await;
    let channel = events::Channel::Chat(owner.account_id);
    let mut socket = SocketRequest::to(app.url()).bearer(owner.token()).connect().await;
    socket.subscribe(&channel.to_string()).await;

    network.set_weather(Weather::Slow(DELAY));
    owner.get("/v1/accounts").await.expect(200);
    for (n, bad) in [Weather::Silent, Weather::Cut].into_iter().enumerate() {
        network.set_weather(bad);
        let began = Instant::now();
        let mut slowest = Duration::ZERO;
        while began.elapsed() < OUTAGE {
            // Access is read from PostgreSQL, and every process counts for itself.
            let asked = Instant::now();
            owner.get("/v1/accounts").await.expect(200);
            slowest = slowest.max(asked.elapsed());
        }
        socket.is_quiet().await;
        eprintln!("{bad:?} to Redis: the slowest answer took {slowest:?}");
        eventually("health tells", async || health(&app, "redis").await.1 == "unhealthy").await;
        network.set_weather(Weather::Fair);
        let event = Event::new(channel, "test:event", json!({ "n": n }), app.clock.now());
        let append = async || app.state.events.append(&event).await.is_ok();
        let back = eventually("events pass again", append).await;
        eprintln!("{bad:?} to Redis: events pass again after {back:?}");
        let heard = tokio::time::timeout(Duration::from_secs(60), socket.frame()).await;
        assert_eq!(heard.expect("the socket hears it")["data"]["n"], n);
    }
    app.stop().await;
}

/// An ingest worker whose databases and Redis are behind networks.
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
async fn network_faults_of_a_worker_lose_and_repeat_nothing() {
    let app = TestApp::builder().with("REDIS_URL", redis_server_url()).start().await;
    let (postgres, redis) = (Network::to(&app.database.url).await, Network::to(&redis_server_url()).await);
    let channel = Channel::open(&app).await;
    let account = channel.owner.account_id;
    let worker = worker_behind(&app, &postgres, &redis).await;
    let mut sent = 0;
    let mut say = async |lines: usize| {
        for _ in 0..lines {
            channel.say(&app, &format!("line {sent}")).await;
            sent += 1;
        }
        sent
    };
    let each_once = async |sent: usize| {
        eventually("every line is stored", async || messages(&app, account).await.len() == sent).await;
        assert_eq!(published(&app, &format!("chat:{account}")).await.len(), sent);
    };
    let lines = say(5).await;
    each_once(lines).await;
    for weather in [Weather::Slow(DELAY), Weather::Silent, Weather::Cut] {
        for network in [&postgres, &redis] {
            network.set_weather(weather);
            say(5).await;
            tokio::time::sleep(OUTAGE).await;
            let lines = say(5).await;
            network.set_weather(Weather::Fair);
            each_once(lines).await;
        }
    }
    worker.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn network_silence_of_a_platform_delays_only_its_callers() {
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
        // Longer than the API's own timeout for a platform.
        let request = owner.request(reqwest::Method::POST, "/v1/chat/send").timeout(Duration::from_secs(60));
        owner.send(request.json(&json!({ "platform": "twitch", "message": text }))).await
    };
    let connections = network.connections();
    assert_eq!(send("fair").await.data()["sent"], true);
    assert!(network.connections() > connections, "the platform is asked through the network");
    network.set_weather(Weather::Slow(DELAY));
    assert_eq!(send("slow").await.data()["sent"], true);

    network.set_weather(Weather::Silent);
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

    network.set_weather(Weather::Fair);
    eventually("it is sent again", async || send("fair again").await.data()["sent"] == true).await;
    let sent = app.platforms.sent_messages(Platform::Twitch);
    let times = |text: &str| sent.iter().filter(|message| message.text == text).count();
    assert_eq!((times("fair"), times("slow")), (1, 1));
    assert!(times("silent") <= 1, "it may have arrived, and is not repeated");
    app.stop().await;
}
