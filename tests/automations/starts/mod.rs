//! Starts of automations by chat lines and events (reference/automations.md#triggers).

mod chat;
mod commands;
mod events;
mod index;
mod recovery;
mod rewards;

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Bool, Jsonb, SmallInt, Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use foundation::{
    invalidation,
    jobs::{Job, StartAutomations},
};
use lumio_tests::{
    Person, TestApp,
    world::{connect, count, eventually, jobs, open_deliveries, workers},
};
use lumio_worker::{Daemon, Running};
use platforms_stand_in::{DeliveryOptions, Platform, User, twitch};
use serde_json::{Value, json};
use shared::{id, secret::Secret};
use uuid::Uuid;

/// A streamer on Twitch with the workers that start automations.
struct Stage {
    app: TestApp,
    owner: Person,
    streamer: User,
    viewer: User,
    running: Running,
}

/// A stored run.
#[derive(Debug, QueryableByName)]
struct Run {
    #[diesel(sql_type = SqlUuid)]
    automation_id: Uuid,
    #[diesel(sql_type = Jsonb)]
    trigger: Value,
    #[diesel(sql_type = Bool)]
    is_test: bool,
    #[diesel(sql_type = SmallInt)]
    depth: i16,
    #[diesel(sql_type = Text)]
    dedupe_key: String,
}

impl Stage {
    async fn start() -> Self {
        Self::on(TestApp::start().await, &[Daemon::Ingest, Daemon::Outbox, Daemon::Automations]).await
    }

    async fn on(app: TestApp, daemons: &[Daemon]) -> Self {
        let owner = app.owner().await;
        let streamer = connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
        let viewer = app.platforms.create_user(Platform::Twitch, "ada").0;
        let running = workers_of(&app, daemons).await;
        Self { app, owner, streamer, viewer, running }
    }

    /// Adds an enabled automation with one node, and announces it. Returns its id and that of the node.
    async fn automate(&self, node_type: &str, config: Value) -> (Uuid, Uuid) {
        automate(&self.app, self.owner.account_id, node_type, config).await
    }

    /// Delivers an event of Twitch twice, and waits until it is handled and every start is done.
    async fn deliver(&self, event: &twitch::Event) {
        deliver(&self.app, event).await;
        self.starts_are_done().await;
    }

    /// Waits until every start is done that an event of the account, or a line, has caused.
    async fn starts_are_done(&self) {
        eventually("the outbox is relayed", async || {
            count(&self.app, "outbox WHERE relayed_at IS NULL").await == 0
        })
        .await;
        eventually("the starts are done", async || jobs(&self.app, StartAutomations::QUEUE).await == 0).await;
    }

    async fn say(&self, text: &str) {
        self.deliver(&twitch::Event::chat_message(&self.streamer, &self.viewer, text)).await;
    }

    /// Runs of the account, oldest first.
    async fn runs(&self) -> Vec<Run> {
        runs(&self.app, self.owner.account_id).await
    }

    /// Number of runs of an automation.
    async fn runs_of(&self, automation: Uuid) -> usize {
        self.runs().await.iter().filter(|run| run.automation_id == automation).count()
    }

    async fn run_sql(&self, statement: &str) {
        let mut db = self.app.databases.postgres.get().await.unwrap();
        sql_query(statement).execute(&mut *db).await.unwrap();
    }

    async fn stop(self) {
        self.running.stop().await.unwrap();
        self.app.stop().await;
    }
}

/// Workers that may call the server.
async fn workers_of(app: &TestApp, daemons: &[Daemon]) -> Running {
    if !daemons.contains(&Daemon::Automations) {
        return workers(app, daemons).await;
    }
    let mut config = app.config();
    config.workers.system_key = Some(Secret::new(app.system_key().await.token()).into());
    lumio_worker::start_with(config, app.clock.clone(), daemons).await.expect("the workers start")
}

async fn automate(app: &TestApp, account: Uuid, node_type: &str, config: Value) -> (Uuid, Uuid) {
    let (automation, node) = (id::new(), id::new());
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query("INSERT INTO automations (id, account_id, name, enabled) VALUES ($1, $2, 'Test', true)")
        .bind::<SqlUuid, _>(automation)
        .bind::<SqlUuid, _>(account)
        .execute(&mut *db)
        .await
        .unwrap();
    sql_query(
        "INSERT INTO automation_nodes (account_id, automation_id, id, node_type, config, position)
         VALUES ($1, $2, $3, $4, $5, 0)",
    )
    .bind::<SqlUuid, _>(account)
    .bind::<SqlUuid, _>(automation)
    .bind::<SqlUuid, _>(node)
    .bind::<Text, _>(node_type)
    .bind::<Jsonb, _>(config)
    .execute(&mut *db)
    .await
    .unwrap();
    drop(db);
    announce(app, account).await;
    (automation, node)
}

/// Announces that automations of an account changed, as its operations do, and waits for every process to hear it.
async fn announce(app: &TestApp, account: Uuid) {
    let changed = automation_model::index::changed(account);
    invalidation::announce(&app.state.redis, &changed).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
}

async fn deliver(app: &TestApp, event: &twitch::Event) {
    let callback = format!("{}/v1/webhooks/twitch", app.url());
    let secret = app.config().platforms.twitch_eventsub_secret.expect("a secret");
    let twice = DeliveryOptions { copies: 2, ..DeliveryOptions::default() };
    let delivery = app.platforms.deliver_twitch_to(&callback, secret.expose(), event, &twice).await;
    assert!(delivery.statuses().iter().all(|status| *status == Some(200)), "{delivery:?}");
    eventually("it is handled", async || open_deliveries(app).await == 0).await;
}

async fn runs(app: &TestApp, account: Uuid) -> Vec<Run> {
    sql_query(
        "SELECT automation_id, trigger, is_test, depth, dedupe_key FROM automation_runs
         WHERE account_id = $1 ORDER BY created_at, id",
    )
    .bind::<SqlUuid, _>(account)
    .load(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap()
}
