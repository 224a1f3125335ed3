//! Votes on ideas and comments (reference/ideas.md#votes).

use ::ideas::{
    IdeaVoteType,
    votes::{NewIdeaVote, vote_idea},
};
use api_core::{
    Cx,
    access::{Principal, RequestInfo},
};
use diesel::{QueryableByName, sql_query, sql_types::Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use futures::future::join_all;
use lumio_tests::{Answer, Caller, TestApp, both_refused, world::count};
use serde_json::{Value, json};
use shared::id::UserId;
use uuid::Uuid;

use super::{
    COMMENT, IDEA, category, comment_path, commented, create, execute, graphql, id_of, of_idea, person_as,
    shown,
};

async fn vote(caller: &Caller, id: Uuid, vote: &str) -> Answer {
    caller.put(&of_idea(id, "vote"), json!({ "vote_type": vote })).await
}

async fn gql_vote(caller: &Caller, id: Uuid, vote: &str) -> Answer {
    graphql(caller, "mutation", "voteIdea", &[("id", id)], &format!("voteType: {vote}"), IDEA).await
}

/// Counters and own vote of an idea or comment.
fn counts(shown: &Value) -> (i64, i64, Option<&str>) {
    let number = |name: &str| shown[name].as_i64().expect("a number");
    (number("vote_count_up"), number("vote_count_down"), shown["my_vote"].as_str())
}

#[tokio::test]
async fn vote_idea_keeps_one_vote_of_each_person() {
    let app = TestApp::start().await;
    let (author, other, chat) = (app.owner().await, app.owner().await, category(&app, "chat").await);
    let id = id_of(&create(&author, "Dark colors", chat).await);
    assert_eq!(counts(vote(&author, id, "up").await.data()), (1, 0, Some("up")), "own ideas may be voted on");
    assert_eq!(counts(&gql_vote(&author, id, "up").await.field("voteIdea")), (1, 0, Some("up")));
    assert_eq!(counts(&gql_vote(&other, id, "up").await.field("voteIdea")), (2, 0, Some("up")));
    assert_eq!(counts(vote(&other, id, "down").await.data()), (1, 1, Some("down")));
    assert_eq!(counts(&shown(&app, id).await), (1, 1, None));

    let restricted = person_as(&app, "restricted").await;
    for caller in [&restricted.caller, &app.anonymous()] {
        let (rest, gql) = (vote(caller, id, "up").await, gql_vote(caller, id, "up").await);
        both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: ideas:vote");
    }
    let unknown = Uuid::now_v7();
    let (rest, gql) = (vote(&author, unknown, "up").await, gql_vote(&author, unknown, "up").await);
    both_refused(&rest, &gql, 404, "NOT_FOUND", "Idea not found");
    let message = "Invalid vote_type: must be up or down";
    vote(&author, id, "sideways").await.refused("VALIDATION_ERROR", message);
    gql_vote(&author, id, "sideways").await.refused_with("GRAPHQL_VALIDATION_FAILED");
    app.stop().await;
}

#[tokio::test]
async fn remove_vote_removes_the_own_vote_only() {
    let app = TestApp::start().await;
    let (author, other, chat) = (app.owner().await, app.owner().await, category(&app, "chat").await);
    let id = id_of(&create(&author, "Dark colors", chat).await);
    let remove = async |caller: &Caller, id: Uuid| caller.delete(&of_idea(id, "vote")).await;
    let gql_remove = async |caller: &Caller, id: Uuid| {
        graphql(caller, "mutation", "removeVote", &[("id", id)], "", IDEA).await
    };
    vote(&author, id, "up").await.expect(200);
    assert_eq!(counts(vote(&other, id, "down").await.data()), (1, 1, Some("down")));
    assert_eq!(counts(remove(&other, id).await.data()), (1, 0, None));
    assert_eq!(counts(&gql_remove(&author, id).await.field("removeVote")), (0, 0, None));
    assert_eq!(counts(&remove(&author, id).await.expect(200)["data"]), (0, 0, None), "there is no vote");

    let restricted = person_as(&app, "restricted").await;
    for caller in [&restricted.caller, &app.anonymous()] {
        let (rest, gql) = (remove(caller, id).await, gql_remove(caller, id).await);
        both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: ideas:vote");
    }
    let unknown = Uuid::now_v7();
    let (rest, gql) = (remove(&author, unknown).await, gql_remove(&author, unknown).await);
    both_refused(&rest, &gql, 404, "NOT_FOUND", "Idea not found");
    app.stop().await;
}

#[tokio::test]
async fn vote_idea_refuses_new_votes_on_ideas_that_are_done_or_declined() {
    let app = TestApp::start().await;
    let (author, other, chat) = (app.owner().await, app.owner().await, category(&app, "chat").await);
    let id = id_of(&create(&author, "Dark colors", chat).await);
    vote(&author, id, "up").await.data();
    for status in ["done", "declined"] {
        execute(&app, &format!("UPDATE ideas SET status = '{status}' WHERE id = $1"), id).await;
        for (caller, kind) in [(&other, "up"), (&author, "down")] {
            let (rest, gql) = (vote(caller, id, kind).await, gql_vote(caller, id, kind).await);
            both_refused(&rest, &gql, 409, "CONFLICT", "Idea takes no new votes");
        }
        assert_eq!(counts(vote(&author, id, "up").await.data()), (1, 0, Some("up")), "the same vote");
    }
    assert_eq!(counts(author.delete(&of_idea(id, "vote")).await.data()), (0, 0, None));
    commented(&other, id, "Still open for words", None).await;
    app.stop().await;
}

async fn vote_comment(caller: &Caller, id: Uuid, vote: &str) -> Answer {
    caller.put(&format!("{}/vote", comment_path(id)), json!({ "vote_type": vote })).await
}

#[tokio::test]
async fn vote_idea_comment_keeps_one_vote_of_each_person() {
    let app = TestApp::start().await;
    let (author, other, chat) = (app.owner().await, app.owner().await, category(&app, "chat").await);
    let idea = id_of(&create(&author, "Dark colors", chat).await);
    let id = commented(&author, idea, "Yes", None).await;
    let reply = commented(&author, idea, "No", Some(id)).await;
    let gql_cast = async |caller: &Caller, id: Uuid, kind: &str| {
        graphql(caller, "mutation", "voteIdeaComment", &[("id", id)], &format!("voteType: {kind}"), COMMENT)
            .await
    };
    let voted = vote_comment(&author, id, "up").await.data().clone();
    assert_eq!((counts(&voted), &voted["replies"][0]["id"]), ((1, 0, Some("up")), &json!(reply)));
    assert_eq!(counts(&gql_cast(&author, id, "up").await.field("voteIdeaComment")), (1, 0, Some("up")));
    assert_eq!(counts(vote_comment(&other, id, "down").await.data()), (1, 1, Some("down")));
    assert_eq!(counts(&gql_cast(&other, id, "up").await.field("voteIdeaComment")), (2, 0, Some("up")));
    assert_eq!(counts(&gql_cast(&other, reply, "up").await.field("voteIdeaComment")), (1, 0, Some("up")));
    execute(&app, "UPDATE ideas SET status = 'done' WHERE id = $1", idea).await;
    let voted = vote_comment(&other, id, "down").await.data().clone();
    assert_eq!(counts(&voted), (1, 1, Some("down")), "comments of done ideas too");

    let restricted = person_as(&app, "restricted").await;
    let (rest, gql) = (vote_comment(&restricted, id, "up").await, gql_cast(&restricted, id, "up").await);
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: ideas:comment_vote");
    let unknown = Uuid::now_v7();
    let (rest, gql) = (vote_comment(&author, unknown, "up").await, gql_cast(&author, unknown, "up").await);
    both_refused(&rest, &gql, 404, "NOT_FOUND", "Comment not found");
    app.stop().await;
}

#[tokio::test]
async fn remove_idea_comment_vote_removes_the_own_vote_only() {
    let app = TestApp::start().await;
    let (author, other, chat) = (app.owner().await, app.owner().await, category(&app, "chat").await);
    let idea = id_of(&create(&author, "Dark colors", chat).await);
    let id = commented(&author, idea, "Yes", None).await;
    let remove = async |caller: &Caller, id: Uuid| caller.delete(&format!("{}/vote", comment_path(id))).await;
    let gql_remove = async |caller: &Caller, id: Uuid| {
        graphql(caller, "mutation", "removeIdeaCommentVote", &[("id", id)], "", COMMENT).await
    };
    vote_comment(&author, id, "up").await.expect(200);
    assert_eq!(counts(vote_comment(&other, id, "up").await.data()), (2, 0, Some("up")));
    execute(&app, "UPDATE ideas SET status = 'done' WHERE id = $1", idea).await;
    assert_eq!(counts(remove(&other, id).await.data()), (1, 0, None), "on a done idea too");
    assert_eq!(counts(&gql_remove(&other, id).await.field("removeIdeaCommentVote")), (1, 0, None));
    assert_eq!(counts(&gql_remove(&author, id).await.field("removeIdeaCommentVote")), (0, 0, None));

    let restricted = person_as(&app, "restricted").await;
    let (rest, gql) = (remove(&restricted, id).await, gql_remove(&restricted, id).await);
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: ideas:comment_vote");
    let unknown = Uuid::now_v7();
    let (rest, gql) = (remove(&author, unknown).await, gql_remove(&author, unknown).await);
    both_refused(&rest, &gql, 404, "NOT_FOUND", "Comment not found");
    app.stop().await;
}

#[derive(QueryableByName)]
struct Made {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

#[tokio::test]
async fn vote_idea_of_a_thousand_people_at_the_same_time_counts_each() {
    let app = TestApp::start().await;
    let (author, chat) = (app.owner().await, category(&app, "chat").await);
    let id = id_of(&create(&author, "Dark colors", chat).await);
    let people: Vec<Made> = sql_query(
        "INSERT INTO users (id, display_name, username)
         SELECT gen_random_uuid(), 'Voter', 'voter' || n FROM generate_series(1, 1000) AS n RETURNING id",
    )
    .load(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    // Everyone votes twice, a third of them on both sides, and a quarter change their vote in the end.
    let cast = |(n, voter): (usize, &Made)| {
        let principal = Principal::Session { user: UserId(voter.id), session: Uuid::now_v7(), account: None };
        let cx = Cx::new(app.state.clone(), principal, RequestInfo::default());
        let first = if n % 3 == 0 { IdeaVoteType::Down } else { IdeaVoteType::Up };
        let last = (n % 4 == 0).then_some(IdeaVoteType::Down);
        async move {
            for vote_type in [Some(first), Some(IdeaVoteType::Up), last].into_iter().flatten() {
                vote_idea(&cx, Ok(id), Ok(NewIdeaVote { vote_type })).await.expect("a vote");
            }
        }
    };
    join_all(people.iter().enumerate().map(cast)).await;
    assert_eq!(counts(&shown(&app, id).await), (750, 250, None));
    assert_eq!(count(&app, "idea_votes WHERE vote_type = 'up'").await, 750);
    assert_eq!(count(&app, "idea_votes WHERE vote_type = 'down'").await, 250);
    app.stop().await;
}
