//! Tags of ideas (reference/ideas.md#tags).

use lumio_tests::{TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{IDEAS, category, execute, graphql, id_of, input, person_as, shown, staff};

const TAGS: &str = "/v1/ideas/tags";
const TAG: &str = "{ id name createdBy createdAt }";

#[tokio::test]
async fn create_idea_tag_returns_the_tag_that_has_the_name() {
    let app = TestApp::start().await;
    let (author, other) = (app.owner().await, app.owner().await);
    let answer = author.post(TAGS, json!({ "name": " Dark-Mode2 " })).await;
    let made = answer.expect(201)["data"].clone();
    assert_eq!(answer.header("location"), format!("{TAGS}/{}", id_of(&made)));
    assert_eq!((&made["name"], &made["created_by"]), (&json!("dark-mode2"), &json!(author.user_id)));
    assert_eq!(other.post(TAGS, json!({ "name": "DARK-mode2" })).await.expect(200)["data"], made);
    let gql = graphql(&other, "mutation", "createIdeaTag", &[], "name: \"dark-mode2\"", TAG).await;
    assert_eq!(gql.field("createIdeaTag"), made);
    let entry = app.audited_once("idea_tag:created").await;
    assert_eq!((entry.scope.as_str(), entry.metadata), ("user", json!({ "name": "dark-mode2" })));
    for name in ["a", "dark mode", "dark_mode", "x/y", "ä-b", &"x".repeat(31)] {
        let gql = graphql(&author, "mutation", "createIdeaTag", &[], &format!("name: \"{name}\""), TAG).await;
        let message = "name must match ^[a-z0-9-]{2,30}$";
        both_refused(
            &author.post(TAGS, json!({ "name": name })).await,
            &gql,
            400,
            "VALIDATION_ERROR",
            message,
        );
    }
    let restricted = person_as(&app, "restricted").await;
    for caller in [&restricted.caller, &app.anonymous()] {
        let gql = graphql(caller, "mutation", "createIdeaTag", &[], "name: \"other\"", TAG).await;
        let rest = caller.post(TAGS, json!({ "name": "other" })).await;
        both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: ideas:create");
    }
    app.stop().await;
}

#[tokio::test]
async fn idea_tags_lists_the_first_hundred_by_the_beginning_of_the_name() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let many = "INSERT INTO idea_tags (id, name, created_by)
        SELECT gen_random_uuid(), 'many-' || lpad(n::text, 4, '0'), $1 FROM generate_series(1, 1000) AS n";
    assert_eq!(execute(&app, many, owner.user_id).await, 1000);
    owner.post(TAGS, json!({ "name": "zebra" })).await.expect(201);
    let anonymous = app.anonymous();
    let listed = anonymous.get(TAGS).await.data().clone();
    let names: Vec<&Value> = listed.as_array().unwrap().iter().map(|tag| &tag["name"]).collect();
    assert_eq!((names.len(), names[0], names[99]), (100, &json!("many-0001"), &json!("many-0100")));
    for (search, expected) in
        [("MANY-09", 100), ("many-099", 10), ("zebra", 1), ("ebra", 0), ("%", 0), ("_", 0)]
    {
        let request = anonymous.request(reqwest::Method::GET, TAGS).query(&[("search", search)]);
        let rest = anonymous.send(request).await.data().clone();
        assert_eq!(rest.as_array().map(Vec::len), Some(expected), "{search}");
        let gql = graphql(&anonymous, "query", "ideaTags", &[], &format!("search: \"{search}\""), TAG).await;
        assert_eq!(gql.field("ideaTags"), rest, "{search}");
    }
    let long = "x".repeat(31);
    let gql = graphql(&anonymous, "query", "ideaTags", &[], &format!("search: \"{long}\""), TAG).await;
    let rest = anonymous.get(&format!("{TAGS}?search={long}")).await;
    both_refused(&rest, &gql, 400, "VALIDATION_ERROR", "search must be between 0 and 30 characters");
    app.stop().await;
}

#[tokio::test]
async fn delete_idea_tag_leaves_the_ideas_that_have_it() {
    let app = TestApp::start().await;
    let (author, admin, chat) = (app.owner().await, staff(&app).await, category(&app, "chat").await);
    let [one, two] = ["one", "two"];
    let mut tags = Vec::new();
    for name in [one, two] {
        tags.push(id_of(author.post(TAGS, json!({ "name": name })).await.data()));
    }
    let mut new = input("Dark colors", chat);
    new["tag_ids"] = json!(tags);
    let idea = id_of(&author.post(IDEAS, new).await.expect(201)["data"]);
    let gql_delete =
        async |id: Uuid| graphql(&admin, "mutation", "deleteIdeaTag", &[("id", id)], "", "").await;
    for caller in [&author, &person_as(&app, "moderator").await] {
        let gql = graphql(caller, "mutation", "deleteIdeaTag", &[("id", tags[0])], "", "").await;
        let rest = caller.delete(&format!("{TAGS}/{}", tags[0])).await;
        both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: ideas:moderate_delete");
    }
    admin.delete(&format!("{TAGS}/{}", tags[0])).await.expect(204);
    assert_eq!(app.audited_once("idea_tag:deleted").await.metadata, json!({ "name": "one" }));
    assert_eq!(shown(&app, idea).await["tags"].as_array().map(Vec::len), Some(1));
    assert_eq!(gql_delete(tags[1]).await.field("deleteIdeaTag"), json!(true));
    assert_eq!(shown(&app, idea).await["tags"], json!([]));
    let rest = admin.delete(&format!("{TAGS}/{}", tags[1])).await;
    both_refused(&rest, &gql_delete(tags[1]).await, 404, "NOT_FOUND", "Tag not found");
    app.stop().await;
}
