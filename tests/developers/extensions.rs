//! Extensions over the developer API (reference/developers.md#developer-rest-api).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{DEADLINE, TestApp};
use serde_json::{Value, json};
use shared::schema::{developer_profiles, extensions};

use super::refused;

const PATH: &str = "/developer/v1/extensions";

#[tokio::test]
async fn developer_api_extension_is_created_read_updated_and_deleted() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let body = json!({ "name": " Hello World! ", "short_description": "Short", "description": "Long", "pricing": { "type": "free" } });
    let created = studio.key.post(PATH, body).await.expect(201)["extension"].clone();
    assert_eq!(
        (&created["slug"], &created["name"], &created["status"]),
        (&json!("hello-world"), &json!("Hello World!"), &json!("draft"))
    );
    assert_eq!(created.as_object().unwrap().len(), 5);

    let path = format!("{PATH}/{}", created["id"].as_str().unwrap());
    let read = studio.key.get(&path).await.expect(200).clone();
    let mut fields: Vec<&str> = read.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "createdAt",
            "currentVersionId",
            "description",
            "id",
            "installCount",
            "name",
            "pricing",
            "ratingCount",
            "short_description",
            "slug",
            "status",
            "updatedAt",
            "visibility",
        ]
    );
    assert_eq!((&read["visibility"], &read["pricing"]), (&json!("private"), &json!({ "type": "free" })));

    let changed = studio.key.patch(&path, json!({ "visibility": "unlisted", "description": "Longer" })).await;
    assert_eq!(changed.expect(200)["visibility"], "unlisted");
    assert_eq!(
        (&changed.body["description"], &changed.body["short_description"]),
        (&json!("Longer"), &json!("Short"))
    );

    let summary = studio.key.get(PATH).await.expect(200)["extensions"][0].clone();
    assert_eq!(summary.as_object().unwrap().len(), 9);
    assert_eq!(studio.key.delete(&path).await.status, 204);
    refused(&studio.key.get(&path).await, 404, "extension_not_found", "Extension not found");
    app.audited_once("extension:created").await;
    app.audited_once("extension:updated").await;
    app.audited_once("extension:deleted").await;
}

#[tokio::test]
async fn developer_api_delete_extension_notifies_accounts_with_an_install() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let extension = studio.extension("Greeter").await;
    studio.version(extension, "1.0.0", &json!({})).await;
    let body = json!({ "extension_id": extension, "granted_permissions": ["chat:read", "chat:send"] });
    let install = studio.person.post("/v1/extension-installs", body).await.data()["id"].clone();
    let (mut channel, mut messages) = app.state.redis.subscription().await.unwrap();
    let account = studio.person.account_id;
    let topic = app.state.events.topic(&format!("extensions:{account}"));
    channel.subscribe(&[&topic]).await.unwrap();

    assert_eq!(studio.key.delete(&format!("{PATH}/{extension}")).await.status, 204);
    let message = tokio::time::timeout(DEADLINE, messages.next()).await;
    let event: Value = serde_json::from_slice(message.unwrap().unwrap().get_payload_bytes()).unwrap();
    assert_eq!(
        (&event["event_type"], &event["data"]),
        (&json!("install:removed"), &json!({ "id": install }))
    );
}

#[tokio::test]
async fn developer_api_create_extension_validates_every_field() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    for (body, message) in [
        (json!({ "name": "  " }), "name must not be empty"),
        (json!({ "name": "x".repeat(256) }), "name must be between 1 and 255 characters"),
        (
            json!({ "name": "x", "pricing": { "type": "gold" } }),
            "pricing.type must be free, one_time or subscription",
        ),
        (
            json!({ "name": "x", "pricing": { "type": "one_time" } }),
            "Paid pricing requires developer verification",
        ),
        (json!({ "name": 1 }), "Invalid name: must be a string"),
        (json!({}), "Missing field: name"),
    ] {
        refused(&studio.key.post(PATH, body).await, 422, "validation_error", message);
    }
    assert_eq!(studio.key.get(PATH).await.expect(200)["extensions"], json!([]));

    let path = format!("{PATH}/{}", studio.extension("One").await);
    for (body, message) in [
        (json!({ "name": null }), "name cannot be null"),
        (json!({ "visibility": "system" }), "visibility must be private, unlisted, public or paid"),
        (json!({ "visibility": "paid" }), "Paid pricing requires developer verification"),
        (json!({ "description": "x".repeat(10_001) }), "description must be between 0 and 10000 characters"),
    ] {
        refused(&studio.key.patch(&path, body).await, 422, "validation_error", message);
    }
    assert_eq!(studio.key.get(&path).await.expect(200)["visibility"], "private");
}

#[tokio::test]
async fn developer_api_update_extension_lets_verified_developers_charge() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    diesel::update(developer_profiles::table.find(studio.profile_id))
        .set(developer_profiles::verified.eq(true))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let id = studio.extension("Gold").await;
    let body = json!({ "pricing": { "type": "subscription", "amount": 499 }, "visibility": "paid" });
    let changed = studio.key.patch(&format!("{PATH}/{id}"), body).await;
    let price = json!({ "type": "subscription", "amount": 499, "interval": "monthly" });
    assert_eq!(changed.expect(200)["pricing"], price);
    let without = json!({ "pricing": { "type": "one_time" } });
    refused(
        &studio.key.patch(&format!("{PATH}/{id}"), without).await,
        422,
        "validation_error",
        "pricing.amount must be between 100 and 9999 cents",
    );
}

#[tokio::test]
async fn developer_api_create_extension_gives_equal_names_different_slugs() {
    let app = TestApp::start().await;
    let (one, other) = (app.studio().await, app.studio().await);
    let slug = |answer: &Value| answer["extension"]["slug"].as_str().unwrap().to_owned();
    let first = slug(one.key.post(PATH, json!({ "name": "Same" })).await.expect(201));
    let second = slug(other.key.post(PATH, json!({ "name": "Same" })).await.expect(201));
    assert_eq!(first, "same");
    assert!(second.starts_with("same-") && second.len() == "same-".len() + 8, "{second}");
}

#[tokio::test]
async fn developer_api_extension_of_another_developer_is_not_found() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.studio().await, app.studio().await);
    let extension = owner.extension("Mine").await;
    let version = owner.version(extension, "1.0.0", &json!({})).await;
    let path = format!("{PATH}/{extension}");
    owner.key.put(&format!("{path}/secrets/a"), json!({ "value": "kept" })).await.expect(204);
    let own = format!("{PATH}/{}", stranger.extension("Theirs").await);
    let before = app.belongings_of(&owner.person).await;
    for answer in [
        stranger.key.get(&path).await,
        stranger.key.patch(&path, json!({ "name": "Stolen" })).await,
        stranger.key.delete(&path).await,
        stranger.key.get(&format!("{path}/versions")).await,
        stranger.key.get(&format!("{path}/versions/{version}")).await,
        stranger.key.get(&format!("{path}/installs")).await,
        stranger.key.get(&format!("{path}/secrets")).await,
        stranger.key.put(&format!("{path}/secrets/a"), json!({ "value": "v" })).await,
        stranger.key.delete(&format!("{path}/secrets/a")).await,
        stranger.key.post_raw(&format!("{path}/versions"), "multipart/form-data; boundary=x", "--x--").await,
    ] {
        refused(&answer, 404, "extension_not_found", "Extension not found");
    }
    let beside = stranger.key.get(&format!("{own}/versions/{version}")).await;
    refused(&beside, 404, "version_not_found", "Version not found");
    assert_eq!(app.belongings_of(&owner.person).await, before);
    owner.key.get(&format!("{path}/versions/{version}")).await.expect(200);
    let listed = stranger.key.get(PATH).await.expect(200)["extensions"].clone();
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
}

#[tokio::test]
async fn developer_api_extensions_pages_by_cursor_newest_first() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    for name in ["One", "Two", "Three"] {
        studio.extension(name).await;
    }
    let names = |page: &Value| -> Vec<String> {
        page["extensions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|e| e["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let first = studio.key.get(&format!("{PATH}?limit=2")).await.expect(200).clone();
    assert_eq!(names(&first), ["Three", "Two"]);
    let cursor = first["nextCursor"].as_str().unwrap();
    let second = studio.key.get(&format!("{PATH}?limit=2&cursor={cursor}")).await.expect(200).clone();
    assert_eq!(names(&second), ["One"]);
    assert_eq!(second["nextCursor"], Value::Null);
}

#[tokio::test]
async fn developer_api_delete_extension_refuses_a_listed_extension() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let id = studio.extension("Listed").await;
    diesel::update(extensions::table.find(id))
        .set(extensions::listed_at.eq(app.clock.now()))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let answer = studio.key.delete(&format!("{PATH}/{id}")).await;
    refused(&answer, 422, "validation_error", "An extension that was publicly listed cannot be deleted");
    studio.key.get(&format!("{PATH}/{id}")).await.expect(200);
}

#[tokio::test]
async fn developer_api_install_stats_counts_installs_by_state_and_version() {
    let app = TestApp::start().await;
    let (studio, stranger) = (app.studio().await, app.studio().await);
    let extension = studio.extension("Greeter").await;
    let version = studio.version(extension, "1.0.0", &json!({})).await;
    let path = format!("{PATH}/{extension}/installs");
    let none = studio.key.get(&path).await;
    assert_eq!(none.expect(200), &json!({ "total": 0, "active": 0, "byVersion": {} }));

    let body = json!({ "extension_id": extension, "granted_permissions": ["chat:read", "chat:send"] });
    let install = studio.person.post("/v1/extension-installs", body).await.data()["id"].clone();
    let by_version = json!({ version.to_string(): 1 });
    let one = studio.key.get(&path).await;
    assert_eq!(one.expect(200), &json!({ "total": 1, "active": 1, "byVersion": by_version }));
    let address = format!("/v1/extension-installs/{}", install.as_str().unwrap());
    studio.person.patch(&address, json!({ "enabled": false })).await.data();
    let off = studio.key.get(&path).await;
    assert_eq!(off.expect(200), &json!({ "total": 1, "active": 0, "byVersion": by_version }));

    refused(&stranger.key.get(&path).await, 404, "extension_not_found", "Extension not found");
    let weak = app.personal_key(&studio.person, &["extension-dev:create"]).await;
    refused(&weak.get(&path).await, 403, "forbidden", "Missing permission: extension-dev:read");
}
