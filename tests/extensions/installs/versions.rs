//! Versions of installs: pins, updates and the consent that they need (reference/extensions.md#roll-out).

use lumio_tests::{TestApp, both_refused};
use serde_json::{Value, json};

use super::{INSTALL, configure_over_graphql};
use crate::{ASKED, greeter, id_of, install, published, reviewer};

#[tokio::test]
async fn accept_extension_update_and_pins_select_the_version() {
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
async fn configure_extension_refuses_a_pin_that_needs_consent() {
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
