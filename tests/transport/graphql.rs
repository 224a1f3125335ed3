//! GraphQL over HTTP: its limits, each crossed, and what its errors look like.

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
async fn documents_that_cannot_be_executed_are_400_with_a_code() {
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
async fn a_malformed_id_is_named_on_both_protocols() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let rest = owner.delete("/v1/users/me/sessions/mine").await;
    assert_eq!(rest.status, 400, "{}", rest.text);
    rest.refused("VALIDATION_ERROR", "Invalid UUID: id");
    // What is declared an id is checked with the document, before anything is executed (C §12).
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
async fn each_limit_is_a_limit() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let ask = async |query: String| owner.graphql(&query, json!({})).await;

    let deep = |levels: usize| format!("{{ {} x {} }}", "a { ".repeat(levels - 1), "} ".repeat(levels - 1));
    refused(&ask(deep(12)).await, 400, "GRAPHQL_VALIDATION_FAILED");
    let details = refused(&ask(deep(13)).await, 400, "QUERY_TOO_COMPLEX");
    assert_eq!(details, json!({ "limit": "depth", "allowed": 12, "asked": 13 }));
    // Far beyond what recursion bears.
    refused(&ask(deep(100_000)).await, 400, "QUERY_TOO_COMPLEX");

    let aliased = |times: usize| {
        format!("{{ {} }}", (0..times).map(|n| format!("a{n}: me {{ id }} ")).collect::<String>())
    };
    let most = ask(aliased(20)).await;
    assert_eq!((most.status, most.body["errors"].is_null()), (200, true), "{}", most.text);
    let details = refused(&ask(aliased(21)).await, 400, "QUERY_TOO_COMPLEX");
    assert_eq!(details["limit"], "aliases");

    let wide = |fields: usize| {
        format!("{{ me {{ {} }} }}", (0..fields).map(|n| format!("f{n}: id ")).collect::<String>())
    };
    assert_eq!(ask(wide(999)).await.status, 200);
    let details = refused(&ask(wide(1000)).await, 400, "QUERY_TOO_COMPLEX");
    assert_eq!(details["limit"], "complexity");

    // A document of a few hundred characters that expands to billions of fields.
    let bomb: String =
        (0..30).map(|n| format!("fragment f{n} on CurrentUser {{ ...f{} ...f{} }} ", n + 1, n + 1)).collect();
    let bomb = format!("{{ me {{ ...f0 }} }} {bomb} fragment f30 on CurrentUser {{ id }}");
    refused(&ask(bomb).await, 400, "QUERY_TOO_COMPLEX");
}

#[tokio::test]
async fn a_batch_holds_at_most_ten_operations() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let batch = async |operations: Vec<Value>| owner.post("/v1/gql", json!(operations)).await;
    let good = json!({ "query": "{ me { id } }" });
    let bad = json!({ "query": "{ nothing }" });

    let ten = batch(vec![good.clone(); 10]).await;
    let answers = ten.expect(200).as_array().unwrap();
    assert_eq!(answers.len(), 10);
    assert!(answers.iter().all(|answer| answer["data"]["me"]["id"] == json!(owner.user_id)));
    let eleven = batch(vec![good.clone(); 11]).await;
    assert_eq!(refused(&eleven, 400, "QUERY_TOO_COMPLEX")["limit"], "batch");
    refused(&batch(vec![]).await, 400, "BAD_REQUEST");

    let mixed = batch(vec![bad.clone(), good]).await;
    assert_eq!(mixed.expect(200)[0]["errors"][0]["extensions"]["code"], "GRAPHQL_VALIDATION_FAILED");
    assert_eq!(mixed.body[1]["data"]["me"]["id"], json!(owner.user_id));
    assert_eq!(batch(vec![bad.clone(), bad]).await.status, 400, "nothing was executed");
}

#[tokio::test]
async fn each_operation_of_a_batch_counts_as_a_request() {
    let app = TestApp::builder().with("LUMIO_RATE_ANONYMOUS", 12).start().await;
    app.begin_a_window(60);
    let anonymous = app.anonymous();
    let batch = async |size: usize| {
        anonymous.post("/v1/gql", json!(vec![json!({ "query": "{ __typename }" }); size])).await
    };
    let ten = batch(10).await;
    assert_eq!(ten.expect(200).as_array().map(Vec::len), Some(10));
    let over = batch(4).await;
    assert_eq!((over.status, &over.body["data"]), (429, &Value::Null), "{}", over.text);
    over.refused("RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    assert_eq!(over.header("x-ratelimit-remaining"), "0");
}

#[tokio::test]
async fn deployments_answer_no_batch() {
    let app = TestApp::builder()
        .with("LUMIO_ENV", "staging")
        .with("LUMIO_PUBLIC_URL", "https://api.example.com")
        .with("LUMIO_JWT_SECRET", "a secret of this test that is long enough")
        .with("LUMIO_ENCRYPTION_KEYS", "k1:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
        .start()
        .await;
    let query = json!({ "query": "{ __typename }" });
    let batch = app.anonymous().post("/v1/gql", json!([query])).await;
    refused(&batch, 400, "BAD_REQUEST");
    assert_eq!(batch.error().1, "Batches are answered in development only: send one operation");
    assert_eq!(app.anonymous().post("/v1/gql", query).await.data()["__typename"], "Query");
}

#[tokio::test]
async fn refusals_before_execution_have_the_shape_of_graphql() {
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
async fn a_credential_that_cannot_be_looked_up_is_a_database_error_in_the_shape_of_graphql() {
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
async fn a_bad_credential_is_told_before_a_mistake_of_the_document() {
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
async fn clients_that_name_the_media_type_of_graphql_get_it() {
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
async fn an_executed_operation_tells_what_it_cost() {
    let app = TestApp::start().await;
    let cost = async |query: &str, variables: Value| {
        app.anonymous().graphql(query, variables).await.body["extensions"]["cost"].clone()
    };
    assert_eq!(cost("{ plans { id name } }", json!({})).await, json!({ "asked": 3, "allowed": 1000 }));
    let store =
        "query($s: String, $n: Int) { storeExtensions(search: $s, limit: $n) { total items { id } } }";
    assert_eq!(cost(store, json!({ "n": 100 })).await["asked"], 31);
    assert_eq!(cost(store, json!({})).await["asked"], 10, "a page of 25");
    let refused = app.anonymous().graphql("{ nothing }", json!({})).await;
    assert!(refused.body.get("extensions").is_none(), "nothing was executed: {}", refused.text);
}

#[tokio::test]
async fn no_variable_hides_the_limit() {
    let app = TestApp::start().await;
    let twenty = |declared: &str, arguments: &str| {
        let fields: String = (0..20)
            .map(|n| {
                format!("a{n}: storeExtensions({arguments}) {{ items {{ id name a: id b: id c: id }} }} ")
            })
            .collect();
        format!("query{declared} {{ {fields} }}")
    };
    for (declared, arguments) in [
        ("", "limit: 100"),
        ("($s: String)", "search: $s, limit: 100"),
        ("($s: String, $l: Int)", "search: $s, limit: $l"),
        ("($s: String, $l: Int = 100)", "limit: $l, search: $s"),
    ] {
        let mut variables = json!({ "s": "a" });
        if !declared.contains('=') {
            variables["l"] = 100.into();
        }
        let answer = app.anonymous().graphql(&twenty(declared, arguments), variables).await;
        let details = refused(&answer, 400, "QUERY_TOO_COMPLEX");
        assert_eq!(
            (&details["limit"], &details["allowed"]),
            (&json!("complexity"), &json!(1000)),
            "{arguments}"
        );
    }
}

#[tokio::test]
async fn what_validation_would_multiply_is_refused_before_it() {
    let app = TestApp::start().await;
    let ask = async |query: String| app.anonymous().graphql(&query, json!({})).await;
    let fragments = |count: usize| {
        let spreads: String = (0..count).map(|n| format!("...f{n} ")).collect();
        let all: String = (0..count).map(|n| format!("fragment f{n} on CurrentUser {{ id }} ")).collect();
        format!("{{ me {{ {spreads} }} }} {all}")
    };
    assert_eq!(ask(fragments(50)).await.status, 200);
    assert_eq!(refused(&ask(fragments(51)).await, 400, "QUERY_TOO_COMPLEX")["limit"], "fragments");
    let spreads = |count: usize| {
        format!("{{ me {{ id {} }} }} fragment f on CurrentUser {{ id }}", "...f ".repeat(count))
    };
    assert_eq!(ask(spreads(100)).await.status, 200);
    assert_eq!(refused(&ask(spreads(101)).await, 400, "QUERY_TOO_COMPLEX")["limit"], "spreads");
    let inline = format!("{{ me {{ {} }} }}", "... { id } ".repeat(101));
    assert_eq!(refused(&ask(inline).await, 400, "QUERY_TOO_COMPLEX")["limit"], "spreads");
    let tokens = refused(&ask("{ a } ".repeat(5_001)).await, 400, "QUERY_TOO_COMPLEX");
    assert_eq!(tokens, json!({ "limit": "tokens", "allowed": 15_000, "asked": 15_001 }));
    let values =
        json!({ "query": "query($v: [Int]) { plans { id } }", "variables": { "v": vec![1; 10_001] } });
    let values = app.anonymous().post("/v1/gql", values).await;
    assert_eq!(refused(&values, 400, "QUERY_TOO_COMPLEX")["limit"], "values");
}

#[tokio::test]
async fn introspection_follows_the_explorer() {
    let query = "{ __schema { queryType { name } } }";
    let open = TestApp::start().await;
    assert_eq!(
        open.anonymous().graphql(query, json!({})).await.data()["__schema"]["queryType"]["name"],
        "Query"
    );
    let closed = TestApp::builder().with("LUMIO_GRAPHIQL", "false").start().await;
    refused(&closed.anonymous().graphql(query, json!({})).await, 400, "GRAPHQL_VALIDATION_FAILED");
    refused(
        &closed.anonymous().graphql("{ __type(name: \"Query\") { name } }", json!({})).await,
        400,
        "GRAPHQL_VALIDATION_FAILED",
    );
    assert_eq!(closed.anonymous().graphql("{ __typename }", json!({})).await.data()["__typename"], "Query");
}

#[tokio::test]
async fn requests_that_are_no_graphql_are_bad_requests() {
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
    // What a form of another site can send with the popout's cookie.
    for forged in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""] {
        refused(&post(forged, br#"{"query":"{ __typename }"}"#.to_vec()).await, 400, "BAD_REQUEST");
    }
    let get = anonymous.send(anonymous.request(Method::GET, "/v1/gql?query={__typename}")).await;
    assert_eq!(get.status, 405, "a GET would let links execute");
}

#[tokio::test]
async fn refusals_of_operations_are_executed_answers() {
    let app = TestApp::start().await;
    let answer = app.anonymous().graphql("{ me { id } }", json!({})).await;
    assert_eq!(answer.status, 200);
    answer.refused("UNAUTHORIZED", "Authentication required");
    assert_eq!(answer.body["errors"][0]["path"], json!(["me"]));
}

#[tokio::test]
async fn a_document_that_is_sent_again_executes_again() {
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
async fn mutations_of_one_request_run_one_after_the_other() {
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

/// What juniper_actix makes of a document is what this transport makes of it.
#[tokio::test]
async fn sound_documents_are_answered_as_juniper_actix_answers_them() {
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
        // The cost is ours alone.
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
