//! A server with the steps of the daemon `usage`, and extensions with functions.

use std::{collections::BTreeMap, time::Duration};

use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Jsonb, Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, TestApp};
use lumio_worker::{Daemon, Running};
use reqwest::Method;
use serde_json::{Value, json};
use shared::{id, secret::Secret};
use usage_daemons::Rounds;
use usage_model::{Consumer, Counter};
use uuid::Uuid;
use worker_core::Context;

pub const BUDGETS: &str = "/v1/usage/budgets";
pub const BUDGET: &str =
    "{ id subject subjectId unit period maximum warnPercent isStopping used remaining resetsAt
    stoppedUntil createdBy createdAt updatedAt }";

/// A server with the steps of the daemon.
pub struct Stage {
    pub app: TestApp,
    pub rounds: Rounds,
    pub owner: Person,
}

impl Stage {
    pub async fn new() -> Self {
        Self::of(TestApp::start().await).await
    }

    /// Begins with an hour, so that none ends while a test counts in it.
    pub async fn of(app: TestApp) -> Self {
        app.begin_a_window(3600);
        let owner = app.owner().await;
        let context = Context::new(app.config(), app.clock.clone()).expect("a context");
        let rounds = Rounds::new(&context, Default::default()).expect("the steps");
        Self { app, rounds, owner }
    }

    /// Advances the clock, and signs the owner in again: a session ends after 15 minutes.
    pub async fn advance(&mut self, by: chrono::TimeDelta) {
        self.app.clock.advance(by);
        self.owner = self.app.session(self.owner.user_id, self.owner.account_id).await;
    }

    /// Counts for a consumer, as the processes do.
    pub async fn count(&self, consumer: Consumer, counter: Counter, number: i64) {
        self.app.state.meter.count(consumer, counter, number).stored().await;
    }

    /// Moves the counts to the hours and compares the budgets.
    pub async fn settle(&self) {
        self.rounds.drain().await.expect("the counts are moved");
        self.rounds.compare().await.expect("the budgets are compared");
    }

    /// The same, with a measurement of the stored bytes.
    pub async fn measure(&self) {
        self.rounds.measure().await.expect("the bytes are measured");
        self.settle().await;
    }

    /// Stored hours of an account: sums over all hours of a subject.
    pub async fn sums(&self, account: Uuid, kind: &str, subject: Uuid) -> Sums {
        sums(&self.app, account, kind, subject).await
    }

    /// Sets a budget; returns it.
    pub async fn budget(&self, input: &Value) -> Value {
        self.owner.put(BUDGETS, input.clone()).await.data().clone()
    }

    /// Reads the stops as the server does.
    pub async fn read_stops(&self) {
        let mut db = self.app.databases.postgres.get().await.unwrap();
        self.app.state.stops.read(&mut db).await.expect("the stops are read");
    }

    pub async fn stop(self) {
        self.app.stop().await;
    }
}

/// Sums of counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, QueryableByName)]
pub struct Sums {
    #[diesel(sql_type = BigInt)]
    pub requests: i64,
    #[diesel(sql_type = BigInt)]
    pub handler_us: i64,
    #[diesel(sql_type = BigInt)]
    pub fetches: i64,
    #[diesel(sql_type = BigInt)]
    pub messages: i64,
}

/// Sums over all hours of a subject.
pub async fn sums(app: &TestApp, account: Uuid, kind: &str, subject: Uuid) -> Sums {
    let sql = "SELECT coalesce(sum(requests), 0)::bigint AS requests, coalesce(sum(handler_us), 0)::bigint AS handler_us,
            coalesce(sum(fetches), 0)::bigint AS fetches, coalesce(sum(messages), 0)::bigint AS messages
        FROM usage_hours WHERE account_id = $1 AND subject_kind = $2 AND subject_id = $3";
    sql_query(sql)
        .bind::<SqlUuid, _>(account)
        .bind::<Text, _>(kind)
        .bind::<SqlUuid, _>(subject)
        .get_result(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

/// Sums over all accounts, and those over all batches.
pub async fn recount(app: &TestApp) -> (Sums, Sums) {
    let of = async |from: &str| -> Sums {
        let sql = format!(
            "SELECT coalesce(sum(requests), 0)::bigint AS requests, coalesce(sum(handler_us), 0)::bigint AS handler_us,
                coalesce(sum(fetches), 0)::bigint AS fetches, coalesce(sum(messages), 0)::bigint AS messages FROM {from}"
        );
        sql_query(sql).get_result(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap()
    };
    (of("usage_hours WHERE subject_kind = 'account'").await, of("usage_batches").await)
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Jsonb)]
    row: Value,
}

/// Rows of a statement that selects `row` as JSON.
pub async fn rows(app: &TestApp, sql: &str) -> Vec<Value> {
    let found: Vec<Found> =
        sql_query(sql).load(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap();
    found.into_iter().map(|found| found.row).collect()
}

/// Id of the credential of a caller, as a key.
pub async fn key_id(app: &TestApp, table: &str) -> Uuid {
    let found = rows(app, &format!("SELECT to_jsonb(id) AS row FROM {table} ORDER BY id DESC LIMIT 1")).await;
    found[0].as_str().expect("an id").parse().expect("an id")
}

/// An install and its extension.
#[derive(Debug, Clone, Copy)]
pub struct Installed {
    pub id: Uuid,
    pub extension_id: Uuid,
}

/// Installs a new extension with these functions in an account.
pub async fn install(
    app: &TestApp,
    account: Uuid,
    functions: &Value,
    tables: &Value,
    code: &str,
) -> Installed {
    let extension_id = id::new();
    let permissions = ["chat:read", "chat:send"];
    let manifest = json!({
        "extensionId": extension_id, "name": "Test", "description": "Test", "category": "bot_module",
        "version": "1.0.0", "server": true, "permissions": permissions,
        "egress": { "allowHosts": [], "allowPorts": [] }, "config_schema": {}, "functions": functions,
        "tables": tables, "bot_module": {},
    });
    let version_id = app.plant_extension(&manifest, code).await;
    let install_id = app.plant_install(account, (extension_id, version_id), &permissions).await;
    Installed { id: install_id, extension_id }
}

/// Calls a function of an install.
pub async fn call(caller: &Caller, install: &Installed, function: &str, args: Value) -> Answer {
    let path = format!("/v1/extension-functions/{}/{function}", install.id);
    // Longer than a handler may run on a busy machine.
    let request = caller.request(Method::POST, &path).timeout(Duration::from_secs(60));
    caller.send(request.json(&json!({ "args": args }))).await
}

/// Starts the runtime of handlers in this process.
pub async fn runtime(app: &TestApp) -> Running {
    let mut config = app.config();
    config.workers.system_key = Some(Secret::new(app.system_key().await.token()).into());
    let engine = sandbox::EngineConfig::default_dir().expect("LUMIO_ENGINE_DIR or a target folder");
    config.workers.engine_dir = engine.to_str().expect("a readable path").to_owned();
    let daemons = [Daemon::ExtensionRuntime];
    lumio_worker::start_with(config, app.clock.clone(), &daemons).await.expect("the worker starts")
}

/// Variables of a process that runs handlers.
pub async fn runtime_variables(app: &TestApp) -> BTreeMap<String, String> {
    let mut variables = app.variables();
    let engine = sandbox::EngineConfig::default_dir().expect("LUMIO_ENGINE_DIR or a target folder");
    variables.insert("LUMIO_SYSTEM_KEY".to_owned(), app.system_key().await.token().to_owned());
    variables.insert("LUMIO_ENGINE_DIR".to_owned(), engine.display().to_string());
    variables
}
