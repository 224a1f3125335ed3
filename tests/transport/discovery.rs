//! Probes, documents and explorers.

use lumio_tests::{Answer, TestApp};
use reqwest::Method;
use serde_json::json;

#[tokio::test]
async fn discovery_health_reports_every_dependency() {
    let app = TestApp::start().await;
    let answer = app.anonymous().get("/v1/health").await;
    let health = answer.data();
    assert_eq!(answer.status, 200);
    assert_eq!(health["status"], "healthy");
    for service in ["postgres", "timescaledb", "redis"] {
        assert_eq!(health["services"][service]["status"], "healthy", "{service}");
        assert!(health["services"][service]["latency_ms"].is_u64(), "{service}");
    }
    let (numbers, commit) =
        health["version"].as_str().unwrap().split_once('+').expect("major.minor.patch+commit");
    assert!(semver::Version::parse(numbers).is_ok() && !commit.is_empty(), "{}", health["version"]);
    assert!(health["uptime_seconds"].is_u64());
    assert_eq!(health["websocket"], json!({ "sessions": 0, "channels": 0 }));
    assert!(!answer.headers.contains_key("x-ratelimit-limit"), "probes are not counted");
}

#[tokio::test]
async fn discovery_health_is_degraded_without_one_dependency_and_unhealthy_without_any() {
    const NOWHERE: &str = "postgres://lumio@127.0.0.1:1/none";
    let builder = || TestApp::builder().with("LUMIO_DATABASE_POOL_TIMEOUT_MS", 200);
    let degraded = builder().with("LUMIO_TIMESCALEDB_URL", NOWHERE).start().await;
    let health = degraded.anonymous().get("/v1/health").await.data().clone();
    assert_eq!(health["status"], "degraded");
    assert_eq!(health["services"]["timescaledb"]["status"], "unhealthy");
    assert_eq!(health["services"]["postgres"]["status"], "healthy");

    let unhealthy = builder()
        .with("DATABASE_URL", NOWHERE)
        .with("LUMIO_TIMESCALEDB_URL", NOWHERE)
        .with("REDIS_URL", "redis://127.0.0.1:1")
        .start()
        .await;
    assert_eq!(unhealthy.anonymous().get("/v1/health").await.data()["status"], "unhealthy");
    unhealthy.anonymous().get("/v1").await.expect(200);
}

#[tokio::test]
async fn discovery_of_a_user_without_a_database_is_a_database_error() {
    let app = TestApp::builder()
        .with("DATABASE_URL", "postgres://lumio@127.0.0.1:1/none")
        .with("LUMIO_DATABASE_POOL_TIMEOUT_MS", 200)
        .start()
        .await;
    let key = format!("lm_usr_{}", "a".repeat(64));
    let answer = app.bearer(key).get("/v1/users/me").await;
    assert_eq!(answer.status, 500);
    answer.refused("DATABASE_ERROR", "Internal database error");
    assert!(answer.headers.contains_key("x-request-id"), "also an error of a layer has its id");
    assert!(answer.headers.contains_key("x-content-type-options"));
}

#[tokio::test]
async fn discovery_serves_documents_and_explorers_when_enabled() {
    let app = TestApp::start().await;
    let anonymous = app.anonymous();
    let document = anonymous.get("/v1/openapi.json").await;
    assert_eq!(document.expect(200)["info"]["title"], "Lumio API");
    assert_eq!(anonymous.get("/v1/api-doc/openapi.json").await.text, document.text);
    let schemes = &document.body["components"]["securitySchemes"];
    for scheme in ["bearer", "popoutCookie", "queryToken", "developerKey"] {
        assert!(schemes[scheme].is_object(), "{scheme}");
    }
    for path in document.body["paths"].as_object().unwrap().keys() {
        assert!(!path.contains("security.txt") && !path.starts_with("/v1/internal/bot-modules"), "{path}");
    }
    let swagger = anonymous.get("/v1/swagger-ui/").await;
    assert!(swagger.status == 200 && swagger.text.contains("swagger-ui"), "{}", swagger.text);
    assert!(
        anonymous
            .get("/v1/swagger-ui/swagger-initializer.js")
            .await
            .text
            .contains("/v1/swagger-ui/openapi.json")
    );
    assert!(anonymous.get("/v1/graphiql").await.text.contains("GraphiQL"));
    anonymous.get("/v1/graphiql/assets/..%2f..%2fetc%2fpasswd").await.expect(404);
    anonymous.get("/v1/graphiql/assets/passwd").await.expect(404);
}

#[tokio::test]
async fn discovery_does_not_serve_what_is_disabled() {
    let app = TestApp::builder()
        .with("LUMIO_GRAPHIQL", "false")
        .with("LUMIO_SWAGGER_UI", "false")
        .with("LUMIO_API_DOC", "false")
        .with("LUMIO_OPENAPI", "false")
        .with("LUMIO_DOCS", "false")
        .start()
        .await;
    let paths = [
        "/docs",
        "/docs/",
        "/docs/index.html",
        "/v1/graphiql",
        "/v1/graphiql/assets/graphiql.min.js",
        "/v1/swagger-ui/",
        "/v1/swagger-ui/openapi.json",
        "/v1/api-doc/openapi.json",
        "/v1/openapi.json",
    ];
    for path in paths {
        let answer = app.anonymous().get(path).await;
        assert_eq!(answer.status, 404, "{path}");
        answer.refused("NOT_FOUND", "There is no such route");
    }
    let schema = app.anonymous().get("/v1/schema").await;
    assert!(schema.status == 200 && schema.text.contains("type Query"), "the schema stays available");
}

#[tokio::test]
async fn discovery_serves_the_configured_security_txt() {
    let app = TestApp::builder()
        .with(
            "LUMIO_SECURITY_TXT",
            "Contact: https://lumio.example/security\nExpires: 2030-01-01T00:00:00Z\n",
        )
        .start()
        .await;
    let answer = app.anonymous().get("/.well-known/security.txt").await;
    let configured = "Contact: https://lumio.example/security\nExpires: 2030-01-01T00:00:00Z\n";
    assert_eq!((answer.status, answer.text.as_str()), (200, configured));
}

/// Sends a request as a browser does.
async fn as_browser(app: &TestApp, path: &str) -> Answer {
    let accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    let caller = app.anonymous();
    caller.send(caller.request(Method::GET, path).header("accept", accept)).await
}

#[tokio::test]
async fn discovery_index_links_to_everything_that_is_served() {
    let app = TestApp::start().await;
    for path in ["/", "/v1"] {
        let answer = app.anonymous().get(path).await;
        let links = answer.expect(200)["links"].as_array().unwrap().clone();
        let paths: Vec<&str> = links.iter().map(|link| link["path"].as_str().unwrap()).collect();
        for wanted in
            ["/docs/", "/v1/swagger-ui/", "/v1/openapi.json", "/v1/graphiql", "/v1/asyncapi.json", "/v1/live"]
        {
            assert!(paths.contains(&wanted), "{path}: {paths:?}");
        }
        let page = as_browser(&app, path).await;
        assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"), "{path}");
        assert!(page.header("content-security-policy").starts_with("default-src 'none'"));
        for wanted in paths {
            assert!(page.text.contains(wanted), "{path}: {wanted}");
            let answer = app.anonymous().get(wanted).await;
            assert_ne!(answer.error().1, "There is no such route", "{wanted}");
        }
    }
    assert_eq!(app.anonymous().get("/v1").await.body["status"], "ok");
    for (path, kind) in [("/index.css", "text/css; charset=utf-8"), ("/favicon.ico", "image/svg+xml")] {
        let answer = app.anonymous().get(path).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, kind), "{path}");
    }
}

#[tokio::test]
async fn discovery_index_omits_what_is_disabled() {
    let off =
        ["LUMIO_GRAPHIQL", "LUMIO_SWAGGER_UI", "LUMIO_OPENAPI", "LUMIO_ASYNCAPI", "LUMIO_LIVE", "LUMIO_DOCS"];
    let builder = off.iter().fold(TestApp::builder(), |builder, name| builder.with(name, "false"));
    let app = builder.start().await;
    let page = as_browser(&app, "/").await.text;
    for path in ["swagger-ui", "openapi.json", "graphiql", "asyncapi.json", "/v1/live", "/docs/"] {
        assert!(!page.contains(path), "{path}");
    }
    assert!(page.contains("/v1/health") && page.contains("/v1/schema"));
}

#[tokio::test]
async fn discovery_swagger_ui_opens_folded_and_with_a_filter() {
    let app = TestApp::start().await;
    let script = app.anonymous().get("/v1/swagger-ui/swagger-initializer.js").await.text;
    for setting in [r#""docExpansion": "none""#, r#""filter": true"#] {
        assert!(script.contains(setting), "{setting}: {script}");
    }
}
