//! The flag `system:ideas_hub` (reference/ideas.md#flag).

use lumio_tests::{TestApp, both_refused};
use serde_json::json;

use super::{IDEAS, category, comment_path, commented, create, graphql, id_of, input, of_idea, path, staff};

#[tokio::test]
async fn features_gate_every_change_and_leave_reading_open() {
    let app = TestApp::start().await;
    let (author, admin, chat) = (app.owner().await, staff(&app).await, category(&app, "chat").await);
    let id = id_of(&create(&author, "Dark colors", chat).await);
    let comment = commented(&author, id, "Yes", None).await;
    let tag = id_of(author.post("/v1/ideas/tags", json!({ "name": "one" })).await.data());
    app.switch("system:ideas_hub", false).await;
    let off = "Feature is disabled: system:ideas_hub";
    let vote = json!({ "vote_type": "up" });
    let color = json!({ "name": "bots", "label": "Bots", "color": "#000000" });
    for answer in [
        author.post(IDEAS, input("More colors", chat)).await,
        author.patch(&path(id), json!({ "title": "More colors" })).await,
        author.delete(&path(id)).await,
        author.put(&of_idea(id, "vote"), vote.clone()).await,
        author.delete(&of_idea(id, "vote")).await,
        author.post(&of_idea(id, "comments"), json!({ "body": "Yes" })).await,
        author.patch(&comment_path(comment), json!({ "body": "No" })).await,
        author.delete(&comment_path(comment)).await,
        author.put(&format!("{}/vote", comment_path(comment)), vote).await,
        author.delete(&format!("{}/vote", comment_path(comment))).await,
        admin.patch(&of_idea(id, "status"), json!({ "status": "done" })).await,
        admin.post("/v1/ideas/categories", color).await,
        admin.patch(&format!("/v1/ideas/categories/{chat}"), json!({ "label": "Chats" })).await,
        admin.delete(&format!("/v1/ideas/categories/{chat}")).await,
        author.post("/v1/ideas/tags", json!({ "name": "two" })).await,
        admin.delete(&format!("/v1/ideas/tags/{tag}")).await,
    ] {
        assert_eq!(answer.status, 403, "{}", answer.text);
        answer.refused("FEATURE_DISABLED", off);
    }
    let gql = graphql(&author, "mutation", "deleteIdea", &[("id", id)], "", "").await;
    both_refused(&author.delete(&path(id)).await, &gql, 403, "FEATURE_DISABLED", off);
    for read in [
        IDEAS.to_owned(),
        path(id),
        of_idea(id, "voters"),
        of_idea(id, "timeline"),
        of_idea(id, "comments"),
        of_idea(id, "participants"),
        "/v1/ideas/categories".to_owned(),
        "/v1/ideas/tags".to_owned(),
    ] {
        author.get(&read).await.data();
    }
    // Permissions are checked before the flag.
    let message = "Missing permission: ideas:create";
    app.anonymous().post(IDEAS, json!({})).await.refused("FORBIDDEN", message);
    app.stop().await;
}
