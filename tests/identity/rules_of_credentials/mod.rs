//! Rules of credentials: surfaces, first-party operations, permissions, lifetimes
//! (reference/credentials.md#kinds).

mod first_party;
mod permissions;
mod tokens;

use api_core::token::TokenKind;
use api_core::{
    Cx,
    access::{Presented, RequestInfo, Transport, resolve},
};
use lumio_tests::{Caller, SocketRequest, TestApp, both_refused};
use serde_json::json;
use shared::secret::Secret;
use uuid::Uuid;

async fn surfaces(app: &TestApp, account_id: Uuid) -> Vec<(&'static str, Caller)> {
    let mut surfaces = Vec::new();
    for (name, kind) in [
        ("overlay", TokenKind::Overlay),
        ("share", TokenKind::Share),
        ("widget", TokenKind::Widget),
        ("extension", TokenKind::Extension),
    ] {
        surfaces.push((name, app.surface_token(kind, account_id, &Uuid::now_v7().to_string(), None).await));
    }
    surfaces
}

#[tokio::test]
async fn rules_of_credentials_give_surface_tokens_no_permissions_and_no_calls() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for (name, caller) in surfaces(&app, owner.account_id).await {
        let message = "This token cannot call the API";
        for (path, query) in [
            ("/v1/tokens/me", "{ myPermissions { permissions } }"),
            ("/v1/platforms/enabled", "{ enabledPlatforms }"),
            ("/v1/service-keys", "{ accountServiceKeys { id } }"),
        ] {
            let (rest, graphql) = (caller.get(path).await, caller.graphql(query, json!({})).await);
            assert_eq!(rest.error().1, message, "{name} {path}");
            both_refused(&rest, &graphql, 403, "FORBIDDEN", message);
        }
        let cx = cx(&app, &caller).await;
        assert!(cx.account_permissions().await.unwrap().is_empty(), "{name}");
        assert!(cx.user_permissions().await.unwrap().is_empty(), "{name}");
        assert!(cx.admin_permissions().await.unwrap().is_empty(), "{name}");
        // It connects, but cannot subscribe to a channel of the account.
        let mut socket = SocketRequest::to(app.url()).query(caller.token()).connect().await;
        for channel in ["chat", "events", "extensions", "account"] {
            let channel = format!("{channel}:{}", owner.account_id);
            let frame = json!({ "type": "subscribe", "channel": channel });
            assert_eq!(socket.error_of(frame).await, "UNAUTHORIZED", "{name} {channel}");
        }
    }
}

/// Request context of a caller, before any operation checked it.
async fn cx(app: &TestApp, caller: &Caller) -> Cx {
    let presented = Presented { text: Secret::new(caller.token()), transport: Transport::SocketHeader };
    let principal = resolve(&app.state, Some(&presented)).await.unwrap().principal;
    Cx::new(app.state.clone(), principal, RequestInfo::default())
}
