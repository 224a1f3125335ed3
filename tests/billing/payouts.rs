//! Payouts to developers, managed by operator staff (reference/billing.md#payouts).

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use shared::{
    id,
    schema::{developer_payouts, notifications},
};
use uuid::Uuid;

use super::{as_rest, ask, only_staff};

const PAYOUT: &str = "{ id developerId developerName teamId amount currency method status createdAt paidAt }";

/// Inserts a payout requested by a new developer; returns its id and the developer's user id.
pub(super) async fn request(app: &TestApp, amount: i64) -> (Uuid, Uuid) {
    let user = app.user("developer").await;
    let (payout, developer) = (id::new(), app.developer_profile(user).await);
    insert_into(developer_payouts::table)
        .values((
            developer_payouts::id.eq(payout),
            developer_payouts::developer_id.eq(developer),
            developer_payouts::amount.eq(amount),
            developer_payouts::method.eq("paypal_style"),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    (payout, user)
}

async fn mark(caller: &Caller, payout: Uuid, status: &str) -> Answer {
    caller.patch(&format!("/v1/admin/payouts/{payout}"), json!({ "status": status })).await
}

async fn mark_over_graphql(caller: &Caller, payout: Uuid, status: &str) -> Answer {
    let input = json!({ "status": status.to_uppercase() });
    caller.mutate_at("adminUpdatePayout", &[("id", payout)], &input, PAYOUT).await
}

#[tokio::test]
async fn admin_payouts_lists_the_oldest_first() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["billing:read", "billing:edit"]).await;
    let mut payouts = Vec::new();
    for amount in [2500, 10_000, 5_000_000_000] {
        payouts.push(request(&app, amount).await.0);
    }
    mark(&admin, payouts[1], "processing").await.expect(200);
    let rest = admin.get("/v1/admin/payouts").await;
    let items = rest.data().as_array().unwrap();
    let listed: Vec<&Value> = items.iter().map(|payout| &payout["id"]).collect();
    assert_eq!(listed, [&json!(payouts[0]), &json!(payouts[1]), &json!(payouts[2])]);
    assert_eq!((&items[0]["amount"], &items[0]["currency"]), (&json!(2500), &json!("EUR")));
    assert_eq!((&items[0]["method"], &items[0]["status"]), (&json!("paypal_style"), &json!("pending")));
    assert_eq!((&items[0]["developer_name"], &items[0]["paid_at"]), (&json!("Developer"), &Value::Null));
    assert_eq!(items[2]["amount"], 5_000_000_000_i64);
    let document = format!("{{ adminPayouts {{ items {PAYOUT} total page limit pages }} }}");
    let graphql = ask(&admin, &document).await.field("adminPayouts");
    assert_eq!(as_rest(graphql["items"].clone(), &["method", "status"]), *rest.data());
    assert_eq!(graphql["total"], 3);

    let narrowed = admin.get("/v1/admin/payouts?status=processing").await;
    assert_eq!(narrowed.body["_meta"], json!({ "total": 1, "page": 1, "limit": 25, "pages": 1 }));
    assert_eq!(narrowed.data()[0]["id"], json!(payouts[1]));
    let graphql =
        ask(&admin, "{ adminPayouts(status: PENDING, page: 2, limit: 1) { items { id } total } }").await;
    let second = json!({ "items": [{ "id": payouts[2] }], "total": 2 });
    assert_eq!(graphql.field("adminPayouts"), second);
    admin.get("/v1/admin/payouts?status=late").await.refused_with("VALIDATION_ERROR");
    admin
        .get("/v1/admin/payouts?limit=101")
        .await
        .refused("VALIDATION_ERROR", "limit must be between 1 and 100");
}

#[tokio::test]
async fn admin_update_payout_changes_the_status_and_notifies_the_developer() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["billing:edit"]).await;
    let (payout, developer) = request(&app, 123_405).await;
    let moved = mark(&admin, payout, "processing").await;
    assert_eq!(moved.expect(200)["data"]["status"], "processing");
    assert_eq!(moved.data()["paid_at"], Value::Null);
    let paid = mark_over_graphql(&admin, payout, "paid").await.field("adminUpdatePayout");
    assert_eq!(paid["status"], "PAID");
    assert!(paid["paid_at"].is_string());
    let notified: Vec<(Uuid, String, String, Value)> = notifications::table
        .order(notifications::id)
        .select((
            notifications::user_id,
            notifications::notification_type,
            notifications::message,
            notifications::data,
        ))
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(notified.len(), 2);
    assert_eq!((notified[0].0, notified[0].1.as_str()), (developer, "payout"));
    assert_eq!(notified[1].2, "Your payout of 1234.05 EUR is now paid.");
    assert_eq!(notified[1].3["payoutId"], json!(payout));
    let audited = app.audited("payout:status_changed").await;
    assert_eq!((audited.len(), audited[0].scope.as_str()), (2, "system"));
    assert_eq!(
        (&audited[1].metadata["from"], &audited[1].metadata["to"]),
        (&json!("processing"), &json!("paid"))
    );

    for to in ["pending", "processing", "paid", "failed"] {
        let (rest, graphql) = (mark(&admin, payout, to).await, mark_over_graphql(&admin, payout, to).await);
        let message = format!("A payout that is paid cannot become {to}");
        both_refused(&rest, &graphql, 409, "CONFLICT", &message);
    }
    let (other, _) = request(&app, 100).await;
    mark(&admin, other, "failed").await.expect(200);
    let back = mark(&admin, other, "pending").await;
    back.refused("CONFLICT", "A payout that is failed cannot become pending");
    assert_eq!(app.audited("payout:status_changed").await.len(), 3);
}

#[tokio::test]
async fn admin_update_payout_refuses_unknown_payouts_and_statuses() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["billing:edit"]).await;
    let unknown = Uuid::now_v7();
    let rest = mark(&admin, unknown, "paid").await;
    let graphql = mark_over_graphql(&admin, unknown, "paid").await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Payout not found");
    let (payout, _) = request(&app, 100).await;
    mark(&admin, payout, "late").await.refused_with("VALIDATION_ERROR");
    let missing = admin.patch(&format!("/v1/admin/payouts/{payout}"), json!({})).await;
    missing.refused("VALIDATION_ERROR", "Missing field: status");
    assert!(app.audited("payout:status_changed").await.is_empty());
}

#[tokio::test]
async fn admin_payouts_and_their_update_need_the_permission() {
    let app = TestApp::start().await;
    let (payout, _) = request(&app, 100).await;
    only_staff(
        &app,
        "billing:read",
        async |caller| caller.get("/v1/admin/payouts").await,
        async |caller| ask(&caller, "{ adminPayouts { total } }").await,
    )
    .await;
    only_staff(
        &app,
        "billing:edit",
        async |caller| mark(&caller, payout, "paid").await,
        async |caller| mark_over_graphql(&caller, payout, "paid").await,
    )
    .await;
    assert!(app.audited("payout:status_changed").await.is_empty());
}
