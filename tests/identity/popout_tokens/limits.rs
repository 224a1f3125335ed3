//! Limits on labels, expiries and the number of tokens of an account
//! (reference/credentials.md#popout-tokens).

use chrono::Duration;
use diesel::{sql_query, sql_types};
use diesel_async::RunQueryDsl;
use futures::future::join_all;
use lumio_tests::{Statements, TestApp, both_refused};
use serde_json::json;

use super::{create, create_over_graphql, update_over_graphql};
use crate::text;

#[tokio::test]
async fn create_popout_token_and_update_validate_label_and_expiry() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let kept = create(&owner, json!({ "permissions": ["chat:read"], "label": "ß".repeat(100) })).await;
    let id = text(kept.data(), "/popout_token/id");
    let past = (app.clock.now() - Duration::seconds(1)).to_rfc3339();
    let time = "expires_at must be a time in RFC 3339, for example 2030-01-31T12:00:00Z";
    for (field, value, message) in [
        ("label", json!("x".repeat(101)), "label must be between 0 and 100 characters"),
        ("label", json!("a\nb"), "label must not contain control characters"),
        ("expires_at", json!("tomorrow"), time),
        ("expires_at", json!(past), "expires_at cannot be in the past"),
    ] {
        let mut input = json!({ "permissions": ["chat:read"] });
        input[field] = value.clone();
        let (rest, graphql) =
            (create(&owner, input.clone()).await, create_over_graphql(&owner, &input).await);
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
        if message != "expires_at cannot be in the past" {
            let changes = json!({ field: value });
            let rest = owner.patch(&format!("/v1/tokens/{id}"), changes.clone()).await;
            both_refused(
                &rest,
                &update_over_graphql(&owner, id, &changes).await,
                400,
                "VALIDATION_ERROR",
                message,
            );
        }
    }
    let changes = json!({ "permissions": null });
    let rest = owner.patch(&format!("/v1/tokens/{id}"), changes.clone()).await;
    let graphql = update_over_graphql(&owner, id, &changes).await;
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "permissions cannot be null");
    assert_eq!(owner.get("/v1/tokens").await.data(), &json!([kept.data()["popout_token"]]));
}

#[tokio::test]
async fn popout_tokens_are_limited_to_a_thousand_and_read_in_one_statement() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let owner = app.owner().await;
    sql_query(
        "INSERT INTO popout_tokens (id, account_id, user_id, created_by, token_hash, token_prefix, permissions) \
         SELECT gen_random_uuid(), $1, $2, $2, sha256(n::text::bytea), 'lm_pop_', '{chat:read}' \
         FROM generate_series(1, 999) n",
    )
    .bind::<sql_types::Uuid, _>(owner.account_id)
    .bind::<sql_types::Uuid, _>(owner.user_id)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    let input = json!({ "permissions": ["chat:read"] });
    let answers = join_all((0..4).map(|_| create(&owner, input.clone()))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    let (rest, graphql) = (create(&owner, input.clone()).await, create_over_graphql(&owner, &input).await);
    both_refused(&rest, &graphql, 403, "PLAN_LIMIT_REACHED", "Popout token limit reached");
    statements.list_a_thousand(&app, &owner, "/v1/tokens", "popout_tokens").await;
}
