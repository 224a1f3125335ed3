//! Failures that flag a connection, and failures that never do (reference/connections.md#failed-refreshes).

use platform_access::PlatformAccess as _;
use std::time::Duration;

use chrono::TimeDelta;
use connection_model::applications;
use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use lumio_tests::{Person, TestApp};
use platform_credentials::tokens::{Holder, Outcome};
use platforms::{Authorization, CodeExchange, PkceVerifier};
use platforms_stand_in::{Failure, Platform};
use serde_json::json;
use shared::connection::OAuthApp;
use shared::{id, schema::app_credentials, secret::Secret};

use lumio_tests::world::count;

use super::world::{
    another_process, asked_refreshes, bot, channel, channel_with, claims, granted, login, notified,
    reconnect, set, stored,
};

const MINUTE: TimeDelta = TimeDelta::minutes(1);

async fn refresh(app: &TestApp, holder: Holder) -> Outcome {
    let version = stored(app, holder).await.version;
    app.state.tokens().refresh(holder, version).await.unwrap()
}

#[tokio::test]
async fn failures_that_are_transient_back_off_and_never_flag() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let holder = channel(&app, &owner, Platform::Twitch, MINUTE).await;
    for (failure, pause) in [
        (Failure::ServerError, TimeDelta::seconds(15)),
        (Failure::Reset, TimeDelta::seconds(30)),
        (Failure::RateLimited { retry_after: Duration::from_secs(300) }, TimeDelta::seconds(300)),
        (Failure::Malformed, TimeDelta::seconds(120)),
    ] {
        app.platforms.fail_next_at(Platform::Twitch, "/token", failure.clone());
        assert_eq!(refresh(&app, holder).await, Outcome::Postponed, "{failure:?}");
        assert_eq!(refresh(&app, holder).await, Outcome::Busy, "{failure:?}: not asked again at once");
        assert!(app.state.tokens().due(10).await.unwrap().is_empty());
        app.clock.advance(pause - pause / 3);
        assert_eq!(refresh(&app, holder).await, Outcome::Busy, "{failure:?}: nor before its time");
        app.clock.advance(pause / 3 + TimeDelta::seconds(1));
    }
    let asked = asked_refreshes(&app, Platform::Twitch);
    assert_eq!(refresh(&app, holder).await, Outcome::Refreshed);
    assert_eq!(asked_refreshes(&app, Platform::Twitch), asked + 1);
    assert!(!stored(&app, holder).await.flagged);
    assert!(app.audited("connection:flagged").await.is_empty());
    app.stop().await;
}

#[tokio::test]
async fn failures_of_a_refused_application_flag_no_connection() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let holder = channel(&app, &owner, Platform::Twitch, MINUTE).await;
    let own = app.platforms.app(Platform::Twitch);
    app.platforms.register_app(Platform::Twitch, &own.client_id, "another-secret");
    assert_eq!(refresh(&app, holder).await, Outcome::Postponed);
    assert!(!stored(&app, holder).await.flagged);
    app.platforms.register_app(Platform::Twitch, &own.client_id, &own.client_secret);
    app.clock.advance(TimeDelta::hours(1));
    assert_eq!(refresh(&app, holder).await, Outcome::Refreshed);
    app.stop().await;
}

#[tokio::test]
async fn failures_of_a_dead_grant_flag_once_with_audit_notification_mail_and_event() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_as(owner.account_id, "moderator").await;
    let created = granted(&app, Platform::Twitch, "streamer");
    let ends = Some(app.clock.now() + MINUTE);
    let by_member = Person { account_id: owner.account_id, ..member.clone() };
    let (access, old) = (&created.access_token, Some(created.refresh_token.as_str()));
    let holder = channel_with(&app, &by_member, &created.user, access, old, ends).await;
    app.platforms.revoke_authorisation(Platform::Twitch, &created.refresh_token);
    app.platforms.fail_next_at(Platform::Twitch, "/token", Failure::Slow(Duration::from_millis(200)));

    let other = another_process(&app, &app.config());
    let (first, second) = tokio::join!(app.state.tokens().refresh(holder, 0), other.refresh(holder, 0));
    let mut outcomes = [first.unwrap(), second.unwrap()];
    outcomes.sort_by_key(|outcome| outcome.as_str());
    assert_eq!(outcomes, [Outcome::Busy, Outcome::Flagged]);
    assert_eq!(refresh(&app, holder).await, Outcome::Nothing);
    assert!(stored(&app, holder).await.flagged);
    assert!(app.state.tokens().due(10).await.unwrap().is_empty());

    let entry = app.audited_once("connection:flagged").await;
    assert_eq!((entry.scope.as_str(), entry.account_id), ("account", Some(owner.account_id)));
    assert_eq!(entry.resource_id, Some(holder.id().to_string()));
    assert_eq!(entry.metadata, json!({ "platform": "twitch", "reason": "grant_dead" }));
    let message =
        "The channel connection streamer on Twitch no longer works. Connect it again to go on using it.";
    for person in [&owner, &member] {
        let expected = ("connection_reconnect_required".to_owned(), message.to_owned());
        assert_eq!(notified(&app, person.user_id).await, [expected]);
    }
    assert_eq!(count(&app, "mails").await, 2);
    assert_eq!(count(&app, "outbox WHERE queue = 'mail'").await, 2);
    let event = "outbox WHERE queue = 'live_events' AND payload -> 'event' ->> 'event_type' = 'connections:updated' \
                 AND payload -> 'event' -> 'data' ->> 'action' = 'flagged'";
    assert_eq!(count(&app, event).await, 1);
    app.stop().await;
}

#[tokio::test]
async fn failures_of_a_bot_or_login_notify_the_person_who_connected_it() {
    let app = TestApp::start().await;
    let (owner, staff) = (app.owner().await, app.owner().await);
    let own = bot(&app, &owner, Some(owner.account_id), MINUTE).await;
    let global = bot(&app, &staff, None, MINUTE).await;
    let login = login(&app, &owner, MINUTE).await;
    for holder in [own, global, login] {
        let refresh_token = stored(&app, holder).await.refresh.unwrap();
        app.platforms.revoke_authorisation(Platform::Twitch, &refresh_token);
        assert_eq!(refresh(&app, holder).await, Outcome::Flagged);
    }
    assert_eq!(notified(&app, owner.user_id).await.len(), 2);
    let notices = notified(&app, staff.user_id).await;
    assert!(notices[0].1.starts_with("The global bot connection bot-"), "{notices:?}");
    let scopes: Vec<String> =
        app.audited("connection:flagged").await.into_iter().map(|entry| entry.scope).collect();
    assert_eq!(scopes, ["account", "system", "user"]);
    app.stop().await;
}

#[tokio::test]
async fn failures_to_decrypt_are_terminal_without_a_call() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let holder = channel(&app, &owner, Platform::Twitch, MINUTE).await;
    let mut config = app.config();
    config.secrets.encryption_keys[0].key = [9; 32];
    let with_other_keys = another_process(&app, &config);
    assert_eq!(with_other_keys.refresh(holder, 0).await.unwrap(), Outcome::Flagged);
    assert_eq!(asked_refreshes(&app, Platform::Twitch), 0);
    assert_eq!(app.audited_once("connection:flagged").await.metadata["reason"], "undecryptable");
    app.stop().await;
}

#[tokio::test]
async fn failures_follow_when_the_pinned_application_is_gone() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let own = OAuthApp { client_id: "own-app".into(), client_secret: Secret::new("own-app-secret") };
    app.platforms.register_app(Platform::Youtube, &own.client_id, own.client_secret.expose());
    let created = granted(&app, Platform::Youtube, "streamer");
    app.platforms.sign_in(&created.user);
    let client = app.state.platforms().client(shared::platform::Platform::Youtube);
    let (verifier, redirect_uri) = (PkceVerifier::generate(), "http://localhost/callback");
    let page = Authorization {
        client_id: &own.client_id,
        redirect_uri,
        state: "s",
        scopes: &["https://www.googleapis.com/auth/youtube.force-ssl"],
        verifier: Some(&verifier),
        force_consent: true,
    };
    let back = app.platforms.visit(client.authorize_url(&page).unwrap().as_str()).await.unwrap();
    let code = back.query_pairs().find(|(name, _)| name == "code").unwrap().1.into_owned();
    let exchange = CodeExchange { code: &Secret::new(code), redirect_uri, verifier: Some(&verifier) };
    let grant = client.exchange_code(&own, &exchange).await.unwrap();

    let credentials_id = id::new();
    let secret =
        applications::seal(&app.state.keyring, "app_credentials", credentials_id, &own.client_secret)
            .unwrap();
    insert_into(app_credentials::table)
        .values((
            app_credentials::id.eq(credentials_id),
            app_credentials::account_id.eq(owner.account_id),
            app_credentials::platform.eq("youtube"),
            app_credentials::kind.eq("channel"),
            app_credentials::client_id.eq(&own.client_id),
            app_credentials::client_secret.eq(secret),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let (access, old) = (grant.access_token.expose(), grant.refresh_token.as_ref().map(Secret::expose));
    let ends = Some(app.clock.now() + MINUTE);
    let holder = channel_with(&app, &owner, &created.user, access, old, ends).await;
    set(&app, holder, "credential_source", "'account', credential_app = 'channel', client_id = 'own-app'")
        .await;

    assert_eq!(refresh(&app, holder).await, Outcome::Refreshed);
    let calls = app.platforms.token_calls(Platform::Youtube);
    assert_eq!(calls.last().unwrap().client_id, "own-app");
    diesel::delete(app_credentials::table)
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(refresh(&app, holder).await, Outcome::Flagged);
    assert_eq!(app.platforms.token_calls(Platform::Youtube).len(), calls.len());
    assert_eq!(app.audited_once("connection:flagged").await.metadata["reason"], "application_gone");
    app.stop().await;
}

#[tokio::test]
async fn failures_of_a_missing_application_wait_and_of_a_replaced_one_are_terminal() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let holder = channel(&app, &owner, Platform::Twitch, MINUTE).await;
    let mut config = app.config();
    config.platforms.twitch.client_id = None;
    let without = another_process(&app, &config);
    assert_eq!(without.refresh(holder, 0).await.unwrap(), Outcome::Postponed);
    assert_eq!((stored(&app, holder).await.flagged, asked_refreshes(&app, Platform::Twitch)), (false, 0));
    assert_eq!(refresh(&app, holder).await, Outcome::Busy, "not at once");
    app.clock.advance(TimeDelta::hours(1));
    assert_eq!(refresh(&app, holder).await, Outcome::Refreshed);

    config.platforms.twitch.client_id = Some("another-app".into());
    assert_eq!(another_process(&app, &config).refresh(holder, 1).await.unwrap(), Outcome::Flagged);
    assert_eq!(app.audited_once("connection:flagged").await.metadata["reason"], "application_gone");
    app.stop().await;
}

#[tokio::test]
async fn failures_after_a_lost_claim_flag_nothing() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let holder = channel(&app, &owner, Platform::Twitch, MINUTE).await;
    let old = stored(&app, holder).await;
    // Another process has presented the same token, and not stored the response yet.
    app.platforms.revoke_authorisation(Platform::Twitch, old.refresh.as_deref().unwrap());
    app.platforms.fail_next_at(Platform::Twitch, "/token", Failure::Slow(Duration::from_millis(400)));
    let tokens = app.state.tokens().clone();
    let refreshing = tokio::spawn(async move { tokens.refresh(holder, 0).await });
    tokio::time::sleep(Duration::from_millis(150)).await;
    diesel::sql_query(
        "UPDATE token_refreshes SET claim = gen_random_uuid(), claimed_until = now() + interval '1 minute'",
    )
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    assert_eq!(refreshing.await.unwrap().unwrap(), Outcome::Busy);
    assert!(!stored(&app, holder).await.flagged);
    assert_eq!(claims(&app).await, 1, "the other's claim stands");
    assert!(app.audited("connection:flagged").await.is_empty());
    app.stop().await;
}

#[tokio::test]
async fn failures_and_answers_after_a_new_connect_are_discarded() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for grant_is_dead in [false, true] {
        let platform = if grant_is_dead { Platform::Kick } else { Platform::Twitch };
        let holder = channel(&app, &owner, platform, MINUTE).await;
        let old = stored(&app, holder).await;
        if grant_is_dead {
            app.platforms.revoke_authorisation(platform, old.refresh.as_deref().unwrap());
        }
        let again = granted(&app, platform, "again");
        app.platforms.fail_next_at(platform, "/token", Failure::Slow(Duration::from_millis(400)));
        let tokens = app.state.tokens().clone();
        let refreshing = tokio::spawn(async move { tokens.refresh(holder, 0).await });
        tokio::time::sleep(Duration::from_millis(150)).await;
        reconnect(&app, holder, &again.access_token, &again.refresh_token).await;
        assert_eq!(refreshing.await.unwrap().unwrap(), Outcome::Newer, "{platform}");
        let now = stored(&app, holder).await;
        assert_eq!((now.access.as_str(), now.version, now.flagged), (again.access_token.as_str(), 1, false));
    }
    assert!(app.audited("connection:flagged").await.is_empty());
    app.stop().await;
}
