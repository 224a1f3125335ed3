//! Playlists whose songs are kept in a list (reference/copyright.md#playlists).

use std::time::Duration;

use diesel::{QueryableByName, sql_query, sql_types::Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, TestApp, both_refused, world::connect};
use platforms_stand_in::{
    Failure, Platform,
    spotify::playlists::{track, track_id},
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{FEATURE, owner};

const IMPORT: &str = "/v1/copyright/import";
const SYNCS: &str = "/v1/copyright/playlist-syncs";
const SAFE: &str = "/v1/copyright/safe-songs";
const BLOCKED: &str = "/v1/copyright/blocked-songs";
const PLAYLIST: &str = "3cEYpjA9oz9GiPac4AsH4n";
const OTHER: &str = "5Rrf7mqN8uus2AaQQQNdc1";
const SYNC: &str = "{ id playlistId name list trackCount lastSyncedAt error createdAt }";

/// Owner with the feature and a connection to Spotify.
async fn listener(app: &TestApp) -> Person {
    let owner = owner(app).await;
    connect(app, owner.account_id, Platform::Spotify, &format!("user-{}", Uuid::now_v7().simple())).await;
    owner
}

fn input(playlist: &str, list: &str) -> Value {
    json!({ "playlist_url": format!("https://open.spotify.com/playlist/{playlist}?si=x"), "list": list })
}

async fn gql_import(caller: &Caller, address: &str, list: &str) -> Answer {
    let document = format!(
        "mutation($input: ImportCopyrightPlaylistInput!) {{ importCopyrightPlaylist(input: $input) {{
            imported skipped isComplete sync {SYNC} }} }}"
    );
    let input = json!({ "playlistUrl": address, "list": list.to_uppercase() });
    caller.graphql(&document, json!({ "input": input })).await
}

async fn gql_syncs(caller: &Caller) -> Answer {
    caller.graphql(&format!("{{ copyrightPlaylistSyncs {SYNC} }}"), json!({})).await
}

async fn gql_delete(caller: &Caller, id: &str) -> Answer {
    let document = "mutation($id: UUID!) { deleteCopyrightPlaylistSync(id: $id) }";
    caller.graphql(document, json!({ "id": id })).await
}

/// A number of tracks, from the first number.
fn tracks(first: usize, count: usize) -> Vec<Value> {
    (first..first + count).map(|number| track(number, &format!("Song {number}"), &["A"], None)).collect()
}

async fn titles(caller: &Caller, list: &str) -> Vec<String> {
    let listed = caller.get(&format!("{list}?limit=100")).await;
    let title = |song: &Value| song["title"].as_str().unwrap().to_owned();
    let mut titles: Vec<String> = listed.data().as_array().unwrap().iter().map(title).collect();
    titles.sort();
    titles
}

/// Adds syncs of other playlists to the account.
async fn add_syncs(app: &TestApp, account: Uuid, count: i32) {
    sql_query(format!(
        "INSERT INTO playlist_syncs (id, account_id, playlist_id, name, list, due_at)
         SELECT gen_random_uuid(), $1, lpad(n::text, 22, 'x'), 'other', 'safe', now() + interval '1 year'
         FROM generate_series(1, {count}) AS n"
    ))
    .bind::<SqlUuid, _>(account)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
}

#[tokio::test]
async fn import_copyright_playlist_adds_the_tracks_of_the_catalogue() {
    let app = TestApp::start().await;
    let owner = listener(&app).await;
    let mut local = track(4, "Local", &["A"], None);
    local["is_local"] = json!(true);
    let mut episode = track(5, "Talk", &[], None);
    episode["item"]["type"] = json!("episode");
    let entries = vec![
        track(1, "Here Comes the Sun", &["The Beatles"], Some("GB-AYE-06-01690")),
        track(2, "Under Pressure", &["Queen", "David Bowie"], Some("no code")),
        track(2, "Under Pressure", &["Queen", "David Bowie"], None),
        local,
        episode,
        json!({ "is_local": false, "item": null }),
    ];
    app.platforms.set_playlist(PLAYLIST, "My stream", entries);

    let imported = owner.post(IMPORT, input(PLAYLIST, "safe")).await.expect(201)["data"].clone();
    assert_eq!((&imported["imported"], &imported["skipped"]), (&json!(2), &json!(4)));
    assert_eq!(imported["is_complete"], true);
    let sync = &imported["sync"];
    assert_eq!((&sync["playlist_id"], &sync["name"]), (&json!(PLAYLIST), &json!("My stream")));
    assert_eq!((&sync["list"], &sync["track_count"]), (&json!("safe"), &json!(2)));
    assert!(sync["last_synced_at"].is_string() && sync["error"].is_null(), "{sync}");
    let listed = owner.get(&format!("{SAFE}?search=pressure")).await.data()[0].clone();
    assert_eq!(listed["artist"], "Queen, David Bowie");
    assert_eq!((&listed["spotify_track_id"], &listed["isrc"]), (&json!(track_id(2)), &Value::Null));
    let sun = owner.get(&format!("{SAFE}?search=sun")).await.data()[0].clone();
    assert_eq!(sun["isrc"], "GBAYE0601690");
    assert_eq!(titles(&owner, BLOCKED).await, Vec::<String>::new());

    // The same playlist may fill the other list too.
    let graphql = gql_import(&owner, &format!("spotify:playlist:{PLAYLIST}"), "blocked").await;
    let graphql = graphql.field("importCopyrightPlaylist");
    assert_eq!((&graphql["imported"], &graphql["sync"]["list"]), (&json!(2), &json!("BLOCKED")));
    let entries = app.audited("playlist_sync:imported").await;
    assert_eq!(entries.len(), 2);
    assert_eq!((entries[0].account_id, entries[0].actor_id), (Some(owner.account_id), Some(owner.user_id)));
    let metadata = json!({ "playlist_id": PLAYLIST, "name": "My stream", "list": "safe", "imported": 2 });
    assert_eq!(entries[0].metadata, metadata);
    app.stop().await;
}

#[tokio::test]
async fn import_copyright_playlist_again_follows_the_changes() {
    let app = TestApp::start().await;
    let owner = listener(&app).await;
    app.platforms.set_playlist(PLAYLIST, "Old", tracks(1, 3));
    app.platforms.set_playlist(OTHER, "Other", tracks(3, 1));
    let by_hand = json!({ "title": "Song 2", "artist": "A", "spotify_track_id": track_id(2) });
    owner.post(SAFE, by_hand).await.expect(201);
    let first = owner.post(IMPORT, input(PLAYLIST, "safe")).await.expect(201)["data"].clone();
    assert_eq!((&first["imported"], &first["skipped"]), (&json!(2), &json!(1)));
    owner.post(IMPORT, input(OTHER, "safe")).await.expect(201);

    app.platforms.set_playlist(PLAYLIST, "New", tracks(4, 1));
    let second = owner.post(IMPORT, input(PLAYLIST, "safe")).await.expect(200)["data"].clone();
    assert_eq!((&second["sync"]["id"], &second["sync"]["name"]), (&first["sync"]["id"], &json!("New")));
    assert_eq!((&second["imported"], &second["sync"]["track_count"]), (&json!(1), &json!(1)));
    // Song 1 came from this playlist alone; 2 was added by hand; another playlist has 3.
    assert_eq!(titles(&owner, SAFE).await, ["Song 2", "Song 3", "Song 4"]);
    assert_eq!(owner.get(SYNCS).await.data().as_array().map(Vec::len), Some(2));
    app.stop().await;
}

#[tokio::test]
async fn import_copyright_playlist_leaves_long_playlists_to_the_daemon() {
    #[derive(QueryableByName)]
    struct Stored {
        #[diesel(sql_type = diesel::sql_types::BigInt)]
        wait: i64,
    }
    let app = TestApp::start().await;
    let owner = listener(&app).await;
    app.platforms.set_playlist(PLAYLIST, "Long", tracks(1, 501));
    let imported = owner.post(IMPORT, input(PLAYLIST, "safe")).await.expect(201)["data"].clone();
    assert_eq!((&imported["imported"], &imported["is_complete"]), (&json!(500), &json!(false)));
    assert_eq!(imported["sync"]["last_synced_at"], Value::Null);
    // A failure that passes is left to it as well.
    app.platforms.set_playlist(OTHER, "Limited", tracks(1, 1));
    app.platforms.fail_next_at(
        Platform::Spotify,
        "/items",
        Failure::RateLimited { retry_after: Duration::from_secs(30) },
    );
    let unread = owner.post(IMPORT, input(OTHER, "blocked")).await.expect(201)["data"].clone();
    assert_eq!((&unread["imported"], &unread["is_complete"]), (&json!(0), &json!(false)));
    let stored: Vec<Stored> = sql_query(
        "SELECT extract(epoch FROM due_at - updated_at)::bigint AS wait FROM playlist_syncs
         WHERE snapshot_id IS NULL ORDER BY id",
    )
    .load(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    assert_eq!(stored.iter().map(|stored| stored.wait).collect::<Vec<_>>(), [0, 30]);
    app.stop().await;
}

#[tokio::test]
async fn import_copyright_playlist_refuses_other_addresses() {
    let app = TestApp::start().await;
    let owner = listener(&app).await;
    let message = "playlist_url must be the address of a playlist at Spotify";
    for address in [
        String::new(),
        format!("https://open.spotify.com/track/{PLAYLIST}"),
        format!("https://example.com/playlist/{PLAYLIST}"),
        format!("https://open.spotify.com/playlist/{PLAYLIST}?{}", "x".repeat(500)),
    ] {
        let rest = owner.post(IMPORT, json!({ "playlist_url": address, "list": "safe" })).await;
        let graphql = gql_import(&owner, &address, "safe").await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
        assert_eq!(rest.body["details"]["fields"][0]["field"], "playlist_url", "{}", rest.text);
    }
    owner.post(IMPORT, input(PLAYLIST, "reported")).await.refused_with("VALIDATION_ERROR");
    app.stop().await;
}

#[tokio::test]
async fn import_copyright_playlist_reports_what_spotify_refuses() {
    let app = TestApp::start().await;
    let (owner, without) = (listener(&app).await, owner(&app).await);
    let address = format!("spotify:playlist:{PLAYLIST}");
    let both = async |caller: &Caller| {
        (caller.post(IMPORT, input(PLAYLIST, "safe")).await, gql_import(caller, &address, "safe").await)
    };
    let (rest, graphql) = both(&without).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Spotify is not connected");
    let (rest, graphql) = both(&owner).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Playlist not found");
    app.platforms.set_playlist(PLAYLIST, "Foreign", tracks(1, 1));
    app.platforms.close_playlist(PLAYLIST);
    let (rest, graphql) = both(&owner).await;
    let message = "Spotify does not return this playlist to the connected user";
    both_refused(&rest, &graphql, 400, "BAD_REQUEST", message);
    let limited = Failure::RateLimited { retry_after: Duration::from_secs(7) };
    app.platforms.fail_next_at(Platform::Spotify, "/playlists/", limited);
    let refused = owner.post(IMPORT, input(PLAYLIST, "safe")).await;
    refused.refused("RATE_LIMIT_EXCEEDED", "Spotify limits the calls");
    assert_eq!((refused.status, refused.header("retry-after")), (429, "7"));
    app.clock.advance(chrono::TimeDelta::seconds(8));
    sql_query("UPDATE channel_connections SET reconnect_required = true")
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let (rest, graphql) = both(&owner).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "Spotify must be connected again");
    assert_eq!(*owner.get(SYNCS).await.data(), json!([]));
    assert_eq!(app.audited("playlist_sync:imported").await, []);
    app.stop().await;
}

#[tokio::test]
async fn import_copyright_playlist_stops_at_twenty_playlists() {
    let app = TestApp::start().await;
    let owner = listener(&app).await;
    add_syncs(&app, owner.account_id, 19).await;
    app.platforms.set_playlist(PLAYLIST, "Last", tracks(1, 1));
    app.platforms.set_playlist(OTHER, "Too many", tracks(2, 1));
    owner.post(IMPORT, input(PLAYLIST, "safe")).await.expect(201);
    let rest = owner.post(IMPORT, input(OTHER, "safe")).await;
    let graphql = gql_import(&owner, &format!("spotify:playlist:{OTHER}"), "safe").await;
    both_refused(&rest, &graphql, 403, "PLAN_LIMIT_REACHED", "Playlist limit reached");
    // One that is followed already may be read again.
    owner.post(IMPORT, input(PLAYLIST, "safe")).await.expect(200);
    assert_eq!(titles(&owner, SAFE).await, ["Song 1"]);
    app.stop().await;
}

#[tokio::test]
async fn import_copyright_playlist_fills_a_list_up_to_its_limit() {
    let app = TestApp::start().await;
    let owner = listener(&app).await;
    sql_query(
        "INSERT INTO listed_songs (id, account_id, list, title, artist, title_key, artist_key)
         SELECT gen_random_uuid(), $1, 'safe', n::text, 'B', n::text, 'b' FROM generate_series(1, 9999) AS n",
    )
    .bind::<SqlUuid, _>(owner.account_id)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    app.platforms.set_playlist(PLAYLIST, "Too long", tracks(1, 3));
    let imported = owner.post(IMPORT, input(PLAYLIST, "safe")).await.expect(201)["data"].clone();
    assert_eq!((&imported["imported"], &imported["skipped"]), (&json!(1), &json!(2)));
    assert_eq!(imported["sync"]["error"], "Song limit reached");
    let first = owner.get(&format!("{SAFE}?search=song")).await;
    assert_eq!(first.data()[0]["title"], "Song 1");
    app.stop().await;
}

#[tokio::test]
async fn copyright_playlist_syncs_lists_the_playlists_newest_first() {
    let app = TestApp::start().await;
    let (owner, stranger) = (listener(&app).await, listener(&app).await);
    app.platforms.set_playlist(PLAYLIST, "First", tracks(1, 1));
    app.platforms.set_playlist(OTHER, "Second", tracks(2, 1));
    let first = owner.post(IMPORT, input(PLAYLIST, "safe")).await.expect(201)["data"]["sync"].clone();
    app.clock.advance(chrono::Duration::seconds(5));
    let second = owner.post(IMPORT, input(OTHER, "safe")).await.expect(201)["data"]["sync"].clone();
    assert_eq!(*owner.get(SYNCS).await.data(), json!([second, first]));
    let graphql = gql_syncs(&owner).await.field("copyrightPlaylistSyncs");
    assert_eq!((&graphql[0]["id"], &graphql[1]["id"]), (&second["id"], &first["id"]));
    assert_eq!(*stranger.get(SYNCS).await.data(), json!([]));
    app.stop().await;
}

#[tokio::test]
async fn delete_copyright_playlist_sync_keeps_the_songs() {
    let app = TestApp::start().await;
    let (owner, stranger) = (listener(&app).await, listener(&app).await);
    app.platforms.set_playlist(PLAYLIST, "Ended", tracks(1, 2));
    let imported = owner.post(IMPORT, input(PLAYLIST, "safe")).await.expect(201)["data"].clone();
    let id = imported["sync"]["id"].as_str().unwrap().to_owned();
    for (caller, missing) in [(&stranger, id.clone()), (&owner, Uuid::now_v7().to_string())] {
        let rest = caller.delete(&format!("{SYNCS}/{missing}")).await;
        let graphql = gql_delete(caller, &missing).await;
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Playlist sync not found");
    }
    owner.delete(&format!("{SYNCS}/{id}")).await.expect(204);
    assert_eq!(*owner.get(SYNCS).await.data(), json!([]));
    let metadata = json!({ "playlist_id": PLAYLIST, "name": "Ended", "list": "safe" });
    assert_eq!(app.audited_once("playlist_sync:deleted").await.metadata, metadata);

    // The songs count as added by hand: another import of the playlist removes none of them.
    app.platforms.set_playlist(PLAYLIST, "Again", tracks(3, 1));
    let again = owner.post(IMPORT, input(PLAYLIST, "safe")).await.expect(201)["data"].clone();
    assert_eq!(titles(&owner, SAFE).await, ["Song 1", "Song 2", "Song 3"]);
    let id = again["sync"]["id"].as_str().unwrap();
    assert_eq!(gql_delete(&owner, id).await.field("deleteCopyrightPlaylistSync"), json!(true));
    app.stop().await;
}

#[tokio::test]
async fn copyright_playlist_syncs_and_import_copyright_playlist_need_permission_and_feature() {
    let app = TestApp::start().await;
    let owner = listener(&app).await;
    app.platforms.set_playlist(PLAYLIST, "Mine", tracks(1, 1));
    let editor = app.member_with(owner.account_id, &["copyright:edit"]).await;
    let reader = app.member_with(owner.account_id, &["copyright:read", "copyright:delete"]).await;
    let imported = editor.post(IMPORT, input(PLAYLIST, "safe")).await.expect(201)["data"].clone();
    let id = imported["sync"]["id"].as_str().unwrap();
    let address = format!("spotify:playlist:{PLAYLIST}");
    let refused = async |caller: &Caller, code: &str, message: &str| {
        let rest = caller.post(IMPORT, input(PLAYLIST, "safe")).await;
        both_refused(&rest, &gql_import(caller, &address, "safe").await, 403, code, message);
        both_refused(&caller.get(SYNCS).await, &gql_syncs(caller).await, 403, code, message);
        let rest = caller.delete(&format!("{SYNCS}/{id}")).await;
        both_refused(&rest, &gql_delete(caller, id).await, 403, code, message);
    };
    refused(&reader, "FORBIDDEN", "Missing permission: copyright:edit").await;
    assert_eq!(*editor.get(SYNCS).await.data(), json!([imported["sync"]]));
    app.override_feature(owner.account_id, FEATURE, false).await;
    refused(&editor, "FEATURE_DISABLED", "Feature is disabled: feature:copyright_detection").await;
    app.stop().await;
}
