//! Internal routes of the workers for trigger nodes of extensions (reference/automations.md#starts).

use diesel::{insert_into, prelude::*, update};
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, Person, TestApp};
use serde_json::{Value, json};
use shared::{
    id,
    schema::{
        automation_runs, automation_trigger_registrations as registrations, automations,
        timeseries::extension_errors,
    },
};
use uuid::Uuid;

use super::{ASKED, greeter, id_of, install, reviewer};

const FIRE: &str = "/v1/internal/automation-triggers/fire";
const NODES: &str = "/v1/internal/automation-nodes/handlers";
const POLLS: &str = "/v1/internal/automation-triggers/polls";

/// Account with an enabled automation that a node of an extension triggers.
struct Stage {
    app: TestApp,
    owner: Person,
    system: Caller,
    extension: Uuid,
    install: Uuid,
    automation: Uuid,
    registration: Uuid,
    node: Uuid,
}

impl Stage {
    async fn set() -> Self {
        let app = TestApp::start().await;
        let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
        let node = json!({
            "category": "automation_node",
            "automation_node": {
                "node_type": "trigger", "name": "Orders", "trigger_mode": "polling", "handler": "hello",
                "output_schema": {
                    "type": "object",
                    "properties": { "total": { "type": "number", "minimum": 0 } },
                    "required": ["total"],
                },
            },
        });
        let extension = greeter(&studio, &reviewer, &node).await;
        let install = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
        let (automation, registration, node) = (id::new(), id::new(), id::new());
        let mut db = app.databases.postgres.get().await.unwrap();
        insert_into(automations::table)
            .values((
                automations::id.eq(automation),
                automations::account_id.eq(owner.account_id),
                automations::name.eq("Orders"),
                automations::enabled.eq(true),
            ))
            .execute(&mut *db)
            .await
            .unwrap();
        insert_into(registrations::table)
            .values((
                registrations::id.eq(registration),
                registrations::account_id.eq(owner.account_id),
                registrations::automation_id.eq(automation),
                registrations::node_id.eq(node),
                registrations::install_id.eq(install),
                registrations::mode.eq("polling"),
                registrations::poll_interval_seconds.eq(10),
                registrations::config.eq(json!({ "shop": "s" })),
            ))
            .execute(&mut *db)
            .await
            .unwrap();
        drop(db);
        let system = app.system_key().await;
        Self { app, owner, system, extension, install, automation, registration, node }
    }

    fn fire(&self, key: &str, output: Value) -> Value {
        json!({ "install_id": self.install, "automation_id": self.automation, "output": output, "dedupe_key": key })
    }

    async fn runs(&self) -> Vec<(String, String, Value)> {
        automation_runs::table
            .filter(automation_runs::account_id.eq(self.owner.account_id))
            .order(automation_runs::created_at)
            .select((automation_runs::dedupe_key, automation_runs::status, automation_runs::trigger))
            .load(&mut *self.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap()
    }
}

#[tokio::test]
async fn internal_automation_polls_carries_interval_state_and_config() {
    let stage = Stage::set().await;
    let registration = json!({
        "id": stage.registration, "account_id": stage.owner.account_id, "automation_id": stage.automation,
        "node_id": stage.node, "install_id": stage.install, "poll_interval_seconds": 10,
        "state": null, "config": { "shop": "s" },
    });
    let feed = stage.system.get(POLLS).await;
    assert_eq!(feed.expect(200), &json!({ "registrations": [registration], "next": null }));

    let path = format!("/v1/internal/automation-triggers/{}/state", stage.registration);
    stage.system.put(&path, json!({ "state": { "cursor": 7 } })).await.expect(204);
    let feed = stage.system.get(POLLS).await;
    assert_eq!(feed.expect(200)["registrations"][0]["state"], json!({ "cursor": 7 }));
    let after = stage.system.get(&format!("{POLLS}?after={}&limit=1", stage.registration)).await;
    assert_eq!(after.expect(200)["registrations"], json!([]));

    // A request for the due registrations only does not return the large fields.
    let brief = stage.system.get(&format!("{POLLS}?brief=true")).await;
    let mut due = registration.clone();
    for large in ["state", "config"] {
        due.as_object_mut().unwrap().remove(large);
    }
    assert_eq!(brief.expect(200), &json!({ "registrations": [due], "next": null }));
    stage.owner.get(POLLS).await.refused("FORBIDDEN", "System key required");
    stage.app.anonymous().get(POLLS).await.refused("UNAUTHORIZED", "Authentication required");
}

#[tokio::test]
async fn internal_automation_trigger_state_is_kept_until_it_is_replaced() {
    let stage = Stage::set().await;
    let path = format!("/v1/internal/automation-triggers/{}/state", stage.registration);
    let kept = async || stage.system.get(POLLS).await.expect(200)["registrations"][0]["state"].clone();
    stage.system.put(&path, json!({ "state": { "cursor": 7 } })).await.expect(204);
    assert_eq!(kept().await, json!({ "cursor": 7 }));

    let large = stage.system.put(&path, json!({ "state": "x".repeat(64 * 1024) })).await;
    large.refused("VALIDATION_ERROR", "state must not be larger than 64 KiB");
    let unknown = format!("/v1/internal/automation-triggers/{}/state", id::new());
    let answer = stage.system.put(&unknown, json!({ "state": 1 })).await;
    answer.refused("NOT_FOUND", "Automation trigger not found");
    let answer = stage.owner.put(&path, json!({ "state": 1 })).await;
    answer.refused("FORBIDDEN", "System key required");
    let answer = stage.app.anonymous().put(&path, json!({ "state": 1 })).await;
    answer.refused("UNAUTHORIZED", "Authentication required");
    assert_eq!(kept().await, json!({ "cursor": 7 }));
    stage.system.put(&path, json!({ "state": [1] })).await.expect(204);
    assert_eq!(kept().await, json!([1]));
}

#[tokio::test]
async fn internal_fire_automation_trigger_refuses_disabled_installs() {
    let stage = Stage::set().await;
    let polled =
        async || stage.system.get(POLLS).await.expect(200)["registrations"].as_array().unwrap().len();
    let install = format!("/v1/extension-installs/{}", stage.install);
    assert_eq!(polled().await, 1);
    stage.owner.patch(&install, json!({ "enabled": false })).await.data();
    assert_eq!(polled().await, 0);
    let refused = stage.system.post(FIRE, stage.fire("a", json!({ "total": 1 }))).await;
    assert_eq!(refused.status, 409);
    refused.refused("CONFLICT", "The automation trigger is switched off");
    stage.owner.patch(&install, json!({ "enabled": true })).await.data();
    assert_eq!(polled().await, 1);
    update(automations::table)
        .set(automations::enabled.eq(false))
        .execute(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(polled().await, 0);
    stage.system.post(FIRE, stage.fire("a", json!({ "total": 1 }))).await.refused_with("CONFLICT");
    assert!(stage.runs().await.is_empty());
}

#[tokio::test]
async fn internal_fire_automation_trigger_needs_the_feature_of_automations() {
    let stage = Stage::set().await;
    let account = stage.owner.account_id;
    for (is_on, polled) in [(false, 0), (true, 1)] {
        stage.app.override_feature(account, "feature:automations", is_on).await;
        let feed = stage.system.get(POLLS).await;
        assert_eq!(feed.expect(200)["registrations"].as_array().map(Vec::len), Some(polled));
        let nodes = stage.system.get(NODES).await;
        assert_eq!(nodes.expect(200)["installs"][0]["enabled"], is_on, "{}", nodes.text);
        let fired = stage.system.post(FIRE, stage.fire("a", json!({ "total": 1 }))).await;
        if is_on {
            fired.expect(202);
        } else {
            fired.refused("CONFLICT", "The automation trigger is switched off");
        }
        assert_eq!(stage.runs().await.len(), polled);
    }
}

#[tokio::test]
async fn internal_fire_automation_trigger_starts_one_run_per_key() {
    let stage = Stage::set().await;
    let fire = stage.fire("order-1", json!({ "total": 12.5 }));
    let answers = futures::future::join_all((0..8).map(|_| stage.system.post(FIRE, fire.clone()))).await;
    let first = answers[0].expect(202)["run_id"].clone();
    for answer in &answers {
        assert_eq!(answer.expect(202), &json!({ "run_id": first, "status": "queued" }));
    }
    let trigger = json!({ "node_id": stage.node, "type": "extension", "payload": { "total": 12.5 } });
    assert_eq!(stage.runs().await, [("order-1".to_owned(), "queued".to_owned(), trigger)]);
}

#[tokio::test]
async fn internal_fire_automation_trigger_stores_state_and_run_together() {
    let stage = Stage::set().await;
    let keeping = |key: &str, output: Value, state: Value| {
        let mut fire = stage.fire(key, output);
        fire["keep"] = json!({ "state": state });
        fire["registration_id"] = json!(stage.registration);
        fire
    };
    let state = async || {
        registrations::table
            .find(stage.registration)
            .select(registrations::state)
            .first::<Value>(&mut *stage.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap()
    };
    let misfit = keeping("a", json!({ "total": "1" }), json!({ "cursor": 1 }));
    stage.system.post(FIRE, misfit).await.refused_with("VALIDATION_ERROR");
    let large = keeping("a", json!({ "total": 1 }), json!("x".repeat(64 * 1024)));
    stage
        .system
        .post(FIRE, large)
        .await
        .refused("VALIDATION_ERROR", "keep.state must not be larger than 64 KiB");
    assert_eq!((state().await, stage.runs().await.len()), (Value::Null, 0));

    let first = stage.system.post(FIRE, keeping("a", json!({ "total": 1 }), json!({ "cursor": 3 }))).await;
    assert_eq!(state().await, json!({ "cursor": 3 }));
    // The worker lost the answer and retries with a newer state: the first state stays.
    let again = stage.system.post(FIRE, keeping("a", json!({ "total": 2 }), json!({ "cursor": 5 }))).await;
    assert_eq!(again.expect(202), first.expect(202));
    assert_eq!((state().await, stage.runs().await.len()), (json!({ "cursor": 3 }), 1));
    stage.system.post(FIRE, keeping("b", json!({ "total": 2 }), Value::Null)).await.expect(202);
    assert_eq!((state().await, stage.runs().await.len()), (Value::Null, 2), "null is a state as well");
}

#[tokio::test]
async fn internal_fire_automation_trigger_skips_beyond_sixty_a_minute() {
    let stage = Stage::set().await;
    for number in 0..61 {
        let answer = stage.system.post(FIRE, stage.fire(&format!("k{number}"), json!({ "total": 1 }))).await;
        let expected = if number < 60 { "queued" } else { "skipped" };
        assert_eq!(answer.expect(202)["status"], expected, "fire {number}");
    }
}

#[tokio::test]
async fn internal_fire_automation_trigger_reports_an_invalid_output() {
    let stage = Stage::set().await;
    for output in [json!({}), json!({ "total": "1" }), json!({ "total": -1 }), json!(null)] {
        let answer = stage.system.post(FIRE, stage.fire("k", output.clone())).await;
        assert_eq!(answer.status, 400, "{output}");
        assert!(answer.error().1.starts_with("output does not fit the output schema: "), "{}", answer.text);
    }
    assert!(stage.runs().await.is_empty());
    let errors: Vec<(Uuid, String, String)> = extension_errors::table
        .filter(extension_errors::extension_id.eq(stage.extension))
        .select((extension_errors::install_id, extension_errors::error_type, extension_errors::handler))
        .load(&mut *stage.app.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(errors.len(), 4);
    assert!(
        errors.iter().all(|error| {
            error == &(stage.install, "OUTPUT_SCHEMA_MISMATCH".to_owned(), "hello".to_owned())
        })
    );
}

#[tokio::test]
async fn internal_fire_automation_trigger_validates_every_field() {
    let stage = Stage::set().await;
    let large = stage.fire("k", json!({ "total": 1, "more": "x".repeat(64 * 1024) }));
    stage.system.post(FIRE, large).await.refused("VALIDATION_ERROR", "output must not be larger than 64 KiB");
    for key in [String::new(), "x".repeat(201)] {
        let answer = stage.system.post(FIRE, stage.fire(&key, json!({ "total": 1 }))).await;
        answer.refused_with("VALIDATION_ERROR");
        assert!(answer.error().1.contains("dedupe_key"), "{}", answer.text);
    }
    let mut foreign = stage.fire("k", json!({ "total": 1 }));
    foreign["automation_id"] = json!(id::new());
    stage.system.post(FIRE, foreign).await.refused("NOT_FOUND", "Automation trigger not found");
    let fire = stage.fire("k", json!({ "total": 1 }));
    stage.owner.post(FIRE, fire).await.refused("FORBIDDEN", "System key required");
    assert!(stage.runs().await.is_empty());
}
