//! Limit on the handlers in an extension's metrics (reference/developers.md#telemetry-for-developers).

use extension_model::feeds::DurationHistogram;
use lumio_tests::TestApp;
use serde_json::{Value, json};
use uuid::Uuid;

#[tokio::test]
async fn extension_metrics_lists_the_hundred_busiest_handlers_and_counts_all() {
    let app = TestApp::start().await;
    let (studio, system) = (app.studio().await, app.system_key().await);
    let extension = studio.extension("Busy").await;
    studio.version(extension, "1.0.0", &json!({})).await;
    let body = json!({ "extension_id": extension, "granted_permissions": ["chat:read", "chat:send"] });
    let install = studio.person.post("/v1/extension-installs", body).await.data()["id"].clone();
    let of_handler = |n: u32| {
        let mut histogram = DurationHistogram::default();
        (0..n).for_each(|_| histogram.record(1.0));
        json!({
            "id": Uuid::now_v7(), "install_id": install, "handler": format!("h{n:03}"),
            "bucket_minute": app.clock.now(), "count": n, "errors": 0, "duration_ms_sum": f64::from(n),
            "duration_hist": histogram,
        })
    };
    let batch =
        json!({ "errors": [], "logs": [], "invocations": (1..=101).map(of_handler).collect::<Vec<Value>>() });
    let answer = system.post("/v1/internal/telemetry", batch).await;
    assert_eq!(answer.expect(202), &json!({ "accepted": 101, "ignored": 0 }));

    let path = format!("/v1/developer/extensions/{extension}/metrics");
    let metrics = studio.person.get(&path).await.data().clone();
    let handlers = metrics["by_handler"].as_array().unwrap();
    assert_eq!(handlers.len(), 100);
    assert!(handlers.iter().all(|handler| handler["handler"] != "h001"), "the least used is left out");
    assert_eq!(metrics["total_invocations"], 101 * 102 / 2);
}
