//! Budgets (reference/usage.md#budgets).

use chrono::TimeDelta;
use diesel_async::SimpleAsyncConnection;
use lumio_tests::{both_refused, world::count};
use serde_json::{Value, json};
use shared::clock::rfc3339;
use usage_model::{Consumer, Counter, Period};
use uuid::Uuid;

use super::stage::{BUDGET, BUDGETS, Stage, install, key_id};

/// GraphQL writes enum values in capitals.
fn capitals(input: &Value) -> Value {
    let mut input = input.clone();
    for field in ["unit", "period"] {
        input[field] = json!(input[field].as_str().expect("a name").to_uppercase());
    }
    input
}

fn lowered(mut budget: Value) -> Value {
    for field in ["subject", "unit", "period"] {
        budget[field] = json!(budget[field].as_str().expect("a name").to_lowercase());
    }
    budget
}

fn of(unit: &str, period: &str, maximum: i64) -> Value {
    json!({ "unit": unit, "period": period, "maximum": maximum })
}

fn delete_document(id: &str) -> String {
    format!("mutation {{ deleteUsageBudget(budgetId: \"{id}\") }}")
}

#[tokio::test]
async fn set_usage_budget_makes_and_replaces_the_budget_of_a_subject() {
    let mut stage = Stage::new().await;
    let account = stage.owner.account_id;
    stage.count(Consumer::account(account), Counter::HandlerUs, 2_500_000).await;
    stage.settle().await;
    let made = stage.budget(&of("handler_ms", "day", 10_000)).await;
    let now = stage.app.clock.now();
    let expected = json!({
        "id": made["id"], "subject": "account", "subject_id": account, "unit": "handler_ms", "period": "day",
        "maximum": 10_000, "warn_percent": 80, "is_stopping": true, "used": 2500, "remaining": 7500,
        "resets_at": rfc3339(Period::Day.end(now)), "stopped_until": null, "created_by": stage.owner.user_id,
        "created_at": made["created_at"], "updated_at": made["created_at"],
    });
    assert_eq!(made, expected);
    let entry = stage.app.audited_once("usage_budget:set").await;
    let metadata = json!({
        "subject": "account", "subject_id": account, "unit": "handler_ms", "period": "day", "maximum": 10_000,
        "warn_percent": 80, "is_stopping": true,
    });
    assert_eq!((entry.account_id, entry.metadata), (Some(account), metadata));
    assert_eq!(entry.resource_id.as_deref(), made["id"].as_str());

    // The same subject, unit and period: replaced, also by a key and over the other protocol.
    stage.app.clock.advance(TimeDelta::seconds(1));
    let key = stage.app.service_key(account, &["plan:edit", "plan:read"]).await;
    let mut input = of("handler_ms", "day", 2_000);
    input["warn_percent"] = json!(0);
    input["is_stopping"] = json!(false);
    let replaced = key.mutate("setUsageBudget", &capitals(&input), BUDGET).await.field("setUsageBudget");
    let replaced = lowered(replaced);
    assert_eq!((&replaced["id"], &replaced["created_by"]), (&made["id"], &made["created_by"]));
    assert_eq!((&replaced["warn_percent"], &replaced["is_stopping"]), (&Value::Null, &json!(false)));
    assert_eq!((&replaced["remaining"], &replaced["stopped_until"]), (&json!(0), &Value::Null));
    assert_ne!(replaced["updated_at"], made["updated_at"]);

    // Other units and periods, extensions and keys have budgets of their own.
    let installed = install(&stage.app, account, &json!({}), &json!({}), "").await;
    let mut of_extension = of("stored_bytes", "month", 5);
    of_extension["extension_id"] = json!(installed.extension_id);
    let of_extension = stage.budget(&of_extension).await;
    assert_eq!(of_extension["subject_id"], json!(installed.extension_id));
    let mut of_key = of("messages", "hour", 5);
    of_key["key_id"] = json!(key_id(&stage.app, "account_service_keys").await);
    let of_key = stage.budget(&of_key).await;
    let listed = key.get(BUDGETS).await.data().clone();
    assert_eq!(listed, json!([replaced, of_extension, of_key]));
    let document = format!("{{ usageBudgets {BUDGET} }}");
    let graphql = key.graphql(&document, json!({})).await.field("usageBudgets");
    let graphql: Vec<Value> = graphql.as_array().unwrap().iter().cloned().map(lowered).collect();
    assert_eq!(json!(graphql), listed);

    // Budgets of the account are among its limits.
    let limits = stage.owner.get("/v1/limits").await.data().clone();
    let limit = limits.as_array().unwrap().iter().find(|row| row["source"] == "budget").expect("a budget");
    let expected = json!({
        "name": "usage_handler_ms_day", "scope": "account", "limit": 2_000, "unit": "milliseconds",
        "window_secs": 86_400, "used": 2500, "remaining": 0, "resets_at": rfc3339(Period::Day.end(now)),
        "source": "budget",
    });
    assert_eq!(*limit, expected);
    // The next day begins with nothing.
    stage.advance(TimeDelta::days(1)).await;
    assert_eq!(stage.owner.get(BUDGETS).await.data()[0]["used"], 0);
    stage.stop().await;
}

#[tokio::test]
async fn set_usage_budget_refuses_wrong_fields_and_foreign_subjects() {
    let stage = Stage::new().await;
    let stranger = stage.app.owner().await;
    let foreign = install(&stage.app, stranger.account_id, &json!({}), &json!({}), "").await;
    stage.app.service_key(stranger.account_id, &["chat:read"]).await;
    let foreign_service = key_id(&stage.app, "account_service_keys").await;
    stage.app.personal_key(&stranger, &["chat:read"]).await;
    let foreign_personal = key_id(&stage.app, "user_api_keys").await;
    let with = |field: &str, value: Value| {
        let mut input = of("requests", "day", 10);
        input[field] = value;
        input
    };
    let both = json!({
        "unit": "requests", "period": "day", "maximum": 1, "extension_id": foreign.extension_id, "key_id": Uuid::nil(),
    });
    let of_key = json!({ "unit": "fetches", "period": "day", "maximum": 1, "key_id": foreign_service });
    for (input, status, code, message) in [
        (
            with("maximum", json!(0)),
            400,
            "VALIDATION_ERROR",
            "maximum must be between 1 and 1000000000000000",
        ),
        (
            with("maximum", json!(1_000_000_000_000_001_i64)),
            400,
            "VALIDATION_ERROR",
            "maximum must be between 1 and 1000000000000000",
        ),
        (with("warn_percent", json!(100)), 400, "VALIDATION_ERROR", "warn_percent must be between 0 and 99"),
        (with("warn_percent", json!(-1)), 400, "VALIDATION_ERROR", "warn_percent must be between 0 and 99"),
        (both, 400, "VALIDATION_ERROR", "key_id must be absent when extension_id is given"),
        (of_key, 400, "VALIDATION_ERROR", "unit must be requests or messages for a key"),
        (with("extension_id", json!(foreign.extension_id)), 404, "NOT_FOUND", "Extension not found"),
        (with("key_id", json!(foreign_service)), 404, "NOT_FOUND", "API key not found"),
        (with("key_id", json!(foreign_personal)), 404, "NOT_FOUND", "API key not found"),
    ] {
        let gql = stage.owner.mutate("setUsageBudget", &capitals(&input), BUDGET).await;
        let rest = stage.owner.put(BUDGETS, input).await;
        both_refused(&rest, &gql, status, code, message);
    }
    for (field, value) in [("unit", json!("bytes")), ("period", json!("week"))] {
        assert_eq!(stage.owner.put(BUDGETS, with(field, value)).await.status, 400, "{field}");
    }
    let reader = stage.app.member_with(stage.owner.account_id, &["plan:read"]).await;
    let input = of("requests", "day", 10);
    let gql = reader.mutate("setUsageBudget", &capitals(&input), BUDGET).await;
    both_refused(&reader.put(BUDGETS, input).await, &gql, 403, "FORBIDDEN", "Missing permission: plan:edit");
    assert_eq!(count(&stage.app, "usage_budgets").await, 0);
    stage.stop().await;
}

#[tokio::test]
async fn set_usage_budget_refuses_more_than_fifty() {
    let stage = Stage::new().await;
    let account = stage.owner.account_id;
    let sql = format!(
        "INSERT INTO usage_budgets (id, account_id, subject_kind, subject_id, unit, period, maximum, is_stopping,
            created_at, updated_at)
        SELECT gen_random_uuid(), '{account}', 'key', gen_random_uuid(), 'requests', 'day', 1, true, now(), now()
        FROM generate_series(1, 49)"
    );
    let mut db = stage.app.databases.postgres.get().await.unwrap();
    db.batch_execute(&sql).await.unwrap();
    drop(db);
    stage.budget(&of("requests", "day", 10)).await;
    let input = of("requests", "month", 10);
    let gql = stage.owner.mutate("setUsageBudget", &capitals(&input), BUDGET).await;
    let rest = stage.owner.put(BUDGETS, input).await;
    both_refused(&rest, &gql, 403, "PLAN_LIMIT_REACHED", "Usage budget limit reached");
    assert_eq!(rest.body["details"], json!({ "limit": 50 }));
    // One that exists may be replaced, and another account has its own.
    assert_eq!(stage.budget(&of("requests", "day", 20)).await["maximum"], 20);
    stage.app.owner().await.put(BUDGETS, of("requests", "month", 10)).await.expect(200);
    stage.stop().await;
}

#[tokio::test]
async fn usage_budgets_lists_those_of_the_account_to_readers_of_the_plan() {
    let stage = Stage::new().await;
    let stranger = stage.app.owner().await;
    let made = stage.budget(&of("requests", "day", 10)).await;
    let reader = stage.app.member_with(stage.owner.account_id, &["plan:read"]).await;
    assert_eq!(reader.get(BUDGETS).await.data()[0]["id"], made["id"]);
    let outsider = stage.app.member_with(stage.owner.account_id, &["chat:read"]).await;
    let document = format!("{{ usageBudgets {BUDGET} }}");
    let (rest, gql) = (outsider.get(BUDGETS).await, outsider.graphql(&document, json!({})).await);
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: plan:read");
    assert_eq!(stranger.get(BUDGETS).await.data(), &json!([]));
    stage.stop().await;
}

#[tokio::test]
async fn delete_usage_budget_reaches_those_of_the_account_only() {
    let stage = Stage::new().await;
    let stranger = stage.app.owner().await;
    let made = stage.budget(&of("requests", "day", 10)).await;
    let id = made["id"].as_str().unwrap();
    let path = format!("{BUDGETS}/{id}");
    let reader = stage.app.member_with(stage.owner.account_id, &["plan:read"]).await;
    let gql = reader.graphql(&delete_document(id), json!({})).await;
    both_refused(&reader.delete(&path).await, &gql, 403, "FORBIDDEN", "Missing permission: plan:edit");
    let gql = stranger.graphql(&delete_document(id), json!({})).await;
    both_refused(&stranger.delete(&path).await, &gql, 404, "NOT_FOUND", "Usage budget not found");
    stage.owner.delete(&path).await.expect(204);
    let entry = stage.app.audited_once("usage_budget:deleted").await;
    let metadata = json!({
        "subject": "account", "subject_id": stage.owner.account_id, "unit": "requests", "period": "day", "maximum": 10,
    });
    assert_eq!((entry.resource_id.as_deref(), entry.metadata), (Some(id), metadata));
    let second = stage.budget(&of("fetches", "hour", 10)).await;
    let gql = stage.owner.graphql(&delete_document(second["id"].as_str().unwrap()), json!({})).await;
    assert_eq!(gql.field("deleteUsageBudget"), json!(true));
    assert_eq!(count(&stage.app, "usage_budgets").await, 0);
    stage.stop().await;
}
