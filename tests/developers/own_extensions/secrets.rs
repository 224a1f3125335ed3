//! Secrets of an extension (reference/developers.md#secrets).

use lumio_tests::{Caller, TestApp, both_refused};
use serde_json::json;

use super::PATH;

#[tokio::test]
async fn set_extension_secret_shares_secrets_with_the_developer_api() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let (person, id) = (&studio.person, studio.extension("Keeper").await);
    let path = format!("{PATH}/{id}/secrets");
    assert_eq!(person.put(&format!("{path}/API_KEY"), json!({ "value": "hush" })).await.status, 204);
    let set = "mutation($id: UUID!, $key: String!, $input: SetExtensionSecretInput!) { setExtensionSecret(id: $id, key: $key, input: $input) { success } }";
    let variables = |key: &str, value: &str| json!({ "id": id, "key": key, "input": { "value": value } });
    let twin = person.graphql(set, variables("OTHER", "hush-hush")).await;
    assert_eq!(twin.field("setExtensionSecret"), json!({ "success": true }));
    let feed = app.system_key().await.post(&format!("/v1/internal/secrets/{id}"), json!({})).await;
    assert_eq!(feed.expect(200), &json!({ "secrets": { "API_KEY": "hush", "OTHER": "hush-hush" } }));

    let large = "x".repeat(64 * 1024 + 1);
    for (key, value, message) in [
        ("A", "", "value must be between 1 and 65536 bytes"),
        ("A", large.as_str(), "value must be between 1 and 65536 bytes"),
        ("a b", "v", "key must be 1 to 255 letters, digits, `_`, `-` and `.`"),
    ] {
        let rest =
            person.put(&format!("{path}/{}", key.replace(' ', "%20")), json!({ "value": value })).await;
        both_refused(
            &rest,
            &person.graphql(set, variables(key, value)).await,
            400,
            "VALIDATION_ERROR",
            message,
        );
    }
    assert_eq!(person.delete(&format!("{path}/API_KEY")).await.status, 204);
    for n in 0..19 {
        assert_eq!(person.put(&format!("{path}/K{n}"), json!({ "value": "v" })).await.status, 204);
    }
    both_refused(
        &person.put(&format!("{path}/K19"), json!({ "value": "v" })).await,
        &person.graphql(set, variables("K19", "v")).await,
        403,
        "PLAN_LIMIT_REACHED",
        "An extension can have at most 20 secrets",
    );
    let reader = app.popout(person, &["extension-dev:read"]).await;
    assert_eq!(reader.get(&path).await.status, 200, "account-scoped routes stay open");
    reader
        .put(&format!("{path}/K0"), json!({ "value": "v" }))
        .await
        .refused("FORBIDDEN", "Missing permission: extension-dev:edit");
    assert_eq!(app.audited("extension:secret_set").await.len(), 21);
    assert_eq!(app.audited("extension:secret_deleted").await.len(), 1);
}

#[tokio::test]
async fn extension_secret_keys_lists_names_without_values() {
    let app = TestApp::start().await;
    let (studio, other) = (app.studio().await, app.studio().await);
    let (person, id) = (&studio.person, studio.extension("Keeper").await);
    let path = format!("{PATH}/{id}/secrets");
    for key in ["OTHER", "API_KEY"] {
        person.put(&format!("{path}/{key}"), json!({ "value": "hush" })).await.expect(204);
    }
    let list = async |caller: &Caller| {
        let document = "query($id: UUID!) { extensionSecretKeys(id: $id) }";
        (caller.get(&path).await, caller.graphql(document, json!({ "id": id })).await)
    };
    let (rest, graphql) = list(person).await;
    assert_eq!(rest.data(), &json!({ "keys": ["API_KEY", "OTHER"] }));
    assert_eq!(graphql.field("extensionSecretKeys"), json!(["API_KEY", "OTHER"]));
    assert!(!rest.text.contains("hush") && !graphql.text.contains("hush"));
    let (rest, graphql) = list(&other.person).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Extension not found");
    let member = app.member_with(person.account_id, &["chat:read"]).await;
    let (rest, graphql) = list(&member).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: extension-dev:read");
}

#[tokio::test]
async fn delete_extension_secret_removes_a_secret_once() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let (person, id) = (&studio.person, studio.extension("Keeper").await);
    let path = format!("{PATH}/{id}/secrets");
    for key in ["ONE", "TWO"] {
        person.put(&format!("{path}/{key}"), json!({ "value": "hush" })).await.expect(204);
    }
    let document = "mutation($id: UUID!, $key: String!) { deleteExtensionSecret(id: $id, key: $key) }";
    let delete = async |caller: &Caller, key: &str| {
        let rest = caller.delete(&format!("{path}/{key}")).await;
        (rest, caller.graphql(document, json!({ "id": id, "key": key })).await)
    };
    let reader = app.popout(person, &["extension-dev:read"]).await;
    let (rest, graphql) = delete(&reader, "ONE").await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: extension-dev:edit");

    // The first call deletes it, and the second finds none.
    let (rest, graphql) = delete(person, "ONE").await;
    rest.expect(204);
    graphql.refused("NOT_FOUND", "Secret not found");
    let gone = person.graphql(document, json!({ "id": id, "key": "TWO" })).await;
    assert_eq!(gone.field("deleteExtensionSecret"), json!(true));
    assert_eq!(person.get(&path).await.data(), &json!({ "keys": [] }));
    let (rest, graphql) = delete(person, "MISSING").await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Secret not found");
    let audited = app.audited("extension:secret_deleted").await;
    assert_eq!((audited.len(), &audited[0].metadata), (2, &json!({ "key": "ONE" })));
}
