//! Voters and participants of ideas (reference/ideas.md#people).

use lumio_tests::{TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{category, commented, create, execute, graphql, id_of, of_idea};

const VOTER: &str = "{ userId voteType displayName avatarUrl }";
const PERSON: &str = "{ id displayName avatarUrl }";
/// Votes of a thousand people, latest first by their number.
const VOTERS: &str = "WITH people AS (INSERT INTO users (id, display_name, username)
        SELECT gen_random_uuid(), 'Voter ' || lpad(n::text, 4, '0'), 'v' || n FROM generate_series(1, 1000) AS n
        RETURNING id, username)
    INSERT INTO idea_votes (idea_id, user_id, vote_type, created_at)
    SELECT $1, id, CASE WHEN username LIKE '%0' THEN 'down' ELSE 'up' END,
        now() + substr(username, 2)::integer * interval '1 second' FROM people";

#[tokio::test]
async fn idea_voters_lists_the_latest_votes_of_a_kind() {
    let app = TestApp::start().await;
    let (author, chat) = (app.owner().await, category(&app, "chat").await);
    let id = id_of(&create(&author, "Dark colors", chat).await);
    assert_eq!(execute(&app, VOTERS, id).await, 1000);
    let anonymous = app.anonymous();
    let idea = anonymous.get(&super::path(id)).await.data().clone();
    assert_eq!((&idea["vote_count_up"], &idea["vote_count_down"]), (&json!(900), &json!(100)));
    let (path, at) = (of_idea(id, "voters"), [("ideaId", id)]);
    let listed = anonymous.get(&path).await.data().clone();
    assert_eq!(listed.as_array().map(Vec::len), Some(100));
    let first = (&listed[0]["display_name"], &listed[0]["vote_type"], &listed[0]["avatar_url"]);
    assert_eq!(first, (&json!("Voter 1000"), &json!("down"), &Value::Null));
    for (query, more, names) in [
        ("limit=2&offset=998", "limit: 2, offset: 998", vec!["Voter 0002", "Voter 0001"]),
        ("vote_type=down&limit=2", "voteType: down, limit: 2", vec!["Voter 1000", "Voter 0990"]),
        ("vote_type=up&limit=1", "voteType: up, limit: 1", vec!["Voter 0999"]),
        ("vote_type=down&offset=100", "voteType: down, offset: 100", vec![]),
    ] {
        let rest = anonymous.get(&format!("{path}?{query}")).await.data().clone();
        let found: Vec<&Value> =
            rest.as_array().unwrap().iter().map(|voter| &voter["display_name"]).collect();
        assert_eq!(found, names, "{query}");
        let gql = graphql(&anonymous, "query", "ideaVoters", &at, more, VOTER).await;
        assert_eq!(gql.field("ideaVoters"), rest, "{query}");
    }
    let gql = graphql(&anonymous, "query", "ideaVoters", &at, "limit: 101", VOTER).await;
    let rest = anonymous.get(&format!("{path}?limit=101")).await;
    both_refused(&rest, &gql, 400, "VALIDATION_ERROR", "limit must be between 1 and 100");
    let rest = anonymous.get(&format!("{path}?vote_type=none")).await;
    rest.refused("VALIDATION_ERROR", "Invalid vote_type: must be up or down");
    let unknown = Uuid::now_v7();
    let gql = graphql(&anonymous, "query", "ideaVoters", &[("ideaId", unknown)], "", VOTER).await;
    both_refused(&anonymous.get(&of_idea(unknown, "voters")).await, &gql, 404, "NOT_FOUND", "Idea not found");
    app.stop().await;
}

#[tokio::test]
async fn idea_participants_are_author_voters_and_commenters() {
    let app = TestApp::start().await;
    let (author, other, chat) = (app.owner().await, app.owner().await, category(&app, "chat").await);
    let id = id_of(&create(&author, "Dark colors", chat).await);
    app.user("Bystander").await;
    for (name, caller) in [("Zoe", &author), ("Ada", &other)] {
        execute(&app, &format!("UPDATE users SET display_name = '{name}' WHERE id = $1"), caller.user_id)
            .await;
    }
    let parent = commented(&other, id, "Yes", None).await;
    commented(&other, id, "No", Some(parent)).await;
    let (path, at) = (of_idea(id, "participants"), [("ideaId", id)]);
    let names = async |search: &str| -> Vec<String> {
        let request = other.request(reqwest::Method::GET, &path).query(&[("search", search)]);
        let rest = other.send(request).await.data().clone();
        let gql =
            graphql(&other, "query", "ideaParticipants", &at, &format!("search: \"{search}\""), PERSON).await;
        assert_eq!(gql.field("ideaParticipants"), rest, "{search}");
        let names =
            rest.as_array().unwrap().iter().map(|person| person["display_name"].as_str().unwrap().to_owned());
        names.collect()
    };
    assert_eq!(names("").await, ["Zoe", "Ada"], "the author comes first");
    assert_eq!(execute(&app, VOTERS, id).await, 1000);
    other.put(&of_idea(id, "vote"), json!({ "vote_type": "up" })).await.data();
    let all = names("").await;
    assert_eq!((all.len(), all[0].as_str(), all[1].as_str()), (50, "Zoe", "Ada"));
    assert_eq!(all[2], "Voter 0001");
    // Beyond the latest thousand votes no one is read.
    let early = "WITH early AS (INSERT INTO users (id, display_name, username)
            VALUES (gen_random_uuid(), 'Early voter', 'early') RETURNING id)
        INSERT INTO idea_votes (idea_id, user_id, vote_type, created_at)
        SELECT $1, id, 'up', now() - interval '1 day' FROM early";
    assert_eq!(execute(&app, early, id).await, 1);
    assert_eq!(names("early").await, Vec::<String>::new());
    for (search, expected) in [
        ("VOTER 100", vec!["Voter 1000"]),
        ("v990", vec!["Voter 0990"]),
        ("zo", vec!["Zoe"]),
        ("oe", vec![]),
        ("%", vec![]),
        ("bystander", vec![]),
    ] {
        assert_eq!(names(search).await, expected, "{search}");
    }
    let gql = graphql(&app.anonymous(), "query", "ideaParticipants", &at, "", PERSON).await;
    both_refused(&app.anonymous().get(&path).await, &gql, 401, "UNAUTHORIZED", "Authentication required");
    app.service_key(author.account_id, &[]).await.get(&path).await.data();
    let long = "x".repeat(101);
    let gql = graphql(&other, "query", "ideaParticipants", &at, &format!("search: \"{long}\""), PERSON).await;
    let rest = other.get(&format!("{path}?search={long}")).await;
    both_refused(&rest, &gql, 400, "VALIDATION_ERROR", "search must be between 0 and 100 characters");
    let unknown = Uuid::now_v7();
    let gql = graphql(&other, "query", "ideaParticipants", &[("ideaId", unknown)], "", PERSON).await;
    both_refused(
        &other.get(&of_idea(unknown, "participants")).await,
        &gql,
        404,
        "NOT_FOUND",
        "Idea not found",
    );
    app.stop().await;
}
