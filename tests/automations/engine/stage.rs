//! An account with automations, their runs, and a server that does not answer.

use std::sync::{Arc, Mutex};

use automation_model::runs::{self, NewRun};
use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Int4, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::{Person, TestApp, TestAppBuilder, world};
use lumio_worker::{Daemon, Running};
use serde_json::{Value, json};
use shared::id;
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use uuid::Uuid;

pub use lumio_tests::eventually;

const DAEMONS: [Daemon; 2] = [Daemon::Outbox, Daemon::Automations];

pub struct Stage {
    pub app: TestApp,
    pub owner: Person,
}

/// A graph that begins with a trigger.
pub struct Draft {
    pub trigger: Uuid,
    nodes: Vec<(Uuid, String, Value)>,
    edges: Vec<(Uuid, String, Uuid)>,
}

/// Stored run.
#[derive(Debug, Clone, QueryableByName)]
pub struct Run {
    #[diesel(sql_type = Text)]
    pub status: String,
    #[diesel(sql_type = Nullable<Text>)]
    pub error: Option<String>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub started_at: Option<DateTime<Utc>>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub wake_at: Option<DateTime<Utc>>,
    #[diesel(sql_type = BigInt)]
    pub busy_ms: i64,
    #[diesel(sql_type = Nullable<Jsonb>)]
    pub graph: Option<Value>,
    #[diesel(sql_type = Jsonb)]
    pub context: Value,
}

/// Stored step.
#[derive(Debug, Clone, QueryableByName)]
pub struct Step {
    #[diesel(sql_type = SqlUuid)]
    pub node_id: Uuid,
    #[diesel(sql_type = Text)]
    pub status: String,
    #[diesel(sql_type = Jsonb)]
    pub input: Value,
    #[diesel(sql_type = Nullable<Jsonb>)]
    pub output: Option<Value>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    pub result: Option<Value>,
    #[diesel(sql_type = Nullable<Text>)]
    pub branch: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    pub error: Option<String>,
}

impl Draft {
    pub fn manual() -> Self {
        Self::of("manual", json!({}))
    }

    pub fn of(trigger_type: &str, config: Value) -> Self {
        let trigger = id::new();
        Self { trigger, nodes: vec![(trigger, trigger_type.to_owned(), config)], edges: Vec::new() }
    }

    /// Adds a node behind a handle of another.
    pub fn after(&mut self, source: Uuid, handle: &str, node_type: &str, config: Value) -> Uuid {
        let node = self.alone(node_type, config);
        self.edges.push((source, handle.to_owned(), node));
        node
    }

    /// Adds a node that no edge enters.
    pub fn alone(&mut self, node_type: &str, config: Value) -> Uuid {
        let node = id::new();
        self.nodes.push((node, node_type.to_owned(), config));
        node
    }

    /// Adds a node that notifies the members.
    pub fn notify(&mut self, source: Uuid, handle: &str, title: &str) -> Uuid {
        self.after(source, handle, "notify_members", json!({ "title": title, "message": "text" }))
    }
}

impl Stage {
    pub async fn new() -> Self {
        Self::with(TestApp::builder()).await
    }

    pub async fn with(builder: TestAppBuilder) -> Self {
        let app = builder.start().await;
        let owner = app.owner().await;
        app.override_every_feature(owner.account_id, true).await;
        Self { app, owner }
    }

    /// Another account with all features.
    pub async fn another(&self) -> Person {
        let other = self.app.owner().await;
        self.app.override_every_feature(other.account_id, true).await;
        other
    }

    pub async fn workers(&self) -> Running {
        world::workers(&self.app, &DAEMONS).await
    }

    pub async fn end(self, running: Running) {
        running.stop().await.unwrap();
        self.app.stop().await;
    }

    /// Adds an enabled automation of the account.
    pub async fn automation(&self, draft: &Draft) -> Uuid {
        self.automation_of(self.owner.account_id, draft).await
    }

    pub async fn automation_of(&self, account: Uuid, draft: &Draft) -> Uuid {
        let automation = id::new();
        let mut db = self.app.databases.postgres.get().await.unwrap();
        sql_query("INSERT INTO automations (id, account_id, name, enabled) VALUES ($1, $2, 'Alarm', true)")
            .bind::<SqlUuid, _>(automation)
            .bind::<SqlUuid, _>(account)
            .execute(&mut *db)
            .await
            .unwrap();
        for (position, (node, node_type, config)) in draft.nodes.iter().enumerate() {
            sql_query(
                "INSERT INTO automation_nodes (account_id, automation_id, id, node_type, config, position)
                 VALUES ($1, $2, $3, $4, $5, $6)",
            )
            .bind::<SqlUuid, _>(account)
            .bind::<SqlUuid, _>(automation)
            .bind::<SqlUuid, _>(node)
            .bind::<Text, _>(node_type)
            .bind::<Jsonb, _>(config)
            .bind::<Int4, _>(i32::try_from(position).unwrap())
            .execute(&mut *db)
            .await
            .unwrap();
        }
        for (position, (source, handle, target)) in draft.edges.iter().enumerate() {
            sql_query(
                "INSERT INTO automation_edges (account_id, automation_id, id, source_node_id, source_handle,
                     target_node_id, position)
                 VALUES ($1, $2, gen_random_uuid(), $3, $4, $5, $6)",
            )
            .bind::<SqlUuid, _>(account)
            .bind::<SqlUuid, _>(automation)
            .bind::<SqlUuid, _>(source)
            .bind::<Text, _>(handle)
            .bind::<SqlUuid, _>(target)
            .bind::<Int4, _>(i32::try_from(position).unwrap())
            .execute(&mut *db)
            .await
            .unwrap();
        }
        automation
    }

    /// Starts an automation of the account as by hand.
    pub async fn start(&self, automation: Uuid) -> Uuid {
        self.start_of(self.owner.account_id, automation, json!({})).await
    }

    pub async fn start_of(&self, account: Uuid, automation: Uuid, payload: Value) -> Uuid {
        let run = NewRun {
            account,
            automation,
            trigger: json!({ "node_id": null, "type": "manual", "payload": payload }),
            context: json!({ "event": null, "user": null }),
            dedupe_key: id::new().to_string(),
            depth: 0,
            parent_run_id: None,
            is_test: false,
            now: self.app.clock.now(),
        };
        let mut db = self.app.databases.postgres.get().await.unwrap();
        let started = runs::start(&mut db, run).await.unwrap().expect("an enabled automation");
        assert_eq!(started.status, "queued");
        started.id
    }

    /// Adds runs without the limit of starts.
    pub async fn queue(&self, account: Uuid, automation: Uuid, runs: i32) {
        sql_query(
            r#"INSERT INTO automation_runs (id, account_id, automation_id, status, trigger, dedupe_key, created_at)
               SELECT gen_random_uuid(), $1, $2, 'queued', '{"type": "manual"}', 'bulk:' || number, $4
               FROM generate_series(1, $3) AS number"#,
        )
        .bind::<SqlUuid, _>(account)
        .bind::<SqlUuid, _>(automation)
        .bind::<Int4, _>(runs)
        .bind::<Timestamptz, _>(self.app.clock.now())
        .execute(&mut *self.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    }

    /// Adds a run that another copy executes; its lease ends after this time.
    pub async fn held_elsewhere(&self, automation: Uuid, lease: TimeDelta) -> Uuid {
        let run = id::new();
        sql_query(
            r#"INSERT INTO automation_runs (id, account_id, automation_id, status, trigger, dedupe_key, created_at,
                   started_at, lease_until, lease_owner)
               VALUES ($1, $2, $3, 'running', '{"type": "manual"}', $1::text, $4, $4, $5, gen_random_uuid())"#,
        )
        .bind::<SqlUuid, _>(run)
        .bind::<SqlUuid, _>(self.owner.account_id)
        .bind::<SqlUuid, _>(automation)
        .bind::<Timestamptz, _>(self.app.clock.now())
        .bind::<Timestamptz, _>(self.app.clock.now() + lease)
        .execute(&mut *self.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
        run
    }

    /// Adds a step that another copy has stored.
    pub async fn stored_step(
        &self,
        run: Uuid,
        position: i32,
        node: Uuid,
        status: &str,
        result: Option<Value>,
    ) {
        sql_query(
            "INSERT INTO automation_steps (account_id, run_id, position, node_id, status, input, output, result,
                 started_at)
             VALUES ($1, $2, $3, $4, $5, '{}', $6, $6, $7)",
        )
        .bind::<SqlUuid, _>(self.owner.account_id)
        .bind::<SqlUuid, _>(run)
        .bind::<Int4, _>(position)
        .bind::<SqlUuid, _>(node)
        .bind::<Text, _>(status)
        .bind::<Nullable<Jsonb>, _>(result)
        .bind::<Timestamptz, _>(self.app.clock.now())
        .execute(&mut *self.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    }

    /// The run; `None` when it was deleted.
    pub async fn find(&self, run: Uuid) -> Option<Run> {
        let found: Vec<Run> = sql_query(
            "SELECT status, error, started_at, wake_at, busy_ms, graph, context FROM automation_runs WHERE id = $1",
        )
        .bind::<SqlUuid, _>(run)
        .load(&mut *self.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
        found.into_iter().next()
    }

    pub async fn run(&self, run: Uuid) -> Run {
        self.find(run).await.expect("the run exists")
    }

    /// Waits for the end of a run.
    pub async fn ended(&self, run: Uuid) -> Run {
        eventually("the run ends", async || {
            !matches!(self.run(run).await.status.as_str(), "queued" | "running")
        })
        .await;
        self.run(run).await
    }

    /// Waits until a run is within a delay.
    pub async fn delayed(&self, run: Uuid) {
        eventually("the run is delayed", async || self.run(run).await.wake_at.is_some()).await;
    }

    pub async fn steps(&self, run: Uuid) -> Vec<Step> {
        sql_query(
            "SELECT node_id, status, input, output, result, branch, error FROM automation_steps
             WHERE run_id = $1 ORDER BY position",
        )
        .bind::<SqlUuid, _>(run)
        .load(&mut *self.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
    }

    /// Nodes of the steps of a run with their statuses.
    pub async fn outline(&self, run: Uuid) -> Vec<(Uuid, String)> {
        self.steps(run).await.into_iter().map(|step| (step.node_id, step.status)).collect()
    }

    pub async fn execute(&self, sql: &str, id: Uuid) {
        let mut db = self.app.databases.postgres.get().await.unwrap();
        sql_query(sql).bind::<SqlUuid, _>(id).execute(&mut *db).await.unwrap();
    }

    /// Number of rows.
    pub async fn count(&self, rows: &str) -> i64 {
        world::count(&self.app, rows).await
    }

    /// Types of the events on the channel of the account.
    pub async fn published(&self) -> Vec<String> {
        let events = world::published(&self.app, &format!("automations:{}", self.owner.account_id)).await;
        events.iter().map(|event| event["event_type"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

/// Server that accepts connections and answers nothing, so that a request lasts until it is released.
pub struct Silent {
    address: String,
    open: Arc<Mutex<Vec<TcpStream>>>,
    accepting: JoinHandle<()>,
}

impl Silent {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let open: Arc<Mutex<Vec<TcpStream>>> = Arc::default();
        let accepted = Arc::clone(&open);
        let accepting = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                accepted.lock().unwrap().push(socket);
            }
        });
        Self { address, open, accepting }
    }

    /// A builder of a server whose automations may reach this address.
    pub fn builder(&self) -> TestAppBuilder {
        TestApp::builder().with("LUMIO_EGRESS_TEST_HOSTS", &self.address)
    }

    /// Configuration of a node that sends a request here.
    pub fn request(&self) -> Value {
        json!({ "method": "GET", "url": format!("https://{}/", self.address) })
    }

    /// Number of requests that wait.
    pub fn waiting(&self) -> usize {
        self.open.lock().unwrap().len()
    }

    /// Ends the requests that wait.
    pub fn release(&self) {
        self.open.lock().unwrap().clear();
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}
