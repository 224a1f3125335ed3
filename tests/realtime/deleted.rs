//! Channels of deleted resources, and gates that are checked again after lost announcements
//! (reference/realtime.md#changes-of-rights).

use api_core::token::TokenKind;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use foundation::{
    events::Channel,
    invalidation::{Invalidation, announce},
};
use lumio_tests::{RedisServer, TestApp};
use serde_json::json;
use shared::schema::account_roles;

use super::{publish, socket};
use lumio_tests::world::install;

#[tokio::test]
async fn deleted_account_unsubscribes_every_listener() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let (ended, stays) = (format!("events:{}", owner.account_id), format!("events:{}", other.account_id));
    let mut by_system = socket(&app, &app.system_key().await).await;
    let mut by_owner = socket(&app, &owner).await;
    by_system.subscribe(&ended).await;
    by_system.subscribe(&stays).await;
    by_owner.subscribe(&ended).await;
    announce(&app.state.redis, &Invalidation::AccountEnded { account_id: owner.account_id }).await.unwrap();
    let pushed = json!({ "type": "unsubscribed", "channel": ended, "reason": "resource_deleted" });
    assert_eq!(by_system.frame().await, pushed);
    assert_eq!(by_owner.frame().await, pushed);
    publish(&app, Channel::Events(owner.account_id), 1).await;
    by_system.is_quiet().await;
    by_owner.is_quiet().await;
    let again = json!({ "type": "subscribe", "channel": ended });
    assert_eq!(by_system.error_of(again).await, "UNAUTHORIZED");
    publish(&app, Channel::Events(other.account_id), 2).await;
    assert_eq!(by_system.frame().await["channel"], stays);
}

#[tokio::test]
async fn deleted_install_unsubscribes_its_listeners() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (gone, stays) = (install(&app, &owner, &[]).await, install(&app, &owner, &[]).await);
    let channels = [format!("ext-storage:{gone}"), format!("ext-storage:{stays}")];
    let page = app.surface_token(TokenKind::Extension, owner.account_id, &gone.to_string(), None).await;
    let mut listeners = Vec::new();
    for caller in [owner.caller.clone(), app.system_key().await] {
        let mut listener = socket(&app, &caller).await;
        listener.subscribe(&channels[0]).await;
        listener.subscribe(&channels[1]).await;
        listeners.push((caller, listener));
    }
    let mut by_page = socket(&app, &page).await;
    by_page.subscribe(&channels[0]).await;

    let deleted = owner.delete(&format!("/v1/extension-installs/{gone}")).await;
    assert_eq!(deleted.status, 204, "{}", deleted.text);
    let pushed = json!({ "type": "unsubscribed", "channel": channels[0], "reason": "resource_deleted" });
    for (_, listener) in &mut listeners {
        assert_eq!(listener.frame().await, pushed);
        let again = json!({ "type": "subscribe", "channel": channels[0] });
        assert_eq!(listener.error_of(again).await, "UNAUTHORIZED");
    }
    let ended = by_page.frame().await;
    assert!(
        ended == pushed || ended["code"] == "TOKEN_REVOKED",
        "the page's token went with the install: {ended}"
    );
    // Channels of the account's other installs are not affected.
    publish(&app, Channel::ExtStorage(stays), 1).await;
    for (_, listener) in &mut listeners {
        assert_eq!(listener.frame().await["channel"], channels[1]);
    }
}

#[tokio::test]
async fn deleted_permissions_are_noticed_without_an_announcement() {
    let redis = RedisServer::start().await;
    let app = TestApp::builder().with("REDIS_URL", redis.url()).start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["chat:read", "events:read"]).await;
    let (chat, events) = (format!("chat:{}", owner.account_id), format!("events:{}", owner.account_id));
    let mut client = socket(&app, &member).await;
    client.subscribe(&chat).await;
    client.subscribe(&events).await;
    // The change is not announced, as when the process that made it died.
    diesel::update(account_roles::table.filter(account_roles::account_id.eq(owner.account_id)))
        .set(account_roles::permissions.eq(vec!["events:read"]))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    client.is_quiet().await;
    // Announcements may be missed without a subscription, so everything is dropped and read again.
    redis.cut_subscribers().await;
    let pushed = json!({ "type": "unsubscribed", "channel": chat, "reason": "permission_revoked" });
    assert_eq!(client.frame().await, pushed);
    client.is_quiet().await;
}
