//! Settings of installs: validation, secrets, schema and defaults (reference/extensions.md#configuring).

use lumio_tests::{TestApp, both_refused};
use serde_json::json;

use super::{configure_over_graphql, install_over_graphql, settings};
use crate::{ASKED, greeter, id_of, install, reviewer};

#[tokio::test]
async fn configure_extension_validates_settings_and_hides_secrets() {
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
async fn extension_install_shows_settings_with_schema_and_defaults() {
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
