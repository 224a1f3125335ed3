//! Errors and metrics of extensions, from the reports of the workers
//! (reference/developers.md#telemetry-for-developers).

use chrono::{Duration, SubsecRound};
use extension_model::feeds::DurationHistogram;
use lumio_tests::{TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

const ERRORS: &str = "query($id: UUID!, $limit: Int) { extensionErrors(id: $id, limit: $limit) {
    id errorType message stackTrace occurredAt installId accountId } }";
const METRICS: &str =
    "query($id: UUID!) { extensionMetrics(id: $id) { totalInvocations totalErrors avgExecutionMs
    p99ExecutionMs byHandler { handler totalInvocations totalErrors avgExecutionMs p99ExecutionMs }
    timeSeries { bucket totalInvocations totalErrors avgExecutionMs } } }";

/// Installs the developer's extension in the developer's account; returns the ids of both.
async fn installed(studio: &lumio_tests::extensions::Studio) -> (Uuid, Uuid) {
    let id = studio.extension("Greeter").await;
    studio.version(id, "1.0.0", &json!({})).await;
    let body = json!({ "extension_id": id, "granted_permissions": ["chat:read", "chat:send"] });
    let install = studio.person.post("/v1/extension-installs", body).await.data()["id"].clone();
    (id, install.as_str().unwrap().parse().unwrap())
}

fn histogram(durations: &[f64]) -> Value {
    let mut histogram = DurationHistogram::default();
    durations.iter().for_each(|duration| histogram.record(*duration));
    serde_json::to_value(histogram).unwrap()
}

#[tokio::test]
async fn extension_errors_and_metrics_count_reports_of_workers_once() {
    let app = TestApp::start().await;
    let (studio, system) = (app.studio().await, app.system_key().await);
    let (extension, install) = installed(&studio).await;
    let now = app.clock.now();
    let batch = json!({
        "errors": [{ "id": Uuid::now_v7(), "install_id": install, "handler": "hello", "error_type": "TIMEOUT",
                     "message": "too long", "stack_trace": "at hello\u{0}", "occurred_at": now }],
        "logs": [],
        "invocations": [
            { "id": Uuid::now_v7(), "install_id": install, "handler": "hello", "bucket_minute": now - Duration::hours(2),
              "count": 3, "errors": 1, "duration_ms_sum": 30.0, "duration_hist": histogram(&[5.0, 10.0, 15.0]) },
            { "id": Uuid::now_v7(), "install_id": install, "handler": "other", "bucket_minute": now,
              "count": 1, "errors": 0, "duration_ms_sum": 2.0, "duration_hist": histogram(&[2.0]) },
            { "id": Uuid::now_v7(), "install_id": Uuid::nil(), "handler": "gone", "bucket_minute": now,
              "count": 1, "errors": 0, "duration_ms_sum": 2.0, "duration_hist": histogram(&[2.0]) },
        ],
    });
    for _ in 0..2 {
        let answer = system.post("/v1/internal/telemetry", batch.clone()).await;
        assert_eq!(answer.expect(202), &json!({ "accepted": 3, "ignored": 1 }));
    }

    let path = format!("/v1/developer/extensions/{extension}");
    let errors = studio.person.get(&format!("{path}/errors")).await.data().clone();
    assert_eq!(errors.as_array().unwrap().len(), 1);
    assert_eq!(errors[0]["stack_trace"], "at hello\u{fffd}");
    assert_eq!(errors[0]["install_id"], json!(install));
    let twin = studio.person.graphql(ERRORS, json!({ "id": extension })).await.field("extensionErrors");
    assert_eq!(twin[0]["id"], errors[0]["id"]);
    let later =
        (now + Duration::minutes(1)).trunc_subsecs(0).to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
    assert_eq!(studio.person.get(&format!("{path}/errors?since={later}")).await.data(), &json!([]));

    let metrics = studio.person.get(&format!("{path}/metrics")).await.data().clone();
    assert_eq!(
        (&metrics["total_invocations"], &metrics["total_errors"], &metrics["avg_execution_ms"]),
        (&json!(4), &json!(1), &json!(8.0))
    );
    let p99 = metrics["p99_execution_ms"].as_f64().unwrap();
    assert!((13.0..17.0).contains(&p99), "{p99}");
    assert_eq!(metrics["by_handler"][0]["handler"], "hello");
    assert_eq!(metrics["by_handler"][1]["total_invocations"], 1);
    let hours = metrics["time_series"].as_array().unwrap();
    assert_eq!((hours.len(), &hours[0]["total_invocations"]), (2, &json!(3)));
    let twin = studio.person.graphql(METRICS, json!({ "id": extension })).await.field("extensionMetrics");
    assert_eq!(twin["by_handler"], metrics["by_handler"]);
    let recent = studio.person.get(&format!("{path}/metrics?since={later}")).await.data().clone();
    assert_eq!((&recent["total_invocations"], &recent["by_handler"]), (&json!(0), &json!([])));
}

#[tokio::test]
async fn extension_errors_and_metrics_are_for_the_owner_only() {
    let app = TestApp::start().await;
    let (studio, stranger) = (app.studio().await, app.studio().await);
    let id = studio.extension("Mine").await;
    let path = format!("/v1/developer/extensions/{id}");
    let person = &stranger.person;
    both_refused(
        &person.get(&format!("{path}/errors")).await,
        &person.graphql(ERRORS, json!({ "id": id })).await,
        404,
        "NOT_FOUND",
        "Extension not found",
    );
    both_refused(
        &person.get(&format!("{path}/metrics")).await,
        &person.graphql(METRICS, json!({ "id": id })).await,
        404,
        "NOT_FOUND",
        "Extension not found",
    );
    both_refused(
        &studio.person.get(&format!("{path}/errors?limit=201")).await,
        &studio.person.graphql(ERRORS, json!({ "id": id, "limit": 201 })).await,
        400,
        "VALIDATION_ERROR",
        "limit must be between 1 and 200",
    );
    app.switch("feature:extension_development", false).await;
    studio.person.get(&format!("{path}/metrics")).await.refused_with("FEATURE_DISABLED");
    assert_eq!(studio.person.get(&format!("{path}/errors")).await.data(), &json!([]));
}

#[tokio::test]
async fn extension_errors_and_metrics_need_the_permission_of_a_key() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let (id, person) = (studio.extension("Mine").await, &studio.person);
    let path = format!("/v1/developer/extensions/{id}");
    let without = app.personal_key(person, &["chat:read", "extension-dev:edit"]).await;
    both_refused(
        &without.get(&format!("{path}/errors")).await,
        &without.graphql(ERRORS, json!({ "id": id })).await,
        403,
        "FORBIDDEN",
        "This credential does not carry extension-dev:read",
    );
    both_refused(
        &without.get(&format!("{path}/metrics")).await,
        &without.graphql(METRICS, json!({ "id": id })).await,
        403,
        "FORBIDDEN",
        "Missing permission: extension-dev:read",
    );
    let with = app.personal_key(person, &["extension-dev:read"]).await;
    assert_eq!(with.get(&format!("{path}/errors")).await.data(), &json!([]));
    assert_eq!(with.graphql(ERRORS, json!({ "id": id })).await.field("extensionErrors"), json!([]));
    assert_eq!(with.get(&format!("{path}/metrics")).await.data()["total_errors"], 0);
    with.graphql(METRICS, json!({ "id": id })).await.field("extensionMetrics");
}
