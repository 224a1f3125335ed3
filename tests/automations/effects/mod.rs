//! Effects of action nodes, each read at its place (reference/automations.md#effects).

mod chat;
mod events;
mod extensions;
mod http;
mod internal;
mod layers;
mod music;
mod notices;
mod obs;
mod runs;
mod sounds;
mod stream;

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicU32, Ordering},
};

use automation_daemons::effects::{Effects, Failure, Performed, RunIdentity};
use automation_model::{
    machine::Effect,
    node_types::{Kind, NODE_TYPES, find},
};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Bool, Int2, Int4, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::{Person, TestApp, TestAppBuilder, world};
use serde_json::Value;
use shared::{id, secret::Secret};
use uuid::Uuid;
use worker_core::Context;

/// Sources of the tests of each action.
const TESTS: [&str; 11] = [
    include_str!("chat.rs"),
    include_str!("events.rs"),
    include_str!("extensions.rs"),
    include_str!("http.rs"),
    include_str!("layers.rs"),
    include_str!("music.rs"),
    include_str!("notices.rs"),
    include_str!("obs.rs"),
    include_str!("runs.rs"),
    include_str!("sounds.rs"),
    include_str!("stream.rs"),
];

/// An account with every feature, a running automation, and the executor of its actions.
struct Scene {
    app: TestApp,
    owner: Person,
    run: RunIdentity,
    effects: Effects,
    position: AtomicU32,
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Nullable<Text>)]
    text: Option<String>,
}

impl Scene {
    async fn start() -> Self {
        Self::start_with(TestApp::builder()).await
    }

    async fn start_with(builder: TestAppBuilder) -> Self {
        let app = builder.start().await;
        let owner = app.owner().await;
        app.override_every_feature(owner.account_id, true).await;
        let mut config = app.config();
        config.workers.system_key = Some(Secret::new(app.system_key().await.token()).into());
        let context = Context::new(config, app.clock.clone()).expect("a context");
        let effects = Effects::new(&context).expect("an executor");
        let run = make_run(&app, owner.account_id).await;
        Self { app, owner, run, effects, position: AtomicU32::new(0) }
    }

    /// Stores a running step and executes its action.
    async fn perform(&self, name: &str, arguments: Value) -> Result<Performed, Failure> {
        self.perform_in(&self.run, name, None, arguments).await
    }

    async fn perform_in(
        &self,
        run: &RunIdentity,
        name: &str,
        install_id: Option<Uuid>,
        arguments: Value,
    ) -> Result<Performed, Failure> {
        let position = self.position.fetch_add(1, Ordering::Relaxed);
        make_step(&self.app, run, position).await;
        let r#type = find(name).expect("a node type").name;
        self.effects.perform(run, position, &Effect { r#type, install_id, arguments }).await
    }

    /// Output of an action that succeeds.
    async fn output(&self, name: &str, arguments: Value) -> Value {
        self.perform(name, arguments).await.expect("the action succeeds").output
    }

    /// Message of an action that fails without an effect.
    async fn refused(&self, name: &str, arguments: Value) -> String {
        let failure = self.perform(name, arguments).await.expect_err("the action fails");
        assert!(!failure.unknown, "{failure:?}");
        failure.message
    }

    /// Asserts that an action fails while a feature is off.
    async fn needs(&self, feature: &str, name: &str, arguments: Value) {
        self.app.override_feature(self.owner.account_id, feature, false).await;
        let message = self.refused(name, arguments).await;
        assert!(message.starts_with("FEATURE_DISABLED") && message.contains(feature), "{message}");
        self.app.override_feature(self.owner.account_id, feature, true).await;
    }

    /// Events of a type that were published on a channel of the account.
    async fn published(&self, channel: &str, event_type: &str) -> Vec<Value> {
        let events = world::published(&self.app, &format!("{channel}:{}", self.owner.account_id)).await;
        events.into_iter().filter(|event| event["event_type"] == event_type).collect()
    }

    /// First value of a query for `text`.
    async fn found(&self, sql: &str) -> Option<String> {
        let mut db = self.app.databases.postgres.get().await.unwrap();
        let rows: Vec<Found> = sql_query(sql).load(&mut *db).await.unwrap();
        rows.into_iter().next().and_then(|row| row.text)
    }

    async fn alter(&self, sql: &str) {
        sql_query(sql).execute(&mut *self.app.databases.postgres.get().await.unwrap()).await.unwrap();
    }
}

/// Adds an enabled automation of an account.
async fn make_automation(app: &TestApp, account: Uuid) -> Uuid {
    let automation = id::new();
    sql_query("INSERT INTO automations (id, account_id, name, enabled) VALUES ($1, $2, 'Alarm', true)")
        .bind::<SqlUuid, _>(automation)
        .bind::<SqlUuid, _>(account)
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    sql_query(
        "INSERT INTO automation_nodes (account_id, automation_id, id, node_type, position)
         VALUES ($1, $2, gen_random_uuid(), 'manual', 0)",
    )
    .bind::<SqlUuid, _>(account)
    .bind::<SqlUuid, _>(automation)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    automation
}

async fn make_run(app: &TestApp, account: Uuid) -> RunIdentity {
    let automation_id = make_automation(app, account).await;
    make_run_of(
        app,
        RunIdentity { account_id: account, automation_id, run_id: id::new(), depth: 0, is_test: false },
    )
    .await
}

/// Adds a running run.
async fn make_run_of(app: &TestApp, run: RunIdentity) -> RunIdentity {
    sql_query(
        "INSERT INTO automation_runs (id, account_id, automation_id, status, trigger, dedupe_key, depth, is_test)
         VALUES ($1, $2, $3, 'running', '{}', $1::text, $4, $5)",
    )
    .bind::<SqlUuid, _>(run.run_id)
    .bind::<SqlUuid, _>(run.account_id)
    .bind::<SqlUuid, _>(run.automation_id)
    .bind::<Int2, _>(run.depth)
    .bind::<Bool, _>(run.is_test)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    run
}

/// Adds a running step.
async fn make_step(app: &TestApp, run: &RunIdentity, position: u32) {
    sql_query(
        "INSERT INTO automation_steps (account_id, run_id, position, node_id, status, input)
         VALUES ($1, $2, $3, gen_random_uuid(), 'running', '{}')",
    )
    .bind::<SqlUuid, _>(run.account_id)
    .bind::<SqlUuid, _>(run.run_id)
    .bind::<Int4, _>(i32::try_from(position).unwrap())
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
}

/// A test of an effect is named `effects_of_{type}_…`.
#[test]
fn effects_of_every_type_of_action_have_a_test() {
    let actions: BTreeSet<&str> =
        NODE_TYPES.iter().filter(|known| known.kind == Kind::Action).map(|known| known.name).collect();
    assert!(actions.contains("extension") && actions.len() >= 22, "{actions:?}");
    let without: Vec<&str> = actions
        .into_iter()
        .filter(|name| !TESTS.iter().any(|source| source.contains(&format!("fn effects_of_{name}_"))))
        .collect();
    assert!(without.is_empty(), "actions without a test: {without:?}");
}
