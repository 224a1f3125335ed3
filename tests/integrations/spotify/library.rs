//! Playlists and search (reference/music.md#library).

use lumio_tests::both_refused;
use platforms_stand_in::spotify::player::{Track, UserPlaylist};
use serde_json::{Value, json};

use super::{Scene, play_playlist, shown, sun};

const PLAYLISTS: &str = "/v1/spotify/playlists";
const LIST: &str = "{ spotifyPlaylists { id uri name owner imageUrl url trackCount } }";
const ID: &str = "3cEYpjA9oz9GiPac4AsH4n";
const SEARCH: &str = "query($q: String!, $limit: Int) { spotifySearch(q: $q, limit: $limit) \
    { trackId uri title artist artists album imageUrl url durationMs } }";

fn mix(id: &str) -> UserPlaylist {
    UserPlaylist { id: id.into(), name: "Mix".into(), owner: "ada".into(), track_count: 7 }
}

#[tokio::test]
async fn spotify_playlists_lists_the_library() {
    let scene = Scene::start().await;
    assert_eq!(*scene.owner.get(PLAYLISTS).await.data(), json!([]));
    scene.app.platforms.spotify_set_library(&scene.listener, vec![mix(ID); 51]);
    let listed = scene.owner.get(PLAYLISTS).await.data().clone();
    let expected = json!({ "id": ID, "uri": format!("spotify:playlist:{ID}"), "name": "Mix", "owner": "ada",
        "image_url": format!("https://i.example/playlist/{ID}"),
        "url": format!("https://open.spotify.com/playlist/{ID}"), "track_count": 7 });
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]), (50, &expected));
    assert_eq!(scene.owner.graphql(LIST, json!({})).await.field("spotifyPlaylists"), listed);
    scene.app.stop().await;
}

#[tokio::test]
async fn spotify_play_playlist_plays_any_playlist_of_spotify() {
    let scene = Scene::start().await;
    scene.app.platforms.spotify_set_library(&scene.listener, vec![mix(ID)]);
    let (rest, graphql) = scene.both(&play_playlist(ID)).await;
    assert_eq!(*rest.expect(200), json!({ "success": true }));
    assert_eq!(graphql.field("spotifyPlayPlaylist"), json!({ "success": true }));
    assert_eq!(scene.player().context_uri, Some(format!("spotify:playlist:{ID}")));
    let unknown = play_playlist(&"x".repeat(22));
    scene.refused(&unknown, 404, "NOT_FOUND", "Spotify playlist not found").await;
    for wrong in ["1", &"x".repeat(23), "3cEYpjA9oz9GiPac4AsH4-"] {
        let message = "id must have 22 letters and digits";
        scene.refused(&play_playlist(wrong), 400, "VALIDATION_ERROR", message).await;
    }
    scene.app.platforms.spotify_set_premium(&scene.listener, false);
    scene.refused(&play_playlist(ID), 400, "BAD_REQUEST", "Spotify Premium required").await;
    scene.app.stop().await;
}

#[tokio::test]
async fn spotify_search_finds_tracks() {
    let scene = Scene::start().await;
    scene.app.platforms.spotify_add_tracks((10..30).map(|number| Track::new(number, "Many", &["A"])));
    let found = scene.owner.get("/v1/spotify/search?q=sUN").await;
    assert_eq!(*found.data(), json!([shown(&sun())]));
    let graphql = scene.owner.graphql(SEARCH, json!({ "q": " sun " })).await.field("spotifySearch");
    assert_eq!(graphql, *found.data());
    for (query, expected) in [("q=many", 10), ("q=many&limit=1", 1), ("q=many&limit=10", 10), ("q=none", 0)] {
        let found = scene.owner.get(&format!("/v1/spotify/search?{query}")).await;
        assert_eq!(found.data().as_array().map(Vec::len), Some(expected), "{query}");
    }
    let q = "ä".repeat(200);
    let found = scene.owner.graphql(SEARCH, json!({ "q": q })).await.field("spotifySearch");
    assert_eq!(found, json!([]));
    scene.app.stop().await;
}

#[tokio::test]
async fn spotify_search_refuses_a_text_or_number_out_of_bounds() {
    let scene = Scene::start().await;
    for (q, limit, message) in [
        (" ", Value::Null, "q must not be empty"),
        (&"x".repeat(201), Value::Null, "q must be between 1 and 200 characters"),
        ("sun", json!(0), "limit must be between 1 and 10"),
        ("sun", json!(11), "limit must be between 1 and 10"),
    ] {
        let request = scene.owner.request(reqwest::Method::GET, "/v1/spotify/search").query(&[("q", q)]);
        let request = match limit.as_i64() {
            Some(limit) => request.query(&[("limit", limit)]),
            None => request,
        };
        let graphql = scene.owner.graphql(SEARCH, json!({ "q": q, "limit": limit })).await;
        both_refused(&scene.owner.send(request).await, &graphql, 400, "VALIDATION_ERROR", message);
    }
    assert_eq!(scene.calls(), 0);
    scene.app.stop().await;
}

#[tokio::test]
async fn spotify_playlists_play_playlist_and_search_need_permission_feature_and_connection() {
    let scene = Scene::start().await;
    let account = scene.owner.account_id;
    let member = scene.app.member_with(account, &["spotify:volume"]).await;
    let stranger = scene.app.owner().await;
    let search = "/v1/spotify/search?q=sun";
    for (path, document, permission) in
        [(PLAYLISTS, LIST, "spotify:playlist"), (search, SEARCH, "spotify:read")]
    {
        let variables = if path == search { json!({ "q": "sun" }) } else { json!({}) };
        let refused = [
            (&member, 403, "FORBIDDEN", format!("Missing permission: {permission}")),
            (&stranger, 404, "NOT_FOUND", "Spotify is not connected".to_owned()),
        ];
        for (caller, status, code, message) in refused {
            let graphql = caller.graphql(document, variables.clone()).await;
            both_refused(&caller.get(path).await, &graphql, status, code, &message);
        }
    }
    let (rest, graphql) = (play_playlist(ID).rest(&member).await, play_playlist(ID).graphql(&member).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: spotify:playlist");
    scene.app.override_feature(account, "feature:music", false).await;
    scene.owner.get(search).await.refused("FEATURE_DISABLED", "Feature is disabled: feature:music");
    let message = "Feature is disabled: feature:music";
    scene.refused(&play_playlist(ID), 403, "FEATURE_DISABLED", message).await;
    scene.app.stop().await;
}
