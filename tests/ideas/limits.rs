//! Limits of what a person writes in an hour (reference/ideas.md#write-limits).

use futures::future::join_all;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::json;
use uuid::Uuid;

use super::{
    COMMENT, IDEA, IDEAS, category, comment, comment_path, commented, create, execute, graphql, id_of, input,
    mention, of_idea, path, person_as,
};

/// Asserts that both protocols are over a limit of an hour.
#[track_caller]
fn over(rest: &Answer, gql: &Answer, name: &str, limit: u32) {
    both_refused(rest, gql, 429, "RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    let seconds: u64 = rest.header("retry-after").parse().expect("seconds");
    assert!((1..=3600).contains(&seconds), "{seconds}");
    assert_eq!(rest.header("ratelimit-policy"), format!("\"{name}\";q={limit};w=3600"));
}

async fn vote(caller: &Caller, path: &str, kind: &str) -> Answer {
    caller.put(path, json!({ "vote_type": kind })).await
}

#[tokio::test]
async fn limits_hold_for_what_a_person_writes_in_an_hour() {
    let app = TestApp::start().await;
    app.begin_a_window(3600);
    let (author, other) = (person_as(&app, "moderator").await, app.owner().await);
    let chat = category(&app, "chat").await;
    let mut ideas = Vec::new();
    for n in 0..5 {
        ideas.push(id_of(&create(&author, &format!("Dark colors {n}"), chat).await));
    }
    let (new, id) = (input("One more", chat), ideas[0]);
    let gql = author.mutate("createIdea", &new, IDEA).await;
    over(&author.post(IDEAS, new).await, &gql, "ideas", 5);
    let foreign = id_of(&create(&other, "Of another person", chat).await);

    let mut last = Uuid::nil();
    for n in 0..30 {
        comment(&author, id, " ", None).await.refused("VALIDATION_ERROR", "body must not be empty");
        last = commented(&author, id, &format!("Comment {n}"), None).await;
    }
    let more = json!({ "idea_id": id, "body": "More" });
    let gql = author.mutate("createIdeaComment", &more, COMMENT).await;
    over(&comment(&author, id, "More", None).await, &gql, "idea_comments", 30);

    // Changes of ideas and comments count together; equal texts do not count.
    for n in 0..15 {
        author.patch(&path(id), json!({ "title": format!("Title {n}") })).await.data();
        author.patch(&path(id), json!({ "title": format!("Title {n}") })).await.data();
        author.patch(&comment_path(last), json!({ "body": format!("Changed {n}") })).await.data();
    }
    let gql = author.mutate_at("updateIdea", &[("id", id)], &json!({ "title": "More" }), IDEA).await;
    gql.refused_with("VALIDATION_ERROR");
    let change = json!({ "title": "One more title" });
    let gql = author.mutate_at("updateIdea", &[("id", id)], &change, IDEA).await;
    over(&author.patch(&path(id), change).await, &gql, "idea_edits", 30);
    let gql =
        graphql(&author, "mutation", "updateIdeaComment", &[("id", last)], "body: \"More\"", COMMENT).await;
    over(&author.patch(&comment_path(last), json!({ "body": "More" })).await, &gql, "idea_edits", 30);
    author.patch(&path(id), json!({ "tag_ids": [], "category_id": chat })).await.data();
    // As a moderator, only what mentions further people counts.
    author.patch(&path(foreign), json!({ "description": "<p>Moderated text.</p>" })).await.data();
    let change = json!({ "description": format!("<p>For {}</p>", mention(&other)) });
    let gql = author.mutate_at("updateIdea", &[("id", foreign)], &change, IDEA).await;
    over(&author.patch(&path(foreign), change).await, &gql, "idea_edits", 30);

    let of_comment = format!("{}/vote", comment_path(last));
    for n in 0..60 {
        let kind = if n % 2 == 0 { "up" } else { "down" };
        vote(&author, &of_idea(id, "vote"), kind).await.data();
        vote(&author, &of_comment, kind).await.data();
    }
    let gql = graphql(&author, "mutation", "voteIdea", &[("id", id)], "voteType: up", IDEA).await;
    over(&vote(&author, &of_idea(id, "vote"), "up").await, &gql, "idea_votes", 120);
    let gql = graphql(&author, "mutation", "voteIdeaComment", &[("id", last)], "voteType: up", COMMENT).await;
    over(&vote(&author, &of_comment, "up").await, &gql, "idea_votes", 120);
    vote(&author, &of_idea(id, "vote"), "down").await.data();
    author.delete(&of_idea(id, "vote")).await.expect(200);
    vote(&other, &of_idea(id, "vote"), "up").await.data();

    let tag = async |name: String| author.post("/v1/ideas/tags", json!({ "name": name })).await;
    for n in 0..20 {
        tag(format!("tag-{n}")).await.expect(201);
        tag(format!("tag-{n}")).await.expect(200);
    }
    let gql = graphql(&author, "mutation", "createIdeaTag", &[], "name: \"more\"", "{ id }").await;
    over(&tag("more".to_owned()).await, &gql, "idea_tags", 20);
    tag("tag-1".to_owned()).await.expect(200);
    assert_eq!(execute(&app, "DELETE FROM ideas WHERE id = $1", id).await, 1);
    app.stop().await;
}

#[tokio::test]
async fn limits_are_one_for_all_processes_at_any_time() {
    let app = TestApp::start().await;
    app.begin_a_window(3600);
    let (_second_state, second_server) = app.second_server().await;
    let (author, chat) = (app.owner().await, category(&app, "chat").await);
    let elsewhere = author.at(format!("http://{}", second_server.address));
    let title = |n| format!("Dark colors {n}");
    let posts = (0..8).map(|n| {
        let caller = if n % 2 == 0 { &author.caller } else { &elsewhere };
        caller.post(IDEAS, input(&title(n), chat))
    });
    let posts: Vec<_> = posts.collect();
    let created = join_all(posts).await.iter().filter(|answer| answer.status == 201).count();
    assert_eq!(created, 5);
    second_server.stop().await.expect("the second server drains");
    app.stop().await;
}
