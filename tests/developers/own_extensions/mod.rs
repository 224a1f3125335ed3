//! A developer's extensions on the main API (specification C B1.1, B1.2, B1.6).

mod access;
mod pricing;
mod secrets;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use shared::db::schema::extensions;
use uuid::Uuid;

const PATH: &str = "/v1/developer/extensions";
const EXTENSION: &str = "{ id shortId slug name shortDescription description category visibility status
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
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

#[tokio::test]
async fn an_extension_is_created_read_changed_and_deleted_on_both_protocols() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let person = &studio.person;
    let body = json!({ "name": " Hello World! ", "short_description": "Short", "description": "Long" });
    let created = person.post(PATH, body).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let data = created.data().clone();
    assert_eq!(data.as_object().unwrap().len(), 22);
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
    let other: Uuid = twin.field("createExtension")["id"].as_str().unwrap().parse().unwrap();
    assert_eq!(app.audited("extension:created").await.len(), 2);

    let listed = person.get(PATH).await;
    let ids: Vec<&Value> = listed.data().as_array().unwrap().iter().map(|e| &e["id"]).collect();
    assert_eq!(ids, [&json!(other), &json!(id)], "newest first");
    let graphql = person.graphql(&format!("{{ developerExtensions {EXTENSION} }}"), json!({})).await;
    assert_eq!(&graphql.field("developerExtensions"), listed.data());
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

    assert_eq!(person.delete(&format!("{PATH}/{id}")).await.status, 204);
    let document = "mutation($id: UUID!) { deleteExtension(id: $id) }";
    let gone = person.graphql(document, json!({ "id": other })).await;
    assert_eq!(gone.field("deleteExtension"), json!(true));
    assert_eq!(person.get(PATH).await.data(), &json!([]));
    assert_eq!(app.audited("extension:deleted").await.len(), 2);
}

#[tokio::test]
async fn wrong_fields_are_named_on_both_protocols() {
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
async fn the_slug_changes_once_before_the_first_listing_and_approved_extensions_retire() {
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
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let frozen = update(person, listed, json!({ "slug": "too-late" })).await;
    frozen.refused("CONFLICT", "The slug is frozen after the first public listing");
    let document = "mutation($id: UUID!) { deleteExtension(id: $id) }";
    both_refused(
        &person.delete(&format!("{PATH}/{listed}")).await,
        &person.graphql(document, json!({ "id": listed })).await,
        409,
        "CONFLICT",
        "An extension that was publicly listed cannot be deleted",
    );

    refused(json!({ "status": "archived" }), "Only an approved extension can be archived").await;
    set_status(&app, id, "approved").await;
    assert_eq!(update(person, id, json!({ "status": "archived" })).await.data()["status"], "archived");
    let told: Vec<Value> =
        app.audited("extension:updated").await.into_iter().map(|entry| entry.metadata).collect();
    assert!(told.contains(&json!({ "slug": { "from": "one", "to": "first-choice" } })), "{told:?}");
    assert!(told.contains(&json!({ "status": { "from": "approved", "to": "archived" } })), "{told:?}");
}

#[tokio::test]
async fn twenty_five_extensions_are_the_most_and_no_team_takes_one() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let person = &studio.person;
    let id = studio.extension("First").await;
    diesel::sql_query(
        "INSERT INTO extensions (id, short_id, slug, name, owner_developer_id)
         SELECT gen_random_uuid(), 's' || n, 'slug-' || n, 'N', $1 FROM generate_series(1, 24) AS n",
    )
    .bind::<diesel::sql_types::Uuid, _>(studio.profile_id)
    .execute(&mut *app.state.databases.postgres.get().await.unwrap())
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
    let input = json!({ "team_id": Uuid::now_v7() });
    both_refused(
        &person.post(&format!("{PATH}/{id}/transfer"), input.clone()).await,
        &person.mutate_at("transferExtension", &[("id", id)], &input, EXTENSION).await,
        404,
        "NOT_FOUND",
        "Team not found",
    );
}
