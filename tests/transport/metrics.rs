//! The internal listener.

use std::collections::BTreeSet;

use lumio_tests::{Answer, TestApp};

async fn scraped(app: &TestApp) -> Answer {
    app.anonymous().at(app.metrics_url()).get("/metrics").await
}

#[tokio::test]
async fn metrics_carry_service_and_env() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    owner.get("/v1/users/me").await.expect(200);
    owner.graphql("{ me { id } }", serde_json::json!({})).await.expect(200);
    app.anonymous().get("/v1/nothing").await.expect(404);
    let answer = scraped(&app).await;
    assert_eq!(answer.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    let series: Vec<&str> =
        answer.text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    for line in &series {
        assert!(line.contains("service=\"lumio-api\"") && line.contains("env=\"development\""), "{line}");
    }
    let names: BTreeSet<&str> = series.iter().map(|line| line.split(['{', ' ']).next().unwrap()).collect();
    for expected in [
        "http_requests_total",
        "http_request_duration_seconds_bucket",
        "process_cpu_seconds_total",
        "process_resident_memory_bytes",
        "process_open_fds",
        "process_start_time_seconds",
        "lumio_build_info",
        "lumio_uptime_seconds",
        "lumio_websocket_sessions",
        "lumio_websocket_channels",
        "lumio_db_pool_connections",
        "lumio_db_pool_idle_connections",
        "lumio_db_share_connections",
        "lumio_db_share_peak_connections",
        "lumio_db_request_peak_connections",
        "lumio_graphql_document_threads",
        "lumio_graphql_document_threads_peak",
    ] {
        assert!(names.contains(expected), "{expected} is missing in {names:?}");
    }
    for pool in ["postgres", "timescaledb"] {
        assert!(
            series.iter().any(|line| line.starts_with("lumio_db_pool_connections") && line.contains(pool)),
            "{pool}"
        );
    }
    let build = series.iter().find(|line| line.starts_with("lumio_build_info")).unwrap();
    assert!(build.contains("version=\"0.") && build.ends_with(" 1"), "{build}");
}

#[tokio::test]
async fn metrics_labels_are_bounded_and_name_no_person() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let ids: Vec<String> = (0..5).map(|_| uuid::Uuid::now_v7().to_string()).collect();
    for id in &ids {
        owner.delete(&format!("/v1/api-keys/{id}")).await.expect(404);
        owner.get(&format!("/v1/made-up/{id}?token=lm_pop_secret")).await.expect(404);
    }
    let text = scraped(&app).await.text;
    assert!(text.contains("route=\"/v1/api-keys/{id}\"") && text.contains("route=\"unmatched\""));
    let people = ids.iter().map(String::as_str).chain(["made-up", "lm_"]);
    for name in people.chain([owner.user_id.to_string().as_str(), owner.account_id.to_string().as_str()]) {
        assert!(!text.contains(name), "{name}");
    }
}

#[tokio::test]
async fn metrics_are_not_on_the_public_origin() {
    let app = TestApp::start().await;
    app.anonymous().get("/metrics").await.expect(404);
    let internal = app.anonymous().at(app.metrics_url());
    assert_eq!(internal.get("/v1/users/me").await.status, 404);
    assert_eq!(internal.post("/metrics", serde_json::json!({})).await.status, 405);
}
