//! The secrets of an extension (C B1.6).

use lumio_tests::{TestApp, both_refused};
use serde_json::json;

use super::PATH;

#[tokio::test]
async fn secrets_are_those_of_the_developer_api() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let (person, id) = (&studio.person, studio.extension("Keeper").await);
    let path = format!("{PATH}/{id}/secrets");
    assert_eq!(person.put(&format!("{path}/API_KEY"), json!({ "value": "hush" })).await.status, 204);
    let set = "mutation($id: UUID!, $key: String!, $input: SetExtensionSecretInput!) { setExtensionSecret(id: $id, key: $key, input: $input) { success } }";
    let variables = |key: &str, value: &str| json!({ "id": id, "key": key, "input": { "value": value } });
    let twin = person.graphql(set, variables("OTHER", "hush-hush")).await;
    assert_eq!(twin.field("setExtensionSecret"), json!({ "success": true }));
    assert_eq!(person.get(&path).await.data(), &json!({ "keys": ["API_KEY", "OTHER"] }));
    let keys =
        person.graphql("query($id: UUID!) { extensionSecretKeys(id: $id) }", json!({ "id": id })).await;
    assert_eq!(keys.field("extensionSecretKeys"), json!(["API_KEY", "OTHER"]));
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
    let delete = "mutation($id: UUID!, $key: String!) { deleteExtensionSecret(id: $id, key: $key) }";
    both_refused(
        &person.delete(&format!("{path}/MISSING")).await,
        &person.graphql(delete, json!({ "id": id, "key": "MISSING" })).await,
        404,
        "NOT_FOUND",
        "Secret not found",
    );
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
    assert_eq!(reader.get(&path).await.status, 200, "account-scoped routes stay open (B §4.2)");
    reader
        .put(&format!("{path}/K0"), json!({ "value": "v" }))
        .await
        .refused("FORBIDDEN", "Missing permission: extension-dev:edit");
    assert_eq!(app.audited("extension:secret_set").await.len(), 21);
    assert_eq!(app.audited("extension:secret_deleted").await.len(), 1);
}
