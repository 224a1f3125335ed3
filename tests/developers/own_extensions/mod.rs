//! Extensions of a developer on the main API (reference/developers.md#main-api).

mod access;
mod pricing;
mod secrets;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use shared::schema::extensions;
use uuid::Uuid;

const PATH: &str = "/v1/developer/extensions";
const EXTENSION: &str = "{ id teamId shortId slug name shortDescription description category visibility status
    pricing { type amount currency interval } iconKey screenshots tags supportUrl installCount ratingAvg ratingCount
    currentVersionId listedAt publishedAt createdAt updatedAt }";

async fn update(caller: &Caller, id: Uuid, body: Value) -> Answer {
    caller.patch(&format!("{PATH}/{id}"), body).await
}

async fn update_over_graphql(caller: &Caller, id: Uuid, input: &Value) -> Answer {
    caller.mutate_at("updateExtension", &[("id", id)], input, EXTENSION).await
}

async fn one_over_graphql(caller: &Caller, id: Uuid) -> Answer {
    let document = format!(
        "query($id: UUID!) {{ developerExtension(id: $id) {{ extension {EXTENSION} versions {{ id version status }} }} }}"
    );
    caller.graphql(&document, json!({ "id": id })).await
}

async fn set_status(app: &TestApp, id: Uuid, status: &str) {
    diesel::update(extensions::table.find(id))
        .set(extensions::status.eq(status))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

#[tokio::test]
async fn create_extension_and_read_and_update_agree_on_both_protocols() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let person = &studio.person;
    let body = json!({ "name": " Hello World! ", "short_description": "Short", "description": "Long" });
    let created = person.post(PATH, body).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let data = created.data().clone();
    assert_eq!(data.as_object().unwrap().len(), 23);
    assert_eq!(
        (&data["slug"], &data["name"], &data["status"], &data["visibility"]),
        (&json!("hello-world"), &json!("Hello World!"), &json!("draft"), &json!("private"))
    );
    assert_eq!(
        data["pricing"],
        json!({ "type": "free", "amount": null, "currency": null, "interval": null })
    );
    let id: Uuid = data["id"].as_str().unwrap().parse().unwrap();
    assert_eq!(created.body["_links"]["self"], format!("{PATH}/{id}"));
    let twin = person.mutate("createExtension", &json!({ "name": "Other" }), EXTENSION).await;
    assert_eq!(twin.field("createExtension")["slug"], "other");
    assert_eq!(app.audited("extension:created").await.len(), 2);

    let version = studio.version(id, "1.0.0", &json!({})).await;
    let detail = person.get(&format!("{PATH}/{id}")).await.data().clone();
    assert_eq!(detail["extension"]["status"], "in_review");
    assert_eq!(
        (&detail["versions"][0]["id"], &detail["versions"][0]["status"]),
        (&json!(version), &json!("pending"))
    );
    assert_eq!(
        one_over_graphql(person, id).await.field("developerExtension")["extension"],
        detail["extension"]
    );

    let changes = json!({ "name": "Hi", "tags": ["Chat"], "icon_key": "assets/i.png", "support_url": "https://a.example" });
    let changed = update(person, id, changes).await.data().clone();
    assert_eq!(
        (&changed["name"], &changed["tags"], &changed["description"], &changed["slug"]),
        (&json!("Hi"), &json!(["chat"]), &json!("Long"), &json!("hello-world"))
    );
    let cleared = update_over_graphql(person, id, &json!({ "icon_key": null, "support_url": null })).await;
    let cleared = cleared.field("updateExtension");
    assert_eq!(
        (&cleared["icon_key"], &cleared["support_url"], &cleared["name"]),
        (&Value::Null, &Value::Null, &json!("Hi"))
    );
    assert_eq!(app.audited("extension:updated").await.len(), 2);
}

#[tokio::test]
async fn developer_extensions_lists_own_extensions_newest_first() {
    let app = TestApp::start().await;
    let (studio, outsider) = (app.studio().await, app.owner().await);
    let person = &studio.person;
    let (one, two) = (studio.extension("One").await, studio.extension("Two").await);
    let listed = person.get(PATH).await;
    let ids: Vec<&Value> = listed.data().as_array().unwrap().iter().map(|e| &e["id"]).collect();
    assert_eq!(ids, [&json!(two), &json!(one)]);
    let document = format!("{{ developerExtensions {EXTENSION} }}");
    let graphql = person.graphql(&document, json!({})).await;
    assert_eq!(&graphql.field("developerExtensions"), listed.data());
    assert_eq!(outsider.get(PATH).await.data(), &json!([]));
    let member = app.member_with(person.account_id, &["chat:read"]).await;
    both_refused(
        &member.get(PATH).await,
        &member.graphql(&document, json!({})).await,
        403,
        "FORBIDDEN",
        "Missing permission: extension-dev:read",
    );
}

async fn delete(caller: &Caller, id: Uuid) -> (Answer, Answer) {
    let document = "mutation($id: UUID!) { deleteExtension(id: $id) }";
    (caller.delete(&format!("{PATH}/{id}")).await, caller.graphql(document, json!({ "id": id })).await)
}

#[tokio::test]
async fn delete_extension_removes_an_own_unlisted_extension() {
    let app = TestApp::start().await;
    let (studio, other) = (app.studio().await, app.studio().await);
    let person = &studio.person;
    let (one, two) = (studio.extension("One").await, studio.extension("Two").await);
    let (rest, graphql) = delete(&other.person, one).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Extension not found");
    let weak = app.personal_key(person, &["extension-dev:read"]).await;
    let (rest, graphql) = delete(&weak, one).await;
    let message = "This credential does not carry extension-dev:delete";
    both_refused(&rest, &graphql, 403, "FORBIDDEN", message);

    // The first call deletes it, and the second finds none.
    let (rest, graphql) = delete(person, one).await;
    rest.expect(204);
    graphql.refused("NOT_FOUND", "Extension not found");
    assert_eq!(person.get(PATH).await.data()[0]["id"], json!(two));
    let document = "mutation($id: UUID!) { deleteExtension(id: $id) }";
    let gone = person.graphql(document, json!({ "id": two })).await;
    assert_eq!(gone.field("deleteExtension"), json!(true));
    assert_eq!(person.get(PATH).await.data(), &json!([]));
    assert_eq!(app.audited("extension:deleted").await.len(), 2);
}

#[tokio::test]
async fn transfer_extension_finds_no_team() {
    let app = TestApp::start().await;
    let (studio, other) = (app.studio().await, app.studio().await);
    let id = studio.extension("Mine").await;
    let transfer = async |caller: &Caller| {
        let input = json!({ "team_id": Uuid::now_v7() });
        let rest = caller.post(&format!("{PATH}/{id}/transfer"), input.clone()).await;
        (rest, caller.mutate_at("transferExtension", &[("id", id)], &input, EXTENSION).await)
    };
    let (rest, graphql) = transfer(&studio.person).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Team not found");
    let (rest, graphql) = transfer(&other.person).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Extension not found");
    let weak = app.personal_key(&studio.person, &["extension-dev:read"]).await;
    let (rest, graphql) = transfer(&weak).await;
    let message = "This credential does not carry extension-dev:create";
    both_refused(&rest, &graphql, 403, "FORBIDDEN", message);
}

#[tokio::test]
async fn update_extension_and_create_validate_every_field() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let person = &studio.person;
    for (body, message) in [
        (json!({ "name": "  " }), "name must not be empty"),
        (json!({ "name": "x".repeat(256) }), "name must be between 1 and 255 characters"),
        (
            json!({ "name": "x", "pricing": { "type": "gold" } }),
            "pricing.type must be free, one_time or subscription",
        ),
        (
            json!({ "name": "x", "pricing": { "type": "one_time", "amount": 100 } }),
            "Paid pricing requires developer verification",
        ),
    ] {
        both_refused(
            &person.post(PATH, body.clone()).await,
            &person.mutate("createExtension", &body, EXTENSION).await,
            400,
            "VALIDATION_ERROR",
            message,
        );
    }
    let id = studio.extension("One").await;
    let path = "icon_key must be the path of a file below assets/";
    for (body, message) in [
        (json!({ "name": null }), "name cannot be null"),
        (json!({ "slug": "ab" }), "Slug must be between 3 and 50 characters"),
        (json!({ "slug": "1abc" }), "Slug must start with a lowercase letter"),
        (json!({ "slug": "a_bc" }), "Slug must contain only lowercase letters, digits, and hyphens"),
        (json!({ "slug": "system-timer" }), "Slug must not start with system-"),
        (json!({ "icon_key": "layer.js" }), path),
        (json!({ "icon_key": "assets/../x" }), path),
        (json!({ "screenshots": vec!["assets/a.png"; 11] }), "screenshots must have at most 10 entries"),
        (json!({ "tags": ["a", "b", "c", "d", "e", "f"] }), "tags must have at most 5 entries"),
        (json!({ "tags": ["a", "A"] }), "tags must not repeat an entry"),
        (json!({ "tags": ["x".repeat(31)] }), "tags must be between 1 and 30 characters"),
        (json!({ "support_url": "http://a.example" }), "support_url must be an https address"),
        (json!({ "support_url": "javascript:alert(1)" }), "support_url must be an https address"),
        (json!({ "status": "approved" }), "status can be set to archived only"),
    ] {
        both_refused(
            &update(person, id, body.clone()).await,
            &update_over_graphql(person, id, &body).await,
            400,
            "VALIDATION_ERROR",
            message,
        );
    }
    assert!(app.audited("extension:updated").await.is_empty());
}

#[tokio::test]
async fn update_extension_changes_the_slug_until_the_first_listing() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let (person, id) = (&studio.person, studio.extension("One").await);
    studio.extension("Taken").await;
    let refused = async |body: Value, message: &str| {
        both_refused(
            &update(person, id, body.clone()).await,
            &update_over_graphql(person, id, &body).await,
            409,
            "CONFLICT",
            message,
        );
    };
    refused(json!({ "slug": "taken" }), "Slug is already taken").await;
    assert_eq!(update(person, id, json!({ "slug": "one" })).await.data()["slug"], "one", "no change");
    assert_eq!(update(person, id, json!({ "slug": "first-choice" })).await.data()["slug"], "first-choice");
    refused(json!({ "slug": "second-choice" }), "The slug can be changed once only").await;
    let listed = studio.extension("Listed").await;
    diesel::update(extensions::table.find(listed))
        .set(extensions::listed_at.eq(app.clock.now()))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let frozen = update(person, listed, json!({ "slug": "too-late" })).await;
    frozen.refused("CONFLICT", "The slug is frozen after the first public listing");
    let (rest, graphql) = delete(person, listed).await;
    let message = "An extension that was publicly listed cannot be deleted";
    both_refused(&rest, &graphql, 409, "CONFLICT", message);

    refused(json!({ "status": "archived" }), "Only an approved extension can be archived").await;
    set_status(&app, id, "approved").await;
    assert_eq!(update(person, id, json!({ "status": "archived" })).await.data()["status"], "archived");
    let changes: Vec<Value> =
        app.audited("extension:updated").await.into_iter().map(|entry| entry.metadata).collect();
    assert!(changes.contains(&json!({ "slug": { "from": "one", "to": "first-choice" } })), "{changes:?}");
    assert!(changes.contains(&json!({ "status": { "from": "approved", "to": "archived" } })), "{changes:?}");
}

#[tokio::test]
async fn create_extension_is_limited_to_25_per_developer() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let person = &studio.person;
    studio.extension("First").await;
    diesel::sql_query(
        "INSERT INTO extensions (id, short_id, slug, name, owner_developer_id)
         SELECT gen_random_uuid(), 's' || n, 'slug-' || n, 'N', $1 FROM generate_series(1, 24) AS n",
    )
    .bind::<diesel::sql_types::Uuid, _>(studio.profile_id)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    both_refused(
        &person.post(PATH, json!({ "name": "One more" })).await,
        &person.mutate("createExtension", &json!({ "name": "One more" }), EXTENSION).await,
        403,
        "PLAN_LIMIT_REACHED",
        "A developer can have at most 25 extensions",
    );
    assert_eq!(person.get(PATH).await.data().as_array().unwrap().len(), 25);
}
