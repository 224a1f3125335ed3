//! Requests that are refused before an operation.

use lumio_tests::TestApp;
use reqwest::Method;
use serde_json::json;

#[tokio::test]
async fn requests_to_unknown_routes_or_methods_get_error_bodies() {
    let app = TestApp::start().await;
    let anonymous = app.anonymous();
    let unknown = anonymous.get("/v1/nothing").await;
    assert_eq!(unknown.status, 404);
    unknown.refused("NOT_FOUND", "There is no such route");
    let outside = anonymous.get("/nothing").await;
    assert_eq!((outside.status, outside.error().0.as_str()), (404, "NOT_FOUND"));

    let wrong = anonymous.send(anonymous.request(Method::PUT, "/v1/api-keys")).await;
    assert_eq!(wrong.status, 405);
    wrong.refused("BAD_REQUEST", "Method PUT is not allowed here");
    let mut allowed: Vec<&str> = wrong.headers["allow"].to_str().unwrap().split(", ").collect();
    allowed.sort_unstable();
    assert_eq!(allowed, ["GET", "HEAD", "POST"]);
    for path in ["/v1/health", "/.well-known/security.txt", "/v1/gql", "/v1/openapi.json"] {
        let method = if path == "/v1/gql" { Method::GET } else { Method::POST };
        assert_eq!(anonymous.send(anonymous.request(method, path)).await.status, 405, "{path}");
    }
}

#[tokio::test]
async fn requests_with_a_broken_body_are_authenticated_first() {
    let app = TestApp::start().await;
    for body in ["{", "", "\u{0}", "[1,2"] {
        let answer = app.anonymous().post_raw("/v1/api-keys", "application/json", body).await;
        assert_eq!(answer.status, 401);
        answer.refused("UNAUTHORIZED", "Authentication required");
    }
    let forged = app.bearer("lm_usr_forged").post_raw("/v1/api-keys", "application/json", "{").await;
    assert_eq!(forged.status, 401);
    forged.refused("UNAUTHORIZED", "Invalid or expired token");
    app.anonymous().get("/v1/platforms/enabled").await.expect(200);
}

#[tokio::test]
async fn requests_with_unusable_bodies_get_the_reason() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let post = async |body: Vec<u8>| owner.post_raw("/v1/api-keys", "application/json", body).await;

    let large = post(format!(r#"{{"label":"{}"}}"#, "x".repeat(1024 * 1024)).into_bytes()).await;
    assert_eq!(large.status, 400);
    large.refused("BAD_REQUEST", "Request body too large");

    let not_utf8 = post(b"{\"label\":\"\xff\xfe\"}".to_vec()).await;
    assert_eq!(not_utf8.status, 400);
    not_utf8.refused("BAD_REQUEST", "Request body is not valid UTF-8");

    let malformed = post(b"{\"label\":".to_vec()).await;
    assert_eq!((malformed.status, malformed.error().0.as_str()), (400, "BAD_REQUEST"));
    assert!(malformed.error().1.starts_with("Malformed JSON"));

    let wrong_type = post(br#"{"label":1}"#.to_vec()).await;
    assert_eq!((wrong_type.status, wrong_type.error().0.as_str()), (400, "VALIDATION_ERROR"));
    assert!(wrong_type.error().1.contains("label"), "{}", wrong_type.text);
}

#[tokio::test]
async fn requests_with_a_body_of_another_media_type_are_415() {
    const PATH: &str = "/v1/api-keys";
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let body = r#"{"label":"Key","permissions":[]}"#;
    for media_type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        let answer = owner.post_raw(PATH, media_type, body).await;
        assert_eq!(answer.status, 415, "{media_type}");
        answer.refused("BAD_REQUEST", "Content-Type must be application/json");
        // The rights are checked first.
        assert_eq!(app.anonymous().post_raw(PATH, media_type, body).await.status, 401, "{media_type}");
    }
    // The corrected request has the same key.
    for (media_type, status) in [("text/plain", 415), ("application/json; charset=utf-8", 201)] {
        let request = owner.request(Method::POST, PATH).header("idempotency-key", "corrected");
        let answer = owner.send(request.header("content-type", media_type).body(body)).await;
        answer.expect(status);
    }
    owner.post_raw(PATH, "application/vnd.example+json", body).await.expect(201);
    // A body without a declaration counts as JSON, and an empty one has no media type.
    owner.send(owner.request(Method::POST, PATH).body(body)).await.expect(201);
    owner.post_raw(PATH, "text/plain", "").await.refused("VALIDATION_ERROR", "Missing field: label");
    assert_eq!(owner.get(PATH).await.data().as_array().map(Vec::len), Some(3));

    let studio = app.studio().await;
    let answer = studio.key.post_raw("/developer/v1/extensions", "text/plain", "{}").await;
    let error = json!({
        "code": "validation_error", "message": "Content-Type must be application/json", "status": 415,
    });
    assert_eq!((answer.status, &answer.body["error"]), (415, &error));
    app.stop().await;
}

#[tokio::test]
async fn requests_that_grow_beyond_the_limit_are_refused_without_a_declared_length() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let chunks = (0..300).map(|_| Ok::<_, std::io::Error>(vec![b' '; 8 * 1024]));
    let body = reqwest::Body::wrap_stream(futures::stream::iter(chunks));
    let answer = owner.post_raw("/v1/api-keys", "application/json", body).await;
    assert_eq!(answer.status, 400);
    answer.refused("BAD_REQUEST", "Request body too large");
}

#[tokio::test]
async fn requests_of_anonymous_callers_are_limited_to_120_a_minute() {
    let app = TestApp::builder().with("LUMIO_RATE_ANONYMOUS", 120).start().await;
    app.begin_a_window(60);
    let anonymous = app.anonymous();
    for n in 1..=120_u32 {
        let answer = anonymous.get("/v1/platforms/enabled").await;
        assert_eq!(answer.status, 200, "request {n}");
        assert_eq!(answer.headers["x-ratelimit-limit"], "120");
        assert_eq!(answer.headers["x-ratelimit-remaining"], (120 - n).to_string().as_str());
    }
    let refused = anonymous.get("/v1/platforms/enabled").await;
    assert_eq!(refused.status, 429);
    refused.refused("RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    let wait: i64 = refused.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait));
    let reset: i64 = refused.headers["x-ratelimit-reset"].to_str().unwrap().parse().unwrap();
    assert_eq!(reset % 60, 0, "the window ends with the minute");
    assert_eq!(anonymous.graphql("{ __typename }", json!({})).await.status, 429, "GraphQL counts too");
    anonymous.get("/v1/health").await.expect(200);
    let owner = app.owner().await;
    owner.get("/v1/users/me").await.expect(200);
    let unseen = app.service_key(owner.account_id, &[]).await;
    unseen.get("/v1/tokens/me").await.expect(200);
}

#[tokio::test]
async fn requests_of_a_batch_count_its_operations_in_the_headers() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let remaining = |answer: &lumio_tests::Answer| -> i64 {
        answer.headers["x-ratelimit-remaining"].to_str().unwrap().parse().unwrap()
    };
    let first = remaining(&owner.get("/v1/users/me").await);
    let operation = json!({ "query": "{ me { id } }" });
    let second = remaining(&owner.post("/v1/gql", json!([operation, operation, operation])).await);
    assert_eq!(second, first - 3);
}
