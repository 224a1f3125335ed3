//! Versions of a developer's extensions on the main API (reference/developers.md#version-states).

use diesel::{prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use lumio_tests::{
    Answer, Caller, TestApp, both_refused,
    extensions::{SERVER, bundle, manifest, multipart},
};
use serde_json::{Value, json};
use shared::schema::{extension_approvals, extension_versions};
use uuid::Uuid;

const PATH: &str = "/v1/developer/extensions";
const VERSION: &str = "{ id version status changelog breaking needsEnhancedReview bundleSizeBytes reviewNotes submittedAt approvedAt }";
pub(super) const REVIEW: [&str; 2] = ["extension-review:read", "extension-review:edit"];

async fn upload(caller: &Caller, extension: Uuid, version: &str, changes: &Value) -> Answer {
    let packed = bundle(&manifest(extension, version, changes), Some(SERVER));
    let fields = [("version", version.as_bytes()), ("changelog", b"New."), ("bundle", packed.as_slice())];
    let (content_type, body) = multipart(&fields);
    caller.post_raw(&format!("{PATH}/{extension}/versions"), &content_type, body).await
}

/// Changes the status of a version; `name` is its id or number.
async fn step(caller: &Caller, extension: Uuid, name: &str, step: &str) -> Answer {
    caller.post(&format!("{PATH}/{extension}/versions/{name}/{step}"), json!({})).await
}

async fn step_over_graphql(caller: &Caller, extension: Uuid, name: &str, field: &str) -> Answer {
    let document = format!(
        "mutation($id: UUID!, $version: String!) {{ {field}(id: $id, version: $version) {VERSION} }}"
    );
    caller.graphql(&document, json!({ "id": extension, "version": name })).await
}

pub(super) async fn review(reviewer: &Caller, version: &str, decision: &str) -> Answer {
    let body = json!({ "notes": "Too loud." });
    reviewer.post(&format!("/v1/admin/extension-versions/{version}/{decision}"), body).await
}

/// Status of the extension.
async fn status(caller: &Caller, extension: Uuid) -> String {
    let detail = caller.get(&format!("{PATH}/{extension}")).await;
    detail.data()["extension"]["status"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn upload_extension_version_follows_the_rules_of_the_developer_api() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let (person, extension) = (&studio.person, studio.extension("Greeter").await);
    let uploaded = upload(person, extension, "1.0.0", &json!({})).await;
    assert_eq!(uploaded.status, 202, "{}", uploaded.text);
    let data = uploaded.data();
    assert_eq!(data.as_object().unwrap().len(), 10);
    assert_eq!(
        (&data["version"], &data["status"], &data["changelog"], &data["approved_at"]),
        (&json!("1.0.0"), &json!("pending"), &json!("New."), &Value::Null)
    );
    assert_eq!(status(person, extension).await, "in_review");
    let audited = app.audited_once("extension:version_submitted").await;
    assert_eq!(audited.actor_id, Some(person.user_id));

    let again = upload(person, extension, "1.0.0", &json!({})).await;
    assert_eq!(again.status, 409);
    again.refused("CONFLICT", "Version already exists");
    let wrong = upload(person, extension, "1.1.0", &json!({ "permissions": ["obs:control"] })).await;
    assert_eq!(wrong.status, 400);
    wrong.refused("VALIDATION_ERROR", "Invalid permission: obs:control");
    let fields = wrong.body["details"]["fields"].as_array().unwrap().clone();
    let unknown = json!({ "field": "permissions[0]", "message": "Invalid permission: obs:control" });
    assert_eq!(fields[0], unknown);
    // The accepted names are listed once.
    assert_eq!((fields.len(), &fields[1]["field"]), (2, &json!("permissions")));
    let reviewer = app.admin_with(&REVIEW).await;
    review(&reviewer, data["id"].as_str().unwrap(), "publish").await.data();
    let older = upload(person, extension, "0.9.0", &json!({})).await;
    older.refused("CONFLICT", "Version must be greater than 1.0.0");
    sql_query(
        "INSERT INTO extension_versions (id, extension_id, version, manifest, bundle_size_bytes, status)
         SELECT gen_random_uuid(), $1, '0.0.' || n, '{}', 0, 'rejected' FROM generate_series(1, 499) AS n",
    )
    .bind::<diesel::sql_types::Uuid, _>(extension)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    let full = upload(person, extension, "2.0.0", &json!({})).await;
    assert_eq!(full.status, 403);
    full.refused("PLAN_LIMIT_REACHED", "An extension can have at most 500 versions");
    let key = app.personal_key(person, &["extension-dev:read"]).await;
    let weak = upload(&key, extension, "3.0.0", &json!({})).await;
    weak.refused("FORBIDDEN", "This credential does not carry extension-dev:publish");
}

#[tokio::test]
async fn submit_extension_version_and_others_follow_the_state_machine() {
    let app = TestApp::start().await;
    let (studio, reviewer) = (app.studio().await, app.admin_with(&REVIEW).await);
    let (person, extension) = (&studio.person, studio.extension("Greeter").await);
    let id = studio.version(extension, "1.0.0", &json!({ "permissions": ["chat:read", "chat:ban"] })).await;
    let name = id.to_string();
    review(&reviewer, &name, "publish").await.data();
    let approvals = async || -> i64 {
        let of = extension_approvals::table.filter(extension_approvals::version_id.eq(id)).count();
        of.get_result(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap()
    };
    assert_eq!(approvals().await, 1, "one of two");

    for (route, field, message) in [
        ("submit", "submitExtensionVersion", "A version that is pending cannot be submitted"),
        (
            "request-publication",
            "requestExtensionPublication",
            "A version that is pending cannot be requested for publication",
        ),
        ("abandon", "abandonExtensionVersion", "A version that is pending cannot be abandoned"),
    ] {
        both_refused(
            &step(person, extension, "1.0.0", route).await,
            &step_over_graphql(person, extension, &name, field).await,
            409,
            "CONFLICT",
            message,
        );
    }
    assert_eq!(step(person, extension, "1.0.0", "withdraw").await.data()["status"], "draft");
    both_refused(
        &step(person, extension, "1.0.0", "withdraw").await,
        &step_over_graphql(person, extension, "1.0.0", "withdrawExtensionVersion").await,
        409,
        "CONFLICT",
        "A version that is draft cannot be withdrawn",
    );
    let again = step_over_graphql(person, extension, &name, "submitExtensionVersion").await;
    assert_eq!(again.field("submitExtensionVersion")["status"], "PENDING");
    assert_eq!((approvals().await, status(person, extension).await.as_str()), (0, "in_review"));

    review(&reviewer, &name, "approve-testing").await.data();
    assert_eq!(status(person, extension).await, "testing");
    assert_eq!(step(person, extension, &name, "abandon").await.data()["status"], "draft");
    step(person, extension, &name, "submit").await.data();
    review(&reviewer, &name, "approve-testing").await.data();
    let asked = step_over_graphql(person, extension, "1.0.0", "requestExtensionPublication").await;
    assert_eq!(asked.field("requestExtensionPublication")["status"], "PENDING_PUBLISH");
    assert_eq!(status(person, extension).await, "pending_publish");
    review(&reviewer, &name, "reject").await.data();
    assert_eq!(status(person, extension).await, "rejected");
    let detail = person.get(&format!("{PATH}/{extension}")).await.data()["versions"][0].clone();
    assert_eq!((&detail["status"], &detail["review_notes"]), (&json!("rejected"), &json!("Too loud.")));

    for (entries, times) in [
        (app.audited("extension:version_withdrawn").await, 1),
        (app.audited("extension:version_resubmitted").await, 2),
        (app.audited("extension:version_abandoned").await, 1),
        (app.audited("extension:version_publication_requested").await, 1),
    ] {
        assert_eq!(entries.len(), times, "{entries:?}");
        assert_eq!(entries[0].metadata, json!({ "extension_id": extension, "version": "1.0.0" }));
    }
    for missing in ["9.9.9", &Uuid::nil().to_string()] {
        both_refused(
            &step(person, extension, missing, "withdraw").await,
            &step_over_graphql(person, extension, missing, "withdrawExtensionVersion").await,
            404,
            "NOT_FOUND",
            "Extension version not found",
        );
    }
}

#[tokio::test]
async fn request_extension_publication_moves_a_version_out_of_testing() {
    let app = TestApp::start().await;
    let (studio, other) = (app.studio().await, app.studio().await);
    let reviewer = app.admin_with(&REVIEW).await;
    let (person, extension) = (&studio.person, studio.extension("Greeter").await);
    let name = studio.version(extension, "1.0.0", &json!({})).await.to_string();
    let request = async |caller: &Caller| {
        let rest = step(caller, extension, "1.0.0", "request-publication").await;
        (rest, step_over_graphql(caller, extension, &name, "requestExtensionPublication").await)
    };
    let (rest, graphql) = request(person).await;
    let message = "A version that is pending cannot be requested for publication";
    both_refused(&rest, &graphql, 409, "CONFLICT", message);
    review(&reviewer, &name, "approve-testing").await.data();
    let (rest, graphql) = request(&other.person).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Extension not found");
    let weak = app.personal_key(person, &["extension-dev:read"]).await;
    let (rest, graphql) = request(&weak).await;
    let message = "This credential does not carry extension-dev:publish";
    both_refused(&rest, &graphql, 403, "FORBIDDEN", message);

    // The first call moves the version, and the second finds it moved.
    let (rest, graphql) = request(person).await;
    assert_eq!(rest.data()["status"], "pending_publish");
    graphql.refused_with("CONFLICT");
    assert_eq!(status(person, extension).await, "pending_publish");
    let entry = app.audited_once("extension:version_publication_requested").await;
    assert_eq!(entry.metadata, json!({ "extension_id": extension, "version": "1.0.0" }));
}

#[tokio::test]
async fn abandon_extension_version_moves_a_version_in_testing_to_draft() {
    let app = TestApp::start().await;
    let (studio, other) = (app.studio().await, app.studio().await);
    let reviewer = app.admin_with(&REVIEW).await;
    let (person, extension) = (&studio.person, studio.extension("Greeter").await);
    let name = studio.version(extension, "1.0.0", &json!({})).await.to_string();
    let abandon = async |caller: &Caller| {
        let rest = step(caller, extension, "1.0.0", "abandon").await;
        (rest, step_over_graphql(caller, extension, &name, "abandonExtensionVersion").await)
    };
    let (rest, graphql) = abandon(person).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "A version that is pending cannot be abandoned");
    review(&reviewer, &name, "approve-testing").await.data();
    let (rest, graphql) = abandon(&other.person).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Extension not found");
    let weak = app.personal_key(person, &["extension-dev:read"]).await;
    let (rest, graphql) = abandon(&weak).await;
    let message = "This credential does not carry extension-dev:publish";
    both_refused(&rest, &graphql, 403, "FORBIDDEN", message);

    // The first call moves the version, and the second finds it moved.
    let (rest, graphql) = abandon(person).await;
    assert_eq!(rest.data()["status"], "draft");
    graphql.refused("CONFLICT", "A version that is draft cannot be abandoned");
    let entry = app.audited_once("extension:version_abandoned").await;
    assert_eq!(entry.metadata, json!({ "extension_id": extension, "version": "1.0.0" }));
}

#[tokio::test]
async fn withdraw_extension_version_publishes_that_it_stops_running() {
    for is_rejected in [false, true] {
        let app = TestApp::start().await;
        let (studio, reviewer) = (app.studio().await, app.admin_with(&REVIEW).await);
        let (person, extension) = (&studio.person, studio.extension("Greeter").await);
        let version = studio.version(extension, "1.0.0", &json!({})).await;
        let body = json!({ "extension_id": extension, "granted_permissions": ["chat:read", "chat:send"] });
        person.post("/v1/extension-installs", body).await.expect(201);
        let (mut channel, mut messages) = app.state.redis.subscription().await.unwrap();
        channel
            .subscribe(&[app.state.redis.key(format!("bot_modules:{}", person.account_id))])
            .await
            .unwrap();
        if is_rejected {
            review(&reviewer, &version.to_string(), "reject").await.data();
        } else {
            step(person, extension, "1.0.0", "withdraw").await.data();
        }
        let next = messages.next();
        let message = tokio::time::timeout(lumio_tests::DEADLINE, next).await.unwrap().unwrap();
        let frame: Value = serde_json::from_slice(message.get_payload_bytes()).unwrap();
        assert_eq!(frame, json!({ "type": "refresh" }));
    }
}

#[tokio::test]
async fn submit_extension_version_refuses_a_draft_older_than_the_published() {
    let app = TestApp::start().await;
    let (studio, reviewer) = (app.studio().await, app.admin_with(&REVIEW).await);
    let (person, extension) = (&studio.person, studio.extension("Greeter").await);
    studio.version(extension, "1.0.0", &json!({})).await;
    step(person, extension, "1.0.0", "withdraw").await.data();
    let newer = studio.version(extension, "2.0.0", &json!({})).await;
    review(&reviewer, &newer.to_string(), "publish").await.data();
    both_refused(
        &step(person, extension, "1.0.0", "submit").await,
        &step_over_graphql(person, extension, "1.0.0", "submitExtensionVersion").await,
        409,
        "CONFLICT",
        "Version must be greater than 2.0.0",
    );
    let kept: String = extension_versions::table
        .filter(extension_versions::version.eq("1.0.0").and(extension_versions::extension_id.eq(extension)))
        .select(extension_versions::status)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(kept, "draft");
}
