//! Tokens of the pages of an install (reference/extensions.md#extension-tokens).

use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, SocketRequest, TestApp, both_refused, extensions::Studio};
use serde_json::json;
use uuid::Uuid;

use super::{ASKED, greeter, id_of, install, reviewer};

async fn issue(caller: &Caller, id: Uuid, surface: &str) -> Answer {
    caller.post(&format!("/v1/extension-installs/{id}/token"), json!({ "surface": surface })).await
}

async fn issue_over_graphql(caller: &Caller, id: Uuid, surface: &str) -> Answer {
    let input = json!({ "surface": surface });
    caller.mutate_at("issueExtensionToken", &[("id", id)], &input, "{ token expiresAt }").await
}

/// Published extension whose version has code for two surfaces.
async fn with_pages(app: &TestApp, studio: &Studio, reviewer: &Caller) -> Uuid {
    let extension = greeter(studio, reviewer, &json!({})).await;
    diesel::sql_query(
        "UPDATE extension_versions SET manifest = manifest || '{ \"targets\": [\"editor\", \"interactive\"] }'
         WHERE extension_id = $1",
    )
    .bind::<diesel::sql_types::Uuid, _>(extension)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    extension
}

#[tokio::test]
async fn issue_extension_token_opens_the_socket_for_fifteen_minutes() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = with_pages(&app, &studio, &reviewer).await;
    let id = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
    let answer = issue(&owner, id, "interactive").await;
    let token = answer.data()["token"].as_str().unwrap().to_owned();
    assert!(token.starts_with("lm_ext_") && token.len() == 71, "{token}");
    let expires_at: chrono::DateTime<chrono::Utc> =
        answer.data()["expires_at"].as_str().unwrap().parse().unwrap();
    let lifetime = (expires_at - app.clock.now()).num_seconds();
    assert!((890..=900).contains(&lifetime), "{lifetime}");
    assert!(issue_over_graphql(&owner, id, "editor").await.field("issueExtensionToken")["token"].is_string());
    assert_eq!(app.audited("extension:token_issued").await.len(), 2);

    let mut socket = SocketRequest::to(app.url()).query(&token).connect().await;
    socket.subscribe(&format!("ext-storage:{id}")).await;
    for other in [format!("ext-storage:{}", Uuid::now_v7()), format!("chat:{}", owner.account_id)] {
        let frame = json!({ "type": "subscribe", "channel": other });
        assert_eq!(socket.error_of(frame).await, "UNAUTHORIZED");
    }
    app.bearer(&token).get("/v1/users/me").await.refused_with("FORBIDDEN");

    app.clock.advance(chrono::Duration::minutes(16));
    assert_eq!(SocketRequest::to(app.url()).query(&token).refused().await.status, 401);
}

#[tokio::test]
async fn issue_extension_token_needs_a_session_with_the_permission() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = with_pages(&app, &studio, &reviewer).await;
    let id = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
    for key in [
        app.personal_key(&owner, &["extension-store:read"]).await,
        app.service_key(owner.account_id, &["extension-store:read"]).await,
        app.popout(&owner, &["extension-store:read"]).await,
    ] {
        both_refused(
            &issue(&key, id, "editor").await,
            &issue_over_graphql(&key, id, "editor").await,
            403,
            "FORBIDDEN",
            "First-party session required",
        );
    }
    let member = app.member_with(owner.account_id, &["chat:read"]).await;
    both_refused(
        &issue(&member, id, "editor").await,
        &issue_over_graphql(&member, id, "editor").await,
        403,
        "FORBIDDEN",
        "Missing permission: extension-store:read",
    );
    let stranger = app.owner().await;
    both_refused(
        &issue(&stranger, id, "editor").await,
        &issue_over_graphql(&stranger, id, "editor").await,
        404,
        "NOT_FOUND",
        "Extension install not found",
    );
    both_refused(
        &issue(&owner, id, "window").await,
        &issue_over_graphql(&owner, id, "window").await,
        400,
        "VALIDATION_ERROR",
        "surface must be one of editor, layer, interactive",
    );
    issue(&owner, id, "layer")
        .await
        .refused("VALIDATION_ERROR", "surface must be one of editor, interactive");
    let off = json!({ "enabled": false });
    owner.patch(&format!("/v1/extension-installs/{id}"), off).await.expect(200);
    issue(&owner, id, "editor").await.refused("CONFLICT", "The extension install is switched off");
    assert!(app.audited("extension:token_issued").await.is_empty());
}

#[tokio::test]
async fn tokens_end_with_the_install_and_the_membership() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = with_pages(&app, &studio, &reviewer).await;
    let id = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
    let token = issue(&owner, id, "editor").await.data()["token"].as_str().unwrap().to_owned();
    let mut socket = SocketRequest::to(app.url()).query(&token).connect().await;
    socket.subscribe(&format!("ext-storage:{id}")).await;
    owner.delete(&format!("/v1/extension-installs/{id}")).await.expect(204);
    let (frames, code) = socket.until_closed().await;
    assert_eq!(code, 4002, "{frames:?}");
    assert_eq!(SocketRequest::to(app.url()).query(&token).refused().await.status, 401);
}
