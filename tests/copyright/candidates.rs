//! Decisions of staff about candidates (reference/copyright.md#candidates).

use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::json;
use uuid::Uuid;

use super::{nominate, owner, sun};

const PATH: &str = "/v1/admin/copyright/candidates";
const CANDIDATE: &str = "{ id song { id title artist spotifyTrackId isrc } vote status accounts createdAt }";

async fn decide(staff: &Caller, id: &str, decision: &str) -> Answer {
    staff.post(&format!("{PATH}/{id}/{decision}"), json!({})).await
}

async fn gql_decide(staff: &Caller, id: &str, field: &str) -> Answer {
    let document = format!("mutation($id: UUID!) {{ {field}(id: $id) {CANDIDATE} }}");
    staff.graphql(&document, json!({ "id": id })).await
}

#[tokio::test]
async fn admin_copyright_candidates_show_the_songs_that_accounts_agree_on() {
    let app = TestApp::start().await;
    let staff = app.admin_with(&["copyright:moderate"]).await;
    assert_eq!(*staff.get(PATH).await.data(), json!([]));
    let id = nominate(&app, &staff, &sun(), "blocked").await;
    let listed = staff.get(PATH).await;
    let candidate = &listed.data()[0];
    assert_eq!(
        (&candidate["vote"], &candidate["status"], &candidate["accounts"]),
        (&json!("blocked"), &json!("open"), &json!(5))
    );
    assert_eq!(candidate["song"]["title"], sun()["title"]);
    let document = format!("{{ adminCopyrightCandidates(status: OPEN) {{ items {CANDIDATE} total }} }}");
    let graphql = staff.graphql(&document, json!({})).await.field("adminCopyrightCandidates");
    assert_eq!((&graphql["items"][0]["id"], &graphql["total"]), (&json!(id), &json!(1)));
    assert_eq!(*staff.get(&format!("{PATH}?status=approved")).await.data(), json!([]));
    staff.get(&format!("{PATH}?status=lost")).await.refused_with("VALIDATION_ERROR");
    app.stop().await;
}

#[tokio::test]
async fn admin_approve_copyright_candidate_lists_the_song_for_all_accounts() {
    let app = TestApp::start().await;
    let staff = app.admin_with(&["copyright:moderate"]).await;
    for (vote, status) in
        [("report", "reported"), ("recommend", "safe"), ("blocked", "blocked"), ("safe", "safe")]
    {
        let id = nominate(&app, &staff, &sun(), vote).await;
        let approved = decide(&staff, &id, "approve").await;
        assert_eq!(
            (&approved.data()["status"], &approved.data()["vote"]),
            (&json!("approved"), &json!(vote))
        );
        // The last decision is the only one.
        let listed = app.anonymous().get("/v1/music/songs").await;
        assert_eq!(
            (&listed.body["_meta"]["total"], &listed.data()[0]["status"]),
            (&json!(1), &json!(status))
        );
        let both = (
            decide(&staff, &id, "approve").await,
            gql_decide(&staff, &id, "adminApproveCopyrightCandidate").await,
        );
        both_refused(&both.0, &both.1, 409, "CONFLICT", "Candidate was decided about already");
    }
    let entries = app.audited("copyright_candidate:approved").await;
    assert_eq!((entries.len(), entries[0].scope.as_str()), (4, "system"));
    assert_eq!(
        (&entries[0].metadata["vote"], &entries[0].metadata["list"]),
        (&json!("report"), &json!("reported"))
    );
    assert_eq!(entries[0].actor_id, Some(staff.user_id));
    app.stop().await;
}

#[tokio::test]
async fn admin_dismiss_copyright_candidate_changes_no_list() {
    let app = TestApp::start().await;
    let staff = app.admin_with(&["copyright:moderate"]).await;
    let id = nominate(&app, &staff, &sun(), "blocked").await;
    let dismissed = gql_decide(&staff, &id, "adminDismissCopyrightCandidate").await;
    assert_eq!(dismissed.field("adminDismissCopyrightCandidate")["status"], "DISMISSED");
    assert_eq!(*app.anonymous().get("/v1/music/songs").await.data(), json!([]));
    for decision in ["approve", "dismiss"] {
        decide(&staff, &id, decision).await.refused("CONFLICT", "Candidate was decided about already");
    }
    // Another vote of the same kind makes it no candidate again.
    owner(&app)
        .await
        .post("/v1/copyright/vote", json!({ "song": sun(), "vote": "blocked" }))
        .await
        .expect(201);
    assert_eq!(*staff.get(&format!("{PATH}?status=open")).await.data(), json!([]));
    assert_eq!(app.audited_once("copyright_candidate:dismissed").await.scope, "system");
    app.stop().await;
}

#[tokio::test]
async fn admin_copyright_candidates_need_the_permission_and_a_candidate() {
    let app = TestApp::start().await;
    let (staff, reader) =
        (app.admin_with(&["copyright:moderate"]).await, app.admin_with(&["support:read"]).await);
    let id = nominate(&app, &staff, &sun(), "blocked").await;
    let lacks = "Missing permission: copyright:moderate";
    let listed = reader.graphql("{ adminCopyrightCandidates { total } }", json!({})).await;
    both_refused(&reader.get(PATH).await, &listed, 403, "FORBIDDEN", lacks);
    for (decision, field) in
        [("approve", "adminApproveCopyrightCandidate"), ("dismiss", "adminDismissCopyrightCandidate")]
    {
        let both = (decide(&reader, &id, decision).await, gql_decide(&reader, &id, field).await);
        both_refused(&both.0, &both.1, 403, "FORBIDDEN", lacks);
        let unknown = Uuid::now_v7().to_string();
        let both = (decide(&staff, &unknown, decision).await, gql_decide(&staff, &unknown, field).await);
        both_refused(&both.0, &both.1, 404, "NOT_FOUND", "Candidate not found");
    }
    app.stop().await;
}

#[tokio::test]
async fn admin_approve_copyright_candidate_in_parallel_decides_once() {
    let app = TestApp::start().await;
    let staff = app.admin_with(&["copyright:moderate"]).await;
    let id = nominate(&app, &staff, &sun(), "blocked").await;
    let tries = ["approve", "dismiss", "approve", "dismiss"].map(|decision| decide(&staff, &id, decision));
    let answers = futures::future::join_all(tries).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    assert_eq!(answers.iter().filter(|answer| answer.status == 409).count(), 3);
    app.stop().await;
}
