//! Limits on the keys of a person: number, scopes, labels, expiries
//! (reference/credentials.md#personal-api-keys).

use chrono::{DateTime, Duration, Utc};
use diesel::{sql_query, sql_types};
use diesel_async::RunQueryDsl;
use futures::future::join_all;
use lumio_tests::{Person, Statements, TestApp, both_refused};
use serde_json::json;

use super::{create, create_over_graphql, labels};
use crate::text;

/// Inserts keys of a person, all with the same expiry.
async fn write_keys(app: &TestApp, person: &Person, count: i32, expires_at: Option<DateTime<Utc>>) {
    sql_query(
        "INSERT INTO user_api_keys (id, user_id, account_id, key_hash, key_prefix, label, permissions, expires_at) \
         SELECT gen_random_uuid(), $1, $2, sha256(gen_random_uuid()::text::bytea), 'lm_usr_', 'bot', '{}', $4 \
         FROM generate_series(1, $3)",
    )
    .bind::<sql_types::Uuid, _>(person.user_id)
    .bind::<sql_types::Uuid, _>(person.account_id)
    .bind::<sql_types::Int4, _>(count)
    .bind::<sql_types::Nullable<sql_types::Timestamptz>, _>(expires_at)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
}

#[tokio::test]
async fn create_user_api_key_is_limited_to_twenty_active_keys() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let colleague = app.member_as(owner.account_id, "administrator").await;
    write_keys(&app, &owner, 18, None).await;
    write_keys(&app, &owner, 1, Some(app.clock.now() + Duration::minutes(1))).await;
    let answers = join_all((0..4).map(|_| create(&owner, &[]))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    let graphql = create_over_graphql(&owner, &[]).await;
    both_refused(&create(&owner, &[]).await, &graphql, 403, "PLAN_LIMIT_REACHED", "API key limit reached");
    let listed = owner.get("/v1/api-keys").await;
    assert_eq!(
        (listed.data().as_array().unwrap().len(), app.audited("api_key:created").await.len()),
        (20, 1)
    );
    create(&colleague, &[]).await.expect(201);
    // The limit covers all accounts of the person.
    let elsewhere = app.owner().await.account_id;
    app.join(elsewhere, owner.user_id, "administrator").await;
    let session = app.session(owner.user_id, elsewhere).await;
    create(&session, &[]).await.refused("PLAN_LIMIT_REACHED", "API key limit reached");
    // Expired and deleted keys do not count.
    app.clock.advance(Duration::minutes(2));
    create(&owner, &[]).await.expect(201);
    create(&owner, &[]).await.refused_with("PLAN_LIMIT_REACHED");
    owner.delete(&format!("/v1/api-keys/{}", text(&listed.data()[0], "/id"))).await;
    create(&owner, &[]).await.expect(201);
}

#[tokio::test]
async fn create_user_api_key_is_limited_to_a_thousand_per_account() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    write_keys(&app, &owner, 999, Some(app.clock.now() - Duration::minutes(1))).await;
    create(&owner, &[]).await.expect(201);
    let graphql = create_over_graphql(&owner, &[]).await;
    both_refused(&create(&owner, &[]).await, &graphql, 403, "PLAN_LIMIT_REACHED", "API key limit reached");
    assert_eq!(owner.get("/v1/api-keys").await.data().as_array().unwrap().len(), 1000);
}

#[tokio::test]
async fn create_user_api_key_limits_the_number_of_scopes() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let many: Vec<&str> = std::iter::repeat_n("chat:read", 134).collect();
    let (rest, graphql) = (create(&owner, &many).await, create_over_graphql(&owner, &many).await);
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "permissions must hold at most 133 scopes");
    assert_eq!(labels(&app).await, Vec::<String>::new());
    create(&owner, &many[1..]).await.expect(201);
}

#[tokio::test]
async fn create_user_api_key_validates_label_and_expiry() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let existing = create(&owner, &[]).await;
    let path = format!("/v1/api-keys/{}", text(existing.data(), "/id"));
    let past = (app.clock.now() - Duration::seconds(1)).to_rfc3339();
    for (input, message) in [
        (json!({ "label": " ", "permissions": [] }), "label must not be empty"),
        (
            json!({ "label": "x".repeat(101), "permissions": [] }),
            "label must be between 1 and 100 characters",
        ),
        (json!({ "label": "a\nb", "permissions": [] }), "label must not contain control characters"),
        (json!({ "label": "x", "permissions": [], "expires_at": past }), "expires_at cannot be in the past"),
        (
            json!({ "label": "x", "permissions": [], "expires_at": "tomorrow" }),
            "expires_at must be a time in RFC 3339, for example 2030-01-31T12:00:00Z",
        ),
    ] {
        let rest = owner.post("/v1/api-keys", input.clone()).await;
        let graphql = owner.mutate("createUserApiKey", &input, "{ key }").await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    for label in ["", &"x".repeat(101)] {
        owner.patch(&path, json!({ "label": label })).await.refused_with("VALIDATION_ERROR");
    }
    owner.post("/v1/api-keys", json!({})).await.refused("VALIDATION_ERROR", "Missing field: label");
    owner.post("/v1/api-keys", json!({ "label": 1 })).await.refused_with("VALIDATION_ERROR");
    let large = json!({ "label": "x".repeat(1024 * 1024), "permissions": [] });
    let answer = owner.post("/v1/api-keys", large).await;
    assert_eq!(answer.status, 400);
    answer.refused("BAD_REQUEST", "Request body too large");
    owner
        .patch("/v1/api-keys/1", json!({ "label": "x" }))
        .await
        .refused("VALIDATION_ERROR", "Invalid UUID: id");
    assert_eq!(labels(&app).await, ["bot"]);
    let longest =
        json!({ "label": "ß".repeat(100), "permissions": [], "expires_at": "2999-01-01T00:00:00+02:00" });
    let created = owner.post("/v1/api-keys", longest).await;
    let expires_at: DateTime<Utc> = text(created.data(), "/expires_at").parse().unwrap();
    assert_eq!(expires_at.to_rfc3339(), "2998-12-31T22:00:00+00:00");
}

#[tokio::test]
async fn user_api_keys_reads_a_thousand_keys_in_one_statement() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let owner = app.owner().await;
    sql_query(
        "INSERT INTO user_api_keys (id, user_id, account_id, key_hash, key_prefix, label, permissions) \
         SELECT gen_random_uuid(), $1, $2, sha256(n::text::bytea), 'lm_usr_', 'bot', '{chat:read}' \
         FROM generate_series(1, 1000) n",
    )
    .bind::<sql_types::Uuid, _>(owner.user_id)
    .bind::<sql_types::Uuid, _>(owner.account_id)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    statements.list_a_thousand(&app, &owner, "/v1/api-keys", "user_api_keys").await;
}
