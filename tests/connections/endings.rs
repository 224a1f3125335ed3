//! Revocation of tokens and subscriptions at platforms when connections end
//! (reference/connections.md#revocation).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::TestApp;
use lumio_worker::Daemon;
use platforms::twitch::EventSubTopic;
use platforms_stand_in::{Failure, Platform, User};
use serde_json::json;
use shared::schema::{accounts, login_connections, token_revocations, webhook_subscriptions};

use super::world::{channel_tokens, connect, id_of, own_app, reconnect, streamer, system_app};
use lumio_tests::world::{eventually, workers};

const DAEMONS: [Daemon; 2] = [Daemon::Outbox, Daemon::Connections];

async fn waiting(app: &TestApp) -> i64 {
    let all = token_revocations::table.count();
    all.get_result(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap()
}

/// Number of event subscriptions at Kick per channel.
const KICK_EVENTS: usize = 7;

/// Number of event subscriptions at Twitch per channel.
fn everything() -> usize {
    EventSubTopic::all_of("1").len()
}

/// Number of recorded subscriptions.
async fn recorded(app: &TestApp) -> usize {
    let all = webhook_subscriptions::table.count();
    let recorded: i64 = all.get_result(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap();
    usize::try_from(recorded).unwrap()
}

/// Deployment that makes all YouTube connections with its own application.
async fn with_one_google_app() -> (TestApp, User) {
    let app = TestApp::builder().with("LUMIO_CREDENTIAL_MODE_YOUTUBE", "system").start().await;
    system_app(&app, Platform::Youtube, "channel", "google-app").await;
    let user = streamer(&app, Platform::Youtube, "streamer");
    (app, user)
}

#[tokio::test]
async fn disconnect_channel_revokes_a_shared_google_grant_with_the_last_use() {
    let (app, _) = with_one_google_app().await;
    let (first, second) = (app.owner().await, app.owner().await);
    reconnect(&app, &first, Platform::Youtube).await;
    let other = id_of(&reconnect(&app, &second, Platform::Youtube).await);
    let held = channel_tokens(&app, other).await;
    let (access, refresh) = (held.access_token.unwrap(), held.refresh_token.unwrap());
    let is_live =
        || [&access, &refresh].iter().all(|token| app.platforms.is_live(Platform::Youtube, token.as_str()));
    let running = workers(&app, &DAEMONS).await;
    assert_eq!(first.delete("/v1/connections/channel/youtube").await.status, 204);
    eventually("it is done with", async || waiting(&app).await == 0).await;
    assert!(is_live(), "the other account goes on");
    assert_eq!(second.delete("/v1/connections/channel/youtube").await.status, 204);
    eventually("the grant is revoked", async || !is_live()).await;
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn disconnect_channel_keeps_a_google_grant_used_for_sign_in() {
    let (app, user) = with_one_google_app().await;
    let owner = app.owner().await;
    let channel = id_of(&reconnect(&app, &owner, Platform::Youtube).await);
    let token = channel_tokens(&app, channel).await.access_token.unwrap();
    {
        let mut db = app.databases.postgres.get().await.unwrap();
        diesel::insert_into(login_connections::table)
            .values((
                login_connections::id.eq(shared::id::new()),
                login_connections::user_id.eq(owner.user_id),
                login_connections::platform.eq("youtube"),
                // The id of a Google account differs from that of its channel.
                login_connections::provider_user_id.eq(&user.id),
                login_connections::username.eq("streamer"),
                login_connections::display_name.eq("Streamer"),
                login_connections::client_id.eq("google-app"),
                login_connections::access_token.eq(b"sealed".to_vec()),
            ))
            .execute(&mut *db)
            .await
            .unwrap();
    }
    let running = workers(&app, &DAEMONS).await;
    assert_eq!(owner.delete("/v1/connections/channel/youtube").await.status, 204);
    eventually("it is done with", async || waiting(&app).await == 0).await;
    assert!(app.platforms.is_live(Platform::Youtube, &token), "signing in goes on");
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn disconnect_channel_ends_deliveries_on_twitch_and_kick() {
    let app = TestApp::start().await;
    system_app(&app, Platform::Kick, "channel", "kick-app").await;
    let owner = app.owner().await;
    let running = workers(&app, &DAEMONS).await;
    connect(&app, &owner, Platform::Twitch, "streamer").await;
    connect(&app, &owner, Platform::Kick, "streamer").await;
    let at_twitch = || app.platforms.eventsub_subscriptions().len();
    let at_kick = || app.platforms.kick_subscriptions().len();
    eventually("both deliver", async || recorded(&app).await == everything() + KICK_EVENTS).await;
    assert_eq!((at_twitch(), at_kick()), (everything(), KICK_EVENTS));
    app.platforms.fail_next_at(Platform::Kick, "/events/subscriptions", Failure::ServerError);
    for platform in ["twitch", "kick"] {
        assert_eq!(owner.delete(&format!("/v1/connections/channel/{platform}")).await.status, 204);
    }
    eventually("nothing is delivered any more", async || at_twitch() == 0 && at_kick() == 0).await;
    eventually("it is done with", async || waiting(&app).await == 0).await;
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn endings_cover_deliveries_of_a_replaced_application() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let running = workers(&app, &DAEMONS).await;
    let (_, connection) = connect(&app, &owner, Platform::Twitch, "streamer").await;
    let ids = || -> Vec<String> {
        app.platforms.eventsub_subscriptions().into_iter().map(|subscription| subscription.id).collect()
    };
    eventually("it delivers", async || recorded(&app).await == everything()).await;
    let (before, token) = (ids(), channel_tokens(&app, id_of(&connection)).await.access_token.unwrap());
    system_app(&app, Platform::Twitch, "channel", "twitch-channel-app").await;
    reconnect(&app, &owner, Platform::Twitch).await;
    eventually("the old ones are gone", async || ids().iter().all(|id| !before.contains(id))).await;
    eventually("new ones are made", async || ids().len() == before.len()).await;
    assert!(app.platforms.is_live(Platform::Twitch, &token), "the same person's tokens are left alone");
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn dissolve_account_ends_its_tokens_and_deliveries() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    own_app(&app, owner.account_id, Platform::Youtube, "channel", "own-google-app").await;
    let running = workers(&app, &DAEMONS).await;
    let mut tokens = Vec::new();
    for platform in [Platform::Twitch, Platform::Youtube] {
        let (_, connection) = connect(&app, &owner, platform, "streamer").await;
        let held = channel_tokens(&app, id_of(&connection)).await;
        tokens.push((platform, held.access_token.unwrap()));
    }
    eventually("Twitch delivers", async || recorded(&app).await == everything()).await;
    let name: String = accounts::table
        .find(owner.account_id)
        .select(accounts::name)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let path = format!("/v1/accounts/{}/dissolve", owner.account_id);
    assert!(owner.post(&path, json!({ "confirm_name": name })).await.status < 300);
    eventually("no token is good", async || {
        tokens.iter().all(|(platform, token)| !app.platforms.is_live(*platform, token))
    })
    .await;
    eventually("nothing is delivered", async || app.platforms.eventsub_subscriptions().is_empty()).await;
    eventually("nothing is kept of them", async || waiting(&app).await == 0).await;
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn endings_wait_for_a_missing_system_application() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    system_app(&app, Platform::Kick, "channel", "kick-app").await;
    let (_, connection) = connect(&app, &owner, Platform::Kick, "streamer").await;
    let token = channel_tokens(&app, id_of(&connection)).await.access_token.unwrap();
    assert_eq!(owner.delete("/v1/connections/channel/kick").await.status, 204);
    {
        use shared::schema::system_connections::dsl;
        let mut db = app.databases.postgres.get().await.unwrap();
        diesel::delete(dsl::system_connections).execute(&mut *db).await.unwrap();
    }
    let running = workers(&app, &DAEMONS).await;
    let postponed = || {
        let scraper = app.anonymous().at(format!("http://{}", running.metrics_address));
        async move { scraper.get("/metrics").await.text.contains("outcome=\"postponed\"") }
    };
    eventually("it is put off", postponed).await;
    assert_eq!(waiting(&app).await, 1);
    system_app(&app, Platform::Kick, "channel", "kick-app").await;
    eventually("the tokens are revoked", async || waiting(&app).await == 0).await;
    assert!(!app.platforms.is_live(Platform::Kick, &token));
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn endings_keep_shared_deliveries_and_restore_those_of_a_reconnect() {
    let app = TestApp::start().await;
    let (first, second) = (app.owner().await, app.owner().await);
    let running = workers(&app, &DAEMONS).await;
    connect(&app, &first, Platform::Twitch, "streamer").await;
    eventually("it delivers", async || recorded(&app).await == everything()).await;
    reconnect(&app, &second, Platform::Twitch).await;
    eventually("both know of it", async || recorded(&app).await == 2 * everything()).await;
    assert_eq!(first.delete("/v1/connections/channel/twitch").await.status, 204);
    eventually("it is done with", async || waiting(&app).await == 0).await;
    let delivered = app.platforms.eventsub_subscriptions().len();
    assert!(delivered >= everything(), "{delivered} of {} deliver on", everything());

    let third = app.owner().await;
    let (user, _) = connect(&app, &third, Platform::Twitch, "another").await;
    eventually("it delivers, too", async || recorded(&app).await == 2 * everything()).await;
    assert_eq!(third.delete("/v1/connections/channel/twitch").await.status, 204);
    reconnect(&app, &third, Platform::Twitch).await;
    eventually("the tokens are done with", async || waiting(&app).await == 0).await;
    let of_channel = || {
        let all = app.platforms.eventsub_subscriptions();
        let types: std::collections::BTreeSet<String> = all
            .into_iter()
            .filter(|one| one.condition.to_string().contains(&user.id))
            .map(|one| one.subscription_type)
            .collect();
        types.len()
    };
    eventually("everything is delivered again", async || {
        recorded(&app).await == 2 * everything() && of_channel() == everything()
    })
    .await;
    running.stop().await.unwrap();
    app.stop().await;
}
