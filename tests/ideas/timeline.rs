//! Timelines of ideas (reference/ideas.md#timeline).

use lumio_tests::{TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{category, create, execute, graphql, id_of, of_idea};

const ENTRY: &str = "{ id actor { id displayName avatarUrl } action oldValue newValue createdAt }";

#[tokio::test]
async fn idea_timeline_lists_the_oldest_entries_first() {
    let app = TestApp::start().await;
    let (author, chat) = (app.owner().await, category(&app, "chat").await);
    let id = id_of(&create(&author, "Dark colors", chat).await);
    let more = "INSERT INTO idea_timeline (id, idea_id, action, old_value, new_value, created_at)
        SELECT gen_random_uuid(), $1, 'edited', 'Title ' || n::text, 'Title ' || (n + 1), now() + n * interval '1 second'
        FROM generate_series(1, 1000) AS n";
    assert_eq!(execute(&app, more, id).await, 1000);
    let anonymous = app.anonymous();
    let listed = anonymous.get(&of_idea(id, "timeline")).await.data().clone();
    assert_eq!(listed.as_array().map(Vec::len), Some(100));
    let actor = json!({ "id": author.user_id, "display_name": "owner", "avatar_url": null });
    assert_eq!((&listed[0]["action"], &listed[0]["actor"]), (&json!("created"), &actor));
    assert_eq!((&listed[1]["new_value"], &listed[1]["actor"]), (&json!("Title 2"), &Value::Null));
    let last = anonymous.get(&format!("{}?limit=3&offset=999", of_idea(id, "timeline"))).await.data().clone();
    assert_eq!(last.as_array().map(Vec::len), Some(2));
    let at = [("ideaId", id)];
    let gql = graphql(&anonymous, "query", "ideaTimeline", &at, "limit: 3, offset: 999", ENTRY).await;
    assert_eq!(gql.field("ideaTimeline"), last);
    for (query, more, message) in [
        ("limit=101", "limit: 101", "limit must be between 1 and 100"),
        ("offset=-1", "offset: -1", "offset must be 0 or greater"),
    ] {
        let gql = graphql(&anonymous, "query", "ideaTimeline", &at, more, ENTRY).await;
        let rest = anonymous.get(&format!("{}?{query}", of_idea(id, "timeline"))).await;
        both_refused(&rest, &gql, 400, "VALIDATION_ERROR", message);
    }
    let unknown = Uuid::now_v7();
    let gql = graphql(&anonymous, "query", "ideaTimeline", &[("ideaId", unknown)], "", ENTRY).await;
    both_refused(
        &anonymous.get(&of_idea(unknown, "timeline")).await,
        &gql,
        404,
        "NOT_FOUND",
        "Idea not found",
    );
    app.stop().await;
}
