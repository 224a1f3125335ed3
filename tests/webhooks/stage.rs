//! A server with a receiver, a sender of deliveries, and an owner whose events are emitted.

use chrono::TimeDelta;
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Jsonb, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, TestApp};
use serde_json::{Value, json};
use uuid::Uuid;
use webhook_daemons::Deliverer;
use worker_core::Context;

use super::receiver::Receiver;

pub const ENDPOINTS: &str = "/v1/webhook-endpoints";
pub const ENDPOINT: &str =
    "{ id accountId url description eventTypes isEnabled disabledReason failingSince skippedCount
    previousSecretExpiresAt createdBy createdAt updatedAt }";
pub const CREATED: &str =
    "{ id accountId url description eventTypes isEnabled disabledReason failingSince skippedCount
    previousSecretExpiresAt createdBy createdAt updatedAt secret }";
pub const DELIVERY: &str =
    "{ id endpointId eventId eventType status attempts nextAttemptAt lastAttemptAt lastStatusCode
    lastError responseExcerpt durationMs occurredAt createdAt }";

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Jsonb)]
    row: Value,
}

pub struct Stage {
    pub app: TestApp,
    pub receiver: Receiver,
    pub deliverer: Deliverer,
    pub owner: Person,
}

impl Stage {
    pub async fn new() -> Self {
        let receiver = Receiver::start().await;
        let app = receiver.builder().start().await;
        let owner = app.owner().await;
        let deliverer = deliverer(&app);
        Self { app, receiver, deliverer, owner }
    }

    /// Advances the clock, and signs the owner in again: a session ends after 15 minutes.
    pub async fn advance(&mut self, by: TimeDelta) {
        self.app.clock.advance(by);
        self.owner = self.app.session(self.owner.user_id, self.owner.account_id).await;
    }

    /// Creates an endpoint at a path of the receiver; returns its id.
    pub async fn endpoint(&self, path: &str, event_types: &[&str]) -> Uuid {
        self.endpoint_of(&self.owner, path, event_types).await
    }

    /// The same in the account of another caller.
    pub async fn endpoint_of(&self, caller: &Caller, path: &str, event_types: &[&str]) -> Uuid {
        let input = json!({ "url": self.receiver.url(path), "event_types": event_types });
        id_of(&caller.post(ENDPOINTS, input).await.expect(201)["data"])
    }

    /// Emits an event `custom:{name}` of the owner's account; returns its id.
    pub async fn emit(&self, name: &str) -> String {
        emit(&self.owner, &format!("custom:{name}"), json!({ "name": name })).await
    }

    /// Sends everything that is due.
    pub async fn deliver(&self) {
        deliver(&self.deliverer).await;
    }

    /// Deliveries of an endpoint, newest first.
    pub async fn deliveries(&self, endpoint: Uuid) -> Vec<Value> {
        let listed = self.owner.get(&format!("{}/deliveries?limit=100", path(endpoint))).await;
        listed.data().as_array().expect("a list").clone()
    }

    /// Endpoint as the owner sees it.
    pub async fn shown(&self, endpoint: Uuid) -> Value {
        self.owner.get(&path(endpoint)).await.data().clone()
    }

    /// Runs a statement on the main database; `$1` is an id. Returns the number of rows.
    pub async fn execute(&self, sql: &str, id: Uuid) -> usize {
        let mut db = self.app.databases.postgres.get().await.unwrap();
        let executed = sql_query(sql).bind::<SqlUuid, _>(id).execute(&mut *db).await;
        executed.unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// Puts the next attempt of an endpoint off by an hour, so that none is due however slow the machine is.
    pub async fn hold_back(&self, endpoint: Uuid) {
        let sql = "UPDATE webhook_endpoints SET retry_at = retry_at + interval '1 hour', due_at = due_at + interval '1 hour'
            WHERE id = $1 AND retry_at IS NOT NULL";
        assert_eq!(self.execute(sql, endpoint).await, 1);
    }

    /// Row of the table of endpoints.
    pub async fn row(&self, endpoint: Uuid) -> Value {
        let mut db = self.app.databases.postgres.get().await.unwrap();
        let found: Found = sql_query("SELECT to_jsonb(e) AS row FROM webhook_endpoints e WHERE id = $1")
            .bind::<SqlUuid, _>(endpoint)
            .get_result(&mut *db)
            .await
            .unwrap();
        found.row
    }

    pub async fn stop(self) {
        self.app.stop().await;
    }
}

/// A sender of deliveries as another copy of the daemon has one.
pub fn deliverer(app: &TestApp) -> Deliverer {
    let context = Context::new(app.config(), app.clock.clone()).expect("a context");
    Deliverer::new(&context).expect("a sender")
}

/// Sends everything that is due.
pub async fn deliver(deliverer: &Deliverer) {
    for _ in 0..1000 {
        if deliverer.deliver_due().await.expect("the database answers") == 0 {
            return;
        }
    }
    panic!("an endpoint is due without end");
}

/// Emits an event that is no test; returns its id.
pub async fn emit(caller: &Caller, event_type: &str, data: Value) -> String {
    let input = json!({ "event_type": event_type, "data": data, "is_test": false });
    let emitted = caller.post("/v1/events", input).await;
    emitted.data()["id"].as_str().expect("an id").to_owned()
}

#[track_caller]
pub fn id_of(value: &Value) -> Uuid {
    value["id"].as_str().unwrap_or_else(|| panic!("no id in {value}")).parse().expect("an id")
}

pub fn path(endpoint: Uuid) -> String {
    format!("{ENDPOINTS}/{endpoint}")
}

/// Calls a GraphQL field with ids.
pub async fn graphql(
    caller: &Caller,
    kind: &str,
    field: &str,
    ids: &[(&str, Uuid)],
    selection: &str,
) -> Answer {
    let declared: Vec<String> = ids.iter().map(|(name, _)| format!("${name}: UUID!")).collect();
    let given: Vec<String> = ids.iter().map(|(name, _)| format!("{name}: ${name}")).collect();
    let document = format!("{kind}({}) {{ {field}({}) {selection} }}", declared.join(", "), given.join(", "));
    let variables = ids.iter().map(|(name, id)| ((*name).to_owned(), json!(id))).collect();
    caller.graphql(&document, Value::Object(variables)).await
}
