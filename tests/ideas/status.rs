//! Statuses of ideas (reference/ideas.md#status).

use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::json;
use uuid::Uuid;

use super::{IDEA, category, create, graphql, id_of, notified, of_idea, person_as, shown, staff};

async fn set(caller: &Caller, id: Uuid, status: &str) -> (Answer, Answer) {
    let gql =
        graphql(caller, "mutation", "updateIdeaStatus", &[("id", id)], &format!("status: {status}"), IDEA)
            .await;
    (caller.patch(&of_idea(id, "status"), json!({ "status": status })).await, gql)
}

#[tokio::test]
async fn update_idea_status_is_for_moderators_and_notifies_the_author() {
    let app = TestApp::start().await;
    let (author, chat) = (app.owner().await, category(&app, "chat").await);
    let id = id_of(&create(&author, "Dark colors", chat).await);
    let missing = "Missing permission: ideas:moderate_status";
    for caller in [&author.caller, &app.anonymous(), &app.admin_with(&["ideas:moderate_edit"]).await.caller] {
        let (rest, gql) = set(caller, id, "planned").await;
        both_refused(&rest, &gql, 403, "FORBIDDEN", missing);
    }
    let (moderator, admin) = (person_as(&app, "moderator").await, staff(&app).await);
    let (rest, gql) = set(&moderator, id, "planned").await;
    assert_eq!(rest.data()["status"], "planned");
    assert_eq!(gql.field("updateIdeaStatus"), *rest.data(), "the second one changes nothing");
    let entry = app.audited_once("idea:status_changed").await;
    assert_eq!(
        (entry.scope.as_str(), entry.metadata),
        ("system", json!({ "from": "open", "to": "planned" }))
    );
    for status in ["in_progress", "done", "declined", "open"] {
        let (rest, _) = set(&admin, id, status).await;
        assert_eq!(rest.data()["status"], status);
    }
    let notices = notified(&author).await;
    assert_eq!(notices.len(), 5, "{notices:?}");
    let (kind, text, data) = &notices[4];
    assert_eq!((kind.as_str(), data), ("idea_status", &json!({ "ideaId": id, "status": "planned" })));
    assert!(text.contains("planned"), "{text}");
    let timeline = author.get(&of_idea(id, "timeline")).await.data().clone();
    let entry = &timeline[1];
    assert_eq!((&entry["action"], &entry["old_value"]), (&json!("status_changed"), &json!("open")));
    assert_eq!((&entry["new_value"], &entry["actor"]["id"]), (&json!("planned"), &json!(moderator.user_id)));

    let own = id_of(&create(&moderator, "Own colors", chat).await);
    set(&moderator, own, "done").await.0.data();
    assert!(notified(&moderator).await.is_empty(), "own changes notify no one");
    assert_eq!(shown(&app, own).await["status"], "done");
    app.stop().await;
}

#[tokio::test]
async fn update_idea_status_refuses_unknown_statuses_and_ideas() {
    let app = TestApp::start().await;
    let staff = staff(&app).await;
    let unknown = Uuid::now_v7();
    let (rest, gql) = set(&staff, unknown, "done").await;
    both_refused(&rest, &gql, 404, "NOT_FOUND", "Idea not found");
    let (rest, gql) = set(&staff, unknown, "finished").await;
    let allowed = "Invalid status: must be one of open, planned, in_progress, done, declined";
    assert_eq!(rest.status, 400);
    rest.refused("VALIDATION_ERROR", allowed);
    assert_eq!(gql.status, 400);
    gql.refused_with("GRAPHQL_VALIDATION_FAILED");
    app.stop().await;
}
