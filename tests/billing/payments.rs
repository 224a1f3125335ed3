//! What a payment provider would do (specification C §8.2): the service never calls one.

use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::ask;

/// Every operation that needs a provider, with the permission it needs.
async fn calls(caller: &Caller) -> Vec<(&'static str, Answer, Answer)> {
    let checkout = json!({ "plan_id": Uuid::now_v7(), "interval": "monthly" });
    let document = "mutation($plan: UUID!) {
        createCheckout(input: { planId: $plan, interval: MONTHLY }) { url } }";
    vec![
        (
            "plan:edit",
            caller.post("/v1/billing/checkout", checkout).await,
            caller.graphql(document, json!({ "plan": Uuid::now_v7() })).await,
        ),
        (
            "plan:edit",
            caller.post("/v1/billing/portal", json!({})).await,
            ask(caller, "mutation { createPortal { url } }").await,
        ),
        (
            "plan:edit",
            caller.post("/v1/billing/cancel", json!({})).await,
            ask(caller, "mutation { cancelSubscription { status } }").await,
        ),
        ("plan:read", caller.get("/v1/billing/invoices").await, ask(caller, "{ invoices { id } }").await),
        (
            "plan:read",
            caller.get("/v1/billing/coupons/SPRING").await,
            ask(caller, "{ validateCoupon(code: \"SPRING\") { isValid } }").await,
        ),
    ]
}

#[tokio::test]
async fn without_a_provider_billing_is_not_enabled() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let callers = [
        owner.caller.clone(),
        app.member_with(owner.account_id, &["plan:read", "plan:edit"]).await.caller,
        // Checkout and portal stay open to those who are not first-party (B §4.2).
        app.service_key(owner.account_id, &["plan:*"]).await,
        app.popout(&owner, &["plan:read", "plan:edit"]).await,
    ];
    for caller in callers {
        for (_, rest, graphql) in calls(&caller).await {
            both_refused(&rest, &graphql, 400, "BAD_REQUEST", "Billing is not enabled");
        }
    }
    // Whatever is sent.
    for body in [Value::Null, json!({}), json!({ "plan_id": 1 })] {
        let answer = owner.post("/v1/billing/checkout", body).await;
        assert_eq!(answer.status, 400);
        answer.refused("BAD_REQUEST", "Billing is not enabled");
    }
}

#[tokio::test]
async fn the_permission_goes_first() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let nobody = app.member_with(owner.account_id, &[]).await;
    for (permission, rest, graphql) in calls(&nobody).await {
        both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("Missing permission: {permission}"));
    }
    for (_, rest, graphql) in calls(&app.anonymous()).await {
        both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    }
}
