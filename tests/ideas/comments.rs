//! Comments on ideas and replies to them (reference/ideas.md#comments).

use chrono::Duration;
use lumio_tests::{Answer, Caller, Statements, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    COMMENT, category, comment, comment_path, commented, create, execute, graphql, id_of, notified, of_idea,
    person_as, shown, staff,
};

async fn gql_create(caller: &Caller, idea: Uuid, body: &str, parent: Option<Uuid>) -> Answer {
    let input = json!({ "idea_id": idea, "body": body, "parent_id": parent });
    caller.mutate("createIdeaComment", &input, COMMENT).await
}

async fn update(caller: &Caller, id: Uuid, body: &str) -> (Answer, Answer) {
    let more = format!("body: {}", json!(body));
    let gql = graphql(caller, "mutation", "updateIdeaComment", &[("id", id)], &more, COMMENT).await;
    (caller.patch(&comment_path(id), json!({ "body": body })).await, gql)
}

async fn gql_delete(caller: &Caller, id: Uuid) -> Answer {
    graphql(caller, "mutation", "deleteIdeaComment", &[("id", id)], "", "").await
}

/// Ids of the comments of an idea, each with those of its replies.
async fn listed(caller: &Caller, idea: Uuid, query: &str) -> Vec<(Uuid, Vec<Uuid>)> {
    let listed = caller.get(&format!("{}?{query}", of_idea(idea, "comments"))).await;
    let replies = |comment: &Value| comment["replies"].as_array().unwrap().iter().map(id_of).collect();
    listed.data().as_array().unwrap().iter().map(|comment| (id_of(comment), replies(comment))).collect()
}

#[tokio::test]
async fn idea_comments_have_an_order_a_window_and_nested_replies() {
    let app = TestApp::start().await;
    let (author, chat) = (app.owner().await, category(&app, "chat").await);
    let idea = id_of(&create(&author, "Dark colors", chat).await);
    let mut ids = Vec::new();
    for body in ["One", "Two", "Three"] {
        app.clock.advance(Duration::seconds(1));
        ids.push(commented(&author, idea, body, None).await);
    }
    let [one, two, three] = ids[..] else { panic!("{ids:?}") };
    let first = commented(&author, idea, "First reply", Some(two)).await;
    app.clock.advance(Duration::seconds(1));
    let second = commented(&author, idea, "Second reply", Some(two)).await;
    author.put(&format!("{}/vote", comment_path(two)), json!({ "vote_type": "up" })).await.data();
    author.put(&format!("{}/vote", comment_path(one)), json!({ "vote_type": "down" })).await.data();
    let replies = vec![first, second];
    let anonymous = app.anonymous();
    for (query, expected) in [
        ("", vec![(one, vec![]), (two, replies.clone()), (three, vec![])]),
        ("sort=newest", vec![(three, vec![]), (two, replies.clone()), (one, vec![])]),
        ("sort=top", vec![(two, replies.clone()), (three, vec![]), (one, vec![])]),
        ("limit=1&offset=1", vec![(two, replies.clone())]),
        ("offset=3", vec![]),
    ] {
        assert_eq!(listed(&anonymous, idea, query).await, expected, "{query}");
    }
    assert_eq!(shown(&app, idea).await["comment_count"], 5);
    let rest = author.get(&of_idea(idea, "comments")).await.data().clone();
    assert_eq!((&rest[1]["my_vote"], &rest[1]["vote_count_up"]), (&json!("up"), &json!(1)));
    assert_eq!(rest[1]["replies"][0]["parent_id"], json!(two));
    let gql = graphql(&author, "query", "ideaComments", &[("ideaId", idea)], "sort: OLDEST", COMMENT).await;
    let twin = gql.field("ideaComments");
    assert_eq!(twin[1]["replies"][1]["id"], json!(second));
    assert_eq!(twin, rest);

    for (query, more, message) in [
        ("limit=0", "limit: 0", "limit must be between 1 and 100"),
        ("limit=101", "limit: 101", "limit must be between 1 and 100"),
        ("offset=-1", "offset: -1", "offset must be 0 or greater"),
    ] {
        let gql = graphql(&anonymous, "query", "ideaComments", &[("ideaId", idea)], more, COMMENT).await;
        let rest = anonymous.get(&format!("{}?{query}", of_idea(idea, "comments"))).await;
        both_refused(&rest, &gql, 400, "VALIDATION_ERROR", message);
    }
    let rest = anonymous.get(&format!("{}?sort=best", of_idea(idea, "comments"))).await;
    rest.refused("VALIDATION_ERROR", "Invalid sort: must be one of oldest, newest, top");
    let unknown = Uuid::now_v7();
    let gql = graphql(&anonymous, "query", "ideaComments", &[("ideaId", unknown)], "", COMMENT).await;
    both_refused(
        &anonymous.get(&of_idea(unknown, "comments")).await,
        &gql,
        404,
        "NOT_FOUND",
        "Idea not found",
    );
    app.stop().await;
}

#[tokio::test]
async fn create_idea_comment_notifies_the_authors_of_idea_and_parent_once() {
    let app = TestApp::start().await;
    let (author, other, third) = (app.owner().await, app.owner().await, app.owner().await);
    let chat = category(&app, "chat").await;
    let idea = id_of(&create(&author, "Dark colors", chat).await);
    let answer = comment(&other, idea, "<p>Yes<img src=x onerror=y></p>", None).await;
    let made = answer.expect(201)["data"].clone();
    let id = id_of(&made);
    assert_eq!(answer.header("location"), comment_path(id));
    let expected = json!({
        "id": id, "idea_id": idea, "parent_id": null, "body": "<p>Yes</p>", "vote_count_up": 0, "vote_count_down": 0,
        "author": { "id": other.user_id, "display_name": "owner", "avatar_url": null }, "my_vote": null, "reply_count": 0,
        "created_at": made["created_at"], "updated_at": made["created_at"], "replies": [],
    });
    assert_eq!(made, expected);
    let entry = app.audited_once("idea_comment:created").await;
    assert_eq!((entry.scope.as_str(), entry.resource_id), ("user", Some(id.to_string())));
    let (kind, text, data) = notified(&author).await.remove(0);
    assert_eq!((kind.as_str(), data), ("idea_comment", json!({ "ideaId": idea, "commentId": id })));
    assert!(text.contains("Dark colors"), "{text}");

    let reply = id_of(&gql_create(&third, idea, "No", Some(id)).await.field("createIdeaComment"));
    let of_reply = json!({ "ideaId": idea, "commentId": reply });
    for person in [&author, &other] {
        let (kind, _, data) = notified(person).await.remove(0);
        assert_eq!((kind.as_str(), data), ("idea_comment", of_reply.clone()));
    }
    // Who writes is not notified, and who is both the author of the idea and of the parent once.
    let own = commented(&author, idea, "Mine", None).await;
    assert_eq!(notified(&author).await.len(), 2);
    commented(&third, idea, "Reply to the author", Some(own)).await;
    assert_eq!((notified(&author).await.len(), notified(&third).await.len()), (3, 0));
    app.stop().await;
}

#[tokio::test]
async fn create_idea_comment_refuses_invalid_texts_and_parents() {
    let app = TestApp::start().await;
    let (author, chat) = (app.owner().await, category(&app, "chat").await);
    let idea = id_of(&create(&author, "Dark colors", chat).await);
    let other = id_of(&create(&author, "Other colors", chat).await);
    let parent = commented(&author, idea, "Parent", None).await;
    let reply = commented(&author, idea, "Reply", Some(parent)).await;
    let elsewhere = commented(&author, other, "Elsewhere", None).await;
    let long = "x".repeat(5001);
    for (body, message) in [
        (" ", "body must not be empty"),
        ("<p></p>", "body must not be empty"),
        (long.as_str(), "body must be between 1 and 5000 characters"),
        ("a&#7;", "body must not contain control characters"),
    ] {
        let gql = gql_create(&author, idea, body, None).await;
        both_refused(&comment(&author, idea, body, None).await, &gql, 400, "VALIDATION_ERROR", message);
    }
    let message = "parent_id must be a comment on the idea that replies to none";
    for wrong in [reply, elsewhere, Uuid::now_v7()] {
        let gql = gql_create(&author, idea, "Reply", Some(wrong)).await;
        both_refused(
            &comment(&author, idea, "Reply", Some(wrong)).await,
            &gql,
            400,
            "VALIDATION_ERROR",
            message,
        );
    }
    let unknown = Uuid::now_v7();
    let gql = gql_create(&author, unknown, "Comment", None).await;
    both_refused(&comment(&author, unknown, "Comment", None).await, &gql, 404, "NOT_FOUND", "Idea not found");
    let filled = "INSERT INTO idea_comments (id, idea_id, parent_id, author_id, body)
        SELECT gen_random_uuid(), idea_id, id, author_id, 'Reply' FROM idea_comments, generate_series(1, 99)
        WHERE id = $1";
    assert_eq!(execute(&app, filled, parent).await, 99);
    let gql = gql_create(&author, idea, "Reply", Some(parent)).await;
    let rest = comment(&author, idea, "Reply", Some(parent)).await;
    both_refused(&rest, &gql, 403, "PLAN_LIMIT_REACHED", "Reply limit reached");
    assert_eq!(rest.body["details"]["limit"], 100);
    assert_eq!(listed(&author, idea, "").await[0].1.len(), 100);
    let restricted = person_as(&app, "restricted").await;
    for caller in [&restricted.caller, &app.anonymous()] {
        let gql = gql_create(caller, idea, "Comment", None).await;
        let missing = "Missing permission: ideas:comment_create";
        both_refused(&comment(caller, idea, "Comment", None).await, &gql, 403, "FORBIDDEN", missing);
    }
    app.stop().await;
}

#[tokio::test]
async fn update_idea_comment_changes_own_comments_only() {
    let app = TestApp::start().await;
    let (author, other, chat) = (app.owner().await, app.owner().await, category(&app, "chat").await);
    let idea = id_of(&create(&author, "Dark colors", chat).await);
    let id = commented(&other, idea, "First", None).await;
    app.clock.advance(Duration::seconds(5));
    let (rest, gql) = update(&other, id, "<p>Second<script>x</script></p>").await;
    let changed = rest.data();
    assert_eq!(changed["body"], "<p>Second</p>");
    assert!(changed["updated_at"].as_str() > changed["created_at"].as_str(), "{changed}");
    assert_eq!(gql.field("updateIdeaComment"), *changed, "the second one changes nothing");
    assert_eq!(app.audited_once("idea_comment:updated").await.metadata, json!({ "idea_id": idea }));
    for caller in [&author, &staff(&app).await, &person_as(&app, "moderator").await] {
        let (rest, gql) = update(caller, id, "Third").await;
        both_refused(&rest, &gql, 403, "FORBIDDEN", "Only the author can change a comment");
    }
    let (rest, gql) = update(&other, id, " ").await;
    both_refused(&rest, &gql, 400, "VALIDATION_ERROR", "body must not be empty");
    let (rest, gql) = update(&other, Uuid::now_v7(), "Third").await;
    both_refused(&rest, &gql, 404, "NOT_FOUND", "Comment not found");
    let (rest, gql) = update(&*person_as(&app, "restricted").await, id, "Third").await;
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: ideas:comment_edit");
    app.stop().await;
}

#[tokio::test]
async fn delete_idea_comment_deletes_its_replies_and_counts_follow() {
    let app = TestApp::start().await;
    let (author, other, chat) = (app.owner().await, app.owner().await, category(&app, "chat").await);
    let idea = id_of(&create(&author, "Dark colors", chat).await);
    let parent = commented(&other, idea, "Parent", None).await;
    let reply = commented(&author, idea, "Reply", Some(parent)).await;
    commented(&author, idea, "Reply", Some(parent)).await;
    let last = commented(&author, idea, "Last", None).await;
    let missing = "Missing permission: ideas:moderate_comment";
    let gql = gql_delete(&author, parent).await;
    both_refused(&author.delete(&comment_path(parent)).await, &gql, 403, "FORBIDDEN", missing);
    let restricted = person_as(&app, "restricted").await;
    let gql = gql_delete(&restricted, parent).await;
    let missing = "Missing permission: ideas:comment_delete or ideas:moderate_comment";
    both_refused(&restricted.delete(&comment_path(parent)).await, &gql, 403, "FORBIDDEN", missing);

    // The author of the idea could otherwise delete it with the comments of others.
    commented(&other, idea, "Foreign reply", Some(last)).await;
    let gql = gql_delete(&author, last).await;
    both_refused(
        &author.delete(&comment_path(last)).await,
        &gql,
        409,
        "CONFLICT",
        "Comment has replies of others",
    );
    author.delete(&super::path(idea)).await.refused("CONFLICT", "Idea has comments of others");
    author.delete(&comment_path(reply)).await.expect(204);
    let entry = app.audited_once("idea_comment:deleted").await;
    assert_eq!((entry.scope.as_str(), &entry.metadata["author_id"]), ("user", &json!(author.user_id)));
    assert_eq!(shown(&app, idea).await["comment_count"], 4);
    let moderator = person_as(&app, "moderator").await;
    assert_eq!(gql_delete(&moderator, parent).await.field("deleteIdeaComment"), json!(true));
    assert_eq!(app.audited("idea_comment:deleted").await[1].scope, "system");
    let left = listed(&author, idea, "").await;
    assert!(matches!(left.as_slice(), [(id, replies)] if *id == last && replies.len() == 1), "{left:?}");
    assert_eq!(shown(&app, idea).await["comment_count"], 2);
    staff(&app).await.delete(&comment_path(last)).await.expect(204);
    assert_eq!(shown(&app, idea).await["comment_count"], 0);
    let timeline = author.get(&of_idea(idea, "timeline")).await.data().clone();
    let deleted: Vec<_> =
        timeline.as_array().unwrap()[1..].iter().map(|e| (&e["action"], &e["old_value"])).collect();
    let action = json!("comment_deleted");
    assert_eq!(deleted, [(&action, &json!(reply)), (&action, &json!(parent)), (&action, &json!(last))]);
    let gql = gql_delete(&author, last).await;
    both_refused(&author.delete(&comment_path(last)).await, &gql, 404, "NOT_FOUND", "Comment not found");
    app.stop().await;
}

#[tokio::test]
async fn idea_comments_share_the_replies_of_a_page_and_votes_read_them_once() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    statements.to(&app);
    let (author, chat) = (app.owner().await, category(&app, "chat").await);
    let idea = id_of(&create(&author, "Dark colors", chat).await);
    let [few, many] =
        [commented(&author, idea, "Few", None).await, commented(&author, idea, "Many", None).await];
    for (parent, replies) in [(few, 3), (many, 100)] {
        let filled = format!(
            "INSERT INTO idea_comments (id, idea_id, parent_id, author_id, body)
             SELECT gen_random_uuid(), idea_id, id, author_id, 'Reply' FROM idea_comments, generate_series(1, {replies})
             WHERE id = $1"
        );
        assert_eq!(execute(&app, &filled, parent).await, replies);
    }
    let numbers = async |query: &str| -> Vec<usize> {
        listed(&author, idea, query).await.into_iter().map(|(_, replies)| replies.len()).collect()
    };
    assert_eq!(numbers("limit=2").await, [3, 100]);
    // Four further comments with a hundred replies each: 503 in all.
    let more = "INSERT INTO idea_comments (id, idea_id, author_id, body, created_at)
        SELECT gen_random_uuid(), idea_id, author_id, 'More', now() + interval '1 day'
        FROM idea_comments, generate_series(1, 4) WHERE id = $1";
    assert_eq!(execute(&app, more, many).await, 4);
    let replies = "INSERT INTO idea_comments (id, idea_id, parent_id, author_id, body)
        SELECT gen_random_uuid(), idea_id, id, author_id, 'Reply' FROM idea_comments, generate_series(1, 100)
        WHERE body = 'More' AND idea_id = $1";
    assert_eq!(execute(&app, replies, idea).await, 400);
    assert_eq!(numbers("").await, [3, 79, 79, 79, 79, 79]);
    let listed = author.get(&of_idea(idea, "comments")).await.data().clone();
    assert_eq!((&listed[0]["reply_count"], &listed[1]["reply_count"]), (&json!(3), &json!(100)));
    assert_eq!(numbers("limit=1&offset=1").await, [100]);

    statements.take();
    let voted = author.put(&format!("{}/vote", comment_path(many)), json!({ "vote_type": "up" })).await;
    assert_eq!(voted.data()["replies"].as_array().map(Vec::len), Some(100));
    let reading = statements.take().iter().filter(|sent| sent.contains("row_number()")).count();
    assert_eq!(reading, 1);
    app.stop().await;
}
