//! `kill -9` and SIGSTOP of an API process that executes requests with an `Idempotency-Key`, and a database that goes away
//! meanwhile (reference/conventions.md#idempotency).

use std::time::Duration;

use chrono::TimeDelta;
use diesel::{QueryableByName, sql_query, sql_types::BigInt};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use lumio_tests::{
    Answer, Caller, Person, PostgresServer, Program, TestApp, TestDatabase, eventually, eventually_within,
    is_slow,
    world::{connect, count, published},
};
use platforms_stand_in::{Failure, Platform};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::is_database_error;

const COMMANDS: &str = "/v1/bot-commands";
const CHAT: &str = "/v1/chat/send";
const EVENTS: &str = "/v1/events";
const RUNNING: &str = "A request with this Idempotency-Key is running";
const UNKNOWN: &str = "The outcome of the first request is unknown";
/// Time after which a claim without an answer counts as lost.
const MAX_RUN: TimeDelta = TimeDelta::seconds(121);

/// An account with a channel at Twitch, and a caller whose credential does not expire.
struct Scene {
    app: TestApp,
    owner: Person,
    key: Caller,
}

impl Scene {
    async fn start() -> Self {
        let app = TestApp::start().await;
        let owner = app.owner().await;
        app.override_every_feature(owner.account_id, true).await;
        connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
        let permissions = ["bot-commands:create", "chat:write", "events:create"];
        let key = app.service_key(owner.account_id, &permissions).await;
        Self { app, owner, key }
    }

    async fn post(&self, path: &str, mark: &str) -> Answer {
        self.key.send(request(&self.key, path, mark)).await
    }

    /// Sends until no other request with the key runs.
    async fn settled(&self, path: &str, mark: &str) -> Answer {
        // Longer than the database keeps the transaction of a frozen process.
        let deadline = Duration::from_secs(120);
        let mut last = None;
        eventually_within(deadline, "no request with the key runs", async || {
            let answer = last.insert(self.post(path, mark).await);
            answer.error().1 != RUNNING
        })
        .await;
        last.expect("an answer")
    }

    async fn commands(&self, mark: &str) -> i64 {
        count(&self.app, &format!("bot_commands WHERE name = '{mark}'")).await
    }

    fn messages(&self, mark: &str) -> usize {
        let sent = self.app.platforms.sent_messages(Platform::Twitch).into_iter();
        sent.filter(|message| message.text == mark).count()
    }

    async fn events(&self, mark: &str) -> usize {
        let events = published(&self.app, &format!("events:{}", self.owner.account_id)).await.into_iter();
        events.filter(|event| event.to_string().contains(&format!("\"{mark}\""))).count()
    }

    /// Sends a request to another process, whose answer may never arrive.
    fn send_to(&self, address: &str, path: &str, mark: &str) {
        let request = request(&self.key.at(address), path, mark);
        tokio::spawn(async move { request.send().await.is_ok() });
    }
}

/// Request whose key is its mark.
fn request(caller: &Caller, path: &str, mark: &str) -> RequestBuilder {
    caller.request(Method::POST, path).header("idempotency-key", mark).json(&input(path, mark))
}

fn input(path: &str, mark: &str) -> Value {
    match path {
        COMMANDS => json!({ "name": mark, "response": "example.com" }),
        CHAT => json!({ "platform": "twitch", "message": mark }),
        _ => json!({ "event_type": "custom:mark", "data": { "mark": mark }, "is_test": false }),
    }
}

fn is_replay(answer: &Answer) -> bool {
    answer.header("idempotency-replayed") == "true"
}

/// Lock on the table of stored requests: it can be read, and no process can store the end of a request.
struct Lock {
    db: AsyncPgConnection,
}

#[derive(QueryableByName)]
struct Waiting {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Those that wait for the table. Databases that were cloned from one template have the same numbers.
const WAITING: &str = "FROM pg_locks WHERE NOT granted AND relation = 'idempotent_requests'::regclass
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

impl Lock {
    async fn take(app: &TestApp) -> Self {
        let mut db = AsyncPgConnection::establish(&app.database.url).await.expect("a connection");
        for sql in ["BEGIN", "LOCK TABLE idempotent_requests IN EXCLUSIVE MODE"] {
            sql_query(sql).execute(&mut db).await.expect("the lock");
        }
        Self { db }
    }

    /// Waits until this number of requests waits for it.
    async fn is_awaited_by(&mut self, number: i64) {
        eventually("requests wait for the lock", async || {
            let sql = format!("SELECT count(*) AS count {WAITING}");
            sql_query(sql).get_result::<Waiting>(&mut self.db).await.expect("the locks").count == number
        })
        .await;
    }

    /// Ends the connections of processes that were killed: the server would first complete their statements.
    async fn end_connections(&mut self) {
        let sql = format!("SELECT count(pg_terminate_backend(pid)) AS count {WAITING}");
        sql_query(&sql).get_result::<Waiting>(&mut self.db).await.expect("they end");
        eventually("they have ended", async || {
            let sql = format!("SELECT count(*) AS count {WAITING}");
            sql_query(sql).get_result::<Waiting>(&mut self.db).await.expect("the locks").count == 0
        })
        .await;
    }

    async fn release(mut self) {
        sql_query("ROLLBACK").execute(&mut self.db).await.expect("the end of the lock");
    }
}

/// Creates a command at another process, up to the commit. Returns the process with its address.
async fn until_commit(scene: &Scene, mark: &str) -> (Program, String, Lock) {
    let (process, address) = scene.app.second_process().await;
    let mut lock = Lock::take(&scene.app).await;
    scene.send_to(&address, COMMANDS, mark);
    lock.is_awaited_by(1).await;
    (process, address, lock)
}

/// Platform-wide permissions of a person, as a process knows them.
async fn rights(person: &Caller) -> Value {
    person.get("/v1/users/me").await.data()["user_permissions"].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idempotency_of_processes_killed_at_any_moment_leaves_one_effect() {
    let kills = if is_slow() { 100 } else { 15 };
    let scene = Scene::start().await;
    let marks: Vec<String> = (0..kills).map(|number| format!("mark{number}")).collect();
    let (mut repeated, mut unknown) = (0, 0);
    for mark in &marks {
        let (mut process, address) = scene.app.second_process().await;
        for path in [COMMANDS, CHAT, EVENTS] {
            scene.send_to(&address, path, mark);
        }
        tokio::time::sleep(Duration::from_millis(rand::random_range(0..40))).await;
        process.kill();
        let created = scene.settled(COMMANDS, mark).await;
        created.expect(201);
        repeated += usize::from(is_replay(&created));
        assert_eq!(scene.post(COMMANDS, mark).await.text, created.text);
        assert_eq!(scene.commands(mark).await, 1, "{mark}");
        let db = &mut *scene.app.databases.postgres.get().await.unwrap();
        sql_query("DELETE FROM bot_commands").execute(db).await.unwrap();
    }
    assert_eq!(scene.app.audited("bot_command:created").await.len(), kills, "an entry for each");

    scene.app.clock.advance(MAX_RUN);
    for mark in &marks {
        let event = scene.settled(EVENTS, mark).await;
        event.expect(201);
        assert_eq!(scene.post(EVENTS, mark).await.text, event.text);
        assert_eq!(scene.events(mark).await, 1, "{mark}");
        let message = scene.settled(CHAT, mark).await;
        match message.status {
            200 => assert_eq!(scene.messages(mark), 1, "{mark}: {}", message.text),
            _ => {
                message.refused("CONFLICT", UNKNOWN);
                assert!(scene.messages(mark) <= 1, "{mark}");
                unknown += 1;
            }
        }
    }
    eprintln!("{kills} kills: {repeated} commands were committed before, {unknown} messages are unknown");
    scene.app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idempotency_of_a_process_killed_before_its_commit_leaves_nothing() {
    let scene = Scene::start().await;
    let (staff, person) = (scene.app.system_admin().await, scene.app.owner().await);
    let role = staff.post("/v1/user-roles", json!({ "name": "Fan", "permissions": ["ideas:read"] })).await;
    let (path, role) =
        (format!("/v1/users/{}/roles", person.user_id), json!({ "role_id": role.data()["id"] }));
    let assign =
        |caller: &Caller| caller.request(Method::POST, &path).header("idempotency-key", "k").json(&role);
    let (mut process, address, mut lock) = until_commit(&scene, "hug").await;
    let assigning = assign(&staff.at(&address));
    tokio::spawn(async move { assigning.send().await.is_ok() });
    lock.is_awaited_by(2).await;
    // The other process has done everything, and nothing of it is seen, neither there nor here.
    assert_eq!(scene.commands("hug").await, 0);
    let before = rights(&person).await;
    assert_ne!(before, json!(["ideas:read"]));
    assert_eq!(rights(&person.at(&address)).await, before);
    let early = scene.post(COMMANDS, "hug").await;
    early.refused("CONFLICT", RUNNING);
    assert_eq!((early.status, early.header("retry-after")), (409, "1"));
    process.kill();
    lock.end_connections().await;
    lock.release().await;
    let created = scene.settled(COMMANDS, "hug").await;
    created.expect(201);
    assert!(!is_replay(&created), "the retry executes");
    assert!(is_replay(&scene.post(COMMANDS, "hug").await));
    assert_eq!(rights(&person).await, before);
    let assigned = staff.send(assign(&staff)).await;
    assigned.expect(201);
    assert!(!is_replay(&assigned), "the retry executes");
    assert_eq!(rights(&person).await, json!(["ideas:read"]));
    assert_eq!((scene.commands("hug").await, scene.app.audited("bot_command:created").await.len()), (1, 1));
    scene.app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idempotency_of_a_process_killed_after_its_effect_has_no_second_one() {
    let scene = Scene::start().await;
    let (mut process, address) = scene.app.second_process().await;
    // Longer than it takes to see the claim and to lock the table.
    let slow = Failure::Slow(Duration::from_secs(6));
    scene.app.platforms.fail_next_at(Platform::Twitch, "chat/messages", slow);
    scene.send_to(&address, CHAT, "hello");
    eventually("the key is claimed", async || count(&scene.app, "idempotent_requests").await == 1).await;
    let mut lock = Lock::take(&scene.app).await;
    eventually("the message is sent", async || scene.messages("hello") == 1).await;
    lock.is_awaited_by(1).await;
    process.kill();
    lock.end_connections().await;
    lock.release().await;
    let running = scene.post(CHAT, "hello").await;
    running.refused("CONFLICT", RUNNING);
    scene.app.clock.advance(MAX_RUN);
    for _ in 0..2 {
        let lost = scene.post(CHAT, "hello").await;
        lost.refused("CONFLICT", UNKNOWN);
        assert_eq!((lost.status, &lost.body["details"]["code"]), (409, &json!("OUTCOME_UNKNOWN")));
    }
    assert_eq!(scene.messages("hello"), 1);
    scene.app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idempotency_of_a_frozen_process_ends_after_half_a_minute() {
    if !is_slow() {
        eprintln!("SKIPPED: LUMIO_TEST_SLOW is not set");
        return;
    }
    let scene = Scene::start().await;
    let (mut process, _address, lock) = until_commit(&scene, "hug").await;
    process.freeze();
    lock.release().await;
    scene.post(COMMANDS, "hug").await.refused("CONFLICT", RUNNING);
    let created = scene.settled(COMMANDS, "hug").await;
    created.expect(201);
    assert!(!is_replay(&created), "another process executes");
    assert_eq!((scene.commands("hug").await, scene.app.audited("bot_command:created").await.len()), (1, 1));
    process.kill();
    scene.app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idempotency_of_a_stopped_database_stores_no_error() {
    let (mut postgres, timeseries) = (PostgresServer::start().await, TestDatabase::create().await);
    let app = TestApp::builder()
        .with("DATABASE_URL", postgres.url())
        .with("LUMIO_TIMESCALEDB_URL", &timeseries.url)
        .with("LUMIO_DATABASE_POOL_TIMEOUT_MS", 2000)
        .start()
        .await;
    let owner = app.owner().await;
    let create = async || owner.send(request(&owner, COMMANDS, "hug")).await;
    owner.get(COMMANDS).await.expect(200);
    postgres.kill();
    for _ in 0..2 {
        is_database_error(&create().await);
    }
    postgres.restart().await;
    eventually("it serves again", async || owner.get(COMMANDS).await.status == 200).await;
    let created = create().await;
    created.expect(201);
    assert!(!is_replay(&created));
    let repeated = create().await;
    assert_eq!((is_replay(&repeated), &repeated.text), (true, &created.text));
    app.stop().await;
}
