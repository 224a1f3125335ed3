//! Secrets of extensions over the developer API (reference/developers.md#secrets).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::TestApp;
use serde_json::json;
use shared::schema::extension_secrets;
use uuid::Uuid;

use super::refused;

#[tokio::test]
async fn developer_api_secrets_shows_no_values_and_stores_them_encrypted() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let id = studio.extension("Keeper").await;
    let path = format!("/developer/v1/extensions/{id}/secrets");
    assert_eq!(studio.key.put(&format!("{path}/API_KEY"), json!({ "value": "hush-hush" })).await.status, 204);
    assert_eq!(studio.key.put(&format!("{path}/API_KEY"), json!({ "value": "hush-more" })).await.status, 204);
    let listed = studio.key.get(&path).await;
    assert_eq!(listed.expect(200), &json!({ "keys": ["API_KEY"] }));

    let stored: Vec<Vec<u8>> = extension_secrets::table
        .select(extension_secrets::value)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(stored.len(), 1);
    assert!(!String::from_utf8_lossy(&stored[0]).contains("hush"));
    let feed = app.system_key().await.post(&format!("/v1/internal/secrets/{id}"), json!({})).await;
    assert_eq!(feed.expect(200), &json!({ "secrets": { "API_KEY": "hush-more" } }));
    for entry in app.audited("extension:secret_set").await {
        assert_eq!(entry.metadata, json!({ "key": "API_KEY" }));
    }
}

#[tokio::test]
async fn developer_api_delete_secret_removes_a_secret_once() {
    let app = TestApp::start().await;
    let (studio, stranger) = (app.studio().await, app.studio().await);
    let id = studio.extension("Keeper").await;
    let secrets = format!("/developer/v1/extensions/{id}/secrets");
    let path = format!("{secrets}/API_KEY");
    studio.key.put(&path, json!({ "value": "hush-hush" })).await.expect(204);
    let weak = app.personal_key(&studio.person, &["extension-dev:read"]).await;
    refused(&weak.delete(&path).await, 403, "forbidden", "Missing permission: extension-dev:edit");
    refused(&stranger.key.delete(&path).await, 404, "extension_not_found", "Extension not found");
    assert_eq!(studio.key.get(&secrets).await.expect(200), &json!({ "keys": ["API_KEY"] }));

    studio.key.delete(&path).await.expect(204);
    assert_eq!(app.audited_once("extension:secret_deleted").await.metadata, json!({ "key": "API_KEY" }));
    assert_eq!(studio.key.get(&secrets).await.expect(200), &json!({ "keys": [] }));
    refused(&studio.key.delete(&path).await, 404, "secret_not_found", "Secret not found");
}

#[tokio::test]
async fn internal_extension_secrets_returns_values_to_system_keys_only() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let id = studio.extension("Keeper").await;
    for (key, value) in [("API_KEY", "hush-hush"), ("OTHER", "more")] {
        let path = format!("/developer/v1/extensions/{id}/secrets/{key}");
        studio.key.put(&path, json!({ "value": value })).await.expect(204);
    }
    let (system, path) = (app.system_key().await, format!("/v1/internal/secrets/{id}"));
    let feed = system.post(&path, json!({})).await;
    assert_eq!(feed.expect(200), &json!({ "secrets": { "API_KEY": "hush-hush", "OTHER": "more" } }));
    assert_eq!(feed.header("cache-control"), "private, no-store");
    let unknown = system.post(&format!("/v1/internal/secrets/{}", Uuid::now_v7()), json!({})).await;
    assert_eq!(unknown.expect(200), &json!({ "secrets": {} }));
    system.post("/v1/internal/secrets/x", json!({})).await.refused_with("VALIDATION_ERROR");
    for caller in [&studio.person.caller, &studio.key] {
        caller.post(&path, json!({})).await.refused("FORBIDDEN", "System key required");
    }
    let anonymous = app.anonymous().post(&path, json!({})).await;
    anonymous.refused("UNAUTHORIZED", "Authentication required");
}

#[tokio::test]
async fn developer_api_set_secret_limits_keys_values_and_their_number() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let path = format!("/developer/v1/extensions/{}/secrets", studio.extension("Keeper").await);
    let wrong_key = "key must be 1 to 255 letters, digits, `_`, `-` and `.`";
    let answer = studio.key.put(&format!("{path}/a%20b"), json!({ "value": "v" })).await;
    refused(&answer, 422, "validation_error", wrong_key);
    let answer = studio.key.put(&format!("{path}/{}", "a".repeat(256)), json!({ "value": "v" })).await;
    refused(&answer, 422, "validation_error", wrong_key);
    for value in ["".to_owned(), "v".repeat(65_537)] {
        let answer = studio.key.put(&format!("{path}/a"), json!({ "value": value })).await;
        refused(&answer, 422, "validation_error", "value must be between 1 and 65536 bytes");
    }
    for number in 0..20 {
        assert_eq!(studio.key.put(&format!("{path}/k{number}"), json!({ "value": "v" })).await.status, 204);
    }
    let answer = studio.key.put(&format!("{path}/k20"), json!({ "value": "v" })).await;
    refused(&answer, 422, "validation_error", "An extension can have at most 20 secrets");
    assert_eq!(studio.key.put(&format!("{path}/k19"), json!({ "value": "w" })).await.status, 204);
}
