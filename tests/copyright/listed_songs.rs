//! Lists of safe and blocked songs (reference/copyright.md#lists).

use diesel::{sql_query, sql_types::Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{FEATURE, owner, sun};

const SAFE: &str = "/v1/copyright/safe-songs";
const BLOCKED: &str = "/v1/copyright/blocked-songs";
const SONG: &str = "{ id title artist spotifyTrackId isrc createdAt }";

async fn gql_add(caller: &Caller, field: &str, song: &Value) -> Answer {
    let document = format!("mutation($input: CopyrightSongInput!) {{ {field}(input: $input) {SONG} }}");
    let input = json!({ "title": song["title"], "artist": song["artist"], "isrc": song["isrc"] });
    caller.graphql(&document, json!({ "input": input })).await
}

async fn gql_delete(caller: &Caller, field: &str, id: &str) -> Answer {
    caller.graphql(&format!("mutation($id: UUID!) {{ {field}(id: $id) }}"), json!({ "id": id })).await
}

async fn gql_list(caller: &Caller, field: &str, arguments: &str) -> Answer {
    let document = format!("{{ {field}{arguments} {{ items {SONG} total page limit pages }} }}");
    caller.graphql(&document, json!({})).await
}

#[tokio::test]
async fn safe_songs_hold_what_add_safe_song_added() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let mut song = sun();
    song["isrc"] = json!("gb-aye-06-01690");
    let added = owner.post(SAFE, song.clone()).await.expect(201)["data"].clone();
    assert_eq!((&added["title"], &added["isrc"]), (&sun()["title"], &json!("GBAYE0601690")));
    app.clock.advance(chrono::Duration::seconds(5));
    let other = json!({ "title": " Yesterday ", "artist": "The Beatles" });
    let newer = gql_add(&owner, "addSafeSong", &other).await.field("addSafeSong");
    assert_eq!(newer["title"], "Yesterday");

    let listed = owner.get(SAFE).await;
    assert_eq!(*listed.data(), json!([newer, added]), "newest first");
    assert_eq!(listed.body["_meta"]["total"], 2);
    let graphql = gql_list(&owner, "safeSongs", "(search: \"SUN\", limit: 1)").await.field("safeSongs");
    assert_eq!((&graphql["items"], &graphql["total"]), (&json!([added]), &json!(1)));
    assert_eq!(*owner.get(&format!("{SAFE}?search=beatles&page=2&limit=1")).await.data(), json!([added]));
    assert_eq!(*owner.get(BLOCKED).await.data(), json!([]));
    let entries = app.audited("safe_song:added").await;
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0].account_id, Some(owner.account_id));
    assert_eq!(entries[0].metadata, sun());
    app.stop().await;
}

#[tokio::test]
async fn blocked_songs_hold_what_add_blocked_song_added() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let added = owner.post(BLOCKED, sun()).await.expect(201)["data"].clone();
    let graphql = gql_list(&owner, "blockedSongs", "").await.field("blockedSongs");
    assert_eq!((&graphql["items"], &graphql["total"]), (&json!([added]), &json!(1)));
    // The same song may be in both lists.
    owner.post(SAFE, sun()).await.expect(201);
    assert_eq!(app.audited_once("blocked_song:added").await.metadata, sun());
    app.stop().await;
}

#[tokio::test]
async fn add_safe_song_and_add_blocked_song_refuse_the_same_song_twice() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    for (path, field) in [(SAFE, "addSafeSong"), (BLOCKED, "addBlockedSong")] {
        owner.post(path, sun()).await.expect(201);
        let same = json!({ "title": "HERE comes the sun", "artist": "the beatles" });
        let (rest, graphql) = (owner.post(path, same.clone()).await, gql_add(&owner, field, &same).await);
        both_refused(&rest, &graphql, 409, "CONFLICT", "Song is already in the list");
        // Another recording of the same name is another song.
        let mut recording = sun();
        recording["isrc"] = json!("GBAYE0601690");
        owner.post(path, recording).await.expect(201);
    }
    app.stop().await;
}

#[tokio::test]
async fn add_blocked_song_and_add_safe_song_in_parallel_add_it_once() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    for path in [SAFE, BLOCKED] {
        let tries = (0..8).map(|_| owner.post(path, sun()));
        let answers = futures::future::join_all(tries).await;
        let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [vec![201], vec![409; 7]].concat());
    }
    app.stop().await;
}

#[tokio::test]
async fn add_safe_song_and_add_blocked_song_validate_every_field() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let with = |field: &str, value: Value| {
        let mut song = sun();
        song[field] = value;
        song
    };
    let isrc = "isrc must be an ISRC: two letters, three letters or digits, seven digits";
    for (path, field) in [(SAFE, "addSafeSong"), (BLOCKED, "addBlockedSong")] {
        for (song, message) in [
            (with("title", json!("")), "title must not be empty"),
            (with("artist", json!("x".repeat(201))), "artist must be between 1 and 200 characters"),
            (with("isrc", json!("GBAYE060169")), isrc),
        ] {
            let (rest, graphql) = (owner.post(path, song.clone()).await, gql_add(&owner, field, &song).await);
            both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
        }
        let wrong = with("spotify_track_id", json!("6dGnYIeXmHdcikdzNNDMm"));
        let message = "spotify_track_id must have 22 letters and digits";
        owner.post(path, wrong).await.refused("VALIDATION_ERROR", message);
        for search in ["", &"x".repeat(101)] {
            owner.get(&format!("{path}?search={search}")).await.refused_with("VALIDATION_ERROR");
        }
        owner.get(&format!("{path}?limit=101")).await.refused_with("VALIDATION_ERROR");
        assert_eq!(*owner.get(path).await.data(), json!([]));
    }
    app.stop().await;
}

#[tokio::test]
async fn add_safe_song_and_add_blocked_song_stop_at_ten_thousand_songs() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    for (list, path, field) in [("safe", SAFE, "addSafeSong"), ("blocked", BLOCKED, "addBlockedSong")] {
        sql_query(format!(
            "INSERT INTO listed_songs (id, account_id, list, title, artist, title_key, artist_key)
             SELECT gen_random_uuid(), $1, '{list}', n::text, 'A', n::text, 'a' FROM generate_series(1, 9999) AS n"
        ))
        .bind::<SqlUuid, _>(owner.account_id)
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
        owner.post(path, sun()).await.expect(201);
        let other = json!({ "title": "Yesterday", "artist": "The Beatles" });
        let (rest, graphql) = (owner.post(path, other.clone()).await, gql_add(&owner, field, &other).await);
        both_refused(&rest, &graphql, 403, "PLAN_LIMIT_REACHED", "Song limit reached");
        let listed = owner.get(&format!("{path}?limit=100&page=100")).await;
        assert_eq!(
            (listed.data().as_array().map(Vec::len), &listed.body["_meta"]["total"]),
            (Some(100), &json!(10_000))
        );
    }
    app.stop().await;
}

#[tokio::test]
async fn delete_safe_song_and_delete_blocked_song_remove_the_song_of_their_own_list() {
    let app = TestApp::start().await;
    let (owner, stranger) = (owner(&app).await, owner(&app).await);
    for (path, other, field) in [(SAFE, BLOCKED, "deleteSafeSong"), (BLOCKED, SAFE, "deleteBlockedSong")] {
        let id = |answer: &Answer| answer.expect(201)["data"]["id"].as_str().unwrap().to_owned();
        let (first, second) = (
            id(&owner.post(path, sun()).await),
            id(&owner.post(path, json!({ "title": "Yesterday", "artist": "The Beatles" })).await),
        );
        let of_stranger = id(&stranger.post(path, sun()).await);
        for missing in [&of_stranger, &Uuid::now_v7().to_string()] {
            let rest = owner.delete(&format!("{path}/{missing}")).await;
            both_refused(
                &rest,
                &gql_delete(&owner, field, missing).await,
                404,
                "NOT_FOUND",
                "Song not found",
            );
        }
        owner.delete(&format!("{other}/{first}")).await.refused("NOT_FOUND", "Song not found");
        owner.delete(&format!("{path}/{first}")).await.expect(204);
        assert_eq!(gql_delete(&owner, field, &second).await.field(field), json!(true));
        assert_eq!(*owner.get(path).await.data(), json!([]));
        assert_eq!(stranger.get(path).await.data().as_array().map(Vec::len), Some(1));
        // Nothing is left for the next list.
        stranger.delete(&format!("{path}/{of_stranger}")).await.expect(204);
    }
    assert_eq!(app.audited("safe_song:deleted").await.len(), 3);
    assert_eq!(app.audited("blocked_song:deleted").await.len(), 3);
    app.stop().await;
}

#[tokio::test]
async fn delete_blocked_song_makes_the_song_unknown_again() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let added = owner.post(BLOCKED, sun()).await.expect(201)["data"].clone();
    let status = async || {
        let path = "/v1/copyright/check?title=Here%20Comes%20the%20Sun&artist=The%20Beatles";
        owner.get(path).await.data()["status"].clone()
    };
    assert_eq!(status().await, "blocked");
    owner.delete(&format!("{BLOCKED}/{}", added["id"].as_str().unwrap())).await.expect(204);
    assert_eq!(status().await, "unknown");
    assert_eq!(app.audited_once("blocked_song:deleted").await.metadata, sun());
    app.stop().await;
}

#[tokio::test]
async fn listed_songs_need_permission_and_feature() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let reader = app.member_with(owner.account_id, &["copyright:read"]).await;
    let editor = app.member_with(owner.account_id, &["copyright:edit"]).await;
    for (path, list, add, delete) in [
        (SAFE, "safeSongs", "addSafeSong", "deleteSafeSong"),
        (BLOCKED, "blockedSongs", "addBlockedSong", "deleteBlockedSong"),
    ] {
        let added = editor.post(path, sun()).await.expect(201)["data"].clone();
        let id = added["id"].as_str().unwrap();
        assert_eq!(*reader.get(path).await.data(), json!([added]));
        let lacks = "Missing permission: copyright:";
        let (rest, graphql) = (editor.get(path).await, gql_list(&editor, list, "").await);
        both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("{lacks}read"));
        let (rest, graphql) = (reader.post(path, sun()).await, gql_add(&reader, add, &sun()).await);
        both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("{lacks}edit"));
        let rest = editor.delete(&format!("{path}/{id}")).await;
        let graphql = gql_delete(&editor, delete, id).await;
        both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("{lacks}delete"));
    }
    app.override_feature(owner.account_id, FEATURE, false).await;
    let (rest, graphql) = (owner.get(SAFE).await, gql_list(&owner, "safeSongs", "").await);
    let message = "Feature is disabled: feature:copyright_detection";
    both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", message);
    app.stop().await;
}
