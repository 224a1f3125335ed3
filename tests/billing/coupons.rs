//! Coupons, managed by operator staff (reference/billing.md#coupons).

use chrono::Duration;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{as_rest, ask, only_staff};

const COUPON: &str = "{ id code percentOff amountOff duration maxRedemptions redeemed expiresAt isActive createdAt \
    updatedAt }";
const STAFF: &[&str] = &["coupons:read", "coupons:create", "coupons:edit", "coupons:delete"];

async fn create(caller: &Caller, input: &Value) -> (Answer, Answer) {
    let rest = caller.post("/v1/admin/coupons", input.clone()).await;
    (rest, caller.mutate("adminCreateCoupon", &upper_duration(input), COUPON).await)
}

async fn update(caller: &Caller, id: Uuid, input: &Value) -> (Answer, Answer) {
    let rest = caller.patch(&format!("/v1/admin/coupons/{id}"), input.clone()).await;
    (rest, caller.mutate_at("adminUpdateCoupon", &[("id", id)], input, COUPON).await)
}

async fn deactivate(caller: &Caller, id: Uuid) -> (Answer, Answer) {
    let rest = caller.delete(&format!("/v1/admin/coupons/{id}")).await;
    let document = "mutation($id: UUID!) { adminDeactivateCoupon(id: $id) }";
    (rest, caller.graphql(document, json!({ "id": id })).await)
}

fn upper_duration(input: &Value) -> Value {
    let mut input = input.clone();
    if let Some(duration) = input["duration"].as_str() {
        input["duration"] = duration.to_uppercase().into();
    }
    input
}

async fn codes(caller: &Caller, query: &str) -> Vec<Value> {
    let listed = caller.get(&format!("/v1/admin/coupons{query}")).await;
    listed.data().as_array().unwrap().iter().map(|coupon| coupon["code"].clone()).collect()
}

#[tokio::test]
async fn admin_update_coupon_and_create_agree_on_both_protocols() {
    let app = TestApp::start().await;
    let admin = app.admin_with(STAFF).await;
    let rest = admin.post("/v1/admin/coupons", json!({ "code": " spring-26 ", "percent_off": 20 })).await;
    let spring = rest.expect(201)["data"].clone();
    let id: Uuid = spring["id"].as_str().unwrap().parse().unwrap();
    assert_eq!(rest.body["_links"], json!({ "self": format!("/v1/admin/coupons/{id}") }));
    assert_eq!((&spring["code"], &spring["percent_off"]), (&json!("SPRING-26"), &json!(20)));
    assert_eq!((&spring["amount_off"], &spring["duration"]), (&Value::Null, &json!("once")));
    assert_eq!((&spring["max_redemptions"], &spring["expires_at"]), (&Value::Null, &Value::Null));
    assert_eq!((&spring["redeemed"], &spring["is_active"]), (&json!(0), &json!(true)));
    let input = json!({
        "code": "PARTNER", "amount_off": 500, "duration": "FOREVER", "max_redemptions": 10,
        "expires_at": "2999-01-01T00:00:00.000Z",
    });
    let graphql = admin.mutate("adminCreateCoupon", &input, COUPON).await.field("adminCreateCoupon");
    let partner = as_rest(graphql, &["duration"]);
    assert_eq!((&partner["amount_off"], &partner["duration"]), (&json!(500), &json!("forever")));
    assert_eq!(partner["expires_at"], "2999-01-01T00:00:00.000Z");

    let rest = admin.get("/v1/admin/coupons").await;
    assert_eq!(*rest.data(), json!([partner, spring]));
    assert_eq!(rest.body["_meta"], json!({ "total": 2, "page": 1, "limit": 25, "pages": 1 }));
    let document = format!("{{ adminCoupons {{ items {COUPON} total page limit pages }} }}");
    let graphql = ask(&admin, &document).await.field("adminCoupons");
    assert_eq!(as_rest(graphql["items"].clone(), &["duration"]), *rest.data());
    assert_eq!(graphql["total"], 2);
    assert_eq!(codes(&admin, "?page=2&limit=1").await, ["SPRING-26"]);
    admin
        .get("/v1/admin/coupons?limit=0")
        .await
        .refused("VALIDATION_ERROR", "limit must be between 1 and 100");

    let body = json!({ "max_redemptions": 5, "expires_at": "2998-01-01T00:00:00Z", "is_active": false });
    let changed = admin.patch(&format!("/v1/admin/coupons/{id}"), body).await;
    let changed = changed.expect(200)["data"].clone();
    assert_eq!((&changed["max_redemptions"], &changed["is_active"]), (&json!(5), &json!(false)));
    assert_eq!((&changed["percent_off"], &changed["code"]), (&json!(20), &json!("SPRING-26")));
    let input = json!({ "max_redemptions": null, "expires_at": null, "is_active": true });
    let graphql = admin.mutate_at("adminUpdateCoupon", &[("id", id)], &input, COUPON).await;
    let cleared = as_rest(graphql.field("adminUpdateCoupon"), &["duration"]);
    assert_eq!((&cleared["max_redemptions"], &cleared["expires_at"]), (&Value::Null, &Value::Null));
    assert_eq!(cleared["is_active"], true);
    // An empty change changes nothing.
    assert_eq!(*update(&admin, id, &json!({})).await.0.data(), cleared);
    let audited = app.audited("coupon:updated").await;
    assert_eq!((audited.len(), audited[0].scope.as_str()), (2, "system"));
    assert_eq!(audited[0].metadata["code"], "SPRING-26");
    assert_eq!(app.audited("coupon:created").await.len(), 2);
}

#[tokio::test]
async fn admin_deactivate_coupon_keeps_the_coupon_and_is_idempotent() {
    let app = TestApp::start().await;
    let admin = app.admin_with(STAFF).await;
    let mut ids = Vec::new();
    for code in ["ONE", "TWO"] {
        let created = admin.post("/v1/admin/coupons", json!({ "code": code, "percent_off": 5 })).await;
        ids.push(created.data()["id"].as_str().unwrap().parse::<Uuid>().unwrap());
    }
    let (rest, graphql) = deactivate(&admin, ids[0]).await;
    assert_eq!((rest.status, rest.text.as_str()), (204, ""));
    assert_eq!(graphql.field("adminDeactivateCoupon"), true);
    assert_eq!(codes(&admin, "?is_active=true").await, ["TWO"]);
    assert_eq!(codes(&admin, "?is_active=false").await, ["ONE"]);
    let document = "{ adminCoupons(isActive: false) { items { code } } }";
    assert_eq!(ask(&admin, document).await.field("adminCoupons")["items"], json!([{ "code": "ONE" }]));
    assert_eq!(app.audited_once("coupon:deactivated").await.resource_id, Some(ids[0].to_string()));
    let (rest, graphql) = deactivate(&admin, Uuid::now_v7()).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Coupon not found");
    for body in [json!({}), json!({ "is_active": true })] {
        let (rest, graphql) = update(&admin, Uuid::now_v7(), &body).await;
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Coupon not found");
    }
}

#[tokio::test]
async fn admin_create_coupon_and_update_validate_every_field() {
    let app = TestApp::start().await;
    let admin = app.admin_with(STAFF).await;
    let existing = admin.post("/v1/admin/coupons", json!({ "code": "TAKEN", "percent_off": 5 })).await;
    let id: Uuid = existing.data()["id"].as_str().unwrap().parse().unwrap();
    let past = (app.clock.now() - Duration::seconds(1)).to_rfc3339();
    let code = "code must be 3 to 40 letters, digits, hyphens or underscores";
    for (input, message) in [
        (json!({ "code": "ab", "percent_off": 5 }), code),
        (json!({ "code": "a b c", "percent_off": 5 }), code),
        (json!({ "code": "x".repeat(41), "percent_off": 5 }), code),
        (json!({ "code": "NEW" }), "Give either percent_off or amount_off"),
        (
            json!({ "code": "NEW", "percent_off": 5, "amount_off": 5 }),
            "Give either percent_off or amount_off",
        ),
        (json!({ "code": "NEW", "percent_off": 0 }), "percent_off must be between 1 and 100"),
        (json!({ "code": "NEW", "percent_off": 101 }), "percent_off must be between 1 and 100"),
        (json!({ "code": "NEW", "amount_off": 0 }), "amount_off must be between 1 and 100000000"),
        (json!({ "code": "NEW", "amount_off": 100_000_001 }), "amount_off must be between 1 and 100000000"),
        (
            json!({ "code": "NEW", "percent_off": 5, "max_redemptions": 0 }),
            "max_redemptions must be 1 or greater",
        ),
        (json!({ "code": "NEW", "percent_off": 5, "expires_at": past }), "expires_at cannot be in the past"),
    ] {
        let (rest, graphql) = create(&admin, &input).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    for (input, message) in [
        (json!({ "max_redemptions": -1 }), "max_redemptions must be 1 or greater"),
        (json!({ "expires_at": past }), "expires_at cannot be in the past"),
        (json!({ "is_active": null }), "is_active cannot be null"),
    ] {
        let (rest, graphql) = update(&admin, id, &input).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    let unknown = json!({ "code": "NEW", "percent_off": 5, "duration": "twice" });
    admin.post("/v1/admin/coupons", unknown).await.refused_with("VALIDATION_ERROR");
    let (rest, graphql) = create(&admin, &json!({ "code": "taken", "percent_off": 50 })).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "Coupon code already in use");
    assert_eq!(codes(&admin, "").await, ["TAKEN"]);
    assert_eq!(app.audited("coupon:created").await.len(), 1);
    assert!(app.audited("coupon:updated").await.is_empty());
}

#[tokio::test]
async fn admin_coupons_and_their_changes_need_the_permission() {
    let app = TestApp::start().await;
    let (id, input) = (Uuid::now_v7(), json!({ "code": "NEW", "percent_off": 5 }));
    only_staff(
        &app,
        "coupons:read",
        async |caller| caller.get("/v1/admin/coupons").await,
        async |caller| ask(&caller, "{ adminCoupons { total } }").await,
    )
    .await;
    only_staff(
        &app,
        "coupons:create",
        async |caller| create(&caller, &input).await.0,
        async |caller| create(&caller, &input).await.1,
    )
    .await;
    only_staff(
        &app,
        "coupons:edit",
        async |caller| update(&caller, id, &json!({ "is_active": true })).await.0,
        async |caller| update(&caller, id, &json!({ "is_active": true })).await.1,
    )
    .await;
    only_staff(
        &app,
        "coupons:delete",
        async |caller| deactivate(&caller, id).await.0,
        async |caller| deactivate(&caller, id).await.1,
    )
    .await;
    assert!(app.audited("coupon:created").await.is_empty());
}
