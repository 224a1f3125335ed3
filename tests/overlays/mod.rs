//! Overlays and widgets.

mod editors;
mod layers;
mod live;
mod object_access;
mod overlay_access;
mod overlays;
mod settings;
mod shares;
mod state;
mod tokens;
mod unpublished;
mod widget_access;
mod widgets;

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, TestApp, both_refused, world::install};
use serde_json::{Value, json};
use uuid::Uuid;

const OVERLAYS: &str = "/v1/overlays";
const WIDGETS: &str = "/v1/widgets";
const OVERLAY: &str =
    "{ id accountId name key width height background version thumbnailUploadId myAccess layerCount
    createdAt updatedAt }";
const WIDGET: &str =
    "{ id accountId name type installId config width height enabled accessToken tokenPrefix url myAccess
    createdAt updatedAt }";

/// Creates an overlay; returns it.
async fn overlay(caller: &Caller, name: &str) -> Value {
    caller.post(OVERLAYS, json!({ "name": name })).await.expect(201)["data"].clone()
}

/// Creates a widget; returns it with its token.
async fn widget(caller: &Caller, name: &str) -> Value {
    caller.post(WIDGETS, json!({ "name": name, "type": "text" })).await.expect(201)["data"].clone()
}

#[track_caller]
fn id_of(value: &Value) -> Uuid {
    value["id"].as_str().unwrap_or_else(|| panic!("no id in {value}")).parse().expect("an id")
}

#[track_caller]
fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// Calls a GraphQL field with ids.
async fn graphql(caller: &Caller, kind: &str, field: &str, ids: &[(&str, Uuid)], selection: &str) -> Answer {
    let declared: Vec<String> = ids.iter().map(|(name, _)| format!("${name}: UUID!")).collect();
    let given: Vec<String> = ids.iter().map(|(name, _)| format!("{name}: ${name}")).collect();
    let document = format!("{kind}({}) {{ {field}({}) {selection} }}", declared.join(", "), given.join(", "));
    let variables = ids.iter().map(|(name, id)| ((*name).to_owned(), json!(id))).collect();
    caller.graphql(&document, Value::Object(variables)).await
}

async fn query(caller: &Caller, field: &str, ids: &[(&str, Uuid)], selection: &str) -> Answer {
    graphql(caller, "query", field, ids, selection).await
}

async fn mutation(caller: &Caller, field: &str, ids: &[(&str, Uuid)], selection: &str) -> Answer {
    graphql(caller, "mutation", field, ids, selection).await
}

/// Asserts that nothing is found, over both protocols.
#[track_caller]
fn both_missing(rest: &Answer, graphql: &Answer, message: &str) {
    both_refused(rest, graphql, 404, "NOT_FOUND", message);
}

async fn execute(app: &TestApp, sql: &str, id: Uuid) {
    let mut db = app.databases.postgres.get().await.unwrap();
    let rows = sql_query(sql).bind::<SqlUuid, _>(id).execute(&mut *db).await.unwrap();
    assert!(rows > 0, "{sql}");
}

/// Allows the account any number of overlays.
async fn unlimited(app: &TestApp, account: Uuid) {
    let sql = "INSERT INTO account_limits (account_id, max_overlays) VALUES ($1, 2147483647)";
    execute(app, sql, account).await;
}

/// Install of an extension that has a layer, with the slug of the extension.
async fn layered_install(app: &TestApp, owner: &Person) -> (Uuid, String) {
    #[derive(QueryableByName)]
    struct Slug {
        #[diesel(sql_type = Text)]
        slug: String,
    }
    let id = install(app, owner, &[]).await;
    let sql = "UPDATE extension_versions SET manifest = manifest || '{\"targets\": [\"layer\"]}'
        WHERE id = (SELECT version_id FROM extension_installs WHERE id = $1)";
    execute(app, sql, id).await;
    let sql = "SELECT slug FROM extensions JOIN extension_installs ON extension_id = extensions.id
        WHERE extension_installs.id = $1";
    let mut db = app.databases.postgres.get().await.unwrap();
    let found: Slug = sql_query(sql).bind::<SqlUuid, _>(id).get_result(&mut *db).await.unwrap();
    (id, found.slug)
}

/// Kinds of the tokens of subjects that are not revoked, in order.
async fn tokens(app: &TestApp, subjects: &[&str]) -> Vec<String> {
    #[derive(QueryableByName)]
    struct Kind {
        #[diesel(sql_type = Text)]
        kind: String,
    }
    let sql = "SELECT kind FROM surface_tokens WHERE subject = ANY($1) AND revoked_at IS NULL ORDER BY kind";
    let subjects: Vec<String> = subjects.iter().map(|subject| (*subject).to_owned()).collect();
    let mut db = app.databases.postgres.get().await.unwrap();
    let found: Vec<Kind> = sql_query(sql).bind::<Array<Text>, _>(subjects).load(&mut *db).await.unwrap();
    found.into_iter().map(|row| row.kind).collect()
}

/// Gives a member a role for an object of a table `overlay_access` or `widget_access`.
async fn entry(app: &TestApp, kind: &str, object: Uuid, user: Uuid, role: &str) {
    let sql = format!(
        "INSERT INTO {kind}_access (id, account_id, {kind}_id, user_id, role, granted_by)
         SELECT gen_random_uuid(), account_id, id, $2, $3, $4 FROM {kind}s WHERE id = $1"
    );
    let mut db = app.databases.postgres.get().await.unwrap();
    let rows = sql_query(sql)
        .bind::<SqlUuid, _>(object)
        .bind::<SqlUuid, _>(user)
        .bind::<Text, _>(role)
        .bind::<Nullable<SqlUuid>, _>(None::<Uuid>)
        .execute(&mut *db)
        .await
        .unwrap();
    assert_eq!(rows, 1);
}
