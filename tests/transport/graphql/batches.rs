//! Batches of operations (reference/graphql.md#batches).

use lumio_tests::TestApp;
use serde_json::{Value, json};

use super::refused;

#[tokio::test]
async fn graphql_batch_holds_at_most_ten_operations() {
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
async fn graphql_batch_counts_each_operation_as_a_request() {
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
async fn graphql_batch_is_refused_outside_development() {
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
