//! Categories of ideas (reference/ideas.md#categories).

use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{category, create, execute, graphql, id_of, person_as, staff};

const CATEGORIES: &str = "/v1/ideas/categories";
const CATEGORY: &str = "{ id name label color sortOrder createdAt }";

fn path(id: Uuid) -> String {
    format!("{CATEGORIES}/{id}")
}

async fn gql_update(caller: &Caller, id: Uuid, changes: &Value) -> Answer {
    caller.mutate_at("updateIdeaCategory", &[("id", id)], changes, CATEGORY).await
}

/// Fields with a value out of bounds and the message for it.
fn wrong_fields() -> [(&'static str, Value, &'static str); 9] {
    let name = "name must match ^[a-z0-9-]{2,30}$";
    let color = "color must be six hexadecimal digits after a #, for example #1a2b3c";
    let order = "sort_order must be between 0 and 10000";
    [
        ("name", json!("a"), name),
        ("name", json!("a b"), name),
        ("name", json!("x".repeat(31)), name),
        ("label", json!(" "), "label must not be empty"),
        ("label", json!("x".repeat(61)), "label must be between 1 and 60 characters"),
        ("color", json!("red"), color),
        ("color", json!("#12345g"), color),
        ("sort_order", json!(-1), order),
        ("sort_order", json!(10_001), order),
    ]
}

#[tokio::test]
async fn idea_categories_lists_them_in_their_order() {
    let app = TestApp::start().await;
    for (name, place) in [("zebra", 1), ("chat", 5), ("bots", 5)] {
        let id = category(&app, name).await;
        execute(&app, &format!("UPDATE idea_categories SET sort_order = {place} WHERE id = $1"), id).await;
    }
    let anonymous = app.anonymous();
    let listed = anonymous.get(CATEGORIES).await.data().clone();
    let names: Vec<&Value> = listed.as_array().unwrap().iter().map(|category| &category["name"]).collect();
    assert_eq!(names, ["zebra", "bots", "chat"]);
    let gql = graphql(&anonymous, "query", "ideaCategories", &[], "", CATEGORY).await;
    assert_eq!(gql.field("ideaCategories"), listed);
    app.stop().await;
}

#[tokio::test]
async fn create_idea_category_checks_every_field_and_the_limit() {
    let app = TestApp::start().await;
    let admin = staff(&app).await;
    let new = json!({ "name": "Chat-Bots", "label": " Chat & bots ", "color": "#1A2B3C", "sort_order": 7 });
    let answer = admin.post(CATEGORIES, new.clone()).await;
    let made = answer.expect(201)["data"].clone();
    let id = id_of(&made);
    assert_eq!(answer.header("location"), path(id));
    let expected = json!({
        "id": id, "name": "chat-bots", "label": "Chat & bots", "color": "#1a2b3c", "sort_order": 7,
        "created_at": made["created_at"],
    });
    assert_eq!(made, expected);
    let entry = app.audited_once("idea_category:created").await;
    assert_eq!((entry.scope.as_str(), entry.metadata), ("system", json!({ "name": "chat-bots" })));
    let gql = admin.mutate("createIdeaCategory", &new, CATEGORY).await;
    both_refused(&admin.post(CATEGORIES, new.clone()).await, &gql, 409, "CONFLICT", "Category name is taken");

    for (field, value, message) in wrong_fields() {
        let mut input = new.clone();
        input[field] = value;
        let gql = admin.mutate("createIdeaCategory", &input, CATEGORY).await;
        both_refused(&admin.post(CATEGORIES, input).await, &gql, 400, "VALIDATION_ERROR", message);
    }
    let full = "INSERT INTO idea_categories (id, name, label, color)
        SELECT gen_random_uuid(), 'more-' || n, 'More', '#000000' FROM generate_series(1, 99) AS n WHERE $1 IS NOT NULL";
    assert_eq!(execute(&app, full, id).await, 99);
    let mut more = new;
    more["name"] = json!("bots");
    let gql = admin.mutate("createIdeaCategory", &more, CATEGORY).await;
    let rest = admin.post(CATEGORIES, more).await;
    both_refused(&rest, &gql, 403, "PLAN_LIMIT_REACHED", "Category limit reached");
    assert_eq!(rest.body["details"]["limit"], 100);
    app.stop().await;
}

#[tokio::test]
async fn update_idea_category_changes_and_checks_every_field() {
    let app = TestApp::start().await;
    let (admin, id) = (staff(&app).await, category(&app, "chat-bots").await);
    let renamed = json!({ "name": "Bots", "label": " Bots ", "color": "#FFFFFF", "sort_order": 0 });
    let changed = admin.patch(&path(id), renamed).await.data().clone();
    let expected = json!({
        "id": id, "name": "bots", "label": "Bots", "color": "#ffffff", "sort_order": 0,
        "created_at": changed["created_at"],
    });
    assert_eq!(changed, expected);
    let metadata = app.audited_once("idea_category:updated").await.metadata;
    assert_eq!(metadata, json!({ "name": "bots", "former_name": "chat-bots" }));
    let gql = gql_update(&admin, id, &json!({ "name": "bots" })).await;
    assert_eq!(gql.field("updateIdeaCategory")["name"], "bots", "the own name is free");
    assert_eq!(*admin.patch(&path(id), json!({})).await.data(), changed);
    category(&app, "chat").await;
    let gql = gql_update(&admin, id, &json!({ "name": "chat" })).await;
    let rest = admin.patch(&path(id), json!({ "name": "Chat" })).await;
    both_refused(&rest, &gql, 409, "CONFLICT", "Category name is taken");

    for (field, value, message) in wrong_fields() {
        let change = json!({ field: value });
        let gql = gql_update(&admin, id, &change).await;
        both_refused(&admin.patch(&path(id), change).await, &gql, 400, "VALIDATION_ERROR", message);
    }
    let gql = gql_update(&admin, Uuid::now_v7(), &json!({ "label": "Other" })).await;
    let rest = admin.patch(&path(Uuid::now_v7()), json!({ "label": "Other" })).await;
    both_refused(&rest, &gql, 404, "NOT_FOUND", "Category not found");
    app.stop().await;
}

#[tokio::test]
async fn create_idea_category_and_its_changes_are_for_staff() {
    let app = TestApp::start().await;
    let id = category(&app, "chat").await;
    let new = json!({ "name": "bots", "label": "Bots", "color": "#1a2b3c" });
    let (edit, delete) =
        ("Missing permission: ideas:moderate_edit", "Missing permission: ideas:moderate_delete");
    // Moderators of the user scope are no staff.
    let moderator = person_as(&app, "moderator").await;
    for caller in [&moderator, &app.admin_with(&["ideas:moderate_status"]).await] {
        let gql = caller.mutate("createIdeaCategory", &new, CATEGORY).await;
        both_refused(&caller.post(CATEGORIES, new.clone()).await, &gql, 403, "FORBIDDEN", edit);
        let gql = gql_update(caller, id, &json!({})).await;
        both_refused(&caller.patch(&path(id), json!({})).await, &gql, 403, "FORBIDDEN", edit);
        let gql = graphql(caller, "mutation", "deleteIdeaCategory", &[("id", id)], "", "").await;
        both_refused(&caller.delete(&path(id)).await, &gql, 403, "FORBIDDEN", delete);
    }
    app.anonymous().delete(&path(id)).await.refused("UNAUTHORIZED", "Authentication required");
    app.stop().await;
}

#[tokio::test]
async fn delete_idea_category_needs_one_without_ideas() {
    let app = TestApp::start().await;
    let (admin, author) = (staff(&app).await, app.owner().await);
    let (used, free, other) =
        (category(&app, "used").await, category(&app, "free").await, category(&app, "other").await);
    let idea = id_of(&create(&author, "Dark colors", used).await);
    let gql_delete =
        async |id: Uuid| graphql(&admin, "mutation", "deleteIdeaCategory", &[("id", id)], "", "").await;
    let gql = gql_delete(used).await;
    both_refused(&admin.delete(&path(used)).await, &gql, 409, "CONFLICT", "Category has ideas");
    admin.delete(&path(free)).await.expect(204);
    assert_eq!(app.audited_once("idea_category:deleted").await.metadata, json!({ "name": "free" }));
    assert_eq!(gql_delete(other).await.field("deleteIdeaCategory"), json!(true));
    both_refused(
        &admin.delete(&path(free)).await,
        &gql_delete(free).await,
        404,
        "NOT_FOUND",
        "Category not found",
    );
    author.delete(&super::path(idea)).await.expect(204);
    admin.delete(&path(used)).await.expect(204);
    app.stop().await;
}
