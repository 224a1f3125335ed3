//! `lumio-worker copyright-sync` (reference/copyright.md#playlists).

use std::time::Duration;

use chrono::TimeDelta;
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::{
    Person, Program, TestApp,
    world::{connect, eventually, workers},
};
use lumio_worker::{Daemon, Running};
use platforms_stand_in::{Failure, Platform, spotify::playlists::track};
use serde_json::{Value, json};

const IMPORT: &str = "/v1/copyright/import";
const SYNCS: &str = "/v1/copyright/playlist-syncs";
const SAFE: &str = "/v1/copyright/safe-songs";
const PLAYLIST: &str = "3cEYpjA9oz9GiPac4AsH4n";
const OTHER: &str = "5Rrf7mqN8uus2AaQQQNdc1";
/// More than the longest interval between two readings.
const INTERVAL: TimeDelta = TimeDelta::hours(7);

/// Owner with the feature and a connection to Spotify.
async fn listener(app: &TestApp) -> Person {
    let mut owner = app.owner().await;
    app.override_feature(owner.account_id, "feature:copyright_detection", true).await;
    connect(app, owner.account_id, Platform::Spotify, &format!("user-{}", owner.account_id.simple())).await;
    // A key lasts longer than the intervals, which a session does not.
    let scopes = ["copyright:read", "copyright:edit", "copyright:delete"];
    owner.caller = app.service_key(owner.account_id, &scopes).await;
    owner
}

fn tracks(first: usize, count: usize) -> Vec<Value> {
    (first..first + count).map(|number| track(number, &format!("Song {number}"), &["A"], None)).collect()
}

async fn import(owner: &Person, playlist: &str) {
    let input = json!({ "playlist_url": format!("spotify:playlist:{playlist}"), "list": "safe" });
    owner.post(IMPORT, input).await.expect(201);
}

async fn daemon(app: &TestApp) -> Running {
    workers(app, &[Daemon::CopyrightSync]).await
}

/// The account's only sync.
async fn sync(owner: &Person) -> Value {
    owner.get(SYNCS).await.data()[0].clone()
}

async fn titles(owner: &Person) -> Vec<String> {
    let listed = owner.get(&format!("{SAFE}?limit=100")).await;
    let title = |song: &Value| song["title"].as_str().unwrap().to_owned();
    let mut titles: Vec<String> = listed.data().as_array().unwrap().iter().map(title).collect();
    titles.sort();
    titles
}

/// Number of playlists that are due by the test's clock.
async fn due(app: &TestApp) -> i64 {
    due_within(app, TimeDelta::zero()).await
}

/// Number of playlists that are due at the end of a time.
async fn due_within(app: &TestApp, time: TimeDelta) -> i64 {
    #[derive(QueryableByName)]
    struct Count {
        #[diesel(sql_type = BigInt)]
        count: i64,
    }
    let sql = "SELECT count(*) AS count FROM playlist_syncs WHERE due_at <= $1";
    let found: Count = sql_query(sql)
        .bind::<diesel::sql_types::Timestamptz, _>(app.clock.now() + time)
        .get_result(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    found.count
}

/// Makes a playlist due after a time.
async fn due_in(app: &TestApp, playlist: &str, wait: TimeDelta) {
    sql_query("UPDATE playlist_syncs SET due_at = $2 WHERE playlist_id = $1")
        .bind::<Text, _>(playlist)
        .bind::<diesel::sql_types::Timestamptz, _>(app.clock.now() + wait)
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

#[tokio::test]
async fn daemon_copyright_sync_completes_a_long_import() {
    let app = TestApp::start().await;
    let owner = listener(&app).await;
    app.platforms.set_playlist(PLAYLIST, "Long", tracks(1, 520));
    import(&owner, PLAYLIST).await;
    let running = daemon(&app).await;
    eventually("the rest is read", async || sync(&owner).await["track_count"] == 520).await;
    running.stop().await.unwrap();
    let stored = sync(&owner).await;
    assert!(stored["last_synced_at"].is_string() && stored["error"].is_null(), "{stored}");
    assert_eq!(owner.get(SAFE).await.body["_meta"]["total"], 520);
    let entry = app.audited_once("playlist_sync:synced").await;
    let metadata =
        json!({ "playlist_id": PLAYLIST, "name": "Long", "list": "safe", "added": 20, "removed": 0 });
    assert_eq!((entry.account_id, entry.metadata), (Some(owner.account_id), metadata));
    app.stop().await;
}

#[tokio::test]
async fn daemon_copyright_sync_asks_once_about_an_unchanged_playlist() {
    let app = TestApp::start().await;
    let owner = listener(&app).await;
    app.platforms.set_playlist(PLAYLIST, "Same", tracks(1, 60));
    import(&owner, PLAYLIST).await;
    let (before, known) = (app.platforms.playlist_calls(PLAYLIST), sync(&owner).await);
    assert_eq!(before, ["playlist", "items 0", "items 50"]);
    app.clock.advance(INTERVAL);
    let running = daemon(&app).await;
    let is_newer = async || sync(&owner).await["last_synced_at"] != known["last_synced_at"];
    eventually("it is read again", is_newer).await;
    running.stop().await.unwrap();
    assert_eq!(app.platforms.playlist_calls(PLAYLIST)[3..], ["playlist"]);
    assert_eq!(app.audited("playlist_sync:synced").await, []);
    app.stop().await;
}

#[tokio::test]
async fn daemon_copyright_sync_follows_the_changes_of_a_playlist() {
    let app = TestApp::start().await;
    let owner = listener(&app).await;
    owner.post(SAFE, json!({ "title": "By hand", "artist": "A" })).await.expect(201);
    app.platforms.set_playlist(PLAYLIST, "Old", tracks(1, 3));
    app.platforms.set_playlist(OTHER, "Other", tracks(2, 1));
    import(&owner, PLAYLIST).await;
    import(&owner, OTHER).await;
    app.platforms.set_playlist(PLAYLIST, "New", tracks(3, 2));
    app.clock.advance(INTERVAL);
    let running = daemon(&app).await;
    // 1 came from this playlist alone, another one has 2.
    let expected = ["By hand", "Song 2", "Song 3", "Song 4"];
    eventually("the list follows", async || titles(&owner).await == expected).await;
    running.stop().await.unwrap();
    let metadata =
        json!({ "playlist_id": PLAYLIST, "name": "New", "list": "safe", "added": 1, "removed": 1 });
    assert_eq!(app.audited_once("playlist_sync:synced").await.metadata, metadata);
    app.stop().await;
}

#[tokio::test]
async fn daemon_copyright_sync_tries_a_dead_playlist_daily() {
    let app = TestApp::start().await;
    let owner = listener(&app).await;
    app.platforms.set_playlist(PLAYLIST, "Gone", tracks(1, 1));
    import(&owner, PLAYLIST).await;
    app.platforms.delete_playlist(PLAYLIST);
    app.clock.advance(INTERVAL);
    let running = daemon(&app).await;
    eventually("it is marked", async || sync(&owner).await["error"] == "Playlist not found").await;
    assert_eq!(titles(&owner).await, ["Song 1"], "the songs stay");
    assert_eq!(due_within(&app, TimeDelta::hours(23)).await, 0);
    assert_eq!(due_within(&app, TimeDelta::hours(27)).await, 1);
    // The stand-in counts versions anew, so the second one differs from what was read.
    for _ in 0..2 {
        app.platforms.set_playlist(PLAYLIST, "Back", tracks(2, 1));
    }
    due_in(&app, PLAYLIST, TimeDelta::zero()).await;
    eventually("it is read again", async || titles(&owner).await == ["Song 2"]).await;
    running.stop().await.unwrap();
    assert_eq!(sync(&owner).await["error"], Value::Null);
    app.stop().await;
}

#[tokio::test]
async fn daemon_copyright_sync_waits_for_every_playlist_as_long_as_spotify_asks() {
    let app = TestApp::start().await;
    let (ada, eve) = (listener(&app).await, listener(&app).await);
    app.platforms.set_playlist(PLAYLIST, "Ada", tracks(1, 1));
    app.platforms.set_playlist(OTHER, "Eve", tracks(1, 1));
    import(&ada, PLAYLIST).await;
    import(&eve, OTHER).await;
    sql_query("UPDATE channel_connections SET client_id = 'app'")
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    due_in(&app, PLAYLIST, TimeDelta::zero()).await;
    due_in(&app, OTHER, TimeDelta::minutes(5)).await;
    let limited = Failure::RateLimited { retry_after: Duration::from_secs(3600) };
    app.platforms.fail_next_at(Platform::Spotify, "/playlists/", limited);
    let running = daemon(&app).await;
    eventually("it is refused", async || !app.platforms.has_planned_failure()).await;
    eventually("it is postponed", async || due(&app).await == 0).await;
    app.clock.advance(TimeDelta::minutes(10));
    assert_eq!(due(&app).await, 0, "the limit is that of the application");
    assert_eq!(app.platforms.playlist_calls(OTHER).len(), 2, "both are those of the import");
    app.clock.advance(TimeDelta::hours(1));
    for playlist in [PLAYLIST, OTHER] {
        let is_read = async || app.platforms.playlist_calls(playlist).len() == 3;
        eventually("it is read after the pause", is_read).await;
    }
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn daemon_copyright_sync_of_two_copies_reads_each_playlist_once() {
    let app = TestApp::start().await;
    let owner = listener(&app).await;
    let playlists: Vec<String> = (0..10).map(|number| format!("{number:x<22}")).collect();
    for (number, playlist) in playlists.iter().enumerate() {
        app.platforms.set_playlist(playlist, "One", tracks(number, 1));
        import(&owner, playlist).await;
    }
    app.clock.advance(INTERVAL);
    let running = [daemon(&app).await, daemon(&app).await];
    eventually("all are read", async || due(&app).await == 0).await;
    for copy in running {
        copy.stop().await.unwrap();
    }
    for playlist in &playlists {
        assert_eq!(app.platforms.playlist_calls(playlist)[2..], ["playlist"], "{playlist}");
    }
    app.stop().await;
}

#[tokio::test]
async fn daemon_copyright_sync_rests_without_connection_or_feature() {
    let app = TestApp::start().await;
    let (without, off) = (listener(&app).await, listener(&app).await);
    app.platforms.set_playlist(PLAYLIST, "Without", tracks(1, 1));
    app.platforms.set_playlist(OTHER, "Off", tracks(1, 1));
    import(&without, PLAYLIST).await;
    import(&off, OTHER).await;
    sql_query("DELETE FROM channel_connections WHERE account_id = $1")
        .bind::<SqlUuid, _>(without.account_id)
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    app.clock.advance(INTERVAL);
    app.override_feature(off.account_id, "feature:copyright_detection", false).await;
    let running = daemon(&app).await;
    eventually("both are postponed", async || due(&app).await == 0).await;
    running.stop().await.unwrap();
    assert_eq!(sync(&without).await["error"], "Spotify is not connected");
    for playlist in [PLAYLIST, OTHER] {
        assert_eq!(app.platforms.playlist_calls(playlist).len(), 2, "both are those of the import");
    }
    app.override_feature(off.account_id, "feature:copyright_detection", true).await;
    assert_eq!(sync(&off).await["error"], Value::Null);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn daemon_copyright_sync_of_a_killed_copy_is_taken_over() {
    let app = TestApp::start().await;
    let owner = listener(&app).await;
    app.platforms.set_playlist(PLAYLIST, "Long", tracks(1, 520));
    import(&owner, PLAYLIST).await;
    // The copy is killed while it reads.
    app.platforms.fail_next_at(Platform::Spotify, "/playlists/", Failure::Slow(Duration::from_secs(5)));
    let mut killed = Program::start("lumio-worker", &["copyright-sync"], &app.variables());
    eventually("it reads the playlist", async || !app.platforms.has_planned_failure()).await;
    killed.kill();
    assert_ne!(sync(&owner).await["track_count"], 520);
    // Another copy reads it when the claim has ended.
    app.clock.advance(TimeDelta::minutes(6));
    let running = daemon(&app).await;
    eventually("the rest is read", async || sync(&owner).await["track_count"] == 520).await;
    running.stop().await.unwrap();
    assert_eq!(owner.get(SAFE).await.body["_meta"]["total"], 520);
    app.audited_once("playlist_sync:synced").await;
    app.stop().await;
}
