//! Operations that need a payment provider: the service never calls one (reference/billing.md#payments).

use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::ask;

/// Asserts that every caller with the permission is refused for want of a provider, and any other before that.
async fn needs_a_provider(permission: &str, call: impl AsyncFn(&Caller) -> (Answer, Answer)) {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let callers = [
        owner.caller.clone(),
        app.member_with(owner.account_id, &["plan:read", "plan:edit"]).await.caller,
        // Checkout and portal do not need a first-party session.
        app.service_key(owner.account_id, &["plan:*"]).await,
        app.popout(&owner, &["plan:read", "plan:edit"]).await,
    ];
    for caller in &callers {
        let (rest, graphql) = call(caller).await;
        both_refused(&rest, &graphql, 400, "BAD_REQUEST", "Billing is not enabled");
    }
    let member = app.member_with(owner.account_id, &[]).await;
    let (rest, graphql) = call(&member.caller).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("Missing permission: {permission}"));
    let (rest, graphql) = call(&app.anonymous()).await;
    both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
}

#[tokio::test]
async fn create_checkout_is_refused_without_a_provider() {
    let plan_id = Uuid::now_v7();
    let document = "mutation($plan: UUID!) {
        createCheckout(input: { planId: $plan, interval: MONTHLY }) { url } }";
    needs_a_provider("plan:edit", async |caller: &Caller| {
        let body = json!({ "plan_id": plan_id, "interval": "monthly" });
        let rest = caller.post("/v1/billing/checkout", body).await;
        (rest, caller.graphql(document, json!({ "plan": plan_id })).await)
    })
    .await;
}

#[tokio::test]
async fn create_checkout_is_refused_independent_of_the_body() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for body in [Value::Null, json!({}), json!({ "plan_id": 1 })] {
        let answer = owner.post("/v1/billing/checkout", body).await;
        assert_eq!(answer.status, 400);
        answer.refused("BAD_REQUEST", "Billing is not enabled");
    }
}

#[tokio::test]
async fn create_portal_is_refused_without_a_provider() {
    needs_a_provider("plan:edit", async |caller: &Caller| {
        let rest = caller.post("/v1/billing/portal", json!({})).await;
        (rest, ask(caller, "mutation { createPortal { url } }").await)
    })
    .await;
}

#[tokio::test]
async fn cancel_subscription_is_refused_without_a_provider() {
    needs_a_provider("plan:edit", async |caller: &Caller| {
        let rest = caller.post("/v1/billing/cancel", json!({})).await;
        (rest, ask(caller, "mutation { cancelSubscription { status } }").await)
    })
    .await;
}

#[tokio::test]
async fn invoices_are_refused_without_a_provider() {
    needs_a_provider("plan:read", async |caller: &Caller| {
        (caller.get("/v1/billing/invoices").await, ask(caller, "{ invoices { id } }").await)
    })
    .await;
}

#[tokio::test]
async fn validate_coupon_is_refused_without_a_provider() {
    needs_a_provider("plan:read", async |caller: &Caller| {
        let rest = caller.get("/v1/billing/coupons/SPRING").await;
        (rest, ask(caller, "{ validateCoupon(code: \"SPRING\") { isValid } }").await)
    })
    .await;
}
