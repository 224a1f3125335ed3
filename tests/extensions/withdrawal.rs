//! Revocation of versions and suspension of extensions by reviewers
//! (reference/developers.md#revoke-and-suspend).

use api_core::token::TokenKind;
use diesel::prelude::*;
use diesel_async::{AsyncConnection, RunQueryDsl};
use extension_model::{notify_run_status, system::WIDGETS};
use lumio_tests::{Answer, Caller, Person, TestApp, both_refused};
use serde_json::{Value, json};
use shared::schema::{notifications, outbox};
use uuid::Uuid;

use super::{ASKED, greeter, id_of, install, published, reviewer};

const EXTENSION: &str = "{ id slug name visibility status currentVersion suspendedAt suspensionReason }";

async fn revoke(caller: &Caller, version: Uuid, reason: &str) -> Answer {
    caller.post(&format!("/v1/admin/extension-versions/{version}/revoke"), json!({ "reason": reason })).await
}

async fn revoke_over_graphql(caller: &Caller, version: Uuid, reason: &str) -> Answer {
    let document = "mutation($id: UUID!, $input: RevokeExtensionVersionInput!) {
        adminRevokeExtensionVersion(id: $id, input: $input) { id status reviewNotes } }";
    caller.graphql(document, json!({ "id": version, "input": { "reason": reason } })).await
}

async fn suspend(caller: &Caller, extension: Uuid, reason: &str) -> Answer {
    caller.post(&format!("/v1/admin/extensions/{extension}/suspend"), json!({ "reason": reason })).await
}

async fn suspend_over_graphql(caller: &Caller, extension: Uuid, reason: &str) -> Answer {
    let document = format!(
        "mutation($id: UUID!, $input: SuspendExtensionInput!) {{ adminSuspendExtension(id: $id, input: $input) {EXTENSION} }}"
    );
    caller.graphql(&document, json!({ "id": extension, "input": { "reason": reason } })).await
}

async fn unsuspend(caller: &Caller, extension: Uuid) -> Answer {
    caller.post(&format!("/v1/admin/extensions/{extension}/unsuspend"), json!({})).await
}

async fn unsuspend_over_graphql(caller: &Caller, extension: Uuid) -> Answer {
    let document = format!("mutation($id: UUID!) {{ adminUnsuspendExtension(id: $id) {EXTENSION} }}");
    caller.graphql(&document, json!({ "id": extension })).await
}

/// Moves installs and notifies their accounts like the worker; returns the numbers of both.
async fn follow(app: &TestApp, extension: Uuid) -> (usize, usize) {
    let (mut moved, mut notified, now) = (0, 0, app.clock.now());
    let mut db = app.databases.postgres.get().await.unwrap();
    loop {
        let batch = db
            .transaction(async |connection| extension_model::roll_out(connection, extension, now).await)
            .await
            .unwrap();
        moved += batch.len();
        if batch.is_empty() {
            break;
        }
    }
    loop {
        let batch = db
            .transaction(async |connection| notify_run_status(connection, extension, now).await)
            .await
            .unwrap();
        notified += batch.accounts.len();
        if batch.accounts.is_empty() {
            return (moved, notified);
        }
    }
}

async fn messages(app: &TestApp, person: &Person) -> Vec<String> {
    notifications::table
        .filter(notifications::user_id.eq(person.user_id))
        .order(notifications::id)
        .select(notifications::message)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

async fn handler(system: &Caller, install: Uuid) -> Value {
    let feed = system.get(&format!("/v1/internal/bot-modules/handlers?install_id={install}")).await;
    feed.expect(200)["installs"][0].clone()
}

fn file(extension: Uuid, version: &str) -> String {
    format!("/v1/extension-bundles/{extension}/{version}/lumio.config.json")
}

async fn updates(app: &TestApp, account: Uuid) -> usize {
    let events: Vec<Value> = outbox::table
        .filter(outbox::queue.eq("live_events"))
        .select(outbox::payload)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let channel = format!("extensions:{account}");
    let is_update = |payload: &&Value| {
        payload["event"]["event_type"] == "install:updated" && payload["event"]["channel"] == channel
    };
    events.iter().filter(is_update).count()
}

#[tokio::test]
async fn admin_revoke_extension_version_hides_it_and_downgrades_installs() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner, system) =
        (app.studio().await, reviewer(&app).await, app.owner().await, app.system_key().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let bad = published(&studio, &reviewer, extension, "1.1.0", &json!({})).await;
    let id = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
    let path = format!("/v1/extension-installs/{id}");
    owner.patch(&path, json!({ "pinned_version": "1.1.0" })).await.data();
    assert_eq!(app.anonymous().get(&file(extension, "1.1.0")).await.status, 200);

    let revoked = revoke(&reviewer, bad, "It phones home.").await;
    assert_eq!(
        (&revoked.data()["status"], &revoked.data()["review_notes"]),
        (&json!("revoked"), &json!("It phones home."))
    );
    for caller in [&app.anonymous(), &studio.person.caller, &system] {
        caller.get(&file(extension, "1.1.0")).await.refused("NOT_FOUND", "Bundle file not found");
        assert_eq!(caller.get(&file(extension, "1.0.0")).await.status, 200);
    }
    let detail = owner.get(&format!("/v1/extensions/{extension}")).await.data().clone();
    assert_eq!(detail["current_version"], "1.0.0");
    let listed: Vec<&Value> =
        detail["versions"].as_array().unwrap().iter().map(|version| &version["version"]).collect();
    assert_eq!(listed, [&json!("1.0.0")]);
    let stopped = handler(&system, id).await;
    assert_eq!((&stopped["enabled"], &stopped["handler_code"]), (&json!(false), &Value::Null));

    let audited = app.audited_once("extension:version_revoked").await;
    assert_eq!((audited.scope.as_str(), &audited.metadata["reason"]), ("system", &json!("It phones home.")));
    let message = "Version 1.1.0 was revoked. Notes: It phones home.";
    assert_eq!(messages(&app, &studio.person).await.last().map(String::as_str), Some(message));
    both_refused(
        &revoke(&reviewer, bad, "Again").await,
        &revoke_over_graphql(&reviewer, bad, "Again").await,
        409,
        "CONFLICT",
        "A version that is revoked cannot be revoked",
    );

    assert_eq!(follow(&app, extension).await, (1, 0));
    let now = owner.get(&path).await.data().clone();
    assert_eq!((&now["version"], &now["pinned_version"]), (&json!("1.0.0"), &json!("1.0.0")));
    assert_eq!(handler(&system, id).await["enabled"], true);
    let fell_back = "The version of Greeter that you had is revoked; version 1.0.0 runs in its place.";
    assert_eq!(messages(&app, &owner).await, [fell_back]);
    assert_eq!(follow(&app, extension).await, (0, 0), "nothing is said twice");
    owner
        .patch(&path, json!({ "pinned_version": "1.1.0" }))
        .await
        .refused("VALIDATION_ERROR", "pinned_version 1.1.0 is not a published version");
    let lower = studio.upload(extension, "1.1.0-rc.1", b"").await;
    assert_eq!(lower.body["error"]["message"], "Version must be greater than 1.1.0");
}

#[tokio::test]
async fn admin_revoke_extension_version_stops_installs_without_a_fallback() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner, system) =
        (app.studio().await, reviewer(&app).await, app.owner().await, app.system_key().await);
    let extension = greeter(&studio, &reviewer, &json!({ "permissions": ["chat:read"] })).await;
    // The older version reaches a host that this account did not consent to.
    let older = json!({ "permissions": ["chat:read"], "egress": { "allowHosts": ["old.example.com"] } });
    published(&studio, &reviewer, extension, "1.1.0", &older).await;
    let only =
        published(&studio, &reviewer, extension, "1.2.0", &json!({ "permissions": ["chat:read"] })).await;
    let first: Uuid = {
        let all = studio.person.get(&format!("/v1/developer/extensions/{extension}")).await.data().clone();
        let versions = all["versions"].as_array().unwrap().clone();
        let first = versions.iter().find(|version| version["version"] == "1.0.0").unwrap();
        first["id"].as_str().unwrap().parse().unwrap()
    };
    let id = id_of(&install(&owner, extension, &["chat:read"], &json!({})).await);
    let token = app.surface_token(TokenKind::Extension, owner.account_id, &id.to_string(), None).await;
    let listing = "/v1/extensions?search=greeter";
    for version in [first, only] {
        let field =
            revoke_over_graphql(&reviewer, version, "Unsafe").await.field("adminRevokeExtensionVersion");
        assert_eq!(field["status"], "REVOKED");
    }
    assert_eq!(follow(&app, extension).await, (0, 1));
    let stopped =
        "The version of Greeter that you had is revoked, and no other may run without your consent.";
    assert_eq!(messages(&app, &owner).await, [stopped]);
    assert_eq!(updates(&app, owner.account_id).await, 1);
    assert_eq!(handler(&system, id).await["enabled"], false);
    let (content_type, body) = lumio_tests::extensions::multipart(&[("file", b"GIF89a".as_slice())]);
    let path = format!("/v1/extensions/{extension}/uploads");
    let upload = token.post_raw(&path, &content_type, body).await;
    assert_eq!(upload.status, 401, "the tokens of its pages are gone: {}", upload.text);
    owner
        .post(&format!("/v1/extension-installs/{id}/token"), json!({ "surface": "layer" }))
        .await
        .refused("CONFLICT", "The extension install is switched off");
    assert_eq!(owner.get(listing).await.data().as_array().unwrap().len(), 1, "1.1.0 is offered to others");

    let kept: Uuid = {
        let detail = owner.get(&format!("/v1/extensions/{extension}")).await.data().clone();
        assert_eq!(detail["current_version"], "1.1.0");
        detail["versions"][0]["id"].as_str().unwrap().parse().unwrap()
    };
    revoke(&reviewer, kept, "Unsafe").await.data();
    assert_eq!(owner.get(listing).await.data(), &json!([]), "nothing is left to offer");
    owner.get(&format!("/v1/extensions/{extension}")).await.refused("NOT_FOUND", "Extension not found");
    let body = studio.key.get(&format!("/developer/v1/extensions/{extension}")).await.expect(200).clone();
    assert_eq!((&body["status"], &body["currentVersionId"]), (&json!("approved"), &Value::Null));

    published(&studio, &reviewer, extension, "1.3.0", &json!({ "permissions": ["chat:read"] })).await;
    assert_eq!(follow(&app, extension).await, (1, 0));
    assert_eq!(handler(&system, id).await["enabled"], true);
    let runs = "The version of Greeter that you had is revoked; version 1.3.0 runs in its place.";
    assert_eq!(messages(&app, &owner).await, [stopped, runs]);
}

#[tokio::test]
async fn admin_suspend_extension_stops_every_install_until_unsuspended() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner, system) =
        (app.studio().await, reviewer(&app).await, app.owner().await, app.system_key().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let id = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
    let suspended = suspend(&reviewer, extension, "Impersonation").await.data().clone();
    assert_eq!(
        (&suspended["status"], &suspended["suspension_reason"], &suspended["current_version"]),
        (&json!("suspended"), &json!("Impersonation"), &json!("1.0.0"))
    );
    assert!(suspended["suspended_at"].is_string());
    assert_eq!(handler(&system, id).await["enabled"], false);
    let triggers = system.get(&format!("/v1/internal/bot-modules/{}/triggers", owner.account_id)).await;
    assert_eq!(triggers.expect(200)["installs"], json!([]));
    assert_eq!(owner.get("/v1/extensions?search=greeter").await.data(), &json!([]));
    owner.get(&format!("/v1/extensions/{extension}")).await.refused("NOT_FOUND", "Extension not found");
    install(&app.owner().await.caller, extension, &ASKED, &json!({}))
        .await
        .refused("NOT_FOUND", "Extension not found");
    let token = app.surface_token(TokenKind::Extension, owner.account_id, &id.to_string(), None).await;
    for caller in [&app.anonymous(), &owner.caller, &token] {
        caller.get(&file(extension, "1.0.0")).await.refused("NOT_FOUND", "Bundle file not found");
    }
    for caller in [&studio.person.caller, &system] {
        let served = caller.get(&file(extension, "1.0.0")).await;
        assert_eq!((served.status, served.header("cache-control")), (200, "private, no-store"));
    }
    both_refused(
        &suspend(&reviewer, extension, "Again").await,
        &suspend_over_graphql(&reviewer, extension, "Again").await,
        409,
        "CONFLICT",
        "An extension that is suspended cannot be suspended",
    );
    assert_eq!(follow(&app, extension).await, (0, 1));
    assert_eq!(follow(&app, extension).await, (0, 0));
    let stopped = "Greeter is suspended and does not run. Its settings and data are kept.";
    assert_eq!(messages(&app, &owner).await, [stopped]);
    let message = "The extension was suspended. Notes: Impersonation";
    assert_eq!(messages(&app, &studio.person).await.last().map(String::as_str), Some(message));

    let released = unsuspend_over_graphql(&reviewer, extension).await.field("adminUnsuspendExtension");
    assert_eq!(
        (&released["status"], &released["suspendedAt"], &released["suspensionReason"]),
        (&json!("approved"), &Value::Null, &Value::Null)
    );
    assert_eq!(handler(&system, id).await["enabled"], true);
    assert_eq!(owner.get("/v1/extensions?search=greeter").await.data().as_array().unwrap().len(), 1);
    let served = app.anonymous().get(&file(extension, "1.0.0")).await;
    assert_eq!((served.status, served.header("cache-control")), (200, "public, max-age=86400, immutable"));
    assert_eq!(follow(&app, extension).await, (0, 1));
    assert_eq!(messages(&app, &owner).await, [stopped, "Greeter runs again."]);
    assert_eq!(updates(&app, owner.account_id).await, 2);
    for audited in
        [app.audited_once("extension:suspended").await, app.audited_once("extension:unsuspended").await]
    {
        assert_eq!((audited.scope.as_str(), audited.actor_id.is_some()), ("system", true), "{audited:?}");
    }
}

#[tokio::test]
async fn admin_unsuspend_extension_applies_changes_made_meanwhile() {
    let app = TestApp::start().await;
    let (studio, reviewer) = (app.studio().await, reviewer(&app).await);
    let extension = studio.public_extension("Early").await;
    let first = studio.version(extension, "1.0.0", &json!({})).await;
    suspend(&reviewer, extension, "Look again").await.data();
    let publish = format!("/v1/admin/extension-versions/{first}/publish");
    reviewer.post(&publish, json!({})).await.data();
    let status = async || {
        let path = format!("/developer/v1/extensions/{extension}");
        studio.key.get(&path).await.expect(200)["status"].clone()
    };
    assert_eq!(status().await, "suspended");
    assert_eq!(unsuspend(&reviewer, extension).await.data()["status"], "approved");

    // The version was tested and never published: its revocation leaves no other version.
    let tested = studio.public_extension("Tested").await;
    let version = studio.version(tested, "1.0.0", &json!({})).await;
    reviewer.post(&format!("/v1/admin/extension-versions/{version}/approve-testing"), json!({})).await.data();
    revoke(&reviewer, version, "No").await.data();
    let path = format!("/developer/v1/extensions/{tested}");
    assert_eq!(studio.key.get(&path).await.expect(200)["status"], "rejected");
    studio.version(tested, "0.9.0", &json!({})).await;
    assert_eq!(studio.key.get(&path).await.expect(200)["status"], "in_review", "it was never published");
}

#[tokio::test]
async fn admin_revoke_extension_version_and_suspension_need_the_permission() {
    let app = TestApp::start().await;
    let (studio, reviewer) = (app.studio().await, reviewer(&app).await);
    let reader = app.admin_with(&["extension-review:read"]).await;
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let waiting = studio.version(extension, "1.1.0", &json!({})).await;
    let missing = "Missing permission: extension-review:edit";
    for (caller, status, code, message) in [
        (&app.anonymous(), 401, "UNAUTHORIZED", "Authentication required"),
        (&reader.caller, 403, "FORBIDDEN", missing),
        (&studio.person.caller, 403, "FORBIDDEN", missing),
    ] {
        for (rest, graphql) in [
            (revoke(caller, waiting, "x").await, revoke_over_graphql(caller, waiting, "x").await),
            (suspend(caller, extension, "x").await, suspend_over_graphql(caller, extension, "x").await),
            (unsuspend(caller, extension).await, unsuspend_over_graphql(caller, extension).await),
        ] {
            both_refused(&rest, &graphql, status, code, message);
        }
    }
    let (empty, length) = ("reason must not be empty", "reason must be between 1 and 2000 characters");
    let long = "x".repeat(2001);
    for (wrong, reason) in [("", empty), ("  ", empty), (long.as_str(), length)] {
        both_refused(
            &revoke(&reviewer, waiting, wrong).await,
            &revoke_over_graphql(&reviewer, waiting, wrong).await,
            400,
            "VALIDATION_ERROR",
            reason,
        );
        both_refused(
            &suspend(&reviewer, extension, wrong).await,
            &suspend_over_graphql(&reviewer, extension, wrong).await,
            400,
            "VALIDATION_ERROR",
            reason,
        );
    }
    let unknown = Uuid::now_v7();
    both_refused(
        &revoke(&reviewer, unknown, "x").await,
        &revoke_over_graphql(&reviewer, unknown, "x").await,
        404,
        "NOT_FOUND",
        "Extension version not found",
    );
    both_refused(
        &suspend(&reviewer, unknown, "x").await,
        &suspend_over_graphql(&reviewer, unknown, "x").await,
        404,
        "NOT_FOUND",
        "Extension not found",
    );
    both_refused(
        &unsuspend(&reviewer, extension).await,
        &unsuspend_over_graphql(&reviewer, extension).await,
        409,
        "CONFLICT",
        "The extension is not suspended",
    );
    both_refused(
        &revoke(&reviewer, waiting, "x").await,
        &revoke_over_graphql(&reviewer, waiting, "x").await,
        409,
        "CONFLICT",
        "A version that is pending cannot be revoked",
    );
    let (draft, built_in) = (studio.extension("Draft").await, WIDGETS[0].extension_id);
    for (extension, message) in [
        (draft, "An extension that is draft cannot be suspended"),
        (built_in, "A built-in extension is switched off by its feature flag"),
    ] {
        let rest = suspend(&reviewer, extension, "x").await;
        let graphql = suspend_over_graphql(&reviewer, extension, "x").await;
        both_refused(&rest, &graphql, 409, "CONFLICT", message);
    }
    for action in ["extension:version_revoked", "extension:suspended", "extension:unsuspended"] {
        assert!(app.audited(action).await.is_empty(), "{action}");
    }
}
