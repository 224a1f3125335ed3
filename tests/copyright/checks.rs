//! Check of a song against the lists (reference/copyright.md#check).

use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};

use super::{decide, owner, sun};

const PATH: &str = "/v1/copyright/check";
const SPOTIFY: &str = "6dGnYIeXmHdcikdzNNDMm2";
const ISRC: &str = "GBAYE0601690";
const RESULT: &str = "{ status matchedBy scope song { id title artist spotifyTrackId isrc createdAt } }";

async fn gql(caller: &Caller, field: &str, arguments: &str) -> Answer {
    caller.graphql(&format!("{{ {field}{arguments} {RESULT} }}"), json!({})).await
}

/// Status, matching field and scope.
fn verdict(answer: &Answer) -> [&str; 3] {
    let data = answer.data();
    [&data["status"], &data["matched_by"], &data["scope"]].map(|value| value.as_str().unwrap_or("-"))
}

async fn add(owner: &Caller, list: &str, title: &str, more: Value) {
    let mut song = json!({ "title": title, "artist": "The Beatles" });
    song.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    owner.post(&format!("/v1/copyright/{list}-songs"), song).await.expect(201);
}

#[tokio::test]
async fn check_song_asks_by_spotify_id_then_isrc_then_names() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let everything = format!(
        "{PATH}?spotify_track_id={SPOTIFY}&isrc={ISRC}&title=here%20comes%20the%20SUN&artist=the%20beatles"
    );
    assert_eq!(verdict(&owner.get(&everything).await), ["unknown", "-", "-"]);
    assert_eq!(owner.get(&everything).await.data()["song"], Value::Null);

    add(&owner, "blocked", "Here Comes the Sun", json!({})).await;
    assert_eq!(verdict(&owner.get(&everything).await), ["blocked", "names", "account"]);
    // A better match decides, whatever its list.
    add(&owner, "safe", "Another name", json!({ "isrc": ISRC })).await;
    assert_eq!(verdict(&owner.get(&everything).await), ["safe", "isrc", "account"]);
    add(&owner, "blocked", "A third name", json!({ "spotify_track_id": SPOTIFY })).await;
    let found = owner.get(&everything).await;
    assert_eq!(verdict(&found), ["blocked", "spotify_track_id", "account"]);
    assert_eq!(found.data()["song"]["title"], "A third name");

    let arguments =
        format!("(isrc: \"gb-aye-06-01690\", title: \"x\", artist: \"y\", spotifyTrackId: \"{SPOTIFY}\")");
    for field in ["checkSong", "copyrightCheck"] {
        let graphql = gql(&owner, field, &arguments).await.field(field);
        assert_eq!(graphql["status"], "BLOCKED");
        assert_eq!(graphql["song"], found.data()["song"]);
    }
    assert_eq!(verdict(&owner.get(&format!("{PATH}?isrc={ISRC}")).await), ["safe", "isrc", "account"]);
    app.stop().await;
}

#[tokio::test]
async fn check_song_prefers_the_account_to_all_accounts_and_blocked_to_safe() {
    let app = TestApp::start().await;
    let (owner, staff) = (owner(&app).await, app.admin_with(&["copyright:moderate"]).await);
    let check =
        async || owner.get(&format!("{PATH}?title=Here%20Comes%20the%20Sun&artist=The%20Beatles")).await;
    decide(&app, &staff, &sun(), "report").await;
    assert_eq!(verdict(&check().await), ["reported", "names", "global"]);
    // A later decision replaces the earlier one.
    decide(&app, &staff, &sun(), "blocked").await;
    assert_eq!(verdict(&check().await), ["blocked", "names", "global"]);
    owner.post("/v1/copyright/safe-songs", sun()).await.expect(201);
    assert_eq!(verdict(&check().await), ["safe", "names", "account"]);
    owner.post("/v1/copyright/blocked-songs", sun()).await.expect(201);
    assert_eq!(verdict(&check().await), ["blocked", "names", "account"]);

    let other = super::owner(&app).await;
    let seen = other.get(&format!("{PATH}?title=Here%20Comes%20the%20Sun&artist=The%20Beatles")).await;
    assert_eq!(verdict(&seen), ["blocked", "names", "global"], "lists of other accounts are not read");
    app.stop().await;
}

#[tokio::test]
async fn copyright_check_and_check_song_refuse_what_names_no_song() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let long = "x".repeat(201);
    let isrc = "isrc must be an ISRC: two letters, three letters or digits, seven digits";
    for (query, arguments, message) in [
        ("", "", "Give spotify_track_id, isrc, or title and artist"),
        ("?title=x", "(title: \"x\")", "Missing field: artist"),
        ("?artist=x", "(artist: \"x\")", "Missing field: title"),
        (
            &format!("?title={long}&artist=x"),
            &format!("(title: \"{long}\", artist: \"x\")"),
            "title must be between 1 and 200 characters",
        ),
        ("?isrc=x", "(isrc: \"x\")", isrc),
        (
            "?spotify_track_id=x",
            "(spotifyTrackId: \"x\")",
            "spotify_track_id must have 22 letters and digits",
        ),
    ] {
        for field in ["checkSong", "copyrightCheck"] {
            let (rest, graphql) =
                (owner.get(&format!("{PATH}{query}")).await, gql(&owner, field, arguments).await);
            both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
        }
    }
    let editor = app.member_with(owner.account_id, &["copyright:edit"]).await;
    for field in ["checkSong", "copyrightCheck"] {
        let rest = editor.get(&format!("{PATH}?isrc={ISRC}")).await;
        let graphql = gql(&editor, field, &format!("(isrc: \"{ISRC}\")")).await;
        both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: copyright:read");
    }
    app.stop().await;
}
