//! The eight rules of specification A §5.2, each by its number.

mod first_party;
mod permissions;
mod tokens;

use api_core::{
    Cx,
    access::{Presented, RequestInfo, Transport, resolve},
};
use lumio_tests::{Caller, SocketRequest, TestApp, both_refused};
use serde_json::json;
use shared::{secret::Secret, token::TokenKind};
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
async fn rule_1_tokens_of_surfaces_hold_nothing_and_call_nothing() {
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
        // It connects, and no channel of the account is open to it.
        let mut socket = SocketRequest::to(app.url()).query(caller.token()).connect().await;
        for channel in ["chat", "events", "extensions", "account"] {
            let channel = format!("{channel}:{}", owner.account_id);
            let frame = json!({ "type": "subscribe", "channel": channel });
            assert_eq!(socket.error_of(frame).await, "UNAUTHORIZED", "{name} {channel}");
        }
    }
}

/// A request of somebody, before any operation looked at it.
async fn cx(app: &TestApp, caller: &Caller) -> Cx {
    let presented = Presented { text: Secret::new(caller.token()), transport: Transport::SocketHeader };
    let principal = resolve(&app.state, Some(&presented)).await.unwrap().principal;
    Cx::new(app.state.clone(), principal, RequestInfo::default())
}
