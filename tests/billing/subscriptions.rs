//! Subscriptions of all accounts, listed for operator staff (reference/billing.md#subscriptions).

use diesel::{sql_query, sql_types};
use diesel_async::RunQueryDsl;
use lumio_tests::{Statements, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{as_rest, ask, only_staff, plan_id};

const SUBSCRIPTION: &str = "{ id accountId accountName planId planSlug planName status renewsAt cancelledAt \
    createdAt updatedAt }";

/// Inserts a subscription of a new account; returns the account's id.
async fn subscribe(app: &TestApp, plan: Uuid, status: &str) -> Uuid {
    let account = app.owner().await.account_id;
    sql_query(
        "INSERT INTO subscriptions (id, account_id, plan_id, status, cancelled_at)
         VALUES (gen_random_uuid(), $1, $2, $3, CASE WHEN $3 = 'cancelled' THEN now() END)",
    )
    .bind::<sql_types::Uuid, _>(account)
    .bind::<sql_types::Uuid, _>(plan)
    .bind::<sql_types::Text, _>(status)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    account
}

#[tokio::test]
async fn admin_subscriptions_lists_the_newest_first_and_filters() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["subscriptions:read"]).await;
    let (pro, enterprise) = (plan_id(&app, "pro").await, plan_id(&app, "enterprise").await);
    let mut accounts = Vec::new();
    for (plan, status) in [(pro, "active"), (enterprise, "past_due"), (pro, "cancelled")] {
        accounts.push(subscribe(&app, plan, status).await);
    }
    accounts.reverse();
    let rest = admin.get("/v1/admin/subscriptions").await;
    let items = rest.data().as_array().unwrap();
    let listed: Vec<Value> = items.iter().map(|item| item["account_id"].clone()).collect();
    assert_eq!(listed, accounts.iter().map(|id| json!(id)).collect::<Vec<_>>());
    assert_eq!(rest.body["_meta"], json!({ "total": 3, "page": 1, "limit": 25, "pages": 1 }));
    assert_eq!((&items[0]["plan_slug"], &items[0]["status"]), (&json!("pro"), &json!("cancelled")));
    assert_eq!(items[0]["account_name"], "Test account");
    assert!(items[0]["cancelled_at"].is_string() && items[1]["cancelled_at"].is_null());
    let document = format!("{{ adminSubscriptions {{ items {SUBSCRIPTION} total page limit pages }} }}");
    let graphql = ask(&admin, &document).await.field("adminSubscriptions");
    assert_eq!(as_rest(graphql["items"].clone(), &["status"]), *rest.data());
    assert_eq!((&graphql["total"], &graphql["pages"]), (&json!(3), &json!(1)));

    let narrowed = format!("/v1/admin/subscriptions?plan_id={pro}&status=active");
    let rest = admin.get(&narrowed).await;
    assert_eq!(rest.data().as_array().unwrap().len(), 1);
    assert_eq!(rest.data()[0]["account_id"], json!(accounts[2]));
    let document = format!(
        "{{ adminSubscriptions(planId: \"{pro}\", status: ACTIVE) {{ items {SUBSCRIPTION} total }} }}"
    );
    let graphql = ask(&admin, &document).await.field("adminSubscriptions");
    assert_eq!(as_rest(graphql["items"].clone(), &["status"]), *rest.data());
    let second = admin.get("/v1/admin/subscriptions?page=2&limit=2").await;
    assert_eq!(second.data()[0]["account_id"], json!(accounts[2]));
    assert_eq!(second.body["_links"]["prev"], "/v1/admin/subscriptions?page=1&limit=2");
    let none = admin.get("/v1/admin/subscriptions?status=none").await;
    assert_eq!(none.body["_meta"]["total"], 0);
}

#[tokio::test]
async fn admin_subscriptions_refuses_wrong_queries() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["subscriptions:read"]).await;
    let rest = admin.get("/v1/admin/subscriptions?limit=101").await;
    let graphql = ask(&admin, "{ adminSubscriptions(limit: 101) { total } }").await;
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "limit must be between 1 and 100");
    let rest = admin.get("/v1/admin/subscriptions?page=0").await;
    let graphql = ask(&admin, "{ adminSubscriptions(page: 0) { total } }").await;
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "page must be 1 or greater");
    for query in ["status=paused", "plan_id=pro", "page=x"] {
        admin.get(&format!("/v1/admin/subscriptions?{query}")).await.refused_with("VALIDATION_ERROR");
    }
}

#[tokio::test]
async fn admin_subscriptions_takes_two_statements() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let admin = app.admin_with(&["subscriptions:read"]).await;
    let pro = plan_id(&app, "pro").await;
    for _ in 0..5 {
        subscribe(&app, pro, "active").await;
    }
    statements.to(&app);
    admin.get("/v1/admin/subscriptions").await.expect(200);
    let sent = statements.take_of("subscriptions");
    assert_eq!(sent.len(), 2, "{sent:#?}");
}

#[tokio::test]
async fn admin_subscriptions_needs_the_permission() {
    let app = TestApp::start().await;
    only_staff(
        &app,
        "subscriptions:read",
        async |caller| caller.get("/v1/admin/subscriptions").await,
        async |caller| ask(&caller, "{ adminSubscriptions { total } }").await,
    )
    .await;
}
