//! Copyright of the music that is played on stream.

mod candidates;
mod checks;
mod listed_songs;
mod music;
mod playlists;
mod votes;

use lumio_tests::{Caller, Person, TestApp};
use serde_json::{Value, json};

const FEATURE: &str = "feature:copyright_detection";

/// Owner whose account has the feature, independent of its plan.
async fn owner(app: &TestApp) -> Person {
    let owner = app.owner().await;
    app.override_feature(owner.account_id, FEATURE, true).await;
    owner
}

fn sun() -> Value {
    json!({ "title": "Here Comes the Sun", "artist": "The Beatles" })
}

/// Makes the song a candidate: five accounts share the vote. Returns the id of the candidate.
async fn nominate(app: &TestApp, staff: &Caller, song: &Value, vote: &str) -> String {
    for _ in 0..5 {
        let owner = owner(app).await;
        owner.post("/v1/copyright/vote", json!({ "song": song, "vote": vote })).await.expect(201);
    }
    let open = staff.get("/v1/admin/copyright/candidates?status=open").await;
    open.data()[0]["id"].as_str().expect("a candidate").to_owned()
}

/// Puts a song into a list of all accounts, as staff does.
async fn decide(app: &TestApp, staff: &Caller, song: &Value, vote: &str) {
    let id = nominate(app, staff, song, vote).await;
    staff.post(&format!("/v1/admin/copyright/candidates/{id}/approve"), json!({})).await.expect(200);
}
