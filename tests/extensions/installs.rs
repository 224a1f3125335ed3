//! Installing, configuring and removing extensions (specification C B4).

use diesel::{
    sql_query,
    sql_types::{Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use futures::StreamExt;
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
async fn an_extension_is_installed_with_consent_and_announced() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &settings()).await;
    let mut channel = app.state.redis.pubsub().await.unwrap();
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

    let mut messages = channel.on_message();
    let next = async |messages: &mut (dyn futures::Stream<Item = redis::Msg> + Unpin)| -> Value {
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
    let listed = owner.get("/v1/extension-installs").await;
    assert_eq!(listed.data(), &json!([installed]));
    let twin = owner.graphql(&format!("query {{ extensionInstalls {INSTALL} }}"), json!({})).await;
    assert_eq!(twin.field("extensionInstalls")[0]["id"], installed["id"]);
    let stats =
        studio.key.get(&format!("/developer/v1/extensions/{extension}/installs")).await.expect(200).clone();
    assert_eq!((&stats["total"], &stats["active"]), (&json!(1), &json!(1)));
    assert_eq!(stats["byVersion"].as_object().unwrap().len(), 1);
    assert_eq!(app.audited("extension:installed").await.len(), 1);
}

#[tokio::test]
async fn settings_are_checked_by_the_schema_and_secrets_stay_hidden() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &settings()).await;
    for (config, message) in [
        (json!({ "greeting": 1 }), "config.greeting must be a string"),
        (json!({ "other": 1 }), "config.other is not a setting of this extension"),
        (json!({ "token": "abc" }), "config.token must have a number of characters of at least 4"),
        (json!([]), "config must be an object"),
    ] {
        both_refused(
            &install(&owner, extension, &ASKED, &config).await,
            &install_over_graphql(&owner, extension, &ASKED, &config).await,
            400,
            "VALIDATION_ERROR",
            message,
        );
    }
    assert_eq!(owner.get("/v1/extension-installs").await.data(), &json!([]));

    let installed = install(&owner, extension, &ASKED, &json!({ "token": "hush-hush" })).await;
    assert_eq!(installed.data()["config"], json!({ "token": "********" }));
    let (id, path) = (id_of(&installed), format!("/v1/extension-installs/{}", id_of(&installed)));
    let config = json!({ "config": { "token": "********", "greeting": "Hey" } });
    let changed = owner.patch(&path, config).await;
    assert_eq!(changed.data()["config"], json!({ "token": "********", "greeting": "Hey" }));
    let audited = app.audited_once("extension:configured").await;
    assert_eq!((audited.account_id, audited.actor_id), (Some(owner.account_id), Some(owner.user_id)));
    assert_eq!(audited.resource_id, Some(id.to_string()));
    assert!(!audited.metadata.to_string().contains("hush"));
    let feed =
        app.system_key().await.get(&format!("/v1/internal/bot-modules/handlers?install_id={id}")).await;
    assert_eq!(
        feed.expect(200)["installs"][0]["install_config"],
        json!({ "token": "hush-hush", "greeting": "Hey" })
    );

    both_refused(
        &owner.patch(&path, json!({ "config": { "greeting": "much too long" } })).await,
        &configure_over_graphql(&owner, id, json!({ "config": { "greeting": "much too long" } })).await,
        400,
        "VALIDATION_ERROR",
        "config.greeting must have a number of characters of at most 10",
    );
    both_refused(
        &owner.patch(&path, json!({ "enabled": null })).await,
        &configure_over_graphql(&owner, id, json!({ "enabled": null })).await,
        400,
        "VALIDATION_ERROR",
        "enabled cannot be null",
    );
}

#[tokio::test]
async fn what_is_not_offered_is_not_found() {
    use diesel::prelude::*;
    use diesel_async::RunQueryDsl;
    use shared::db::schema::developer_profiles;

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
    // Its developer runs what is private without review, but not what waits to be public.
    studio.version(private, "1.1.0", &json!({})).await;
    assert_eq!(install(&studio.person, private, &ASKED, &json!({})).await.data()["version"], "1.1.0");
    install(&studio.person, unreviewed, &ASKED, &json!({})).await.refused("NOT_FOUND", "Extension not found");

    let path = format!("/developer/v1/extensions/{private}");
    studio.key.patch(&path, json!({ "visibility": "unlisted" })).await.expect(200);
    assert_eq!(install(&owner, private, &ASKED, &json!({})).await.data()["version"], "1.0.0");

    // In an account that the developer only works in, nothing runs that was not reviewed.
    let employer = app.owner().await;
    let employed = app.member_with(employer.account_id, &["extension-store:install"]).await;
    diesel::update(developer_profiles::table.find(studio.profile_id))
        .set(developer_profiles::user_id.eq(employed.user_id))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(install(&employed, private, &ASKED, &json!({})).await.data()["version"], "1.0.0");
}

#[tokio::test]
async fn foreign_installs_are_not_found_and_stay_unchanged() {
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
async fn the_permission_and_the_feature_are_needed() {
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
async fn an_install_answers_whether_it_runs_as_the_workers_see_it() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner, system) =
        (app.studio().await, reviewer(&app).await, app.owner().await, app.system_key().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let id = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
    let path = format!("/v1/extension-installs/{id}");
    let is_answered = async |reason: Value| {
        let document = "query($id: UUID!) { extensionInstall(id: $id) { effective { runs reason } } }";
        let one = owner.get(&path).await.data()["effective"].clone();
        assert_eq!(one, json!({ "runs": reason.is_null(), "reason": reason }));
        assert_eq!(owner.get("/v1/extension-installs").await.data()[0]["effective"], one);
        let gql = owner.graphql(document, json!({ "id": id })).await.field("extensionInstall");
        let upper = reason.as_str().map(str::to_uppercase);
        assert_eq!(gql["effective"], json!({ "runs": reason.is_null(), "reason": upper }));
        let handlers = system.get(&format!("/v1/internal/bot-modules/handlers?install_id={id}")).await;
        assert_eq!(handlers.expect(200)["installs"][0]["enabled"], reason.is_null(), "as the workers see it");
    };
    is_answered(Value::Null).await;
    owner.patch(&path, json!({ "enabled": false })).await.data();
    is_answered(json!("disabled")).await;
    owner.post("/v1/bot-modules/kill", json!({ "install_id": id })).await.expect(204);
    is_answered(json!("killed")).await;
    owner.patch(&path, json!({ "enabled": true })).await.data();
    is_answered(Value::Null).await;
    let mut db = app.state.databases.postgres.get().await.unwrap();
    for (table, status, reason) in [
        ("extension_versions", "revoked", "version_withdrawn"),
        ("extension_versions", "rejected", "version_withdrawn"),
        ("extensions", "suspended", "suspended"),
    ] {
        let column = if table == "extensions" { "id" } else { "extension_id" };
        let set = format!("UPDATE {table} SET status = $1 WHERE {column} = $2");
        sql_query(set).bind::<Text, _>(status).bind::<SqlUuid, _>(extension).execute(&mut *db).await.unwrap();
        is_answered(json!(reason)).await;
    }
    drop(db);
    let document = json!({ "extension_id": extension, "granted_permissions": ASKED });
    let other = app.owner().await;
    app.override_feature(other.account_id, "feature:extensions", false).await;
    other.post("/v1/extension-installs", document).await.refused_with("FEATURE_DISABLED");
}

#[tokio::test]
async fn an_install_answers_its_settings_with_schema_and_defaults() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let schema = json!({
        "greeting": { "type": "string", "label": "Greeting", "default": "Hello" },
        "times": { "type": "number", "label": "Times", "default": 2, "min": 1, "max": 5 },
        "password": { "type": "string", "label": "Password", "secret": true, "max": 3 },
    });
    let extension = greeter(&studio, &reviewer, &json!({ "config_schema": schema })).await;
    let config = json!({ "times": 3, "password": "abc" });
    let installed = install(&owner, extension, &ASKED, &config).await.data().clone();
    let masked = installed["config"]["password"].clone();
    assert_ne!(masked, "abc");
    assert_eq!(installed["config"], json!({ "times": 3, "password": masked }));
    let effective = json!({ "greeting": "Hello", "times": 3, "password": masked });
    assert_eq!(installed["effective_config"], effective);
    assert_eq!(installed["config_schema"]["times"]["max"], 5);
    assert_eq!(installed["config_schema"]["greeting"]["label"], "Greeting");
    let offered = owner.get(&format!("/v1/extensions/{extension}")).await.data().clone();
    assert_eq!(offered["config_schema"], installed["config_schema"]);
}

#[tokio::test]
async fn a_kill_stops_the_triggers_and_switching_on_lifts_it() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner, system) =
        (app.studio().await, reviewer(&app).await, app.owner().await, app.system_key().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let id = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
    let triggers = format!("/v1/internal/bot-modules/{}/triggers", owner.account_id);
    assert_eq!(system.get(&triggers).await.expect(200)["installs"].as_array().unwrap().len(), 1);

    let mut channel = app.state.redis.pubsub().await.unwrap();
    let key = |channel: String| app.state.redis.key(channel);
    let of_account = key(format!("bot_modules:{}", owner.account_id));
    channel.subscribe(&[of_account, key("bot_modules".to_owned())]).await.unwrap();
    assert_eq!(owner.post("/v1/bot-modules/kill", json!({ "install_id": id })).await.status, 204);
    let mut frames = std::collections::BTreeMap::new();
    for _ in 0..2 {
        let message = tokio::time::timeout(DEADLINE, channel.on_message().next()).await.unwrap().unwrap();
        let frame: Value = serde_json::from_slice(message.get_payload_bytes()).unwrap();
        frames.insert(frame.get("account_id").is_some(), frame);
    }
    assert_eq!(frames[&false], json!({ "type": "kill", "install_id": id }), "on the channel of the account");
    let with_account = json!({ "type": "kill", "install_id": id, "account_id": owner.account_id });
    assert_eq!(frames[&true], with_account, "on the channel of all");
    assert_eq!(system.get(&triggers).await.expect(200), &json!({ "installs": [], "killed": false }));
    let handlers = system.get(&format!("/v1/internal/bot-modules/handlers?install_id={id}")).await;
    assert_eq!(handlers.expect(200)["installs"][0]["enabled"], false);
    assert_eq!(owner.get(&format!("/v1/extension-installs/{id}")).await.data()["enabled"], false);

    let lifted = owner.patch(&format!("/v1/extension-installs/{id}"), json!({ "enabled": true })).await;
    assert_eq!(lifted.data()["enabled"], true);
    assert_eq!(system.get(&triggers).await.expect(200)["installs"].as_array().unwrap().len(), 1);
    let again = owner.mutate("killBotModule", &json!({ "install_id": id }), "").await;
    assert_eq!(again.field("killBotModule"), json!(true));
}

#[tokio::test]
async fn versions_are_pinned_unpinned_and_accepted() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let id = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
    let path = format!("/v1/extension-installs/{id}");
    published(&studio, &reviewer, extension, "1.1.0", &json!({})).await;
    let more = json!({ "permissions": ["chat:read", "chat:send", "events:read"] });
    published(&studio, &reviewer, extension, "2.0.0", &more).await;

    let view = owner.get(&path).await.data().clone();
    assert_eq!((&view["update_available"], &view["update_requires_consent"]), (&json!(true), &json!(true)));
    for (version, message) in [
        ("2.0.0", "pinned_version 2.0.0 asks for events:read, which was not granted"),
        ("9.9.9", "pinned_version 9.9.9 is not a published version"),
    ] {
        let rest = owner.patch(&path, json!({ "pinned_version": version })).await;
        let graphql = configure_over_graphql(&owner, id, json!({ "pinnedVersion": version })).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    let pinned = owner.patch(&path, json!({ "pinned_version": "1.1.0" })).await.data().clone();
    assert_eq!((&pinned["version"], &pinned["pinned_version"]), (&json!("1.1.0"), &json!("1.1.0")));
    let unpinned = configure_over_graphql(&owner, id, json!({ "pinnedVersion": null }))
        .await
        .field("configureExtension");
    assert_eq!(unpinned["pinned_version"], Value::Null);

    let update = format!("{path}/update");
    let over_graphql =
        async |input: &Value| owner.mutate_at("acceptExtensionUpdate", &[("id", id)], input, INSTALL).await;
    let none = json!({ "accept_permissions": [] });
    both_refused(
        &owner.post(&update, none.clone()).await,
        &over_graphql(&none).await,
        400,
        "VALIDATION_ERROR",
        "All requested permissions must be granted",
    );
    let updated = owner.post(&update, json!({ "accept_permissions": ["events:read"] })).await.data().clone();
    assert_eq!((&updated["version"], &updated["update_available"]), (&json!("2.0.0"), &json!(false)));
    assert_eq!(updated["granted_permissions"], more["permissions"]);
    let accepted = app.audited("extension:updated").await.pop().unwrap();
    assert_eq!((accepted.account_id, accepted.resource_id), (Some(owner.account_id), Some(id.to_string())));
    let (rest, graphql) = (owner.post(&update, json!({})).await, over_graphql(&json!({})).await);
    both_refused(&rest, &graphql, 409, "CONFLICT", "No update available");
}

#[tokio::test]
async fn a_pin_is_no_consent() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let id = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
    let path = format!("/v1/extension-installs/{id}");
    let reaching = json!({ "egress": { "allowHosts": ["api.example.com"] } });
    published(&studio, &reviewer, extension, "2.0.0", &reaching).await;
    published(&studio, &reviewer, extension, "3.0.0", &json!({})).await;
    for (version, message) in [
        ("2.0.0", "pinned_version 2.0.0 reaches api.example.com, which the running version does not"),
        ("3.0.0", "pinned_version 3.0.0 is or follows a breaking version; accept the update instead"),
    ] {
        let rest = owner.patch(&path, json!({ "pinned_version": version })).await;
        let graphql = configure_over_graphql(&owner, id, json!({ "pinnedVersion": version })).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    let pinned = owner.patch(&path, json!({ "pinned_version": "1.0.0" })).await.data().clone();
    assert_eq!((&pinned["version"], &pinned["pinned_version"]), (&json!("1.0.0"), &json!("1.0.0")));
}

#[tokio::test]
async fn only_widgets_without_a_bot_module_or_node_are_installed_twice() {
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
async fn an_extension_is_removed_unless_it_is_built_in() {
    use diesel::prelude::*;
    use diesel_async::RunQueryDsl;
    use shared::db::schema::extensions;

    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = greeter(&studio, &reviewer, &json!({})).await;
    let id = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
    let path = format!("/v1/extension-installs/{id}");
    let visibility = async |visibility: &str| {
        diesel::update(extensions::table.find(extension))
            .set(extensions::visibility.eq(visibility))
            .execute(&mut *app.state.databases.postgres.get().await.unwrap())
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
