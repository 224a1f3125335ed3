//! `lumio-worker token-refresh` (reference/connections.md#refresh).

use chrono::TimeDelta;
use lumio_tests::TestApp;
use lumio_worker::Daemon;
use platform_access::PlatformAccess as _;
use platform_credentials::tokens::{Holder, Outcome};
use platforms_stand_in::Platform;

use super::world::{
    asked_refreshes, bot, channel, channel_with, claims, granted, granted_refreshes, login, set, stored,
};
use lumio_tests::world::{eventually, workers};

const MINUTE: TimeDelta = TimeDelta::minutes(1);

#[tokio::test]
async fn daemon_refreshes_tokens_within_five_minutes_of_their_expiry_only() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let due = channel(&app, &owner, Platform::Twitch, MINUTE * 4).await;
    let ended = channel(&app, &owner, Platform::Kick, -MINUTE).await;
    let later = channel(&app, &owner, Platform::Trovo, MINUTE * 6).await;
    let user = granted(&app, Platform::Youtube, "endless");
    let endless =
        channel_with(&app, &owner, &user.user, &user.access_token, Some(&user.refresh_token), None).await;
    let user = granted(&app, Platform::Twitch, "once");
    let now = Some(app.clock.now());
    let without = channel_with(&app, &other, &user.user, &user.access_token, None, now).await;
    let flagged = channel(&app, &other, Platform::Kick, MINUTE).await;
    set(&app, flagged, "reconnect_required", "true").await;
    let (bot, global) =
        (bot(&app, &owner, Some(owner.account_id), MINUTE).await, bot(&app, &owner, None, MINUTE).await);
    let login = login(&app, &owner, MINUTE).await;

    let running = workers(&app, &[Daemon::TokenRefresh]).await;
    for holder in [due, ended, bot, global, login] {
        eventually("it is refreshed", async || stored(&app, holder).await.version == 1).await;
    }
    running.stop().await.unwrap();
    let fresh = stored(&app, due).await;
    assert!(fresh.expires_at.unwrap() > app.clock.now() + TimeDelta::hours(1), "{fresh:?}");
    assert!(app.platforms.is_live(Platform::Twitch, &fresh.access));
    for holder in [later, endless, without, flagged] {
        assert_eq!(stored(&app, holder).await.version, 0, "{holder:?}");
    }
    assert_eq!((granted_refreshes(&app, Platform::Twitch), granted_refreshes(&app, Platform::Kick)), (4, 1));
    assert_eq!(claims(&app).await, 0);

    app.clock.advance(MINUTE * 2);
    let running = workers(&app, &[Daemon::TokenRefresh]).await;
    eventually("its time has come", async || stored(&app, later).await.version == 1).await;
    running.stop().await.unwrap();
    assert_eq!(stored(&app, due).await, fresh);
    app.stop().await;
}

#[tokio::test]
async fn daemon_refreshes_tokens_of_every_platform() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let platforms = [Platform::Twitch, Platform::Youtube, Platform::Kick, Platform::Trovo, Platform::Spotify];
    for platform in platforms {
        let holder = channel(&app, &owner, platform, MINUTE).await;
        let before = stored(&app, holder).await;
        assert_eq!(app.state.tokens().refresh(holder, 0).await.unwrap(), Outcome::Refreshed, "{platform}");
        let after = stored(&app, holder).await;
        assert!(app.platforms.is_live(platform, &after.access), "{platform}");
        assert_ne!(before.access, after.access, "{platform}");
        // A platform that returns no refresh token keeps the old one valid.
        assert!(app.platforms.is_live(platform, after.refresh.as_deref().unwrap()), "{platform}");
        assert_eq!((granted_refreshes(&app, platform), asked_refreshes(&app, platform)), (1, 1));
    }
    app.stop().await;
}

#[tokio::test]
async fn daemon_killed_delays_others_only_until_its_claim_expires() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let holder = channel(&app, &owner, Platform::Twitch, MINUTE).await;
    let claim = |until: &str| {
        format!(
            "INSERT INTO token_refreshes (connection_id, claim, claimed_until) \
             VALUES ('{}', gen_random_uuid(), now() + interval '{until}') \
             ON CONFLICT (connection_id) DO UPDATE SET claimed_until = excluded.claimed_until",
            holder.id()
        )
    };
    let execute = async |sql: String| {
        use diesel_async::RunQueryDsl;
        let mut db = app.databases.postgres.get().await.unwrap();
        diesel::sql_query(sql).execute(&mut *db).await.unwrap();
    };
    execute(claim("30 seconds")).await;
    assert_eq!(app.state.tokens().refresh(holder, 0).await.unwrap(), Outcome::Busy);
    assert!(app.state.tokens().due(10).await.unwrap().is_empty());
    execute(claim("-1 second")).await;
    assert_eq!(app.state.tokens().due(10).await.unwrap().len(), 1);
    assert_eq!(app.state.tokens().refresh(holder, 0).await.unwrap(), Outcome::Refreshed);
    assert_eq!(claims(&app).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn daemon_ignores_unknown_connections() {
    let app = TestApp::start().await;
    for holder in [Holder::Channel, Holder::Bot, Holder::Login] {
        let holder = holder(shared::id::new());
        assert_eq!(app.state.tokens().refresh(holder, 0).await.unwrap(), Outcome::Nothing);
    }
    assert_eq!(claims(&app).await, 0);
    app.stop().await;
}
