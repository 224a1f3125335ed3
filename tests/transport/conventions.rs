//! Conventions of every route (reference/conventions.md#queries).

use lumio_tests::{Answer, Caller, TestApp};
use reqwest::Method;
use serde_json::{Value, json};

async fn head(caller: &Caller, path: &str) -> Answer {
    caller.send(caller.request(Method::HEAD, path)).await
}

#[tokio::test]
async fn conventions_answer_head_wherever_get_is_without_a_body() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let anonymous = app.anonymous();
    for (caller, path) in [
        (&anonymous, "/v1"),
        (&anonymous, "/v1/health"),
        (&anonymous, "/v1/plans"),
        (&anonymous, "/v1/openapi.json"),
        (&anonymous, "/v1/roles"),
        (&anonymous, "/v1/nothing"),
        (&anonymous, "/.well-known/security.txt"),
        (&owner.caller, "/v1/users/me"),
        (&owner.caller, "/v1/roles/x"),
        (&owner.caller, "/developer/v1/extensions"),
    ] {
        let (get, head) = (caller.get(path).await, head(caller, path).await);
        assert_eq!(head.status, get.status, "{path}");
        assert_eq!(head.text, "", "{path}");
        assert_eq!(head.header("content-type"), get.header("content-type"), "{path}");
        if path != "/v1/health" {
            assert_eq!(head.header("content-length"), get.header("content-length"), "{path}");
        }
    }
    assert_eq!(head(&owner, "/v1/gql").await.status, 405, "POST only");
    owner.get("/v1/users/me").await.expect(200);
}

#[tokio::test]
async fn conventions_take_a_trailing_slash_as_another_path() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for path in ["/v1/", "/v1/plans/", "/v1/roles/", "/v1/users/me/", "/v1/health/"] {
        assert_eq!(owner.get(path).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn conventions_refuse_unknown_query_parameters_by_name() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let refused = owner.get("/v1/events?event_type=twitch:cheer&limit=5&q=1").await;
    assert_eq!(refused.status, 400);
    let allowed = "Allowed: types, platform, search, from, to, page, limit, cursor";
    refused.refused("VALIDATION_ERROR", &format!("Unknown query parameter: event_type. {allowed}"));
    assert_eq!(
        refused.body["details"],
        json!({ "fields": [
            { "field": "event_type", "message": format!("Unknown query parameter: event_type. {allowed}") },
            { "field": "q", "message": format!("Unknown query parameter: q. {allowed}") },
        ] })
    );
    owner.get("/v1/events?limit=5&types=twitch:cheer").await.expect(200);
    // A permission is checked first, a route without a documented query takes any parameter, and `token` may be in
    // every query.
    let without = app.member_with(owner.account_id, &["chat:read"]).await;
    without.get("/v1/events?q=1").await.refused("FORBIDDEN", "Missing permission: events:read");
    owner.get("/v1/roles?q=1").await.expect(200);
    owner.get("/v1/events?token=x").await.expect(200);
    let popout = app.popout(&owner, &["events:read"]).await;
    app.anonymous().get(&format!("/v1/events?token={}&limit=1", popout.token())).await.expect(200);
    // Platforms add parameters to their callbacks.
    let callback = app.anonymous().get("/v1/connections/oauth/twitch/exchange?code=a&state=b&iss=c").await;
    assert_ne!(callback.error().0, "VALIDATION_ERROR", "{}", callback.text);
}

/// True when the API alone defines the query of an operation, and reads it before the credential.
fn has_query_of_ours(path: &str, operation: &Value) -> bool {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let mut named = parameters.filter(|parameter| parameter["in"] == "query" && parameter["name"] != "token");
    let exempt = ["/webhooks/", "/extension-bundles/", "/media/", "/exchange", "/shared/{token}"];
    named.next().is_some() && !exempt.iter().any(|part| path.contains(part))
}

/// Path of a route, with unused ids.
fn filled(path: &str) -> String {
    let segments = path.split('/').map(|segment| match segment {
        "{platform}" => "twitch",
        other if other.starts_with('{') => "00000000-0000-0000-0000-000000000000",
        other => other,
    });
    segments.collect::<Vec<_>>().join("/")
}

#[tokio::test]
async fn conventions_refuse_undocumented_parameters_on_every_documented_query() {
    let app = TestApp::start().await;
    let owner = app.system_admin().await;
    app.override_every_feature(owner.account_id, true).await;
    let (studio, workers) = (app.studio().await, app.system_key().await);
    let document = app.anonymous().get("/v1/openapi.json").await.body;
    let mut others = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if !has_query_of_ours(path, operation) {
                continue;
            }
            let (caller, status) = asked_by(path, [&studio.key, &workers, &owner]);
            let method: Method = method.to_uppercase().parse().unwrap();
            let request = caller.request(method, &format!("{}?nonsense=1", filled(path)));
            let answer = caller.send(request.json(&json!({}))).await;
            if answer.status != status
                || !answer.text.contains("Unknown query parameter: nonsense. Allowed: ")
            {
                others.push(format!("{path}: {}", answer.text));
            }
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
}

/// Caller for a path, and the status of a wrong query there.
fn asked_by<'a>(path: &str, [developer, worker, person]: [&'a Caller; 3]) -> (&'a Caller, u16) {
    match path {
        path if path.starts_with("/developer/") => (developer, 422),
        path if path.starts_with("/v1/internal/") => (worker, 400),
        _ => (person, 400),
    }
}

/// Names and bounds of the numbers in a query.
fn bounds(operation: &Value) -> Vec<(&str, i64, i64)> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let queries = parameters.filter(|parameter| parameter["in"] == "query");
    let bound =
        |parameter: &'_ Value, bound: &str| parameter["schema"][bound].as_f64().map(|number| number as i64);
    let bounds = queries.filter_map(|parameter| {
        Some((parameter["name"].as_str()?, bound(parameter, "minimum")?, bound(parameter, "maximum")?))
    });
    bounds.collect()
}

/// Required query parameters, from the document's examples.
fn required_query(operation: &Value) -> String {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let required = parameters.filter(|parameter| parameter["in"] == "query" && parameter["required"] == true);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    required.map(|one| format!("{}={}&", text(&one["name"]), text(&one["example"]))).collect()
}

#[tokio::test]
async fn conventions_hold_numbers_of_a_query_to_the_documented_bounds() {
    let app = TestApp::start().await;
    let owner = app.system_admin().await;
    app.override_every_feature(owner.account_id, true).await;
    let (studio, workers) = (app.studio().await, app.system_key().await);
    let document = app.anonymous().get("/v1/openapi.json").await.body;
    let (mut asked, mut others) = (0, Vec::new());
    for (path, item) in document["paths"].as_object().unwrap() {
        let (caller, refused) = asked_by(path, [&studio.key, &workers, &owner]);
        for (name, min, max) in bounds(&item["get"]) {
            for (number, is_allowed) in [(min - 1, false), (min, true), (max, true), (max + 1, false)] {
                let query = format!("{}{name}={number}", required_query(&item["get"]));
                let answer = caller.get(&format!("{}?{query}", filled(path))).await;
                let named = [format!("{name} must be "), format!("Invalid {name}: must be ")];
                let is_named =
                    answer.status == refused && named.iter().any(|text| answer.text.contains(text));
                if is_named == is_allowed {
                    others.push(format!("{path} {name}={number}: {}", answer.text));
                }
            }
            asked += 1;
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
    assert!(asked > 20, "{asked} numbers");
}

#[tokio::test]
async fn conventions_forbid_caching_unless_declared() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let made = owner.post("/v1/api-keys", json!({ "label": "a", "permissions": ["chat:read"] })).await;
    for answer in [
        &made,
        &owner.get("/v1/users/me").await,
        &owner.get("/v1/nothing").await,
        &owner.graphql("{ me { id } }", json!({})).await,
        &app.anonymous().get("/v1/roles").await,
    ] {
        assert_eq!(answer.header("cache-control"), "private, no-store", "{}", answer.text);
    }
}

#[tokio::test]
async fn conventions_give_created_resources_a_location() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let key = owner.post("/v1/api-keys", json!({ "label": "a", "permissions": ["chat:read"] })).await;
    assert_eq!(key.status, 201);
    assert_eq!(json!(key.header("location")), key.body["_links"]["self"]["href"]);
    let role = owner.post("/v1/roles", json!({ "name": "Night shift", "permissions": ["chat:read"] })).await;
    assert_eq!(role.status, 201, "{}", role.text);
    assert_eq!(json!(role.header("location")), role.body["_links"]["self"]);
    assert_eq!(owner.get(role.header("location")).await.data()["name"], "Night shift");
}

#[tokio::test]
async fn conventions_send_both_families_of_rate_limit_headers() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let answer = owner.get("/v1/users/me").await;
    assert_eq!(answer.header("ratelimit-policy"), "\"session\";q=100000;w=60");
    let remaining = answer.header("x-ratelimit-remaining");
    assert!(answer.header("ratelimit").starts_with(&format!("\"session\";r={remaining};t=")));
}

#[tokio::test]
async fn conventions_name_a_refused_field_in_the_details() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let fields = async |path: &str, body: Value| {
        let answer = owner.post(path, body).await;
        assert_eq!((answer.status, answer.error().0.as_str()), (400, "VALIDATION_ERROR"), "{}", answer.text);
        let field = answer.body["details"]["fields"][0].clone();
        assert_eq!(field["message"], answer.body["message"]);
        field["field"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(fields("/v1/api-keys", json!({ "permissions": ["chat:read"] })).await, "label");
    assert_eq!(fields("/v1/api-keys", json!({ "label": 1, "permissions": [] })).await, "label");
    assert_eq!(fields("/v1/api-keys", json!({ "label": " ", "permissions": ["chat:read"] })).await, "label");
    let twin = owner
        .graphql(
            "mutation($input: CreateUserApiKeyInput!) { createUserApiKey(input: $input) { key } }",
            json!({ "input": { "label": " ", "permissions": ["chat:read"] } }),
        )
        .await;
    assert_eq!(
        twin.body["errors"][0]["extensions"]["details"]["fields"][0]["field"], "label",
        "{}",
        twin.text
    );
}

#[tokio::test]
async fn conventions_answer_an_excessive_preflight_without_a_permission() {
    let app = TestApp::builder().with("LUMIO_ALLOWED_ORIGINS", "https://app.lumio.example").start().await;
    let anonymous = app.anonymous();
    let preflight = async |headers: &str, method: &str| {
        let request = anonymous
            .request(Method::OPTIONS, "/v1/api-keys")
            .header("origin", "https://app.lumio.example")
            .header("access-control-request-method", method)
            .header("access-control-request-headers", headers);
        anonymous.send(request).await
    };
    for headers in [
        "idempotency-key, content-type",
        "if-match",
        "if-none-match",
        "x-share-password",
        "traceparent, tracestate",
        "authorization, content-type, x-request-id",
    ] {
        let allowed = preflight(headers, "POST").await;
        assert_eq!(allowed.header("access-control-allow-origin"), "https://app.lumio.example", "{headers}");
    }
    for (headers, method) in [("x-other", "POST"), ("", "TRACE")] {
        let refused = preflight(headers, method).await;
        assert_eq!((refused.status, refused.text.as_str()), (204, ""), "{headers} {method}");
        for name in ["origin", "headers", "methods", "credentials"] {
            assert_eq!(refused.header(&format!("access-control-allow-{name}")), "", "{headers} {method}");
        }
    }
    let seen = anonymous.request(Method::GET, "/v1/plans").header("origin", "https://app.lumio.example");
    let exposed = anonymous.send(seen).await.header("access-control-expose-headers").to_owned();
    for name in [
        "deprecation",
        "etag",
        "idempotency-replayed",
        "link",
        "location",
        "ratelimit",
        "ratelimit-policy",
        "retry-after",
        "sunset",
        "traceparent",
        "x-request-id",
    ] {
        assert!(exposed.split(", ").any(|header| header == name), "{name} in {exposed}");
    }
}

#[tokio::test]
async fn conventions_give_security_txt_an_expiry() {
    let app = TestApp::start().await;
    let text = app.anonymous().get("/.well-known/security.txt").await.text;
    let expires = text.lines().find_map(|line| line.strip_prefix("Expires: ")).unwrap();
    let expires: chrono::DateTime<chrono::Utc> = expires.parse().unwrap();
    let left = expires - app.clock.now();
    assert!(left > chrono::TimeDelta::days(30) && left < chrono::TimeDelta::days(365), "{expires}");
}
