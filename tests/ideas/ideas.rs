//! Ideas, their changes and their deletion (reference/ideas.md#changes).

use chrono::Duration;
use lumio_tests::{Answer, Caller, Person, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    IDEA, IDEAS, category, comment, commented, create, graphql, id_of, input, path, person_as, shown, staff,
};

const MISSING_CREATE: &str = "Missing permission: ideas:create";

async fn gql_create(caller: &Caller, input: &Value) -> Answer {
    caller.mutate("createIdea", input, IDEA).await
}

async fn gql_update(caller: &Caller, id: Uuid, changes: &Value) -> Answer {
    caller.mutate_at("updateIdea", &[("id", id)], changes, IDEA).await
}

async fn gql_delete(caller: &Caller, id: Uuid) -> Answer {
    graphql(caller, "mutation", "deleteIdea", &[("id", id)], "", "").await
}

async fn tag(caller: &Caller, name: &str) -> Uuid {
    id_of(caller.post("/v1/ideas/tags", json!({ "name": name })).await.data())
}

#[tokio::test]
async fn create_idea_creates_an_open_idea_that_everyone_reads() {
    let app = TestApp::start().await;
    let (author, chat) = (app.owner().await, category(&app, "chat").await);
    let (one, two) = (tag(&author, "one").await, tag(&author, "two").await);
    let mut new = input(" Dark colors ", chat);
    new["tag_ids"] = json!([two, one, two]);
    new["description"] = json!("<p onclick=x>A <b>useful</b> thing</p><script>alert(1)</script>");
    let answer = author.post(IDEAS, new).await;
    let made = answer.expect(201)["data"].clone();
    let id = id_of(&made);
    assert_eq!(answer.header("location"), path(id));
    assert_eq!(
        (&made["title"], &made["description"]),
        (&json!("Dark colors"), &json!("<p>A useful thing</p>"))
    );
    assert_eq!((&made["status"], &made["my_vote"]), (&json!("open"), &Value::Null));
    assert_eq!(made["author"], json!({ "id": author.user_id, "display_name": "owner", "avatar_url": null }));
    let of = &made["category"];
    assert_eq!((&of["id"], &of["name"], &of["sort_order"]), (&json!(chat), &json!("chat"), &json!(3)));
    let tags = made["tags"].as_array().unwrap();
    assert_eq!(tags.iter().map(|tag| &tag["name"]).collect::<Vec<_>>(), [&json!("one"), &json!("two")]);
    assert_eq!(tags[0]["created_by"], json!(author.user_id));
    for count in ["vote_count_up", "vote_count_down", "comment_count"] {
        assert_eq!(made[count], 0, "{count}");
    }
    let entry = app.audited_once("idea:created").await;
    assert_eq!((entry.scope.as_str(), entry.actor_id), ("user", Some(author.user_id)));
    assert_eq!((entry.account_id, entry.metadata), (None, json!({})));

    assert_eq!(shown(&app, id).await, made);
    let gql = graphql(&app.anonymous(), "query", "idea", &[("id", id)], "", IDEA).await;
    assert_eq!(gql.field("idea"), made);
    let twin = gql_create(&author, &input("Other colors", chat)).await.field("createIdea");
    assert_eq!((&twin["title"], &twin["tags"]), (&json!("Other colors"), &json!([])));
    app.stop().await;
}

#[tokio::test]
async fn idea_is_not_found_by_another_id() {
    let app = TestApp::start().await;
    let (anonymous, id) = (app.anonymous(), Uuid::now_v7());
    let gql = graphql(&anonymous, "query", "idea", &[("id", id)], "", IDEA).await;
    both_refused(&anonymous.get(&path(id)).await, &gql, 404, "NOT_FOUND", "Idea not found");
    anonymous.get("/v1/ideas/wrong").await.refused("VALIDATION_ERROR", "Invalid UUID: id");
    app.stop().await;
}

#[tokio::test]
async fn create_idea_refuses_invalid_fields_and_callers_without_the_permission() {
    let app = TestApp::start().await;
    let (author, chat) = (app.owner().await, category(&app, "chat").await);
    let six: Vec<Uuid> = (0..6).map(|_| Uuid::now_v7()).collect();
    let unknown = Uuid::now_v7();
    let title = "title must be between 5 and 120 characters";
    let description = "description must be between 10 and 10000 characters";
    for (field, value, status, code, message) in [
        ("title", json!("abcd"), 400, "VALIDATION_ERROR", title),
        ("title", json!("x".repeat(121)), 400, "VALIDATION_ERROR", title),
        ("title", json!("a\u{0}bcdef"), 400, "VALIDATION_ERROR", "title must not contain control characters"),
        ("description", json!("too short"), 400, "VALIDATION_ERROR", description),
        ("description", json!("x".repeat(10_001)), 400, "VALIDATION_ERROR", description),
        ("description", json!("&".repeat(2_001)), 400, "VALIDATION_ERROR", description),
        (
            "description",
            json!("<script>abcdefgh</script>"),
            400,
            "VALIDATION_ERROR",
            "description must not be empty",
        ),
        ("description", json!("<p>&nbsp;</p><br>"), 400, "VALIDATION_ERROR", "description must not be empty"),
        (
            "description",
            json!("<b><i>".repeat(170) + &"<p>".repeat(1000)),
            400,
            "VALIDATION_ERROR",
            "description must be HTML without misnested elements",
        ),
        ("tag_ids", json!(six), 400, "VALIDATION_ERROR", "tag_ids must name at most 5 tags"),
        ("category_id", json!(unknown), 404, "NOT_FOUND", "Category not found"),
        ("tag_ids", json!([unknown]), 404, "NOT_FOUND", "Tag not found"),
    ] {
        let mut new = input("Dark colors", chat);
        new[field] = value;
        let gql = gql_create(&author, &new).await;
        both_refused(&author.post(IDEAS, new).await, &gql, status, code, message);
    }
    author.post(IDEAS, json!({})).await.refused("VALIDATION_ERROR", "Missing field: title");
    let restricted = person_as(&app, "restricted").await;
    let service = app.service_key(author.account_id, &[]).await;
    for caller in [restricted.caller.clone(), app.anonymous(), service] {
        let new = input("Dark colors", chat);
        let gql = gql_create(&caller, &new).await;
        both_refused(&caller.post(IDEAS, new).await, &gql, 403, "FORBIDDEN", MISSING_CREATE);
    }
    // What was refused did not count: five are left.
    for n in 0..5 {
        create(&author, &format!("Dark colors {n}"), chat).await;
    }
    let key = app.personal_key(&person_as(&app, "moderator").await, &["ideas:create"]).await;
    create(&key, "By key", chat).await;
    app.stop().await;
}

/// An idea of a new person.
async fn idea_of(app: &TestApp, chat: Uuid) -> (Person, Uuid) {
    let author = app.owner().await;
    let id = id_of(&create(&author, "Dark colors", chat).await);
    (author, id)
}

#[tokio::test]
async fn update_idea_changes_own_ideas_and_records_each_change() {
    let app = TestApp::start().await;
    let (chat, bots) = (category(&app, "chat").await, category(&app, "bots").await);
    let (author, id) = idea_of(&app, chat).await;
    let (one, two) = (tag(&author, "one").await, tag(&author, "two").await);
    let before = shown(&app, id).await;
    for nothing in [json!({}), json!({ "title": "Dark colors", "category_id": chat, "tag_ids": [] })] {
        assert_eq!(*author.patch(&path(id), nothing).await.data(), before);
    }
    assert!(app.audited("idea:updated").await.is_empty());
    app.clock.advance(Duration::seconds(5));
    let changes = json!({
        "title": "Darker colors", "description": "<p>Something else.</p>", "category_id": bots,
        "tag_ids": [one, two],
    });
    let after = author.patch(&path(id), changes).await.data().clone();
    assert_eq!((&after["title"], &after["category"]["name"]), (&json!("Darker colors"), &json!("bots")));
    assert_eq!(
        (&after["description"], &after["tags"][1]["name"]),
        (&json!("<p>Something else.</p>"), &json!("two"))
    );
    assert!(after["updated_at"].as_str() > before["updated_at"].as_str(), "{after}");
    assert_eq!(after["created_at"], before["created_at"]);
    let changed = json!(["edited", "category_changed", "tags_changed"]);
    let entry = app.audited_once("idea:updated").await;
    assert_eq!(entry.metadata, json!({ "changes": changed, "author_id": author.user_id }));
    assert_eq!(entry.scope, "user");
    let timeline = author.get(&format!("{}/timeline", path(id))).await.data().clone();
    let values: Vec<_> = timeline
        .as_array()
        .unwrap()
        .iter()
        .map(|e| (&e["action"], &e["old_value"], &e["new_value"]))
        .collect();
    let (null, edited) = (&Value::Null, ("Dark colors", "Darker colors"));
    assert_eq!(values[0], (&json!("created"), null, null));
    assert_eq!(values[1], (&json!("edited"), &json!(edited.0), &json!(edited.1)));
    assert_eq!(values[2], (&json!("category_changed"), &json!("chat"), &json!("bots")));
    assert_eq!(values[3], (&json!("tags_changed"), &json!(""), &json!("one, two")));
    let gql = gql_update(&author, id, &json!({ "tag_ids": [one] })).await.field("updateIdea");
    assert_eq!(gql["tags"].as_array().map(Vec::len), Some(1));
    for field in ["title", "description", "category_id", "tag_ids"] {
        let change = json!({ field: null });
        let gql = gql_update(&author, id, &change).await;
        let message = format!("{field} cannot be null");
        both_refused(&author.patch(&path(id), change).await, &gql, 400, "VALIDATION_ERROR", &message);
    }
    for (change, message) in [
        (json!({ "category_id": Uuid::now_v7() }), "Category not found"),
        (json!({ "tag_ids": [Uuid::now_v7()] }), "Tag not found"),
    ] {
        let gql = gql_update(&author, id, &change).await;
        both_refused(&author.patch(&path(id), change).await, &gql, 404, "NOT_FOUND", message);
    }
    app.stop().await;
}

#[tokio::test]
async fn update_idea_of_another_person_is_for_moderators_of_both_scopes() {
    let app = TestApp::start().await;
    let chat = category(&app, "chat").await;
    let (author, id) = idea_of(&app, chat).await;
    let change = json!({ "title": "Moderated colors" });
    let stranger = app.owner().await;
    for caller in [&stranger, &app.admin_with(&["ideas:moderate_delete"]).await] {
        let gql = gql_update(caller, id, &change).await;
        let message = "Missing permission: ideas:moderate_edit";
        both_refused(&caller.patch(&path(id), change.clone()).await, &gql, 403, "FORBIDDEN", message);
    }
    let restricted = person_as(&app, "restricted").await;
    let gql = gql_update(&restricted, id, &change).await;
    let message = "Missing permission: ideas:edit or ideas:moderate_edit";
    both_refused(&restricted.patch(&path(id), change.clone()).await, &gql, 403, "FORBIDDEN", message);
    let unknown = Uuid::now_v7();
    let gql = gql_update(&author, unknown, &change).await;
    both_refused(
        &author.patch(&path(unknown), change.clone()).await,
        &gql,
        404,
        "NOT_FOUND",
        "Idea not found",
    );
    let (moderator, admin) =
        (person_as(&app, "moderator").await, app.admin_with(&["ideas:moderate_edit"]).await);
    moderator.patch(&path(id), change).await.data();
    let gql = gql_update(&admin, id, &json!({ "title": "Administered" })).await;
    assert_eq!(gql.field("updateIdea")["title"], "Administered");
    let entries = app.audited("idea:updated").await;
    assert!(entries.iter().all(|entry| entry.scope == "system"), "{entries:?}");
    assert_eq!(entries.len(), 2);
    app.stop().await;
}

#[tokio::test]
async fn delete_idea_deletes_own_ideas_until_others_comment() {
    let app = TestApp::start().await;
    let chat = category(&app, "chat").await;
    let (author, id) = idea_of(&app, chat).await;
    let other = app.owner().await;
    commented(&author, id, "Mine", None).await;
    let foreign = commented(&other, id, "Theirs", None).await;
    let gql = gql_delete(&author, id).await;
    both_refused(&author.delete(&path(id)).await, &gql, 409, "CONFLICT", "Idea has comments of others");
    let gql = gql_delete(&other, id).await;
    let missing = "Missing permission: ideas:moderate_delete";
    both_refused(&other.delete(&path(id)).await, &gql, 403, "FORBIDDEN", missing);
    other.delete(&super::comment_path(foreign)).await.expect(204);
    author.delete(&path(id)).await.expect(204);
    let entry = app.audited_once("idea:deleted").await;
    assert_eq!((entry.scope.as_str(), entry.metadata), ("user", json!({ "author_id": author.user_id })));
    let gql = gql_delete(&author, id).await;
    both_refused(&author.delete(&path(id)).await, &gql, 404, "NOT_FOUND", "Idea not found");

    let moderator = person_as(&app, "moderator").await;
    let own = id_of(&create(&moderator, "Dark colors", chat).await);
    comment(&other, own, "Theirs", None).await.expect(201);
    moderator.delete(&path(own)).await.expect(204);
    assert_eq!(app.audited("idea:deleted").await[1].scope, "system", "it is more than an author may");
    for moderator in [moderator, staff(&app).await] {
        let id = id_of(&create(&author, "Dark colors", chat).await);
        comment(&other, id, "Theirs", None).await.expect(201);
        assert_eq!(gql_delete(&moderator, id).await.field("deleteIdea"), json!(true));
    }
    let total = app.anonymous().get(IDEAS).await.data()["total"].clone();
    assert_eq!(total, 0);
    app.stop().await;
}
