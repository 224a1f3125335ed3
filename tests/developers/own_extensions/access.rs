//! Access to a developer's extensions by caller and credential (reference/developers.md#ownership).

use lumio_tests::{TestApp, both_refused};
use serde_json::json;
use uuid::Uuid;

use super::{EXTENSION, PATH, one_over_graphql, update, update_over_graphql};

#[tokio::test]
async fn developer_extension_of_another_developer_is_not_found() {
    let app = TestApp::start().await;
    let (studio, other) = (app.studio().await, app.studio().await);
    let id = studio.extension("Mine").await;
    let outsider = app.owner().await;
    let service =
        app.service_key(studio.person.account_id, &["extension-dev:read", "extension-dev:edit"]).await;
    for caller in [&other.person.caller, &outsider.caller, &service] {
        both_refused(
            &caller.get(&format!("{PATH}/{id}")).await,
            &one_over_graphql(caller, id).await,
            404,
            "NOT_FOUND",
            "Extension not found",
        );
        both_refused(
            &update(caller, id, json!({ "name": "Stolen" })).await,
            &update_over_graphql(caller, id, &json!({ "name": "Stolen" })).await,
            404,
            "NOT_FOUND",
            "Extension not found",
        );
        assert!(!caller.get(PATH).await.data().to_string().contains(&id.to_string()));
    }
    let path = format!("{PATH}/{id}");
    for caller in [&other.person.caller, &outsider.caller] {
        for answer in [
            caller.delete(&path).await,
            caller.put(&format!("{path}/visibility"), json!({ "visibility": "public" })).await,
            caller.post(&format!("{path}/transfer"), json!({ "team_id": Uuid::nil() })).await,
            caller.post(&format!("{path}/versions/1.0.0/withdraw"), json!({})).await,
            caller.post(&format!("{path}/versions/1.0.0/submit"), json!({})).await,
            caller.get(&format!("{path}/testers")).await,
            caller.post(&format!("{path}/testers"), json!({ "username": "x" })).await,
            caller.get(&format!("{path}/access")).await,
            caller.post(&format!("{path}/access"), json!({ "account_id": outsider.account_id })).await,
            caller.get(&format!("{path}/secrets")).await,
            caller.put(&format!("{path}/secrets/A"), json!({ "value": "v" })).await,
            caller.delete(&format!("{path}/secrets/A")).await,
            caller.post_raw(&format!("{path}/versions"), "multipart/form-data; boundary=x", "--x--").await,
        ] {
            assert_eq!(answer.status, 404, "{}", answer.text);
            answer.refused("NOT_FOUND", "Extension not found");
        }
    }
    both_refused(
        &outsider.post(PATH, json!({ "name": "x" })).await,
        &outsider.mutate("createExtension", &json!({ "name": "x" }), EXTENSION).await,
        403,
        "FORBIDDEN",
        "You must be an approved developer to create extensions",
    );
    let mine = studio.person.get(&path).await.data()["extension"].clone();
    assert_eq!((&mine["name"], &mine["visibility"]), (&json!("Mine"), &json!("private")));
}

#[tokio::test]
async fn create_extension_by_keys_and_popouts_needs_the_permission() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let (person, id) = (&studio.person, studio.extension("Mine").await);
    let weak = app.personal_key(person, &["extension-dev:read"]).await;
    both_refused(
        &weak.post(PATH, json!({ "name": "x" })).await,
        &weak.mutate("createExtension", &json!({ "name": "x" }), EXTENSION).await,
        403,
        "FORBIDDEN",
        "This credential does not carry extension-dev:create",
    );
    for caller in [&weak, &app.popout(person, &["extension-dev:read"]).await] {
        both_refused(
            &update(caller, id, json!({ "name": "x" })).await,
            &update_over_graphql(caller, id, &json!({ "name": "x" })).await,
            403,
            "FORBIDDEN",
            "This credential does not carry extension-dev:edit",
        );
    }
    let path = format!("{PATH}/{id}");
    weak.delete(&path).await.refused("FORBIDDEN", "This credential does not carry extension-dev:delete");
    assert_eq!(studio.key.patch(&path, json!({ "name": "By key" })).await.data()["name"], "By key");
    let popout = app.popout(person, &["extension-dev:edit"]).await;
    assert_eq!(popout.patch(&path, json!({ "name": "By popout" })).await.data()["name"], "By popout");
    let refused = popout.delete(&path).await;
    refused.refused("FORBIDDEN", "First-party session required");
    app.override_feature(person.account_id, "feature:extension_development", false).await;
    both_refused(
        &person.get(PATH).await,
        &person.graphql("{ developerExtensions { id } }", json!({})).await,
        403,
        "FEATURE_DISABLED",
        "Feature is disabled: feature:extension_development",
    );
}
