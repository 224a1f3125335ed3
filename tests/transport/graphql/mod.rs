//! GraphQL over HTTP: its answers, and the form of its errors (reference/graphql.md#answers).

mod batches;
mod bounds;
mod introspection;

use actix_web::{FromRequest, body::to_bytes, test::TestRequest, web::Payload};
use api_core::{
    Cx,
    access::{Presented, RequestInfo, Transport, resolve},
};
use lumio_tests::{Answer, Person, TestApp};
use reqwest::Method;
use serde_json::{Value, json};
use shared::secret::Secret;

#[track_caller]
fn refused(answer: &Answer, status: u16, code: &str) -> Value {
    assert_eq!(answer.status, status, "{}", answer.text);
    let error = &answer.body["errors"][0];
    assert_eq!(error["extensions"]["code"], code, "{}", answer.text);
    assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()));
    assert!(answer.body.get("data").is_none(), "nothing was executed");
    error["extensions"]["details"].clone()
}

#[tokio::test]
async fn graphql_documents_that_cannot_be_executed_are_400_with_a_code() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let ask = async |query: &str, variables: Value| owner.graphql(query, variables).await;

    let parse = ask("{ me { id }", json!({})).await;
    refused(&parse, 400, "GRAPHQL_PARSE_FAILED");
    assert_eq!(parse.body["errors"][0]["locations"][0]["line"], 1);
    refused(&ask("{ nothing }", json!({})).await, 400, "GRAPHQL_VALIDATION_FAILED");
    refused(&ask("{ ...f } fragment f on Query { ...f }", json!({})).await, 400, "GRAPHQL_VALIDATION_FAILED");
    refused(&ask("subscription { x }", json!({})).await, 400, "GRAPHQL_VALIDATION_FAILED");
    refused(
        &ask("query a { __typename } query b { __typename }", json!({})).await,
        400,
        "GRAPHQL_VALIDATION_FAILED",
    );
    let missing =
        ask("query($kind: ApiKeyKind!) { apiKeyAssignablePermissions(kind: $kind) { key } }", json!({}))
            .await;
    refused(&missing, 400, "GRAPHQL_VALIDATION_FAILED");
    refused(&ask("", json!({})).await, 400, "GRAPHQL_PARSE_FAILED");
}

#[tokio::test]
async fn graphql_and_rest_report_a_malformed_id() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let rest = owner.delete("/v1/users/me/sessions/mine").await;
    assert_eq!(rest.status, 400, "{}", rest.text);
    rest.refused("VALIDATION_ERROR", "Invalid UUID: id");
    // An argument that is declared an id is validated with the document, before execution
    // (reference/graphql.md#document-errors).
    let document = "mutation($id: UUID!) { revokeSession(id: $id) }";
    let literal = "mutation { revokeSession(id: \"mine\") }";
    let of_variable = "Variable \"$id\" got invalid value. Expected input scalar `UUID`. Got: `\"mine\"`. Details: \
        Failed to parse `UUID`: invalid character: found `m` at 0.";
    let of_literal =
        "Invalid value for argument \"id\", reason: Invalid value \"\"mine\"\" for type \"UUID\"";
    for (document, message) in [(document, of_variable), (literal, of_literal)] {
        for caller in [&owner.caller, &app.anonymous()] {
            let answer = caller.graphql(document, json!({ "id": "mine" })).await;
            refused(&answer, 400, "GRAPHQL_VALIDATION_FAILED");
            answer.refused("GRAPHQL_VALIDATION_FAILED", message);
        }
    }
    assert!(app.audited("session:revoked").await.is_empty());
}

#[tokio::test]
async fn graphql_refusals_before_execution_have_the_shape_of_graphql() {
    let app = TestApp::builder().with("LUMIO_RATE_ANONYMOUS", 1).start().await;
    app.begin_a_window(60);
    let anonymous = app.anonymous();
    let ask = async || anonymous.graphql("{ __typename }", json!({})).await;
    ask().await;
    let over = ask().await;
    assert_eq!(over.status, 429, "{}", over.text);
    let error = json!({ "message": "Rate limit exceeded", "extensions": { "code": "RATE_LIMIT_EXCEEDED" } });
    assert_eq!(over.body, json!({ "data": null, "errors": [error] }));
    assert_eq!(over.header("x-ratelimit-remaining"), "0");
    assert!(over.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds > 0));
    assert_eq!(over.headers.get_all("retry-after").iter().count(), 1);
    let rest = anonymous.get("/v1/plans").await;
    assert_eq!(rest.status, 429);
    rest.refused("RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    assert_eq!(rest.body["error"], "RATE_LIMIT_EXCEEDED", "REST keeps its own");
}

#[tokio::test]
async fn graphql_returns_a_database_error_when_a_credential_lookup_fails() {
    let app = TestApp::builder()
        .with("DATABASE_URL", "postgres://lumio@127.0.0.1:1/none")
        .with("LUMIO_DATABASE_POOL_TIMEOUT_MS", 200)
        .start()
        .await;
    let bearer = app.bearer(format!("lm_usr_{}", "a".repeat(64)));
    let failed = bearer.graphql("{ roles { id } }", json!({})).await;
    assert_eq!(failed.status, 500, "{}", failed.text);
    let error = json!({ "message": "Internal database error", "extensions": { "code": "DATABASE_ERROR" } });
    assert_eq!(failed.body, json!({ "data": null, "errors": [error] }));
    assert!(failed.headers.contains_key("x-request-id"));
}

#[tokio::test]
async fn graphql_reports_a_bad_credential_before_a_document_error() {
    let app = TestApp::start().await;
    let malformed = "mutation { revokeSession(id: \"mine\") }";
    for token in ["lm_usr_unknown", "no.token.at-all"] {
        let bad = app.bearer(token);
        for query in [malformed, "{ nothing }", "{ me { id }", "mutation { revokeSession(id: MINE) }"] {
            let answer = bad.graphql(query, json!({})).await;
            refused(&answer, 401, "UNAUTHORIZED");
            answer.refused("UNAUTHORIZED", "Invalid or expired token");
        }
        let executed = bad.graphql("{ plans { id } me { id } }", json!({})).await;
        assert_eq!(executed.status, 200, "what is public is answered: {}", executed.text);
        let no_json = bad.post_raw("/v1/gql", "text/plain", "{}").await;
        refused(&no_json, 401, "UNAUTHORIZED");
    }
    refused(&app.anonymous().graphql(malformed, json!({})).await, 400, "GRAPHQL_VALIDATION_FAILED");
}

#[tokio::test]
async fn graphql_answers_with_its_media_type_when_requested() {
    let app = TestApp::builder().with("LUMIO_RATE_ANONYMOUS", 3).start().await;
    app.begin_a_window(60);
    let anonymous = app.anonymous();
    let ask = async |accept: &'static str, query: &'static str| {
        let request = anonymous.request(Method::POST, "/v1/gql").header("accept", accept);
        let answer = anonymous.send(request.json(&json!({ "query": query }))).await;
        (answer.status, answer.header("content-type").to_owned())
    };
    let (graphql, json) = ("application/graphql-response+json; charset=utf-8", "application/json");
    let accept = "application/graphql-response+json, application/json;q=0.9";
    assert_eq!(ask(accept, "{ __typename }").await, (200, graphql.to_owned()));
    assert_eq!(ask(accept, "{ nothing }").await, (400, graphql.to_owned()));
    assert_eq!(ask("application/json", "{ __typename }").await, (200, json.to_owned()));
    assert_eq!(ask(accept, "{ __typename }").await, (429, graphql.to_owned()));
    assert_eq!(ask("*/*", "{ __typename }").await, (429, json.to_owned()));
}

#[tokio::test]
async fn graphql_requests_that_are_malformed_are_bad_requests() {
    let app = TestApp::start().await;
    let anonymous = app.anonymous();
    let post =
        async |content_type: &str, body: Vec<u8>| anonymous.post_raw("/v1/gql", content_type, body).await;
    for body in [&b"{"[..], b"{\"query\":\"\xff\"}", b"null", b"[", b"[1]"] {
        let answer = post("application/json", body.to_vec()).await;
        assert_eq!(answer.status, 400, "{}", answer.text);
        assert!(answer.body["errors"][0]["extensions"]["code"].is_string(), "{}", answer.text);
    }
    refused(&post("application/json", b"{}".to_vec()).await, 400, "VALIDATION_ERROR");
    refused(&post("application/json", br#"{"query":1}"#.to_vec()).await, 400, "VALIDATION_ERROR");
    let large = format!(r#"{{"query":"{{ __typename }} #{}"}}"#, "x".repeat(1024 * 1024));
    let large = post("application/json", large.into_bytes()).await;
    refused(&large, 400, "BAD_REQUEST");
    assert_eq!(large.error().1, "Request body too large");
    let in_capitals = post("Application/JSON", br#"{"query":"{ __typename }"}"#.to_vec()).await;
    assert_eq!((in_capitals.status, in_capitals.data()), (200, &json!({ "__typename": "Query" })));
    // Requests that a form of another site can send with the popout's cookie.
    for forged in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""] {
        refused(&post(forged, br#"{"query":"{ __typename }"}"#.to_vec()).await, 400, "BAD_REQUEST");
    }
    let get = anonymous.send(anonymous.request(Method::GET, "/v1/gql?query={__typename}")).await;
    assert_eq!(get.status, 405, "a GET would let links execute");
}

#[tokio::test]
async fn graphql_refusals_of_operations_are_executed_answers() {
    let app = TestApp::start().await;
    let answer = app.anonymous().graphql("{ me { id } }", json!({})).await;
    assert_eq!(answer.status, 200);
    answer.refused("UNAUTHORIZED", "Authentication required");
    assert_eq!(answer.body["errors"][0]["path"], json!(["me"]));
}

#[tokio::test]
async fn graphql_document_that_is_sent_again_executes_again() {
    let app = TestApp::start().await;
    let (one, other) = (app.owner().await, app.owner().await);
    let query = "query who($skip: Boolean!) { me { id username @skip(if: $skip) } }";
    for person in [&one, &other, &one] {
        let answer = person.graphql(query, json!({ "skip": true })).await;
        assert_eq!(*answer.data(), json!({ "me": { "id": person.user_id } }));
    }
    let named =
        json!({ "query": "query a { a: __typename } query b { b: __typename }", "operationName": "b" });
    assert_eq!(*one.post("/v1/gql", named.clone()).await.data(), json!({ "b": "Query" }));
    let mut unknown = named;
    unknown["operationName"] = "c".into();
    refused(&one.post("/v1/gql", unknown).await, 400, "GRAPHQL_VALIDATION_FAILED");
}

#[tokio::test]
async fn graphql_mutations_of_one_request_run_in_sequence() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let fields: String =
        (0..10).map(|n| format!("k{n}: createUserApiKey(input: {{ label: \"key {n}\", permissions: [] }}) {{ apiKey {{ label }} }} ")).collect();
    let answer = owner.graphql(&format!("mutation {{ {fields} }}"), json!({})).await;
    assert!(answer.body["errors"].is_null(), "{}", answer.text);
    let listed = owner.get("/v1/api-keys").await;
    let labels: Vec<&str> =
        listed.data().as_array().unwrap().iter().map(|key| key["label"].as_str().unwrap()).collect();
    let expected: Vec<String> = (0..10).rev().map(|n| format!("key {n}")).collect();
    assert_eq!(labels, expected, "newest first");
}

/// This transport gives the same response to a document as juniper_actix.
#[tokio::test]
async fn graphql_answers_valid_documents_as_juniper_actix_does() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    owner.post("/v1/api-keys", json!({ "label": "one", "permissions": ["chat:read"] })).await.expect(201);
    let documents = [
        ("{ __typename }", json!({})),
        (
            "query($kind: ApiKeyKind = PERSONAL) { apiKeyAssignablePermissions(kind: $kind) { key } }",
            json!({ "kind": "SERVICE" }),
        ),
        (
            "query { me { ...f } userApiKeys { label permissions expiresAt } } fragment f on CurrentUser { id displayName }",
            json!({}),
        ),
    ];
    for (query, variables) in documents {
        let mut ours = owner.graphql(query, variables.clone()).await;
        let theirs =
            through_juniper_actix(&app, &owner, &json!({ "query": query, "variables": variables })).await;
        // The cost is only in Lumio's response.
        let extensions = ours.body.as_object_mut().unwrap().remove("extensions");
        assert!(extensions.is_some_and(|extensions| extensions["cost"]["asked"].is_u64()), "{query}");
        assert_eq!(ours.body, theirs, "{query}");
    }
}

async fn through_juniper_actix(app: &TestApp, person: &Person, body: &Value) -> Value {
    let presented = Presented { text: Secret::new(person.token()), transport: Transport::Header };
    let principal = resolve(&app.state, Some(&presented)).await.expect("the session resolves").principal;
    let cx = Cx::new(app.state.clone(), principal, RequestInfo::default());
    let (request, mut payload) = TestRequest::post().set_json(body).to_http_parts();
    let payload = Payload::from_request(&request, &mut payload).await.expect("a payload");
    let schema = lumio_api::graphql::schema(true);
    let response =
        juniper_actix::post_graphql_handler(schema, &cx, request, payload).await.expect("an answer");
    let body = to_bytes(response.into_body()).await.unwrap_or_else(|_| panic!("a whole body"));
    serde_json::from_slice(&body).expect("JSON")
}
