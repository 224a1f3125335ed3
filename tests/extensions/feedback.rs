//! Feedback of testers (reference/developers.md#feedback).

use diesel::{prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, TestApp, both_refused, extensions::Studio};
use serde_json::{Value, json};
use shared::schema::{notifications, users};
use uuid::Uuid;

use super::{ASKED, id_of, install, reviewer};

const FEEDBACK: &str = "{ id extensionId version category body createdAt }";

async fn feedback(caller: &Caller, install: Uuid, body: Value) -> Answer {
    caller.post(&format!("/v1/extension-installs/{install}/feedback"), body).await
}

async fn feedback_over_graphql(caller: &Caller, install: Uuid, category: &str, body: &str) -> Answer {
    let document = format!(
        "mutation($id: UUID!, $input: SubmitExtensionFeedbackInput!) {{ submitExtensionFeedback(id: $id, input: $input) {FEEDBACK} }}"
    );
    caller.graphql(&document, json!({ "id": install, "input": { "category": category, "body": body } })).await
}

/// Makes a person a tester.
async fn invite(app: &TestApp, studio: &Studio, extension: Uuid, person: &Person) {
    let username = format!("tester-{}", person.user_id.simple());
    diesel::update(users::table.find(person.user_id))
        .set(users::username.eq(&username))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let path = format!("/v1/developer/extensions/{extension}/testers");
    studio.person.post(&path, json!({ "username": username })).await.expect(201);
}

#[tokio::test]
async fn submit_extension_feedback_is_for_testers_of_a_version_in_testing() {
    let app = TestApp::start().await;
    let (studio, staff) = (app.studio().await, reviewer(&app).await);
    let (tester, other) = (app.owner().await, app.owner().await);
    let extension = studio.extension("Tested").await;
    let version = studio.version(extension, "1.0.0", &json!({})).await;
    invite(&app, &studio, extension, &tester).await;
    install(&tester, extension, &ASKED, &json!({})).await.refused("NOT_FOUND", "Extension not found");
    staff.post(&format!("/v1/admin/extension-versions/{version}/approve-testing"), json!({})).await.data();
    install(&other, extension, &ASKED, &json!({})).await.refused("NOT_FOUND", "Extension not found");
    let installed = install(&tester, extension, &ASKED, &json!({})).await;
    assert_eq!(installed.data()["version"], "1.0.0");
    let id = id_of(&installed);

    let sent = feedback(&tester, id, json!({ "category": "bug", "body": " Twice.\nAlways. " })).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    let data = sent.data();
    assert_eq!(data.as_object().unwrap().len(), 6);
    assert_eq!(
        (&data["extension_id"], &data["version"], &data["category"], &data["body"]),
        (&json!(extension), &json!("1.0.0"), &json!("bug"), &json!("Twice.\nAlways."))
    );
    let twin = feedback_over_graphql(&tester, id, "VISUAL", "Too small.").await;
    assert_eq!(twin.field("submitExtensionFeedback")["category"], "VISUAL");
    assert_eq!(app.audited("extension:feedback_given").await.len(), 2);
    let notified: Vec<String> = notifications::table
        .filter(notifications::user_id.eq(studio.person.user_id))
        .filter(notifications::title.eq("Tested: feedback of a tester"))
        .order(notifications::id)
        .select(notifications::message)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(
        notified,
        [
            "A tester of version 1.0.0 reports (bug): Twice.\nAlways.",
            "A tester of version 1.0.0 reports (visual): Too small."
        ]
    );

    let longest = "x".repeat(2000);
    feedback(&tester, id, json!({ "category": "comment", "body": longest })).await.expect(201);
    for (body, message) in [
        ("  ", "body must not be empty"),
        (&format!("{longest}x"), "body must be between 1 and 2000 characters"),
    ] {
        both_refused(
            &feedback(&tester, id, json!({ "category": "feature", "body": body })).await,
            &feedback_over_graphql(&tester, id, "FEATURE", body).await,
            400,
            "VALIDATION_ERROR",
            message,
        );
    }
    feedback(&tester, id, json!({ "category": "praise", "body": "x" }))
        .await
        .refused_with("VALIDATION_ERROR");

    sql_query(
        "INSERT INTO extension_feedback (id, extension_id, version_id, account_id, user_id, category, body)
         SELECT gen_random_uuid(), $1, $2, $3, $4, 'comment', 'x' FROM generate_series(1, 97)",
    )
    .bind::<diesel::sql_types::Uuid, _>(extension)
    .bind::<diesel::sql_types::Uuid, _>(version)
    .bind::<diesel::sql_types::Uuid, _>(tester.account_id)
    .bind::<diesel::sql_types::Uuid, _>(tester.user_id)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    both_refused(
        &feedback(&tester, id, json!({ "category": "bug", "body": "x" })).await,
        &feedback_over_graphql(&tester, id, "BUG", "x").await,
        403,
        "PLAN_LIMIT_REACHED",
        "Feedback limit reached",
    );
}

#[tokio::test]
async fn submit_extension_feedback_refuses_others_and_foreign_installs() {
    let app = TestApp::start().await;
    let (studio, staff) = (app.studio().await, reviewer(&app).await);
    let (tester, stranger) = (app.owner().await, app.owner().await);
    let extension = studio.extension("Tested").await;
    let version = studio.version(extension, "1.0.0", &json!({})).await;
    let own = id_of(&install(&studio.person, extension, &ASKED, &json!({})).await);
    let input = json!({ "category": "bug", "body": "x" });
    let service = app.service_key(studio.person.account_id, &["extension-store:read"]).await;
    for caller in [&studio.person.caller, &service] {
        both_refused(
            &feedback(caller, own, input.clone()).await,
            &feedback_over_graphql(caller, own, "BUG", "x").await,
            403,
            "FORBIDDEN",
            "Only testers can give feedback",
        );
    }
    both_refused(
        &feedback(&stranger, own, input.clone()).await,
        &feedback_over_graphql(&stranger, own, "BUG", "x").await,
        404,
        "NOT_FOUND",
        "Extension install not found",
    );
    invite(&app, &studio, extension, &tester).await;
    staff.post(&format!("/v1/admin/extension-versions/{version}/approve-testing"), json!({})).await.data();
    let id = id_of(&install(&tester, extension, &ASKED, &json!({})).await);
    let request = format!("/v1/developer/extensions/{extension}/versions/1.0.0/request-publication");
    studio.person.post(&request, json!({})).await.data();
    both_refused(
        &feedback(&tester, id, input.clone()).await,
        &feedback_over_graphql(&tester, id, "BUG", "x").await,
        409,
        "CONFLICT",
        "The installed version is not in testing",
    );
    app.override_feature(tester.account_id, "feature:extensions", false).await;
    feedback(&tester, id, input).await.refused("FEATURE_DISABLED", "Feature is disabled: feature:extensions");
    assert!(app.audited("extension:feedback_given").await.is_empty());
}
