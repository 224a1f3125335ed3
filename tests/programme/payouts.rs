//! Payout settings, payouts and revenue of developers (reference/programme.md#payouts).

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use extension_model::revenue::{self, Sale};
use lumio_tests::{Answer, Caller, TestApp, both_refused, extensions::Studio};
use serde_json::{Value, json};
use shared::schema::{developer_payout_settings, developer_profiles};
use uuid::Uuid;

use super::notifications;

const PATH: &str = "/v1/developer/payouts";
const SETTINGS: &str = "{ id userId paymentConnectId paypalStyleEmail bankIban bankBic bankName payoutMethod
    revenueBalance totalEarned createdAt updatedAt }";
const PAYOUT: &str = "{ id amount currency method status createdAt paidAt }";
const REVENUE: &str = "{ from to currency totalAmount totalShare
    items { extensionId extensionName month payments amount fee share } }";
const IBAN: &str = "DE44 5001 0517 5407 3249 31";

/// A developer whose account has the feature of developers.
async fn studio(app: &TestApp) -> Studio {
    let studio = app.studio().await;
    app.override_feature(studio.person.account_id, "feature:extension_development", true).await;
    studio
}

/// A verified developer who is paid by wallet.
async fn payee(app: &TestApp) -> Studio {
    let studio = studio(app).await;
    verify(app, &studio).await;
    let wallet = json!({ "payout_method": "paypal_style", "paypal_style_email": "ada@example.org" });
    studio.person.post(PATH, wallet).await.expect(200);
    studio
}

/// Marks the developer as verified.
pub async fn verify(app: &TestApp, studio: &Studio) {
    diesel::update(developer_profiles::table.find(studio.profile_id))
        .set(developer_profiles::verified.eq(true))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

/// Records a payment for an extension; true when it counts.
pub async fn sell(
    app: &TestApp,
    studio: &Studio,
    extension_id: Uuid,
    (amount, reference): (i64, &str),
    paid_at: DateTime<Utc>,
) -> bool {
    let mut db = app.databases.postgres.get().await.unwrap();
    let payee = revenue::payee_of(&mut db, extension_id).await.unwrap().expect("a payee");
    assert_eq!(payee.developer_id, studio.profile_id);
    let sale = Sale {
        developer_id: payee.developer_id,
        team_id: payee.team_id,
        extension_id,
        payment_reference: reference,
        amount,
        paid_at,
    };
    revenue::record(&mut db, &sale, app.clock.now()).await.unwrap()
}

async fn request(caller: &Caller, input: Value) -> Answer {
    caller.post(&format!("{PATH}/request"), input).await
}

async fn gql_request(caller: &Caller, input: &Value) -> Answer {
    caller.mutate("requestDeveloperPayout", input, PAYOUT).await
}

async fn gql_settings(caller: &Caller) -> Answer {
    caller.graphql(&format!("{{ developerPayoutSettings {SETTINGS} }}"), json!({})).await
}

#[tokio::test]
async fn update_developer_payout_settings_seals_accounts_and_masks_them() {
    let app = TestApp::start().await;
    let studio = studio(&app).await;
    let empty = studio.person.get("/v1/developer/payout-settings").await.data().clone();
    assert_eq!((&empty["payout_method"], &empty["bank_iban"]), (&Value::Null, &Value::Null));
    assert_eq!((&empty["revenue_balance"], &empty["user_id"]), (&json!(0), &json!(studio.person.user_id)));
    let given = json!({
        "payout_method": "bank", "bank_iban": IBAN, "bank_bic": "ingddeff", "bank_name": "Example Bank",
        "payment_connect_id": "acct_1234567890", "paypal_style_email": "ada@example.org",
    });
    let stored = studio.person.post(PATH, given).await.expect(200)["data"].clone();
    for (field, shown) in [
        ("payout_method", "bank"),
        ("bank_iban", "****4931"),
        ("bank_bic", "****DEFF"),
        ("bank_name", "Example Bank"),
        ("payment_connect_id", "****7890"),
        ("paypal_style_email", "****.org"),
    ] {
        assert_eq!(stored[field], shown, "{field}");
    }
    assert_eq!(*studio.person.get("/v1/developer/payout-settings").await.data(), stored);
    let graphql = gql_settings(&studio.person).await.field("developerPayoutSettings");
    assert_eq!((&graphql["bank_iban"], &graphql["payout_method"]), (&json!("****4931"), &json!("BANK")));
    let input = json!({ "payout_method": "CONNECT", "bank_name": null });
    let changed = studio.person.mutate("updateDeveloperPayoutSettings", &input, SETTINGS).await;
    let changed = changed.field("updateDeveloperPayoutSettings");
    assert_eq!((&changed["payout_method"], &changed["bank_name"]), (&json!("CONNECT"), &Value::Null));
    assert_eq!(changed["bank_iban"], "****4931");

    let audited = app.audited("developer:payout_settings_updated").await;
    assert_eq!((audited.len(), audited[0].scope.as_str()), (2, "user"));
    assert!(!audited[0].metadata.to_string().contains("5001"), "{}", audited[0].metadata);
    let sealed: Vec<u8> = developer_payout_settings::table
        .select(developer_payout_settings::details)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert!(!sealed.windows(6).any(|part| part == b"500105"));
    let notified = notifications(&studio.person).await;
    assert_eq!((notified.len(), &notified[0]["title"]), (2, &json!("Payout settings changed")));
    studio.person.post(PATH, json!({})).await.expect(200);
    assert_eq!(app.audited("developer:payout_settings_updated").await.len(), 2, "nothing changed");
    app.stop().await;
}

#[tokio::test]
async fn update_developer_payout_settings_refuses_invalid_fields() {
    let app = TestApp::start().await;
    let studio = studio(&app).await;
    for (input, message) in [
        (json!({ "bank_iban": "DE45500105175407324931" }), "bank_iban must be an IBAN with a valid checksum"),
        (json!({ "bank_iban": "1".repeat(51) }), "bank_iban must be an IBAN with a valid checksum"),
        (json!({ "bank_bic": "DEUTDEFF5" }), "bank_bic must be a BIC of 8 or 11 characters"),
        (json!({ "paypal_style_email": "ada" }), "paypal_style_email must be an e-mail address"),
        (json!({ "bank_name": "x".repeat(101) }), "bank_name must be between 1 and 100 characters"),
        (
            json!({ "payment_connect_id": "x".repeat(256) }),
            "payment_connect_id must be between 1 and 255 characters",
        ),
    ] {
        let graphql = studio.person.mutate("updateDeveloperPayoutSettings", &input, SETTINGS).await;
        let rest = studio.person.post(PATH, input).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    for (method, field) in
        [("bank", "bank_iban"), ("connect", "payment_connect_id"), ("paypal_style", "paypal_style_email")]
    {
        let refused = studio.person.post(PATH, json!({ "payout_method": method })).await;
        refused.refused("VALIDATION_ERROR", &format!("Missing field: {field}"));
    }
    studio.person.post(PATH, json!({ "payout_method": "cash" })).await.refused_with("VALIDATION_ERROR");
    app.stop().await;
}

#[tokio::test]
async fn developer_payout_settings_need_permission_feature_and_profile() {
    let app = TestApp::start().await;
    let (studio, other) = (studio(&app).await, app.owner().await);
    let path = "/v1/developer/payout-settings";
    app.override_feature(other.account_id, "feature:extension_development", true).await;
    let both = (other.get(path).await, gql_settings(&other).await);
    both_refused(&both.0, &both.1, 404, "NOT_FOUND", "Developer profile not found");
    let given = json!({ "bank_name": "Bank" });
    let both = (
        other.post(PATH, given.clone()).await,
        other.mutate("updateDeveloperPayoutSettings", &given, SETTINGS).await,
    );
    both_refused(&both.0, &both.1, 404, "NOT_FOUND", "Developer profile not found");
    let administrator = app.member_as(studio.person.account_id, "administrator").await;
    let both = (administrator.get(path).await, gql_settings(&administrator).await);
    both_refused(&both.0, &both.1, 403, "FORBIDDEN", "Missing permission: extension-dev:payouts");
    app.override_feature(other.account_id, "feature:extension_development", false).await;
    let both = (other.get(path).await, gql_settings(&other).await);
    let message = "Feature is disabled: feature:extension_development";
    both_refused(&both.0, &both.1, 403, "FEATURE_DISABLED", message);
    let popout = app.popout(&studio.person, &["extension-dev:payouts"]).await;
    for answer in [popout.get(path).await, popout.get(PATH).await, popout.post(PATH, given.clone()).await] {
        assert_eq!((answer.status, answer.error().0.as_str()), (403, "FORBIDDEN"));
    }
    let key = app.personal_key(&studio.person, &["chat:read"]).await;
    let both = (
        key.post(PATH, given.clone()).await,
        key.mutate("updateDeveloperPayoutSettings", &given, SETTINGS).await,
    );
    let lacks = "This credential does not carry extension-dev:payouts";
    both_refused(&both.0, &both.1, 403, "FORBIDDEN", lacks);
    let both = (request(&key, json!({})).await, gql_request(&key, &json!({})).await);
    both_refused(&both.0, &both.1, 403, "FORBIDDEN", lacks);
    app.stop().await;
}

#[tokio::test]
async fn request_developer_payout_takes_the_balance_and_returns_it_after_a_failure() {
    let app = TestApp::start().await;
    let (studio, staff) = (payee(&app).await, app.admin_with(&["billing:edit"]).await);
    let extension = studio.extension("Greeter").await;
    // 70 % of each payment, rounded down.
    assert!(sell(&app, &studio, extension, (9_999, "one"), app.clock.now()).await);
    assert!(!sell(&app, &studio, extension, (9_999, "one"), app.clock.now()).await, "a payment counts once");
    let requested = request(&studio.person, json!({})).await.expect(201)["data"].clone();
    assert_eq!((&requested["amount"], &requested["currency"]), (&json!(6_999), &json!("EUR")));
    assert_eq!((&requested["method"], &requested["status"]), (&json!("paypal_style"), &json!("pending")));
    assert_eq!(requested["paid_at"], Value::Null);
    let settings = studio.person.get("/v1/developer/payout-settings").await.data().clone();
    assert_eq!((&settings["revenue_balance"], &settings["total_earned"]), (&json!(0), &json!(6_999)));
    let both = (request(&studio.person, json!({})).await, gql_request(&studio.person, &json!({})).await);
    both_refused(&both.0, &both.1, 409, "CONFLICT", "A payout is already pending");
    let entry = app.audited_once("developer:payout_requested").await;
    assert_eq!((entry.scope.as_str(), &entry.metadata["amount"]), ("user", &json!(6_999)));
    assert_eq!(notifications(&studio.person).await[0]["message"], "Your payout of 69.99 EUR is now pending.");

    let path = format!("/v1/admin/payouts/{}", requested["id"].as_str().unwrap());
    staff.patch(&path, json!({ "status": "failed" })).await.expect(200);
    let again =
        gql_request(&studio.person, &json!({ "amount": 2_500 })).await.field("requestDeveloperPayout");
    assert_eq!((&again["amount"], &again["method"]), (&json!(2_500), &json!("PAYPAL_STYLE")));
    let listed = studio.person.get(PATH).await;
    assert_eq!((&listed.body["_meta"]["total"], &listed.data()[0]["id"]), (&json!(2), &again["id"]));
    assert_eq!(listed.data()[1]["status"], "failed");
    let document = format!("{{ developerPayouts(page: 2, limit: 1) {{ items {PAYOUT} total }} }}");
    let graphql = studio.person.graphql(&document, json!({})).await.field("developerPayouts");
    assert_eq!((&graphql["items"][0]["status"], &graphql["total"]), (&json!("FAILED"), &json!(2)));
    app.stop().await;
}

#[tokio::test]
async fn request_developer_payout_keeps_the_minimum_of_each_method() {
    let app = TestApp::start().await;
    let studio = payee(&app).await;
    let extension = studio.extension("Greeter").await;
    sell(&app, &studio, extension, (100, "one"), app.clock.now()).await;
    let accounts = json!({ "bank_iban": IBAN, "payment_connect_id": "acct_1234567890" });
    studio.person.post(PATH, accounts).await.expect(200);
    for (method, minimum) in [("connect", "1.00"), ("paypal_style", "25.00"), ("bank", "50.00")] {
        studio.person.post(PATH, json!({ "payout_method": method })).await.expect(200);
        let both = (request(&studio.person, json!({})).await, gql_request(&studio.person, &json!({})).await);
        let message = format!("Minimum payout is {minimum}");
        both_refused(&both.0, &both.1, 400, "VALIDATION_ERROR", &message);
    }
    let above = json!({ "amount": 5_000 });
    let both = (request(&studio.person, above.clone()).await, gql_request(&studio.person, &above).await);
    both_refused(&both.0, &both.1, 400, "VALIDATION_ERROR", "amount must not exceed the balance");
    let none = json!({ "amount": 0 });
    let both = (request(&studio.person, none.clone()).await, gql_request(&studio.person, &none).await);
    both_refused(&both.0, &both.1, 400, "VALIDATION_ERROR", "amount must be 1 or greater");
    app.stop().await;
}

#[tokio::test]
async fn request_developer_payout_needs_a_verified_developer_and_a_method() {
    let app = TestApp::start().await;
    let (studio, other) = (studio(&app).await, app.owner().await);
    let both = (request(&other, json!({})).await, gql_request(&other, &json!({})).await);
    both_refused(&both.0, &both.1, 404, "NOT_FOUND", "Developer profile not found");
    let both = (request(&studio.person, json!({})).await, gql_request(&studio.person, &json!({})).await);
    both_refused(&both.0, &both.1, 403, "FORBIDDEN", "Developer verification required");
    verify(&app, &studio).await;
    let both = (request(&studio.person, json!({})).await, gql_request(&studio.person, &json!({})).await);
    both_refused(&both.0, &both.1, 409, "CONFLICT", "No payout method is chosen");
    app.stop().await;
}

#[tokio::test]
async fn request_developer_payout_in_parallel_pays_the_balance_once() {
    let app = TestApp::start().await;
    let (studio, staff) = (payee(&app).await, app.admin_with(&["billing:edit"]).await);
    let extension = studio.extension("Greeter").await;
    sell(&app, &studio, extension, (10_000, "one"), app.clock.now()).await;
    let mut paid = 0;
    for _ in 0..3 {
        let tries = [0; 6].map(|_| request(&studio.person, json!({ "amount": 3_000 })));
        let answers = futures::future::join_all(tries).await;
        let made: Vec<&Answer> = answers.iter().filter(|answer| answer.status == 201).collect();
        assert!(made.len() <= 1, "{} payouts", made.len());
        for answer in made {
            paid += answer.data()["amount"].as_i64().unwrap();
            let path = format!("/v1/admin/payouts/{}", answer.data()["id"].as_str().unwrap());
            staff.patch(&path, json!({ "status": "paid" })).await.expect(200);
        }
    }
    assert_eq!(paid, 6_000);
    let settings = studio.person.get("/v1/developer/payout-settings").await.data().clone();
    assert_eq!(settings["revenue_balance"], 1_000);
    app.stop().await;
}

#[tokio::test]
async fn developer_payouts_are_those_of_the_caller() {
    let app = TestApp::start().await;
    let (studio, other) = (payee(&app).await, app.owner().await);
    let extension = studio.extension("Greeter").await;
    sell(&app, &studio, extension, (10_000, "one"), app.clock.now()).await;
    request(&studio.person, json!({})).await.expect(201);
    let second = payee(&app).await;
    assert_eq!(*second.person.get(PATH).await.data(), json!([]));
    let graphql = other.graphql("{ developerPayouts { total } }", json!({})).await;
    both_refused(&other.get(PATH).await, &graphql, 404, "NOT_FOUND", "Developer profile not found");
    let refused = studio.person.get(&format!("{PATH}?limit=0")).await;
    refused.refused("VALIDATION_ERROR", "limit must be between 1 and 100");
    app.stop().await;
}

#[tokio::test]
async fn developer_revenue_is_by_extension_and_month() {
    let app = TestApp::start().await;
    let (studio, second) = (payee(&app).await, payee(&app).await);
    let (one, two) = (studio.extension("One").await, studio.extension("Two").await);
    let time = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
    for (extension, amount, reference, paid_at) in [
        (one, 999, "a", "2026-09-01T00:00:00Z"),
        (one, 999, "b", "2026-09-30T23:59:59Z"),
        (one, 500, "c", "2026-10-01T00:00:00Z"),
        (two, 101, "d", "2026-09-15T12:00:00Z"),
    ] {
        sell(&app, &studio, extension, (amount, reference), time(paid_at)).await;
    }
    let path = "/v1/developer/revenue?from=2026-09-01T00:00:00Z&to=2026-10-01T00:00:00Z";
    let report = studio.person.get(path).await.data().clone();
    let item = |extension: Uuid, name: &str, (payments, amount, share): (i64, i64, i64)| {
        json!({
            "extension_id": extension, "extension_name": name, "month": "2026-09", "payments": payments,
            "amount": amount, "fee": amount - share, "share": share,
        })
    };
    assert_eq!(report["items"], json!([item(one, "One", (2, 1_998, 1_398)), item(two, "Two", (1, 101, 70))]));
    assert_eq!((&report["total_amount"], &report["total_share"]), (&json!(2_099), &json!(1_468)));
    assert_eq!((&report["from"], &report["currency"]), (&json!("2026-09-01T00:00:00.000Z"), &json!("EUR")));
    let document = format!(
        "{{ developerRevenue(from: \"2026-10-01T00:00:00Z\", to: \"2026-11-01T00:00:00Z\") {REVENUE} }}"
    );
    let graphql = studio.person.graphql(&document, json!({})).await.field("developerRevenue");
    assert_eq!((&graphql["items"][0]["month"], &graphql["total_share"]), (&json!("2026-10"), &json!(350)));
    let whole = second.person.get("/v1/developer/revenue").await.data().clone();
    assert_eq!((&whole["items"], &whole["total_amount"]), (&json!([]), &json!(0)));
    app.stop().await;
}

#[tokio::test]
async fn developer_revenue_refuses_spans_and_people_without_a_profile() {
    let app = TestApp::start().await;
    let (studio, other) = (studio(&app).await, app.owner().await);
    for (query, message) in [
        ("from=2026-10-01T00:00:00Z&to=2026-09-01T00:00:00Z", "from must not be after to"),
        ("from=2020-01-01T00:00:00Z&to=2026-09-01T00:00:00Z", "from must be at most 1830 days before to"),
    ] {
        let refused = studio.person.get(&format!("/v1/developer/revenue?{query}")).await;
        refused.refused("VALIDATION_ERROR", message);
    }
    studio.person.get("/v1/developer/revenue?from=now").await.refused_with("VALIDATION_ERROR");
    let graphql = other.graphql("{ developerRevenue { currency } }", json!({})).await;
    let rest = other.get("/v1/developer/revenue").await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Developer profile not found");
    let popout = app.popout(&studio.person, &[]).await;
    assert_eq!(popout.get("/v1/developer/revenue").await.status, 403);
    app.stop().await;
}
