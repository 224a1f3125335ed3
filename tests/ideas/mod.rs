//! Ideas board (reference/ideas.md#ideas).

mod categories;
mod comments;
mod deletion;
mod features;
mod ideas;
mod limits;
mod lists;
mod mentions;
mod people;
mod plans;
mod status;
mod tags;
mod timeline;
mod trending;
mod votes;

use diesel::{QueryableByName, sql_query, sql_types::Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, TestApp};
use serde_json::{Value, json};
use uuid::Uuid;

const IDEAS: &str = "/v1/ideas";
const IDEA: &str = "{ id author { id displayName avatarUrl }
    category { id name label color sortOrder createdAt } tags { id name createdBy createdAt }
    title description status voteCountUp voteCountDown commentCount myVote createdAt updatedAt }";
const COMMENT: &str =
    "{ id ideaId author { id displayName avatarUrl } parentId body createdAt updatedAt voteCountUp
    voteCountDown myVote replyCount replies { id ideaId author { id displayName avatarUrl } parentId body createdAt
    updatedAt voteCountUp voteCountDown myVote replyCount replies { id } } }";

#[derive(QueryableByName)]
struct Made {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

#[track_caller]
fn id_of(value: &Value) -> Uuid {
    value["id"].as_str().unwrap_or_else(|| panic!("no id in {value}")).parse().expect("an id")
}

fn path(id: Uuid) -> String {
    format!("{IDEAS}/{id}")
}

/// Path of something of an idea.
fn of_idea(id: Uuid, name: &str) -> String {
    format!("{IDEAS}/{id}/{name}")
}

fn comment_path(id: Uuid) -> String {
    format!("{IDEAS}/comments/{id}")
}

/// A member of staff with every permission of moderators in the admin scope.
async fn staff(app: &TestApp) -> Person {
    app.admin_with(&[
        "ideas:moderate_read",
        "ideas:moderate_status",
        "ideas:moderate_edit",
        "ideas:moderate_delete",
        "ideas:moderate_comment",
    ])
    .await
}

/// A person with a platform-wide role (`moderator`, `restricted`).
async fn person_as(app: &TestApp, role: &str) -> Person {
    let person = app.owner().await;
    let sql = format!(
        "INSERT INTO user_role_assignments (user_id, role_id) SELECT $1, id FROM user_roles WHERE slug = '{role}'"
    );
    assert_eq!(execute(app, &sql, person.user_id).await, 1, "{role}");
    person
}

/// Runs a statement with an id as `$1`; returns the number of rows.
async fn execute(app: &TestApp, sql: &str, id: Uuid) -> usize {
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query(sql)
        .bind::<SqlUuid, _>(id)
        .execute(&mut *db)
        .await
        .unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// Creates a category in the database.
async fn category(app: &TestApp, name: &str) -> Uuid {
    let sql = format!(
        "INSERT INTO idea_categories (id, name, label, color, sort_order)
         VALUES (gen_random_uuid(), '{name}', 'Label', '#1a2b3c', 3) RETURNING id"
    );
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query(sql).get_result::<Made>(&mut *db).await.unwrap().id
}

fn input(title: &str, category: Uuid) -> Value {
    json!({ "title": title, "description": "<p>A useful thing.</p>", "category_id": category })
}

/// Creates an idea.
async fn create(caller: &Caller, title: &str, category: Uuid) -> Value {
    caller.post(IDEAS, input(title, category)).await.expect(201)["data"].clone()
}

/// Comments on an idea, or replies to a comment.
async fn comment(caller: &Caller, idea: Uuid, body: &str, parent: Option<Uuid>) -> Answer {
    caller.post(&of_idea(idea, "comments"), json!({ "body": body, "parent_id": parent })).await
}

/// Id of a new comment.
async fn commented(caller: &Caller, idea: Uuid, body: &str, parent: Option<Uuid>) -> Uuid {
    id_of(&comment(caller, idea, body, parent).await.expect(201)["data"])
}

/// Runs a field of GraphQL with ids as arguments and further arguments as written.
async fn graphql(
    caller: &Caller,
    kind: &str,
    field: &str,
    ids: &[(&str, Uuid)],
    more: &str,
    selection: &str,
) -> Answer {
    let mut given: Vec<String> = ids.iter().map(|(name, id)| format!("{name}: \"{id}\"")).collect();
    given.extend((!more.is_empty()).then(|| more.to_owned()));
    let arguments = if given.is_empty() { String::new() } else { format!("({})", given.join(", ")) };
    caller.graphql(&format!("{kind} {{ {field}{arguments} {selection} }}"), json!({})).await
}

/// An idea as anyone reads it.
async fn shown(app: &TestApp, id: Uuid) -> Value {
    app.anonymous().get(&path(id)).await.data().clone()
}

/// Types, texts (title and message) and data of a person's notifications, newest first.
async fn notified(person: &Person) -> Vec<(String, String, Value)> {
    let listed = person.get("/v1/notifications?limit=50").await;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let items = listed.data()["items"].as_array().expect("a list").iter();
    let texts = |item: &Value| format!("{}: {}", text(&item["title"]), text(&item["message"]));
    items.map(|item| (text(&item["type"]), texts(item), item["data"].clone())).collect()
}

fn mention(person: &Person) -> String {
    format!("<span data-mention-id=\"{}\">@someone</span>", person.user_id)
}
