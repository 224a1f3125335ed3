//! Access to the developer API, and the form of its errors (reference/developers.md#error-body).

use lumio_tests::TestApp;
use serde_json::json;
use uuid::Uuid;

use super::refused;

#[tokio::test]
async fn developer_api_extensions_needs_a_personal_key_of_a_developer() {
    let app = TestApp::start().await;
    let path = "/developer/v1/extensions";
    refused(&app.anonymous().get(path).await, 401, "unauthorized", "Authentication required");
    refused(
        &app.anonymous().post_raw(path, "application/json", "{").await,
        401,
        "unauthorized",
        "Authentication required",
    );
    refused(
        &app.bearer(format!("lm_usr_{}", "0".repeat(64))).get(path).await,
        401,
        "unauthorized",
        "Invalid or expired token",
    );

    let person = app.owner().await;
    refused(&person.get(path).await, 403, "forbidden", "Personal API key required");
    let service = app.service_key(person.account_id, &["extension-dev:read"]).await;
    refused(&service.get(path).await, 403, "forbidden", "Personal API key required");
    let key = app.personal_key(&person, &["extension-dev:create"]).await;
    refused(&key.get(path).await, 403, "forbidden", "Missing permission: extension-dev:read");
    let key = app.personal_key(&person, &["extension-dev:*"]).await;
    refused(&key.get(path).await, 403, "forbidden", "Developer profile required");
    refused(&key.post(path, json!({ "name": "x" })).await, 403, "forbidden", "Developer profile required");
    app.developer_profile(person.user_id).await;
    assert_eq!(key.get(path).await.expect(200), &json!({ "extensions": [], "nextCursor": null }));
}

#[tokio::test]
async fn envelope_is_used_for_malformed_and_missing_requests() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let path = "/developer/v1/extensions";
    let malformed = studio.key.post_raw(path, "application/json", "{").await;
    assert_eq!((malformed.status, malformed.body["error"]["code"].as_str()), (422, Some("validation_error")));
    refused(&studio.key.get(&format!("{path}/zz")).await, 422, "validation_error", "Invalid UUID: id");
    refused(
        &studio.key.get(&format!("{path}/{}", Uuid::nil())).await,
        404,
        "extension_not_found",
        "Extension not found",
    );
    let unknown = studio.key.get("/developer/v1/nothing").await;
    assert_eq!((unknown.status, unknown.body["error"]["code"].as_str()), (404, Some("not_found")));
    refused(
        &studio.key.get(&format!("{path}?limit=0")).await,
        422,
        "validation_error",
        "limit must be between 1 and 100",
    );
    refused(&studio.key.get(&format!("{path}?cursor=zz")).await, 422, "validation_error", "Invalid cursor");
}
