//! Change of the plan by the owner of the account (reference/billing.md#plan-of-an-account).

use account_model::plans::{Assigned, assign};
use diesel::prelude::*;
use diesel_async::{AsyncConnection, RunQueryDsl};
use lumio_tests::{Answer, Caller, Person, SocketRequest, TestApp, both_refused};
use lumio_worker::Daemon;
use serde_json::{Value, json};
use shared::{
    id::{AccountId, Trust, UserId},
    schema::{accounts, notifications, plans, subscriptions},
};
use uuid::Uuid;

use super::{plan_id, reason_of};

const STATUS: &str = "{ plan { slug } status limits { limit } }";

async fn change(caller: &Caller, plan: Uuid) -> (Answer, Answer) {
    let rest = caller.put("/v1/billing/plan", json!({ "plan_id": plan })).await;
    let document = format!("mutation($plan: UUID!) {{ changePlan(planId: $plan) {STATUS} }}");
    (rest, caller.graphql(&document, json!({ "plan": plan })).await)
}

async fn in_development() -> TestApp {
    TestApp::builder().with("LUMIO_BILLING_MANUAL_PLAN_CHANGE", true).start().await
}

async fn plan_of(app: &TestApp, person: &Person) -> Uuid {
    let plan = accounts::table.find(person.account_id).select(accounts::plan_id);
    plan.first(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap()
}

/// Status and plan of the account's subscription.
async fn subscription(app: &TestApp, person: &Person) -> Option<(String, Uuid)> {
    let own = subscriptions::table.filter(subscriptions::account_id.eq(person.account_id));
    let own = own.select((subscriptions::status, subscriptions::plan_id));
    own.first(&mut *app.databases.postgres.get().await.unwrap()).await.optional().unwrap()
}

#[tokio::test]
async fn change_plan_without_billing_accepts_free_plans_only() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (pro, enterprise) = (plan_id(&app, "pro").await, plan_id(&app, "enterprise").await);
    for plan in [enterprise, pro] {
        let (rest, graphql) = change(&owner, plan).await;
        both_refused(&rest, &graphql, 400, "BAD_REQUEST", "Billing is not enabled");
    }
    assert_eq!(plan_of(&app, &owner).await, pro);
    assert!(app.audited("plan:changed").await.is_empty());
    assert_eq!(reason_of(&owner, owner.account_id, "feature:multi_account").await, Value::Null);

    let (rest, graphql) = change(&owner, plan_id(&app, "free").await).await;
    let status = rest.expect(200)["data"].clone();
    assert_eq!((&status["plan"]["slug"], &status["status"]), (&json!("free"), &json!("none")));
    assert_eq!(status["limits"][0]["limit"], 3);
    assert_eq!(graphql.field("changePlan")["plan"]["slug"], "free", "once more changes nothing");
    // The features of the plan apply at once.
    assert_eq!(reason_of(&owner, owner.account_id, "feature:multi_account").await, "plan_locked");
    let audited = app.audited_once("plan:changed").await;
    assert_eq!((audited.scope.as_str(), audited.account_id), ("account", Some(owner.account_id)));
    assert_eq!(audited.metadata, json!({ "from": "pro", "to": "free" }));
}

#[tokio::test]
async fn change_plan_in_development_accepts_every_public_plan() {
    let app = in_development().await;
    let owner = app.owner_on("free").await;
    let (free, pro, enterprise) =
        (plan_id(&app, "free").await, plan_id(&app, "pro").await, plan_id(&app, "enterprise").await);
    assert_eq!(subscription(&app, &owner).await, None);
    let rest = owner.put("/v1/billing/plan", json!({ "plan_id": pro })).await;
    assert_eq!(rest.expect(200)["data"]["status"], "active");
    assert_eq!(subscription(&app, &owner).await, Some(("active".into(), pro)));
    let document = format!("mutation($plan: UUID!) {{ changePlan(planId: $plan) {STATUS} }}");
    let graphql = owner.graphql(&document, json!({ "plan": enterprise })).await.field("changePlan");
    assert_eq!((&graphql["plan"]["slug"], &graphql["status"]), (&json!("enterprise"), &json!("ACTIVE")));
    assert_eq!(subscription(&app, &owner).await, Some(("active".into(), enterprise)));
    let rest = owner.put("/v1/billing/plan", json!({ "plan_id": free })).await;
    assert_eq!(rest.expect(200)["data"]["status"], "cancelled");
    assert_eq!(subscription(&app, &owner).await, Some(("cancelled".into(), enterprise)));
    assert_eq!(app.audited("plan:changed").await.len(), 3);
    // The caller who made the change gets no notification.
    let notified: i64 = notifications::table
        .count()
        .get_result(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(notified, 0);
}

#[tokio::test]
async fn change_plan_does_not_find_plans_that_are_not_public() {
    let app = in_development().await;
    let owner = app.owner().await;
    let enterprise = plan_id(&app, "enterprise").await;
    diesel::update(plans::table.find(enterprise))
        .set(plans::is_public.eq(false))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    for plan in [enterprise, Uuid::now_v7()] {
        let (rest, graphql) = change(&owner, plan).await;
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Plan not found");
    }
    let missing = owner.put("/v1/billing/plan", json!({})).await;
    missing.refused("VALIDATION_ERROR", "Missing field: plan_id");
    let malformed = owner.put("/v1/billing/plan", json!({ "plan_id": "pro" })).await;
    malformed.refused("VALIDATION_ERROR", "Invalid UUID: plan_id");
    assert_eq!(plan_of(&app, &owner).await, plan_id(&app, "pro").await);
}

#[tokio::test]
async fn change_plan_is_for_the_owner_only() {
    let app = in_development().await;
    let owner = app.owner().await;
    let free = plan_id(&app, "free").await;
    let callers = [
        app.member_with(owner.account_id, &["plan:read", "plan:edit"]).await.caller,
        app.service_key(owner.account_id, &["plan:edit"]).await,
    ];
    for caller in callers {
        let (rest, graphql) = change(&caller, free).await;
        both_refused(&rest, &graphql, 403, "FORBIDDEN", "Only the account owner can change the plan");
    }
    let administrator = app.member_as(owner.account_id, "administrator").await;
    let (rest, graphql) = change(&administrator, free).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: plan:edit");
    let (rest, graphql) = change(&app.anonymous(), free).await;
    both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    assert_eq!(plan_of(&app, &owner).await, plan_id(&app, "pro").await);
    // A personal key of the owner acts as the owner.
    let key = app.personal_key(&owner, &["plan:edit"]).await;
    change(&key, free).await.0.expect(200);
    assert_eq!(plan_of(&app, &owner).await, free);
}

#[tokio::test]
async fn change_plan_publishes_events_on_the_account_channel() {
    let app = TestApp::start().await;
    let workers = lumio_worker::start_with(app.config(), app.clock.clone(), &[Daemon::Outbox])
        .await
        .expect("the workers start");
    let owner = app.owner().await;
    let mut socket = SocketRequest::to(app.url()).bearer(owner.token()).connect().await;
    socket.subscribe(&format!("account:{}", owner.account_id)).await;
    let free = plan_id(&app, "free").await;
    owner.put("/v1/billing/plan", json!({ "plan_id": free })).await.expect(200);
    let mut events = Vec::new();
    for _ in 0..2 {
        let frame = socket.frame().await;
        events.push((frame["event_type"].clone(), frame["data"].clone()));
    }
    events.sort_by_key(|(kind, _)| kind.to_string());
    assert_eq!(events[0], (json!("features:updated"), json!({})));
    assert_eq!(events[1], (json!("plan:updated"), json!({ "plan_id": free, "plan_slug": "free" })));
    workers.stop().await.unwrap();
}

#[tokio::test]
async fn plan_change_by_staff_notifies_the_owner() {
    let app = TestApp::start().await;
    let (owner, staff) = (app.owner_on("free").await, app.owner().await);
    let pro = plan_id(&app, "pro").await;
    let put = async |account: Uuid, plan: Uuid| {
        let now = app.clock.now();
        let mut db = app.databases.postgres.get().await.unwrap();
        db.transaction(async |connection| {
            assign(
                connection,
                AccountId::trusted(account, Trust::Test),
                plan,
                Some(UserId(staff.user_id)),
                now,
            )
            .await
        })
        .await
        .unwrap()
    };
    let Assigned::Changed { from, to } = put(owner.account_id, pro).await else { panic!("not changed") };
    assert_eq!((from.slug.as_str(), to.slug.as_str()), ("free", "pro"));
    assert_eq!(put(owner.account_id, pro).await, Assigned::Unchanged(to));
    assert_eq!(put(owner.account_id, Uuid::now_v7()).await, Assigned::NoPlan);
    assert_eq!(put(Uuid::now_v7(), pro).await, Assigned::NoAccount);
    assert_eq!(plan_of(&app, &owner).await, pro);
    let notified: Vec<(Uuid, String)> = notifications::table
        .select((notifications::user_id, notifications::notification_type))
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(notified, [(owner.user_id, "plan_changed".to_owned())]);
}
