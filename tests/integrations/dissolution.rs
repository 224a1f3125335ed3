//! End of an account with a connection to OBS and a player of Spotify
//! (reference/accounts.md#erasure-after-dissolution).

use lumio_tests::{
    TestApp, eventually,
    world::{connect, count, workers},
};
use lumio_worker::Daemon;
use platforms_stand_in::{
    Platform,
    obs::ObsStandIn,
    spotify::player::{Player, Track},
};
use serde_json::json;
use shared::id::{AccountId, Trust};
use uuid::Uuid;

const FEATURES: [&str; 3] = ["feature:music", "feature:obs_remote", "integration:obs_websocket"];
const DAEMONS: [Daemon; 4] = [Daemon::Housekeeping, Daemon::Music, Daemon::ObsRemote, Daemon::Outbox];

/// Number of places in Redis that hold the state of OBS, the song, or a place in the schedule of an account.
async fn places(app: &TestApp, account: Uuid) -> i64 {
    let key = |name: &str| app.state.redis.key(name);
    let mut redis = app.state.redis.get().await.unwrap();
    let mut found = 0;
    for name in [format!("obs:state:{account}"), format!("obs:lease:{account}"), format!("music:{account}")] {
        let exists: i64 = redis::cmd("EXISTS").arg(key(&name)).query_async(&mut *redis).await.unwrap();
        found += exists;
    }
    for name in ["music_polls:due", "music_polls:claims"] {
        let mut score = redis::cmd("ZSCORE");
        score.arg(key(name)).arg(account.to_string());
        let score: Option<f64> = score.query_async(&mut *redis).await.unwrap();
        found += i64::from(score.is_some());
    }
    for name in ["music_polls:targets", "music_polls:streams"] {
        let mut exists = redis::cmd("HEXISTS");
        exists.arg(key(name)).arg(account.to_string());
        let exists: i64 = exists.query_async(&mut *redis).await.unwrap();
        found += exists;
    }
    found
}

#[tokio::test]
async fn dissolve_account_ends_the_connection_to_obs_and_the_polls() {
    let obs = ObsStandIn::start(None).await;
    let app = TestApp::builder().with("LUMIO_EGRESS_TEST_HOSTS", obs.address()).start().await;
    let owner = app.owner().await;
    let account = owner.account_id;
    for feature in FEATURES {
        app.override_feature(account, feature, true).await;
    }
    let listener = connect(&app, account, Platform::Spotify, "listener").await;
    app.platforms.spotify_set_player(&listener, Player::playing(Track::new(1, "Sun", &["Ada"])));
    let config = json!({ "port": obs.address().port(), "remote_enabled": true, "remote_host": "127.0.0.1",
        "password": null });
    owner.put("/v1/integrations/obs", config).await.expect(200);
    owner.post("/v1/spotify/manual-connect", json!({})).await.expect(200);
    let running = workers(&app, &DAEMONS).await;
    let id = AccountId::trusted(account, Trust::Test);
    let song = async || live_model::music::song(&app.state.redis, id).await.unwrap();
    eventually("both are followed", async || obs.sessions() == 1 && song().await.is_some()).await;
    assert!(places(&app, account).await >= 4);

    let dissolve = json!({ "confirm_name": "Test account" });
    owner.post(&format!("/v1/accounts/{account}/dissolve"), dissolve).await.expect(200);
    assert_eq!(count(&app, "obs_configs").await, 0);
    eventually("both ended", async || obs.sessions() == 0 && places(&app, account).await == 0).await;
    let calls = app.platforms.spotify_calls(&listener).len();
    app.clock.advance(chrono::TimeDelta::minutes(1));
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    assert_eq!((app.platforms.spotify_calls(&listener).len(), obs.sessions()), (calls, 0));
    running.stop().await.unwrap();
    app.stop().await;
}
