//! Public directory of songs (reference/copyright.md#public-directory).

use lumio_tests::{TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{decide, sun};

const SPOTIFY: &str = "6dGnYIeXmHdcikdzNNDMm2";
const SONG: &str = "{ id title artist spotifyTrackId isrc status createdAt }";

#[tokio::test]
async fn music_songs_show_what_staff_decided() {
    let app = TestApp::start().await;
    let (anonymous, staff) = (app.anonymous(), app.admin_with(&["copyright:moderate"]).await);
    let owner = super::owner(&app).await;
    owner.post("/v1/copyright/safe-songs", json!({ "title": "Private", "artist": "A" })).await.expect(201);
    decide(&app, &staff, &sun(), "blocked").await;
    decide(&app, &staff, &json!({ "title": "50% more_", "artist": "Zappa" }), "recommend").await;

    let listed = anonymous.get("/v1/music/songs").await;
    let titles = |songs: &Value| -> Vec<String> {
        songs.as_array().unwrap().iter().map(|song| song["title"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        titles(listed.data()),
        ["50% more_", "Here Comes the Sun"],
        "by title, without lists of accounts"
    );
    assert_eq!(listed.data()[0]["status"], "safe");
    for (query, expected) in [
        ("search=HERE", vec!["Here Comes the Sun"]),
        ("search=the%20b", vec!["Here Comes the Sun"]),
        ("search=50%25%20m", vec!["50% more_"]),
        ("search=5_", vec![]),
        ("search=%25", vec![]),
        ("status=blocked", vec!["Here Comes the Sun"]),
        ("status=unknown", vec![]),
        ("limit=1&page=2", vec!["Here Comes the Sun"]),
    ] {
        assert_eq!(
            titles(anonymous.get(&format!("/v1/music/songs?{query}")).await.data()),
            expected,
            "{query}"
        );
    }
    let document = format!("{{ musicSongs(search: \"here\", status: BLOCKED) {{ items {SONG} total }} }}");
    let graphql = anonymous.graphql(&document, json!({})).await.field("musicSongs");
    assert_eq!((&graphql["items"][0]["id"], &graphql["total"]), (&listed.data()[1]["id"], &json!(1)));

    app.stop().await;
}

#[tokio::test]
async fn music_song_shows_one_song_of_the_directory() {
    let app = TestApp::start().await;
    let (anonymous, staff) = (app.anonymous(), app.admin_with(&["copyright:moderate"]).await);
    let owner = super::owner(&app).await;
    owner.post("/v1/copyright/safe-songs", json!({ "title": "Private", "artist": "A" })).await.expect(201);
    decide(&app, &staff, &sun(), "blocked").await;
    let song = anonymous.get("/v1/music/songs").await.data()[0].clone();
    let id = song["id"].as_str().unwrap();
    assert_eq!(*anonymous.get(&format!("/v1/music/songs/{id}")).await.data(), song);
    let one = |id: &str| format!("{{ musicSong(id: \"{id}\") {SONG} }}");
    assert_eq!(anonymous.graphql(&one(id), json!({})).await.field("musicSong")["title"], song["title"]);
    let own = owner.get("/v1/copyright/safe-songs").await.data()[0]["id"].as_str().unwrap().to_owned();
    for missing in [own, Uuid::now_v7().to_string()] {
        let rest = anonymous.get(&format!("/v1/music/songs/{missing}")).await;
        let graphql = anonymous.graphql(&one(&missing), json!({})).await;
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Song not found");
    }
    app.stop().await;
}

#[tokio::test]
async fn music_check_returns_the_status_of_an_address() {
    let app = TestApp::start().await;
    let (anonymous, staff) = (app.anonymous(), app.admin_with(&["copyright:moderate"]).await);
    let mut song = sun();
    song["spotify_track_id"] = json!(SPOTIFY);
    let path = format!("/v1/music/check?url=https%3A%2F%2Fopen.spotify.com%2Ftrack%2F{SPOTIFY}%3Fsi%3Dx");
    let unknown = anonymous.get(&path).await;
    assert_eq!(*unknown.data(), json!({ "status": "unknown", "song": null }));
    decide(&app, &staff, &song, "blocked").await;
    let found = anonymous.get(&path).await;
    assert_eq!(
        (&found.data()["status"], &found.data()["song"]["status"]),
        (&json!("blocked"), &json!("blocked"))
    );
    let document = format!("{{ musicCheck(url: \"spotify:track:{SPOTIFY}\") {{ status song {SONG} }} }}");
    let graphql = anonymous.graphql(&document, json!({})).await.field("musicCheck");
    assert_eq!(
        (&graphql["status"], &graphql["song"]["id"]),
        (&json!("BLOCKED"), &found.data()["song"]["id"])
    );

    let message = "url must be the address of a track at Spotify";
    for address in ["", "https://example.com", &"x".repeat(501)] {
        let rest = anonymous.get(&format!("/v1/music/check?url={address}")).await;
        let document = format!("{{ musicCheck(url: \"{address}\") {{ status }} }}");
        let graphql = anonymous.graphql(&document, json!({})).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    app.stop().await;
}

#[tokio::test]
async fn music_songs_music_song_and_music_check_have_switches_of_their_own() {
    let app = TestApp::start().await;
    let anonymous = app.anonymous();
    let id = Uuid::now_v7();
    let directory = [
        ("/v1/music/songs".to_owned(), "{ musicSongs { total } }".to_owned()),
        (format!("/v1/music/songs/{id}"), format!("{{ musicSong(id: \"{id}\") {{ id }} }}")),
    ];
    let address = format!("spotify:track:{SPOTIFY}");
    let check = (
        format!("/v1/music/check?url={address}"),
        format!("{{ musicCheck(url: \"{address}\") {{ status }} }}"),
    );
    app.switch("system:copyright_public_directory", false).await;
    for (path, document) in &directory {
        let (rest, graphql) = (anonymous.get(path).await, anonymous.graphql(document, json!({})).await);
        let message = "Feature is disabled: system:copyright_public_directory";
        both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", message);
    }
    anonymous.get(&check.0).await.expect(200);
    app.switch("system:copyright_public_quick_check", false).await;
    let (rest, graphql) = (anonymous.get(&check.0).await, anonymous.graphql(&check.1, json!({})).await);
    let message = "Feature is disabled: system:copyright_public_quick_check";
    both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", message);
    app.stop().await;
}
