//! Installing and removing extensions (reference/extensions.md#installs).

mod configuration;
mod effective;
mod versions;

use lumio_tests::{Answer, Caller, DEADLINE, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{ASKED, greeter, id_of, install, published, reviewer, uninstall_over_graphql};

const INSTALL: &str =
    "{ id accountId extensionId extensionSlug extensionName category version pinnedVersion enabled
    effective { runs reason } config configSchema effectiveConfig
    grantedPermissions updateAvailable updateRequiresConsent installedBy createdAt updatedAt }";

fn settings() -> Value {
    json!({ "config_schema": {
        "greeting": { "type": "string", "label": "Greeting", "default": "Hello", "max": 10 },
        "token": { "type": "string", "label": "Token", "secret": true, "min": 4 },
    } })
}

async fn install_over_graphql(caller: &Caller, extension: Uuid, granted: &[&str], config: &Value) -> Answer {
    let input = json!({ "extension_id": extension, "granted_permissions": granted, "config": config });
    caller.mutate("installExtension", &input, INSTALL).await
}

async fn configure_over_graphql(caller: &Caller, id: Uuid, input: Value) -> Answer {
    let document = format!(
        "mutation($id: UUID!, $input: ConfigureExtensionInput!) {{ configureExtension(id: $id, input: $input) {INSTALL} }}"
    );
    caller.graphql(&document, json!({ "id": id, "input": input })).await
}

#[tokio::test]
async fn install_extension_needs_consent_and_publishes_events() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &settings()).await;
    let (mut channel, mut messages) = app.state.redis.subscription().await.unwrap();
    let control = app.state.redis.key(format!("bot_modules:{}", owner.account_id));
    let events = app.state.events.topic(&format!("extensions:{}", owner.account_id));
    channel.subscribe(&[&control, &events]).await.unwrap();

    for granted in [&[][..], &["chat:read"], &["chat:read", "chat:send", "chat:ban"]] {
        both_refused(
            &install(&owner, extension, granted, &json!({})).await,
            &install_over_graphql(&owner, extension, granted, &json!({})).await,
            400,
            "VALIDATION_ERROR",
            "All requested permissions must be granted",
        );
    }
    let answer = install(&owner, extension, &ASKED, &json!({ "greeting": "Hi" })).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let installed = answer.data().clone();
    assert_eq!(answer.body["_links"]["self"], format!("/v1/extension-installs/{}", id_of(&answer)));
    assert_eq!(
        (&installed["version"], &installed["enabled"], &installed["category"]),
        (&json!("1.0.0"), &json!(true), &json!("bot_module"))
    );
    assert_eq!(
        (&installed["config"], &installed["installed_by"]),
        (&json!({ "greeting": "Hi" }), &json!(owner.user_id))
    );
    assert_eq!(installed.as_object().unwrap().len(), 19);

    let next = async |messages: &mut foundation::redis::Messages| -> Value {
        let message = tokio::time::timeout(DEADLINE, messages.next()).await.unwrap().unwrap();
        serde_json::from_slice(message.get_payload_bytes()).unwrap()
    };
    assert_eq!(next(&mut messages).await, json!({ "type": "refresh" }));
    let event = next(&mut messages).await;
    assert_eq!((&event["event_type"], &event["data"]), (&json!("install:created"), &installed));

    both_refused(
        &install(&owner, extension, &ASKED, &json!({})).await,
        &install_over_graphql(&owner, extension, &ASKED, &json!({})).await,
        409,
        "CONFLICT",
        "Extension is already installed",
    );
    assert_eq!(owner.get("/v1/extension-installs").await.data(), &json!([installed]));
    assert_eq!(app.audited("extension:installed").await.len(), 1);
}

#[tokio::test]
async fn install_extension_does_not_find_what_is_not_offered() {
    use diesel::prelude::*;
    use diesel_async::RunQueryDsl;
    use shared::schema::developer_profiles;

    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let private = studio.extension("Private").await;
    published(&studio, &reviewer, private, "1.0.0", &json!({})).await;
    let unreviewed = studio.public_extension("Unreviewed").await;
    studio.version(unreviewed, "1.0.0", &json!({})).await;
    for extension in [private, unreviewed, Uuid::nil()] {
        both_refused(
            &install(&owner, extension, &ASKED, &json!({})).await,
            &install_over_graphql(&owner, extension, &ASKED, &json!({})).await,
            404,
            "NOT_FOUND",
            "Extension not found",
        );
    }
    let malformed = owner.post("/v1/extension-installs", json!({ "extension_id": "zz" })).await;
    malformed.refused("VALIDATION_ERROR", "Invalid UUID: extension_id");
    // The developer can install a private extension without review, but not one that waits to be public.
    studio.version(private, "1.1.0", &json!({})).await;
    assert_eq!(install(&studio.person, private, &ASKED, &json!({})).await.data()["version"], "1.1.0");
    install(&studio.person, unreviewed, &ASKED, &json!({})).await.refused("NOT_FOUND", "Extension not found");

    let path = format!("/developer/v1/extensions/{private}");
    studio.key.patch(&path, json!({ "visibility": "unlisted" })).await.expect(200);
    assert_eq!(install(&owner, private, &ASKED, &json!({})).await.data()["version"], "1.0.0");

    // In an account that the developer does not own, only a reviewed version is installed.
    let employer = app.owner().await;
    let employed = app.member_with(employer.account_id, &["extension-store:install"]).await;
    diesel::update(developer_profiles::table.find(studio.profile_id))
        .set(developer_profiles::user_id.eq(employed.user_id))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(install(&employed, private, &ASKED, &json!({})).await.data()["version"], "1.0.0");
}

#[tokio::test]
async fn extension_install_of_another_account_is_not_found() {
    let app = TestApp::start().await;
    let (studio, reviewer) = (app.studio().await, reviewer(&app).await);
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let id = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
    let path = format!("/v1/extension-installs/{id}");
    let message = "Extension install not found";
    for answer in [
        stranger.get(&path).await,
        stranger.patch(&path, json!({ "enabled": false })).await,
        stranger.post(&format!("{path}/update"), json!({})).await,
        stranger.delete(&path).await,
        stranger.get(&format!("{path}/logs")).await,
        stranger.post("/v1/bot-modules/kill", json!({ "install_id": id })).await,
    ] {
        assert_eq!(answer.status, 404);
        answer.refused("NOT_FOUND", message);
    }
    configure_over_graphql(&stranger, id, json!({ "enabled": false })).await.refused("NOT_FOUND", message);
    uninstall_over_graphql(&stranger, id).await.refused("NOT_FOUND", message);
    assert_eq!(owner.get(&path).await.data()["enabled"], true);
}

#[tokio::test]
async fn install_extension_needs_permission_and_feature() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let reader = app.member_with(owner.account_id, &["extension-store:read"]).await;
    both_refused(
        &install(&reader, extension, &ASKED, &json!({})).await,
        &install_over_graphql(&reader, extension, &ASKED, &json!({})).await,
        403,
        "FORBIDDEN",
        "Missing permission: extension-store:install",
    );
    let service = app.service_key(owner.account_id, &["extension-store:install"]).await;
    assert_eq!(install(&service, extension, &ASKED, &json!({})).await.data()["installed_by"], Value::Null);
    app.switch("feature:extensions", false).await;
    owner
        .get("/v1/extension-installs")
        .await
        .refused("FEATURE_DISABLED", "Feature is disabled: feature:extensions");
}

#[tokio::test]
async fn install_extension_twice_is_for_plain_widgets_only() {
    use lumio_tests::extensions::{SERVER, archive, manifest};

    let app = TestApp::start().await;
    let studio = app.studio().await;
    for (bot_module, status) in
        [(json!(null), 201), (json!({ "commands": [{ "name": "hi", "handler": "hello" }] }), 409)]
    {
        let extension = studio.extension("Widget").await;
        let changes = json!({ "category": "widget", "targets": ["layer"], "bot_module": bot_module });
        let manifest = manifest(extension, "1.0.0", &changes).to_string();
        let files = [
            ("lumio.config.json", manifest.as_bytes()),
            ("server.js", SERVER.as_bytes()),
            ("layer.js", b"1"),
        ];
        studio.upload(extension, "1.0.0", &archive(&files)).await.expect(202);
        install(&studio.person, extension, &ASKED, &json!({})).await.expect(201);
        let again = install(&studio.person, extension, &ASKED, &json!({})).await;
        assert_eq!(again.status, status, "{}", again.text);
    }
}

#[tokio::test]
async fn uninstall_extension_refuses_built_in_extensions() {
    use diesel::prelude::*;
    use diesel_async::RunQueryDsl;
    use shared::schema::extensions;

    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let id = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
    let path = format!("/v1/extension-installs/{id}");
    let visibility = async |visibility: &str| {
        diesel::update(extensions::table.find(extension))
            .set(extensions::visibility.eq(visibility))
            .execute(&mut *app.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
    };
    visibility("system").await;
    let (rest, graphql) = (owner.delete(&path).await, uninstall_over_graphql(&owner, id).await);
    both_refused(&rest, &graphql, 409, "CONFLICT", "System extensions cannot be uninstalled");
    visibility("public").await;
    assert!(app.audited("extension:uninstalled").await.is_empty());
    assert_eq!(owner.delete(&path).await.status, 204);
    let audited = app.audited_once("extension:uninstalled").await;
    assert_eq!((audited.account_id, audited.actor_id), (Some(owner.account_id), Some(owner.user_id)));
    assert_eq!(owner.get(&path).await.status, 404);
    let stats = studio.key.get(&format!("/developer/v1/extensions/{extension}")).await.expect(200).clone();
    assert_eq!(stats["installCount"], 0);
    visibility("paid").await;
    let rest = install(&owner, extension, &ASKED, &json!({})).await;
    let graphql = install_over_graphql(&owner, extension, &ASKED, &json!({})).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Purchase required");
}
