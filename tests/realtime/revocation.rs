//! Changes of rights that end or narrow an open socket (reference/realtime.md#changes-of-rights).

use api_core::access::{Claims, TokenType};
use api_core::token::TokenKind;
use chrono::TimeDelta;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use foundation::{
    events::Channel,
    invalidation::{Invalidation, announce},
};
use lumio_tests::{DEADLINE, Socket, SocketRequest, TestApp};
use serde_json::json;
use shared::schema::{memberships, popout_tokens, sessions, surface_tokens, user_api_keys};

use super::{publish, socket};

/// Announces a change as another process would, without applying it in this one.
async fn announced(app: &TestApp, what: Invalidation) {
    announce(&app.state.redis, &what).await.unwrap();
}

async fn ends_at(client: &mut Socket, code: u16) {
    assert_eq!(client.until_closed().await.1, code);
}

async fn ends_with(client: &mut Socket, error: &str, code: u16) {
    let (frames, closed) = client.until_closed().await;
    let last = frames.last().expect("an error before the end");
    assert_eq!((&last["type"], &last["code"], closed), (&json!("error"), &json!(error), code));
}

#[tokio::test]
async fn revocation_of_a_session_closes_its_sockets() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let claims = Claims::new(
        TokenType::Ws,
        owner.user_id,
        owner.session_id,
        Some(owner.account_id),
        app.clock.now(),
        900,
    );
    let ws_token = app.state.jwt.sign(&claims).unwrap();
    let mut clients =
        [socket(&app, &owner).await, SocketRequest::to(app.url()).query(&ws_token).connect().await];
    let mut other = socket(&app, &app.session(owner.user_id, owner.account_id).await.caller).await;
    diesel::update(sessions::table.find(owner.session_id))
        .set(sessions::revoked_at.eq(app.clock.now()))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    announced(&app, Invalidation::Session { id: owner.session_id }).await;
    for client in &mut clients {
        ends_with(client, "TOKEN_REVOKED", 4002).await;
    }
    other.is_quiet().await;
}

#[tokio::test]
async fn revocation_of_keys_and_popouts_closes_sockets_or_drops_channels() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let account = owner.account_id;
    let (chat, events) = (format!("chat:{account}"), format!("events:{account}"));
    let mut db = app.databases.postgres.get().await.unwrap();

    let mut by_key = socket(&app, &app.personal_key(&owner, &["chat:read"]).await).await;
    let id = user_api_keys::table.select(user_api_keys::id).first(&mut *db).await.unwrap();
    diesel::delete(user_api_keys::table.find(id)).execute(&mut *db).await.unwrap();
    announced(&app, Invalidation::Credential { id }).await;
    ends_with(&mut by_key, "TOKEN_REVOKED", 4002).await;

    let mut by_popout = socket(&app, &app.popout(&owner, &["chat:read", "events:read"]).await).await;
    by_popout.subscribe(&chat).await;
    by_popout.subscribe(&events).await;
    let id = popout_tokens::table.select(popout_tokens::id).first(&mut *db).await.unwrap();
    diesel::update(popout_tokens::table.find(id))
        .set(popout_tokens::permissions.eq(vec!["chat:read"]))
        .execute(&mut *db)
        .await
        .unwrap();
    announced(&app, Invalidation::Credential { id }).await;
    let pushed = json!({ "type": "unsubscribed", "channel": events, "reason": "permission_revoked" });
    assert_eq!(by_popout.frame().await, pushed);
    assert_eq!(by_popout.error_of(json!({ "type": "subscribe", "channel": events })).await, "UNAUTHORIZED");
    diesel::update(popout_tokens::table.find(id))
        .set(popout_tokens::expires_at.eq(app.clock.now() - TimeDelta::seconds(1)))
        .execute(&mut *db)
        .await
        .unwrap();
    announced(&app, Invalidation::Credential { id }).await;
    ends_with(&mut by_popout, "TOKEN_EXPIRED", 4001).await;
}

#[tokio::test]
async fn revocation_is_noticed_without_an_announcement() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let mut share =
        socket(&app, &app.surface_token(TokenKind::Share, owner.account_id, "o", None).await).await;
    let mut popout = socket(&app, &app.popout(&owner, &[]).await).await;
    let mut db = app.databases.postgres.get().await.unwrap();
    diesel::update(surface_tokens::table)
        .set(surface_tokens::revoked_at.eq(app.clock.now()))
        .execute(&mut *db)
        .await
        .unwrap();
    diesel::delete(popout_tokens::table).execute(&mut *db).await.unwrap();
    // Every five seconds for shares, every thirty for the rest.
    ends_with(&mut share, "TOKEN_REVOKED", 4002).await;
    assert_eq!(popout.frame_within(DEADLINE).await.unwrap()["code"], "TOKEN_REVOKED");
    ends_at(&mut popout, 4002).await;
}

#[tokio::test]
async fn revocation_follows_the_expiry_of_a_share() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let soon = app.clock.now() + TimeDelta::minutes(10);
    let token = app.surface_token(TokenKind::Share, owner.account_id, "o", Some(soon)).await;
    let mut client = SocketRequest::to(app.url()).query(token.token()).connect().await;
    app.clock.advance(TimeDelta::minutes(10));
    // Checked every five seconds; without that it would stay open.
    ends_with(&mut client, "TOKEN_EXPIRED", 4001).await;
}

#[tokio::test]
async fn revocation_spares_an_expired_session_token_for_twelve_hours() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let key = app.service_key(owner.account_id, &["chat:read"]).await;
    let (mut by_session, mut by_key) = (socket(&app, &owner).await, socket(&app, &key).await);
    by_session.subscribe(&format!("events:{}", owner.account_id)).await;
    by_key.subscribe(&format!("chat:{}", owner.account_id)).await;
    app.clock.advance(TimeDelta::hours(11));
    // Rights are checked again, and the expired token does not end the socket.
    announced(&app, Invalidation::Session { id: owner.session_id }).await;
    by_session.subscribe(&format!("chat:{}", owner.account_id)).await;
    assert_eq!(SocketRequest::to(app.url()).bearer(owner.token()).refused().await.status, 401);
    app.clock.advance(TimeDelta::hours(1));
    ends_with(&mut by_session, "TOKEN_EXPIRED", 4001).await;
    by_key.is_quiet().await;
}

#[tokio::test]
async fn revocation_of_permissions_and_features_ends_only_subscriptions() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let account = owner.account_id;
    let member = app.member_with(account, &["chat:read", "events:read"]).await;
    let (chat, events, shared) =
        (format!("chat:{account}"), format!("events:{account}"), format!("account:{account}"));
    let mut client = socket(&app, &member).await;
    for channel in [&chat, &events, &shared] {
        client.subscribe(channel).await;
    }
    app.override_feature(account, "feature:multichat", false).await;
    let pushed = json!({ "type": "unsubscribed", "channel": chat, "reason": "feature_disabled" });
    assert_eq!(client.frame().await, pushed);
    publish(&app, Channel::Chat(account), 1).await;
    client.is_quiet().await;

    let mine = memberships::account_id.eq(account).and(memberships::user_id.eq(member.user_id));
    diesel::delete(memberships::table.filter(mine))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    announced(&app, Invalidation::Member { account_id: account, user_id: member.user_id }).await;
    let mut ended = [client.frame().await, client.frame().await];
    ended.sort_by_key(|frame| frame["channel"].to_string());
    for (frame, channel) in ended.iter().zip([&shared, &events]) {
        assert_eq!(
            *frame,
            json!({ "type": "unsubscribed", "channel": channel, "reason": "permission_revoked" })
        );
    }
    publish(&app, Channel::Events(account), 2).await;
    client.is_quiet().await;
    let mut owners = socket(&app, &owner).await;
    owners.subscribe(&events).await;
}
