//! CSP reports of browsers (reference/administration.md#csp-reports).

use chrono::Duration;
use foundation::jobs::{Housekeep, HousekeepingTask};
use lumio_tests::{TestApp, both_refused};
use lumio_worker::Daemon;
use serde_json::{Value, json};
use shared::id;

use lumio_tests::world::{eventually, workers};

const PATH: &str = "/v1/csp-reports";
const LIST: &str = "/v1/admin/csp-reports";

fn report(directive: &str) -> Value {
    json!({ "csp-report": { "document-uri": "https://app.example/watch?token=lm_pop_secret#x", "referrer": "",
        "violated-directive": directive, "blocked-uri": "https://cdn.example/x.js?key=1", "line-number": 7,
        "status-code": 200, "disposition": "enforce" } })
}

#[tokio::test]
async fn create_csp_report_stores_reports_without_secrets() {
    let app = TestApp::start().await;
    let staff = app.admin_with(&["csp-reports:read"]).await;
    let sent =
        app.anonymous().post_raw(PATH, "application/csp-report", report("script-src").to_string()).await;
    assert_eq!((sent.status, sent.text.as_str()), (204, ""));
    let several = json!([
        { "type": "csp-violation", "body": { "documentURL": "https://app.example/", "blockedURL": "inline",
          "effectiveDirective": "style-src", "sourceFile": "https://app.example/a.js", "lineNumber": 1 } },
        { "type": "deprecation", "body": {} },
    ]);
    let sent = app.anonymous().post_raw(PATH, "application/reports+json", several.to_string()).await;
    sent.expect(204);
    let list = staff.get(LIST).await.expect(200).clone();
    assert_eq!((&list["_meta"]["total"], &list["_meta"]["pages"]), (&json!(2), &json!(1)));
    let (newest, oldest) = (&list["data"][0], &list["data"][1]);
    assert_eq!(
        (&newest["violated_directive"], &newest["blocked_uri"]),
        (&json!("style-src"), &json!("inline"))
    );
    assert_eq!(oldest["document_uri"], "https://app.example/watch");
    assert_eq!(oldest["blocked_uri"], "https://cdn.example/x.js");
    assert_eq!((&oldest["line_number"], &oldest["disposition"]), (&json!(7), &json!("enforce")));
    assert!(!list.to_string().contains("lm_pop_"));

    let only = staff.get(&format!("{LIST}?directive=script-src")).await.expect(200).clone();
    assert_eq!((only["data"].as_array().unwrap().len(), &only["_meta"]["total"]), (1, &json!(1)));
    let document = "{ adminCspReports(directive: \"script-src\") { items { id documentUri blockedUri violatedDirective \
         disposition sourceFile lineNumber columnNumber statusCode userAgent receivedAt } total page limit pages } }";
    let graphql = staff.graphql(document, json!({})).await.field("adminCspReports");
    assert_eq!(graphql["items"], only["data"]);
    assert_eq!((&graphql["total"], &graphql["limit"]), (&json!(1), &json!(25)));
    app.stop().await;
}

#[tokio::test]
async fn create_csp_report_stores_no_token() {
    let app = TestApp::start().await;
    let staff = app.admin_with(&["csp-reports:read"]).await;
    let opaque = format!("lm_widget_{}", "5e".repeat(32));
    let signed = "lm_eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";
    for token in [opaque.as_str(), signed] {
        let report = json!({ "csp-report": {
            "document-uri": format!("https://app.example/widget/{token}"),
            "blocked-uri": token,
            "violated-directive": format!("script-src {token}"),
            "source-file": format!("https://app.example/{token}/a.js"),
            "disposition": token,
        } });
        let sent = app.anonymous().request(reqwest::Method::POST, PATH);
        let sent = sent.header("content-type", "application/csp-report").header("user-agent", token);
        app.anonymous().send(sent.body(report.to_string())).await.expect(204);
    }
    let list = staff.get(LIST).await.expect(200).clone();
    assert_eq!(list["_meta"]["total"], 2);
    for secret in ["5e5e5e", "eyJ", "c2lnbmF0dXJl"] {
        assert!(!list.to_string().contains(secret), "{secret}: {list}");
    }
    for report in list["data"].as_array().unwrap() {
        assert_eq!(report["document_uri"], "https://app.example/widget/***");
        assert_eq!((&report["blocked_uri"], &report["user_agent"]), (&json!("***"), &json!("***")));
    }
    app.stop().await;
}

#[tokio::test]
async fn create_csp_report_refuses_invalid_bodies() {
    let app = TestApp::start().await;
    let staff = app.admin_with(&["csp-reports:read"]).await;
    let send = async |body: String| app.anonymous().post_raw(PATH, "application/csp-report", body).await;
    send("{}".into()).await.refused("VALIDATION_ERROR", "Invalid CSP report: csp-report is missing");
    send(json!({ "csp-report": { "document-uri": "https://a.example/" } }).to_string())
        .await
        .refused("VALIDATION_ERROR", "Invalid CSP report: violated-directive is missing");
    send("nothing".into()).await.refused_with("BAD_REQUEST");
    let large = format!("{{\"csp-report\":{{\"document-uri\":\"{}\"}}}}", "x".repeat(64 * 1024));
    send(large).await.refused("BAD_REQUEST", "Request body too large");
    assert_eq!(staff.get(LIST).await.expect(200)["_meta"]["total"], 0);
    app.stop().await;
}

#[tokio::test]
async fn create_csp_report_is_limited_to_thirty_a_minute_per_address() {
    let app = TestApp::start().await;
    app.begin_a_window(60);
    let send = async || {
        app.anonymous().post_raw(PATH, "application/csp-report", report("img-src").to_string()).await
    };
    for _ in 0..30 {
        send().await.expect(204);
    }
    let refused = send().await;
    assert_eq!(refused.status, 429);
    refused.refused("RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    assert_eq!(refused.header("x-ratelimit-limit"), "30");
    assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
    app.clock.advance(Duration::minutes(1));
    send().await.expect(204);
    app.stop().await;
}

#[tokio::test]
async fn admin_csp_reports_needs_the_permission() {
    let app = TestApp::start().await;
    let (owner, staff) = (app.owner().await, app.admin_with(&["support:read"]).await);
    for caller in [&owner, &staff] {
        both_refused(
            &caller.get(LIST).await,
            &caller.graphql("{ adminCspReports { total } }", json!({})).await,
            403,
            "FORBIDDEN",
            "Missing permission: csp-reports:read",
        );
    }
    let reader = app.admin_with(&["csp-reports:read"]).await;
    both_refused(
        &reader.get(&format!("{LIST}?limit=101")).await,
        &reader.graphql("{ adminCspReports(limit: 101) { total } }", json!({})).await,
        400,
        "VALIDATION_ERROR",
        "limit must be between 1 and 100",
    );
    app.stop().await;
}

#[tokio::test]
async fn csp_reports_and_notifications_are_deleted_when_they_expire() {
    let app = TestApp::start().await;
    let (owner, staff) = (app.owner().await, app.admin_with(&["csp-reports:read"]).await);
    let send = async || {
        app.anonymous().post_raw(PATH, "application/csp-report", report("img-src").to_string()).await
    };
    send().await.expect(204);
    super::world::send_notice(&app, &[owner.user_id], &super::world::joined(owner.account_id, "Ada")).await;
    app.clock.advance(Duration::days(31));
    send().await.expect(204);
    assert!(
        app.state
            .jobs
            .enqueue(&Housekeep { task: HousekeepingTask::ForgetHandled }, &id::new().to_string())
            .await
            .unwrap()
    );
    let running = workers(&app, &[Daemon::Housekeeping]).await;
    let staff = app.session(staff.user_id, staff.account_id).await;
    let total = async || staff.get(LIST).await.expect(200)["_meta"]["total"].clone();
    eventually("the old one is gone", async || total().await == 1).await;
    let owner = app.session(owner.user_id, owner.account_id).await;
    assert_eq!(super::world::listed(&owner).await.len(), 1, "notifications are kept for 90 days");
    app.clock.advance(Duration::days(60));
    assert!(
        app.state
            .jobs
            .enqueue(&Housekeep { task: HousekeepingTask::ForgetHandled }, &id::new().to_string())
            .await
            .unwrap()
    );
    let owner = app.session(owner.user_id, owner.account_id).await;
    eventually("and then forgotten", async || super::world::listed(&owner).await.is_empty()).await;
    running.stop().await.unwrap();
    app.stop().await;
}
