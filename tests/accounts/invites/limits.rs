//! Limits on the number of invites and members of an account (reference/accounts.md#limits).

use diesel::sql_query;
use diesel_async::RunQueryDsl;
use lumio_tests::{TestApp, both_refused};
use serde_json::json;

use super::{accept, accept_over_graphql, count_of_invites, create, create_over_graphql, invited, stranger};
use crate::role_id;

#[tokio::test]
async fn create_invite_is_limited_per_account() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let viewer = role_id(&app, owner.account_id, "viewer").await;
    let fill = format!(
        "INSERT INTO invites (id, account_id, code, role_id, method, created_by) \
         SELECT gen_random_uuid(), '{}', 'code' || n, '{viewer}', 'link', '{}' FROM generate_series(1, 500) AS n",
        owner.account_id, owner.user_id
    );
    sql_query(fill).execute(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap();
    let input = json!({ "role_id": viewer, "method": "link" });
    let graphql = create_over_graphql(&owner, &input).await;
    both_refused(&create(&owner, &input).await, &graphql, 403, "PLAN_LIMIT_REACHED", "Invite limit reached");
    // Expired invites do not count.
    sql_query("UPDATE invites SET expires_at = now() - interval '1 hour' WHERE code IN ('code1', 'code2')")
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    create(&owner, &input).await.expect(201);
    assert_eq!(count_of_invites(&app).await, 499);
    assert_eq!(owner.get("/v1/invites").await.data().as_array().unwrap().len(), 499);
}

#[tokio::test]
async fn accept_invite_is_limited_by_the_number_of_members() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (_, code) = invited(&app, &owner, json!({})).await;
    let mut db = app.databases.postgres.get().await.unwrap();
    for sql in [
        "INSERT INTO users (id, display_name, username) SELECT gen_random_uuid(), 'Many', 'many' || n \
         FROM generate_series(1, 4999) AS n"
            .to_owned(),
        format!(
            "INSERT INTO memberships (id, account_id, user_id, role_id) SELECT gen_random_uuid(), '{0}', users.id, \
             (SELECT id FROM account_roles WHERE account_id = '{0}' AND slug = 'viewer') FROM users \
             WHERE username LIKE 'many%'",
            owner.account_id
        ),
    ] {
        sql_query(sql).execute(&mut *db).await.unwrap();
    }
    drop(db);
    let person = stranger(&app).await;
    let graphql = accept_over_graphql(&person, &code).await;
    both_refused(&accept(&person, &code).await, &graphql, 403, "PLAN_LIMIT_REACHED", "Member limit reached");
    assert_eq!(owner.get("/v1/invites").await.data()[0]["use_count"], 0);
}
