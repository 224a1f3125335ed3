//! Review of versions by operator staff (reference/developers.md#review).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, both_refused, extensions::Studio};
use serde_json::{Value, json};
use shared::schema::outbox;
use uuid::Uuid;

const REVIEW: [&str; 2] = ["extension-review:read", "extension-review:edit"];
const PATH: &str = "/v1/admin/extension-versions";
const VERSION: &str = "{ id status approvals breaking needsEnhancedReview reviewNotes }";

async fn publish(reviewer: &Caller, version: Uuid) -> Answer {
    reviewer.post(&format!("{PATH}/{version}/publish"), json!({})).await
}

async fn publish_over_graphql(reviewer: &Caller, version: Uuid) -> Answer {
    let document = format!("mutation($id: UUID!) {{ adminPublishExtensionVersion(id: $id) {VERSION} }}");
    reviewer.graphql(&document, json!({ "id": version })).await
}

async fn reject_over_graphql(reviewer: &Caller, version: Uuid, input: &Value) -> Answer {
    let document = format!(
        "mutation($id: UUID!, $input: RejectExtensionVersionInput!) {{ \
            adminRejectExtensionVersion(id: $id, input: $input) {VERSION} }}"
    );
    reviewer.graphql(&document, json!({ "id": version, "input": input })).await
}

async fn extension(studio: &Studio, id: Uuid) -> Value {
    studio.key.get(&format!("/developer/v1/extensions/{id}")).await.expect(200).clone()
}

async fn roll_outs(app: &TestApp) -> i64 {
    outbox::table
        .filter(outbox::queue.eq("extension_rollout"))
        .count()
        .get_result(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

#[tokio::test]
async fn admin_extension_versions_and_decisions_need_the_permission() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let id = studio.extension("Greeter").await;
    let version = studio.version(id, "1.0.0", &json!({})).await;
    let reader = app.admin_with(&["extension-review:read"]).await;
    assert_eq!(reader.get(PATH).await.data().as_array().unwrap().len(), 1);
    let missing = "Missing permission: extension-review:edit";
    both_refused(
        &publish(&reader, version).await,
        &publish_over_graphql(&reader, version).await,
        403,
        "FORBIDDEN",
        missing,
    );
    both_refused(
        &publish(&studio.person, version).await,
        &publish_over_graphql(&studio.person, version).await,
        403,
        "FORBIDDEN",
        missing,
    );
    both_refused(
        &publish(&app.anonymous(), version).await,
        &publish_over_graphql(&app.anonymous(), version).await,
        401,
        "UNAUTHORIZED",
        "Authentication required",
    );
    assert_eq!(extension(&studio, id).await["status"], "in_review");
    assert_eq!(roll_outs(&app).await, 0);
}

#[tokio::test]
async fn admin_publish_extension_version_lists_and_rolls_out_the_version() {
    let app = TestApp::start().await;
    let (studio, reviewer) = (app.studio().await, app.admin_with(&REVIEW).await);
    let id = studio.public_extension("Greeter").await;
    let version = studio.version(id, "1.0.0", &json!({})).await;
    let detail = reviewer.get(&format!("{PATH}/{version}")).await.data().clone();
    assert_eq!(detail["permissions"], json!({ "added": ["chat:read", "chat:send"], "removed": [] }));
    assert_eq!(detail["files"].as_array().unwrap().len(), 2);
    assert_eq!(detail["manifest"]["name"], "Greeter");

    let published = publish_over_graphql(&reviewer, version).await.field("adminPublishExtensionVersion");
    assert_eq!(published["status"], "APPROVED");
    let extension = extension(&studio, id).await;
    assert_eq!((&extension["status"], &extension["currentVersionId"]), (&json!("approved"), &json!(version)));
    let deleted = studio.key.delete(&format!("/developer/v1/extensions/{id}")).await;
    assert_eq!(deleted.status, 422, "a listed extension stays");
    assert_eq!(roll_outs(&app).await, 1);
    let [audited] = app.audited("extension:version_published").await.try_into().unwrap();
    assert_eq!((audited.scope.as_str(), audited.actor_id), ("system", Some(reviewer.user_id)));

    let message = "A version that is approved cannot be published";
    both_refused(
        &publish(&reviewer, version).await,
        &publish_over_graphql(&reviewer, version).await,
        409,
        "CONFLICT",
        message,
    );
}

#[tokio::test]
async fn admin_extension_version_compares_with_the_last_approved_version() {
    let app = TestApp::start().await;
    let (studio, reviewer) = (app.studio().await, app.admin_with(&REVIEW).await);
    let id = studio.extension("Greeter").await;
    let egress = |hosts: &[&str], ports: &[u16]| json!({ "allowHosts": hosts, "allowPorts": ports });
    let one = studio.version(id, "1.0.0", &json!({ "egress": egress(&["a.example.com"], &[8443]) })).await;
    publish(&reviewer, one).await.data();
    let more = json!({ "egress": egress(&["a.example.com", "b.example.com"], &[8444]) });
    let two = studio.version(id, "1.1.0", &more).await;
    let of = async || {
        let detail = reviewer.get(&format!("{PATH}/{two}")).await.data().clone();
        [detail["permissions"].clone(), detail["egress_hosts"].clone(), detail["egress_ports"].clone()]
    };
    let diff = |added: &[&str], removed: &[&str]| json!({ "added": added, "removed": removed });
    assert_eq!(of().await, [diff(&[], &[]), diff(&["b.example.com"], &[]), diff(&["8444"], &["8443"])]);
    reviewer.post(&format!("{PATH}/{one}/revoke"), json!({ "reason": "It spies." })).await.data();
    let all = diff(&["a.example.com", "b.example.com"], &[]);
    assert_eq!(of().await, [diff(&["chat:read", "chat:send"], &[]), all, diff(&["8444"], &[])]);
}

#[tokio::test]
async fn admin_publish_extension_version_needs_two_reviewers_when_enhanced() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let (first, second) = (app.admin_with(&REVIEW).await, app.admin_with(&REVIEW).await);
    let id = studio.extension("Moderator").await;
    let version = studio.version(id, "1.0.0", &json!({ "permissions": ["chat:read", "chat:ban"] })).await;
    let once = publish(&first, version).await.data().clone();
    assert_eq!(
        (&once["status"], &once["approvals"], &once["needs_enhanced_review"]),
        (&json!("pending"), &json!(1), &json!(true))
    );
    let message = "A second reviewer must approve this version";
    both_refused(
        &publish(&first, version).await,
        &publish_over_graphql(&first, version).await,
        409,
        "CONFLICT",
        message,
    );
    assert_eq!(roll_outs(&app).await, 0);
    assert_eq!(app.audited_once("extension:version_approved_once").await.actor_id, Some(first.user_id));
    assert!(app.audited("extension:version_published").await.is_empty());
    let twice = publish(&second, version).await.data().clone();
    assert_eq!((&twice["status"], &twice["approvals"]), (&json!("approved"), &json!(2)));
    assert_eq!(roll_outs(&app).await, 1);
}

#[tokio::test]
async fn admin_publish_extension_version_marks_new_permissions_as_breaking() {
    let app = TestApp::start().await;
    let (studio, reviewer) = (app.studio().await, app.admin_with(&REVIEW).await);
    let id = studio.extension("Greeter").await;
    let one = studio.version(id, "1.0.0", &json!({})).await;
    let older = studio.version(id, "0.9.0", &json!({})).await;
    assert_eq!(publish(&reviewer, one).await.data()["breaking"], false);
    let (rest, graphql) = (publish(&reviewer, older).await, publish_over_graphql(&reviewer, older).await);
    both_refused(&rest, &graphql, 409, "CONFLICT", "Version 1.0.0 is published already and is not older");

    let two = studio
        .version(id, "1.1.0", &json!({ "permissions": ["chat:read", "chat:send", "events:read"] }))
        .await;
    let three =
        studio.version(id, "1.2.0", &json!({ "egress": { "allowHosts": ["api.example.com"] } })).await;
    assert_eq!(publish(&reviewer, two).await.data()["breaking"], true);
    assert_eq!(publish(&reviewer, three).await.data()["breaking"], true);
    let below = studio.upload(id, "1.0.5", b"").await;
    assert_eq!(below.body["error"]["message"], "Version must be greater than 1.2.0");
}

#[tokio::test]
async fn admin_reject_extension_version_needs_notes() {
    let app = TestApp::start().await;
    let (studio, reviewer) = (app.studio().await, app.admin_with(&REVIEW).await);
    let id = studio.extension("Greeter").await;
    let version = studio.version(id, "1.0.0", &json!({})).await;
    let reject = format!("{PATH}/{version}/reject");
    for body in [json!({}), json!({ "notes": null }), json!({ "notes": "  " })] {
        let rest = reviewer.post(&reject, body.clone()).await;
        let graphql = reject_over_graphql(&reviewer, version, &body).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "Review notes are required");
    }
    let rejected = reviewer.post(&reject, json!({ "notes": "Too loud." })).await.data().clone();
    assert_eq!((&rejected["status"], &rejected["review_notes"]), (&json!("rejected"), &json!("Too loud.")));
    assert_eq!(extension(&studio, id).await["status"], "rejected");
    let audited = app.audited_once("extension:version_rejected").await;
    assert_eq!((audited.scope.as_str(), audited.actor_id), ("system", Some(reviewer.user_id)));

    studio.version(id, "1.0.1", &json!({})).await;
    assert_eq!(extension(&studio, id).await["status"], "in_review");
}

#[tokio::test]
async fn admin_approve_extension_testing_moves_a_pending_version_to_testing() {
    let app = TestApp::start().await;
    let (studio, reviewer) = (app.studio().await, app.admin_with(&REVIEW).await);
    let id = studio.extension("Greeter").await;
    let version = studio.version(id, "1.0.0", &json!({})).await;
    let approve = async |caller: &Caller, version: Uuid| {
        let document = format!("mutation($id: UUID!) {{ adminApproveExtensionTesting(id: $id) {VERSION} }}");
        let rest = caller.post(&format!("{PATH}/{version}/approve-testing"), json!({})).await;
        (rest, caller.graphql(&document, json!({ "id": version })).await)
    };
    let reader = app.admin_with(&["extension-review:read"]).await;
    let (rest, graphql) = approve(&reader, version).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: extension-review:edit");
    assert_eq!(extension(&studio, id).await["status"], "in_review");

    // The first call approves the version, and the second finds it approved.
    let (rest, graphql) = approve(&reviewer, version).await;
    assert_eq!(rest.data()["status"], "testing");
    graphql.refused("CONFLICT", "A version that is testing cannot be approved for testing");
    assert_eq!(extension(&studio, id).await["status"], "testing");
    let audited = app.audited_once("extension:version_testing_approved").await;
    assert_eq!((audited.scope.as_str(), audited.actor_id), ("system", Some(reviewer.user_id)));
    let (rest, graphql) = approve(&reviewer, version).await;
    let message = "A version that is testing cannot be approved for testing";
    both_refused(&rest, &graphql, 409, "CONFLICT", message);
    let (rest, graphql) = approve(&reviewer, Uuid::nil()).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Extension version not found");
    for (version, status, code, message) in [
        (version, 409, "CONFLICT", "A version that is testing cannot be published"),
        (Uuid::nil(), 404, "NOT_FOUND", "Extension version not found"),
    ] {
        let rest = publish(&reviewer, version).await;
        let graphql = publish_over_graphql(&reviewer, version).await;
        both_refused(&rest, &graphql, status, code, message);
    }
}

#[tokio::test]
async fn admin_extension_versions_lists_by_status_oldest_first() {
    let app = TestApp::start().await;
    let (studio, reviewer) = (app.studio().await, app.admin_with(&REVIEW).await);
    let id = studio.extension("Greeter").await;
    let one = studio.version(id, "1.0.0", &json!({})).await;
    let two = studio.version(id, "1.1.0", &json!({})).await;
    publish(&reviewer, one).await.data();
    let listed = reviewer.get(&format!("{PATH}?status=pending&limit=1")).await;
    assert_eq!((&listed.data()[0]["id"], &listed.body["_meta"]["total"]), (&json!(two), &json!(1)));
    let document = "query { adminExtensionVersions(limit: 1) { items { id } total pages } }";
    let page = reviewer.graphql(document, json!({})).await.field("adminExtensionVersions");
    assert_eq!(page, json!({ "items": [{ "id": one }], "total": 2, "pages": 2 }));
    reviewer.get(&format!("{PATH}?status=lost")).await.refused_with("VALIDATION_ERROR");
}

#[tokio::test]
async fn set_extension_visibility_to_public_waits_for_a_review_once() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, app.admin_with(&REVIEW).await, app.owner().await);
    let id = studio.extension("Shy").await;
    let version = studio.version(id, "1.0.0", &json!({})).await;
    assert_eq!(publish(&reviewer, version).await.data()["awaits_listing"], false);
    let visibility = format!("/v1/developer/extensions/{id}/visibility");
    let install = json!({ "extension_id": id, "granted_permissions": ["chat:read", "chat:send"] });
    let offered = async || {
        let listed = owner.get("/v1/extensions?search=shy").await.data().as_array().unwrap().len();
        (listed, owner.get(&format!("/v1/extensions/{id}")).await.status)
    };
    let waiting = async || {
        let rest = reviewer.get(&format!("{PATH}?awaits_listing=true")).await;
        let document = "{ adminExtensionVersions(awaitsListing: true) { items { id awaitsListing } total } }";
        let graphql = reviewer.graphql(document, json!({})).await.field("adminExtensionVersions");
        let ids = |items: &Value| -> Vec<Value> {
            items.as_array().unwrap().iter().map(|item| item["id"].clone()).collect()
        };
        assert_eq!(ids(rest.data()), ids(&graphql["items"]));
        ids(rest.data())
    };
    assert_eq!((offered().await, waiting().await), ((0, 404), vec![]));

    studio.person.put(&visibility, json!({ "visibility": "public" })).await.data();
    assert_eq!((offered().await, waiting().await), ((0, 404), vec![json!(version)]));
    let refused = owner.post("/v1/extension-installs", install.clone()).await;
    refused.refused("NOT_FOUND", "Extension not found");
    let reader = app.admin_with(&["extension-review:read"]).await;
    both_refused(
        &publish(&reader, version).await,
        &publish_over_graphql(&reader, version).await,
        403,
        "FORBIDDEN",
        "Missing permission: extension-review:edit",
    );
    assert_eq!(offered().await, (0, 404));

    let listed = publish_over_graphql(&reviewer, version).await.field("adminPublishExtensionVersion");
    assert_eq!(listed["status"], "APPROVED");
    assert_eq!((offered().await, waiting().await), ((1, 200), vec![]));
    let audited = app.audited_once("extension:listing_approved").await;
    assert_eq!((audited.scope.as_str(), audited.actor_id), ("system", Some(reviewer.user_id)));
    owner.post("/v1/extension-installs", install).await.expect(201);
    both_refused(
        &publish(&reviewer, version).await,
        &publish_over_graphql(&reviewer, version).await,
        409,
        "CONFLICT",
        "A version that is approved cannot be published",
    );

    // Only the first change waits: an extension that becomes public again is listed at once.
    studio.person.put(&visibility, json!({ "visibility": "private" })).await.data();
    assert_eq!(offered().await, (0, 200), "delisted at once, and the install keeps its page");
    studio.person.put(&visibility, json!({ "visibility": "public" })).await.data();
    assert_eq!((offered().await, waiting().await), ((1, 200), vec![]));
}
