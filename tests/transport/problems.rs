//! Problem details of RFC 9457 (reference/errors.md#problem-details).

use lumio_tests::{Answer, Caller, TestApp};
use reqwest::Method;
use serde_json::{Value, json};

const PROBLEM: &str = "application/problem+json";

async fn sent(caller: &Caller, method: Method, path: &str) -> Answer {
    caller.send(caller.request(method, path).header("accept", PROBLEM)).await
}

#[tokio::test]
async fn problems_are_made_of_refusals_of_layers_and_operations() {
    let app = TestApp::start().await;
    let (owner, anonymous) = (app.owner().await, app.anonymous());
    let message = "limit must be between 1 and 100";
    let fields = json!({ "fields": [{ "field": "limit", "message": message }] });
    let nothing = Value::Null;
    let (read, write) = (Method::GET, Method::PUT);
    for (caller, method, path, (status, title), (code, detail), details) in [
        (
            &anonymous,
            &read,
            "/v1/nothing",
            (404, "Not Found"),
            ("NOT_FOUND", "There is no such route"),
            &nothing,
        ),
        (
            &anonymous,
            &write,
            "/v1/api-keys",
            (405, "Method Not Allowed"),
            ("BAD_REQUEST", "Method PUT is not allowed here"),
            &nothing,
        ),
        (
            &anonymous,
            &read,
            "/v1/roles",
            (401, "Unauthorized"),
            ("UNAUTHORIZED", "Authentication required"),
            &nothing,
        ),
        (
            &anonymous,
            &read,
            "/developer/v1/extensions",
            (401, "Unauthorized"),
            ("unauthorized", "Authentication required"),
            &nothing,
        ),
        (
            &owner.caller,
            &read,
            "/v1/events?limit=500",
            (400, "Bad Request"),
            ("VALIDATION_ERROR", message),
            &fields,
        ),
    ] {
        let answer = sent(caller, method.clone(), path).await;
        assert_eq!((answer.status, answer.header("content-type")), (status, PROBLEM), "{path}");
        let mut expected = json!({
            "type": "about:blank", "title": title, "status": status, "detail": detail, "code": code,
        });
        if path != "/v1/nothing" {
            expected["instance"] = path.into();
        }
        if !details.is_null() {
            expected["details"] = details.clone();
        }
        assert_eq!(answer.body, expected, "{path}");
        assert!(!answer.header("x-request-id").is_empty(), "{path}");
        assert_eq!(answer.header("allow").is_empty(), status != 405, "{path}");
        let length = answer.header("content-length");
        assert!(length.is_empty() || length == answer.text.len().to_string(), "{path}: {length}");
    }
    app.stop().await;
}

#[tokio::test]
async fn problems_have_no_instance_where_the_path_has_a_secret() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for (method, path, status) in [
        (Method::GET, "/v1/history/shared/a-secret", 401),
        (Method::GET, "/v1/history/shared/a-secret/export?format=csv", 401),
        (Method::PUT, "/v1/history/shared/a-secret/page", 405),
        (Method::GET, "/v1/invites/a-secret", 404),
        (Method::POST, "/v1/invites/a-secret/accept", 404),
        (Method::GET, "/v1/developer/team-invites/a-secret", 404),
        (Method::GET, "/v1/invites/a-secret/", 404),
        (Method::GET, "/v1/history/shared/a-secret/unknown", 404),
    ] {
        let answer = sent(&owner, method, path).await;
        assert_eq!((answer.status, answer.header("content-type")), (status, PROBLEM), "{path}");
        assert_eq!(answer.body["status"], status, "{path}");
        assert!(answer.body.get("instance").is_none(), "{}", answer.text);
        assert!(!answer.text.contains("a-secret"), "{}", answer.text);
    }
    app.stop().await;
}

#[tokio::test]
async fn problems_replace_no_other_answers() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let roles = sent(&owner, Method::GET, "/v1/roles").await;
    assert_eq!((roles.status, roles.header("content-type")), (200, "application/json"));
    assert!(roles.data().is_array());
    let plain = owner.get("/v1/events?limit=500").await;
    assert_eq!(plain.header("content-type"), "application/json");
    plain.refused("VALIDATION_ERROR", "limit must be between 1 and 100");
    let request = owner.request(Method::POST, "/v1/gql").header("accept", PROBLEM);
    let graphql = owner.send(request.json(&json!({ "query": "{ nothing }" }))).await;
    assert_eq!(graphql.header("content-type"), "application/json");
    assert_eq!(graphql.error().0, "GRAPHQL_VALIDATION_FAILED");
    app.stop().await;
}
