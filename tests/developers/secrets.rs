//! Secrets of extensions (specification B §4.1, §8).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::TestApp;
use serde_json::json;
use shared::db::schema::extension_secrets;

use super::refused;

#[tokio::test]
async fn values_go_in_encrypted_and_never_come_out() {
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
        .load(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(stored.len(), 1);
    assert!(!String::from_utf8_lossy(&stored[0]).contains("hush"));
    let feed = app.system_key().await.post(&format!("/v1/internal/secrets/{id}"), json!({})).await;
    assert_eq!(feed.expect(200), &json!({ "secrets": { "API_KEY": "hush-more" } }));
    assert_eq!(feed.header("cache-control"), "private, no-store");
    for entry in app.audited("extension:secret_set").await {
        assert_eq!(entry.metadata, json!({ "key": "API_KEY" }));
    }

    assert_eq!(studio.key.delete(&format!("{path}/API_KEY")).await.status, 204);
    assert_eq!(app.audited_once("extension:secret_deleted").await.metadata, json!({ "key": "API_KEY" }));
    refused(
        &studio.key.delete(&format!("{path}/API_KEY")).await,
        404,
        "secret_not_found",
        "Secret not found",
    );
}

#[tokio::test]
async fn keys_values_and_their_number_are_bounded() {
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
