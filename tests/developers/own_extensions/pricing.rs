//! Prices of extensions (reference/developers.md#pricing).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{TestApp, both_refused, extensions::Studio};
use serde_json::json;
use shared::schema::developer_profiles;

use super::{EXTENSION, PATH, update, update_over_graphql};

async fn verify(app: &TestApp, studio: &Studio) {
    diesel::update(developer_profiles::table.find(studio.profile_id))
        .set(developer_profiles::verified.eq(true))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

#[tokio::test]
async fn set_extension_visibility_and_pricing_let_verified_developers_charge() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let (person, id) = (&studio.person, studio.extension("Gold").await);
    let visibility = format!("{PATH}/{id}/visibility");
    let input = json!({ "visibility": "paid" });
    both_refused(
        &person.put(&visibility, input.clone()).await,
        &person.mutate_at("setExtensionVisibility", &[("id", id)], &input, EXTENSION).await,
        400,
        "VALIDATION_ERROR",
        "Paid pricing requires developer verification",
    );
    verify(&app, &studio).await;
    let price = json!({ "pricing": { "type": "subscription", "amount": 499, "interval": "monthly" } });
    let priced = update(person, id, price).await.data()["pricing"].clone();
    assert_eq!(
        priced,
        json!({ "type": "subscription", "amount": 499, "currency": "EUR", "interval": "monthly" })
    );
    assert_eq!(person.put(&visibility, input).await.data()["visibility"], "paid");
    assert_eq!(app.audited("extension:updated").await.len(), 2);
    for (pricing, message) in [
        (json!({ "type": "one_time", "amount": 99 }), "pricing.amount must be between 100 and 9999 cents"),
        (
            json!({ "type": "subscription", "amount": 10_000 }),
            "pricing.amount must be between 99 and 9999 cents",
        ),
        (json!({ "type": "subscription" }), "pricing.amount must be between 99 and 9999 cents"),
        (
            json!({ "type": "subscription", "amount": 99, "interval": "yearly" }),
            "pricing.interval must be monthly",
        ),
    ] {
        let body = json!({ "pricing": pricing });
        both_refused(
            &update(person, id, body.clone()).await,
            &update_over_graphql(person, id, &body).await,
            400,
            "VALIDATION_ERROR",
            message,
        );
    }
    let free = update(person, id, json!({ "pricing": { "type": "free" } })).await.data()["pricing"].clone();
    assert_eq!(free, json!({ "type": "free", "amount": null, "currency": null, "interval": null }));
    let wrong = json!({ "visibility": "system" });
    both_refused(
        &person.put(&visibility, wrong.clone()).await,
        &person.mutate_at("setExtensionVisibility", &[("id", id)], &wrong, EXTENSION).await,
        400,
        "VALIDATION_ERROR",
        "visibility must be private, unlisted, public or paid",
    );
}
