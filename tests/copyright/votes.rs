//! Copyright votes on songs (reference/copyright.md#votes).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use shared::schema::{copyright_candidates, copyright_votes, songs};
use uuid::Uuid;

use super::{FEATURE, owner, sun};

const PATH: &str = "/v1/copyright/vote";
const VOTE: &str = "{ id song { id title artist spotifyTrackId isrc } vote reason createdAt updatedAt }";

async fn vote(caller: &Caller, song: &Value, vote: &str) -> Answer {
    caller.post(PATH, json!({ "song": song, "vote": vote })).await
}

/// Votes over GraphQL, where enum values are upper case.
async fn gql_vote(caller: &Caller, song: &Value, vote: &str, reason: &str) -> Answer {
    let input = json!({ "song": song, "vote": vote.to_uppercase(), "reason": reason });
    caller.mutate("voteCopyright", &input, VOTE).await
}

/// Stored votes: user, account, vote, reason.
async fn votes(app: &TestApp) -> Vec<(Uuid, Uuid, String, Option<String>)> {
    copyright_votes::table
        .order(copyright_votes::id)
        .select((
            copyright_votes::user_id,
            copyright_votes::account_id,
            copyright_votes::vote,
            copyright_votes::reason,
        ))
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

async fn candidates(app: &TestApp) -> Vec<(String, String)> {
    copyright_candidates::table
        .order(copyright_candidates::vote)
        .select((copyright_candidates::vote, copyright_candidates::status))
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

async fn songs_known(app: &TestApp) -> i64 {
    songs::table.count().get_result(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap()
}

#[tokio::test]
async fn vote_copyright_keeps_one_changeable_vote_per_person_and_song() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let first = vote(&owner, &sun(), "blocked").await;
    assert_eq!(first.status, 201, "{}", first.text);
    let cast = first.data().clone();
    assert_eq!((&cast["vote"], &cast["reason"]), (&json!("blocked"), &Value::Null));
    assert_eq!(cast["song"]["title"], "Here Comes the Sun");

    app.clock.advance(chrono::Duration::seconds(5));
    // The case of letters does not matter; the song keeps the names that were given first.
    let same = json!({ "title": "  HERE COMES THE SUN ", "artist": "the beatles" });
    let changed = gql_vote(&owner, &same, "safe", " Licensed ").await.field("voteCopyright");
    assert_eq!((&changed["id"], &changed["song"]), (&cast["id"], &cast["song"]));
    assert_eq!((&changed["vote"], &changed["reason"]), (&json!("SAFE"), &json!("Licensed")));
    assert_eq!(changed["created_at"], cast["created_at"]);
    assert_ne!(changed["updated_at"], cast["updated_at"]);
    assert_eq!(
        votes(&app).await,
        [(owner.user_id, owner.account_id, "safe".to_owned(), Some("Licensed".to_owned()))]
    );
    assert_eq!(songs_known(&app).await, 1);

    let audited = app.audited("copyright:voted").await;
    assert_eq!(audited.len(), 2);
    assert!(audited.iter().all(|entry| entry.account_id == Some(owner.account_id)));
    let from: Vec<&Value> = audited.iter().map(|entry| &entry.metadata["from"]).collect();
    assert!(from.contains(&&json!("blocked")) && from.contains(&&Value::Null), "{from:?}");

    // Repeating the vote changes nothing and writes no audit entry.
    let again = owner.post(PATH, json!({ "song": same, "vote": "safe", "reason": "Licensed" })).await;
    assert_eq!(again.expect(200)["data"]["updated_at"], changed["updated_at"]);
    assert_eq!(app.audited("copyright:voted").await.len(), 2);
    app.stop().await;
}

#[tokio::test]
async fn vote_copyright_finds_songs_by_spotify_id_then_isrc_then_names() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let song = |title: &str, more: Value| {
        let mut song = json!({ "title": title, "artist": "A" });
        song.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        song
    };
    let id_of = async |song: Value| vote(&owner, &song, "safe").await.data()["song"]["id"].clone();
    let (spotify, isrc) = ("6dGnYIeXmHdcikdzNNDMm2", "GBAYE0601690");
    let by_spotify = id_of(song("one", json!({ "spotify_track_id": spotify }))).await;
    let by_isrc = id_of(song("two", json!({ "isrc": "gb-aye-06-01690" }))).await;
    let by_name = id_of(song("three", json!({}))).await;
    assert_eq!(songs_known(&app).await, 3);

    assert_eq!(id_of(song("three", json!({ "spotify_track_id": spotify, "isrc": isrc }))).await, by_spotify);
    assert_eq!(id_of(song("three", json!({ "isrc": isrc }))).await, by_isrc);
    let unknown = "0000000000000000000000";
    let named = vote(&owner, &song("Three", json!({ "spotify_track_id": unknown })), "safe").await;
    assert_eq!(named.data()["song"]["id"], by_name);
    assert_eq!(named.data()["song"]["spotify_track_id"], Value::Null, "an id from elsewhere is not believed");
    assert_eq!(songs_known(&app).await, 3);
    app.stop().await;
}

#[tokio::test]
async fn vote_copyright_records_the_names_given_by_each_voter() {
    let app = TestApp::start().await;
    let (first, fan) = (owner(&app).await, owner(&app).await);
    let spotify = "6dGnYIeXmHdcikdzNNDMm2";
    let wrong = json!({ "title": "Nonsense", "artist": "Nobody", "spotify_track_id": spotify });
    let right =
        json!({ "title": "Here Comes the Sun", "artist": "The Beatles", "spotify_track_id": spotify });
    vote(&first, &wrong, "blocked").await.expect(201);
    let cast = vote(&fan, &right, "safe").await.data().clone();
    // The id takes precedence, and the song keeps its first title.
    assert_eq!(cast["song"]["title"], "Nonsense");
    let given: Vec<(Uuid, Option<String>, Option<String>)> = copyright_votes::table
        .order(copyright_votes::id)
        .select((copyright_votes::user_id, copyright_votes::given_title, copyright_votes::given_artist))
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let meant = (Some("Here Comes the Sun".to_owned()), Some("The Beatles".to_owned()));
    assert_eq!(given, [(first.user_id, None, None), (fan.user_id, meant.0, meant.1)]);
    let audited = app.audited("copyright:voted").await;
    let named = |account: Uuid| {
        let entry = audited.iter().find(|entry| entry.account_id == Some(account)).unwrap();
        entry.metadata.get("named").cloned()
    };
    assert_eq!(named(first.account_id), None);
    assert_eq!(
        named(fan.account_id),
        Some(json!({ "title": "Here Comes the Sun", "artist": "The Beatles" }))
    );
    app.stop().await;
}

#[tokio::test]
async fn create_copyright_report_has_its_own_permission() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let reporter = app.member_with(owner.account_id, &["copyright:report"]).await;
    let fan = app.member_with(owner.account_id, &["copyright:recommend"]).await;
    let input = json!({ "song": sun(), "reason": "muted" });
    let report = async |caller: &Caller| caller.mutate("createCopyrightReport", &input, VOTE).await;

    assert_eq!(report(&reporter).await.field("createCopyrightReport")["vote"], "REPORT");
    report(&fan).await.refused("FORBIDDEN", "Missing permission: copyright:report");
    let stored = (reporter.user_id, owner.account_id, "report".to_owned(), Some("muted".to_owned()));
    assert_eq!(votes(&app).await, [stored]);
    assert_eq!(app.audited_once("copyright:voted").await.account_id, Some(owner.account_id));
    app.stop().await;
}

#[tokio::test]
async fn create_safe_recommendation_has_its_own_permission() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let fan = app.member_with(owner.account_id, &["copyright:recommend"]).await;
    let reporter = app.member_with(owner.account_id, &["copyright:report"]).await;
    let input = json!({ "song": sun(), "reason": "licensed" });
    let recommend = async |caller: &Caller| caller.mutate("createSafeRecommendation", &input, VOTE).await;

    assert_eq!(recommend(&fan).await.field("createSafeRecommendation")["vote"], "RECOMMEND");
    recommend(&reporter).await.refused("FORBIDDEN", "Missing permission: copyright:recommend");
    let stored = (fan.user_id, owner.account_id, "recommend".to_owned(), Some("licensed".to_owned()));
    assert_eq!(votes(&app).await, [stored]);
    assert_eq!(app.audited_once("copyright:voted").await.account_id, Some(owner.account_id));
    app.stop().await;
}

#[tokio::test]
async fn vote_copyright_reports_and_recommends_under_one_permission() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let reporter = app.member_with(owner.account_id, &["copyright:report"]).await;
    let fan = app.member_with(owner.account_id, &["copyright:recommend"]).await;
    let voter = app.member_with(owner.account_id, &["copyright:vote"]).await;
    // REST has one route for all votes, under one permission.
    vote(&voter, &sun(), "report").await.expect(201);
    vote(&voter, &sun(), "recommend").await.expect(200);
    let rest = vote(&fan, &sun(), "recommend").await;
    let gql = gql_vote(&reporter, &sun(), "report", "").await;
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: copyright:vote");
    let kinds: Vec<String> = votes(&app).await.into_iter().map(|(_, _, vote, _)| vote).collect();
    assert_eq!(kinds, ["recommend"]);
    app.stop().await;
}

#[tokio::test]
async fn vote_copyright_makes_a_candidate_at_five_accounts() {
    let app = TestApp::start().await;
    let mut owners = Vec::new();
    for _ in 0..6 {
        owners.push(owner(&app).await);
    }
    // Members of one account count as one vote.
    for _ in 0..4 {
        let member = app.member_with(owners[0].account_id, &["copyright:vote"]).await;
        vote(&member, &sun(), "blocked").await.expect(201);
    }
    for owner in &owners[..4] {
        vote(owner, &sun(), "blocked").await.expect(201);
    }
    vote(&owners[4], &sun(), "safe").await.expect(201);
    assert!(candidates(&app).await.is_empty());

    vote(&owners[4], &sun(), "blocked").await.expect(200);
    let open = |vote: &str| (vote.to_owned(), "open".to_owned());
    assert_eq!(candidates(&app).await, [open("blocked")]);
    vote(&owners[5], &sun(), "blocked").await.expect(201);
    assert_eq!(candidates(&app).await, [open("blocked")]);

    // With two changed votes four remain, and the undecided candidate is removed.
    vote(&owners[5], &sun(), "safe").await.expect(200);
    assert_eq!(candidates(&app).await, [open("blocked")]);
    vote(&owners[4], &sun(), "safe").await.expect(200);
    assert!(candidates(&app).await.is_empty());
    app.stop().await;
}

#[tokio::test]
async fn vote_copyright_in_parallel_reaches_the_threshold() {
    let app = TestApp::start().await;
    let mut owners = Vec::new();
    for _ in 0..5 {
        owners.push(owner(&app).await);
    }
    let song = sun();
    let answers = futures::future::join_all(owners.iter().map(|owner| vote(owner, &song, "report"))).await;
    for answer in &answers {
        answer.expect(201);
    }
    assert_eq!(songs_known(&app).await, 1);
    assert_eq!(candidates(&app).await, [("report".to_owned(), "open".to_owned())]);
    app.stop().await;
}

#[tokio::test]
async fn vote_copyright_keeps_the_decision_of_staff_on_a_candidate() {
    let app = TestApp::start().await;
    let mut owners = Vec::new();
    for _ in 0..5 {
        owners.push(owner(&app).await);
        vote(owners.last().unwrap(), &sun(), "blocked").await.expect(201);
    }
    diesel::update(copyright_candidates::table)
        .set(copyright_candidates::status.eq("dismissed"))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    vote(&owners[0], &sun(), "safe").await.expect(200);
    vote(&owners[0], &sun(), "blocked").await.expect(200);
    assert_eq!(candidates(&app).await, [("blocked".to_owned(), "dismissed".to_owned())]);
    app.stop().await;
}

#[tokio::test]
async fn vote_copyright_validates_every_field() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let with = |field: &str, value: Value| {
        let mut song = sun();
        song[field] = value;
        song
    };
    let isrc = "song.isrc must be an ISRC: two letters, three letters or digits, seven digits";
    for (song, message) in [
        (with("title", json!(" ")), "song.title must not be empty"),
        (with("artist", json!("x".repeat(201))), "song.artist must be between 1 and 200 characters"),
        (with("spotify_track_id", json!("abc")), "song.spotify_track_id must have 22 letters and digits"),
        (with("isrc", json!("GBAYE060169")), isrc),
    ] {
        let rest = vote(&owner, &song, "safe").await;
        both_refused(&rest, &gql_vote(&owner, &song, "safe", "").await, 400, "VALIDATION_ERROR", message);
    }
    let long = "x".repeat(501);
    let rest = owner.post(PATH, json!({ "song": sun(), "vote": "safe", "reason": long })).await;
    let message = "reason must be between 0 and 500 characters";
    both_refused(&rest, &gql_vote(&owner, &sun(), "safe", &long).await, 400, "VALIDATION_ERROR", message);
    vote(&owner, &sun(), "maybe").await.refused_with("VALIDATION_ERROR");

    let key = app.service_key(owner.account_id, &["copyright:vote"]).await;
    let (rest, gql) = (vote(&key, &sun(), "safe").await, gql_vote(&key, &sun(), "safe", "").await);
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Votes are cast by people");
    let without = app.owner().await;
    app.override_feature(without.account_id, FEATURE, false).await;
    let (rest, gql) = (vote(&without, &sun(), "safe").await, gql_vote(&without, &sun(), "safe", "").await);
    let message = "Feature is disabled: feature:copyright_detection";
    both_refused(&rest, &gql, 403, "FEATURE_DISABLED", message);

    assert!(votes(&app).await.is_empty());
    assert_eq!(songs_known(&app).await, 0);
    assert!(app.audited("copyright:voted").await.is_empty());
    app.stop().await;
}

#[tokio::test]
async fn vote_copyright_is_limited_to_120_an_hour() {
    let app = TestApp::start().await;
    app.begin_a_window(3600);
    let owner = owner(&app).await;
    for number in 0..120 {
        let song = json!({ "title": format!("song {}", number % 3), "artist": "A" });
        let answer = vote(&owner, &song, if number % 2 == 0 { "safe" } else { "blocked" }).await;
        assert!(matches!(answer.status, 200 | 201), "{number}: {}", answer.text);
    }
    let answer = vote(&owner, &sun(), "safe").await;
    assert_eq!(answer.status, 429, "{}", answer.text);
    gql_vote(&owner, &sun(), "safe", "").await.refused_with("RATE_LIMIT_EXCEEDED");
    assert_eq!(songs_known(&app).await, 3);
    app.stop().await;
}
