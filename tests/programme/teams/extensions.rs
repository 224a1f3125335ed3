//! Extensions of a team (reference/teams.md#extensions-of-a-team).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Person, TestApp, both_refused, extensions::Studio};
use serde_json::{Value, json};
use shared::schema::extensions;
use uuid::Uuid;

use super::{PATH, member, member_with, team};

const EXTENSIONS: &str = "/v1/developer/extensions";

/// A studio whose owner owns a team, and the team.
async fn studio_with_team(app: &TestApp) -> (Studio, Uuid) {
    let studio = app.studio().await;
    let slug = format!("team-{}", &Uuid::now_v7().simple().to_string()[16..]);
    let made = studio.person.post(PATH, json!({ "name": "Studio", "slug": slug })).await;
    let id = super::id(made.expect(201)["data"].get("id"));
    (studio, id)
}

async fn enabled(app: &TestApp, person: Person) -> Person {
    app.override_every_feature(person.account_id, true).await;
    person
}

#[tokio::test]
async fn transfer_extension_moves_it_to_a_team_and_back() {
    let app = TestApp::start().await;
    let (studio, team) = studio_with_team(&app).await;
    let id = studio.extension("Moved").await;
    let path = format!("{EXTENSIONS}/{id}/transfer");
    let moved = studio.person.post(&path, json!({ "team_id": team })).await;
    assert_eq!(moved.expect(200)["data"]["team_id"], json!(team));
    let entry = app.audited_once("extension:transferred").await;
    assert_eq!(entry.metadata["to"]["team_id"], json!(team));
    let input = json!({ "team_id": team });
    let rest = studio.person.post(&path, input.clone()).await;
    let graphql = studio.person.mutate_at("transferExtension", &[("id", id)], &input, "{ id teamId }").await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "The extension belongs to this owner already");
    let own = json!({ "team_id": null });
    let back = studio.person.mutate_at("transferExtension", &[("id", id)], &own, "{ id teamId }").await;
    assert_eq!(back.field("transferExtension")["team_id"], Value::Null);
    let absent = studio.person.post(&path, json!({})).await;
    absent.refused("VALIDATION_ERROR", "Missing field: team_id");
}

#[tokio::test]
async fn transfer_extension_needs_ownership_and_the_permission_in_the_target() {
    let app = TestApp::start().await;
    let (studio, own) = studio_with_team(&app).await;
    let id = studio.extension("Kept").await;
    let path = format!("{EXTENSIONS}/{id}/transfer");
    studio.person.post(&path, json!({ "team_id": own })).await.expect(200);
    let admin = enabled(&app, member(&app, &studio.person, own, "Admin").await).await;
    let (mine, target) = team(&app).await;
    super::join(&mine, &admin, target, "Admin").await.expect(200);
    let refused = admin.post(&path, json!({ "team_id": target })).await;
    refused.refused("FORBIDDEN", "Only the owner can transfer an extension");
    let foreign = studio.person.post(&path, json!({ "team_id": target })).await;
    foreign.refused("NOT_FOUND", "Team not found");
    let body = json!({ "name": "Readers", "permissions": ["team-members:read"] });
    mine.post(&format!("{PATH}/{target}/roles"), body).await.expect(201);
    super::join(&mine, &studio.person, target, "Readers").await.expect(200);
    let weak = studio.person.post(&path, json!({ "team_id": target })).await;
    weak.refused("FORBIDDEN", "Missing permission: team-extensions:create");
}

#[tokio::test]
async fn transfer_extension_keeps_prices_with_verified_owners() {
    let app = TestApp::start().await;
    let (studio, team) = studio_with_team(&app).await;
    let id = studio.extension("Priced").await;
    diesel::update(extensions::table.find(id))
        .set((extensions::pricing_type.eq("one_time"), extensions::pricing_amount.eq(100_i64)))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let refused =
        studio.person.post(&format!("{EXTENSIONS}/{id}/transfer"), json!({ "team_id": team })).await;
    refused.refused("CONFLICT", "Paid pricing requires developer verification");
}

#[tokio::test]
async fn create_extension_in_a_team_is_shared_by_its_members() {
    let app = TestApp::start().await;
    let (studio, team) = studio_with_team(&app).await;
    let plain = enabled(&app, member(&app, &studio.person, team, "Member").await).await;
    let made = plain.post(EXTENSIONS, json!({ "name": "Shared", "team_id": team })).await;
    let made = made.expect(201)["data"].clone();
    assert_eq!(made["team_id"], json!(team));
    let id = made["id"].as_str().unwrap();
    for person in [&studio.person, &plain] {
        let listed = person.get(EXTENSIONS).await.data().clone();
        assert!(listed.as_array().unwrap().iter().any(|one| one["id"] == made["id"]), "{listed}");
        person.get(&format!("{EXTENSIONS}/{id}")).await.expect(200);
    }
    let changed = plain.patch(&format!("{EXTENSIONS}/{id}"), json!({ "short_description": "Ours" })).await;
    assert_eq!(changed.data()["short_description"], "Ours");
    let tester = enabled(&app, member_with(&app, &studio.person, team, &["team-testers:read"]).await).await;
    let refused = tester.post(EXTENSIONS, json!({ "name": "Mine", "team_id": team })).await;
    refused.refused("FORBIDDEN", "Missing permission: team-extensions:create");
    assert_eq!(tester.get(EXTENSIONS).await.data(), &json!([]));
}

#[tokio::test]
async fn extensions_of_a_team_are_refused_by_permission_and_hidden_from_strangers() {
    let app = TestApp::start().await;
    let (studio, team) = studio_with_team(&app).await;
    let id = studio.extension("Guarded").await;
    let path = format!("{EXTENSIONS}/{id}");
    studio.person.post(&format!("{path}/transfer"), json!({ "team_id": team })).await.expect(200);
    let weak = enabled(&app, member_with(&app, &studio.person, team, &["team-settings:read"]).await).await;
    let stranger = enabled(&app, app.owner().await).await;
    let calls = [
        ("PATCH", String::new(), json!({ "name": "x" }), "team-extensions:edit"),
        ("DELETE", String::new(), json!({}), "team-extensions:delete"),
        ("PUT", "/visibility".to_owned(), json!({ "visibility": "unlisted" }), "team-extensions:publish"),
        ("GET", "/secrets".to_owned(), json!({}), "team-secrets:read"),
        ("PUT", "/secrets/key".to_owned(), json!({ "value": "v" }), "team-secrets:edit"),
        ("GET", "/testers".to_owned(), json!({}), "team-testers:read"),
        ("POST", "/testers".to_owned(), json!({ "username": "x" }), "team-testers:invite"),
        ("DELETE", format!("/testers/{}", Uuid::now_v7()), json!({}), "team-testers:remove"),
        ("GET", "/access".to_owned(), json!({}), "team-extensions:edit"),
        ("GET", "/errors".to_owned(), json!({}), "team-extensions:analytics"),
        ("GET", "/metrics".to_owned(), json!({}), "team-extensions:analytics"),
        ("POST", "/versions".to_owned(), json!({}), "team-versions:create"),
        ("POST", "/versions/1.0.0/withdraw".to_owned(), json!({}), "team-versions:edit"),
        ("POST", "/versions/1.0.0/request-publication".to_owned(), json!({}), "team-extensions:publish"),
    ];
    for (method, place, body, permission) in calls {
        let path = format!("{path}{place}");
        for (caller, expected) in [
            (&weak, ("FORBIDDEN", format!("Missing permission: {permission}"))),
            (&stranger, ("NOT_FOUND", "Extension not found".to_owned())),
        ] {
            let answer = match method {
                "GET" => caller.get(&path).await,
                "PATCH" => caller.patch(&path, body.clone()).await,
                "PUT" => caller.put(&path, body.clone()).await,
                "POST" => caller.post(&path, body.clone()).await,
                _ => caller.delete(&path).await,
            };
            assert_eq!(answer.error(), (expected.0.to_owned(), expected.1), "{method} {path}");
        }
    }
}

#[tokio::test]
async fn developer_api_extensions_of_a_team_end_with_the_membership() {
    let app = TestApp::start().await;
    let (studio, team) = studio_with_team(&app).await;
    let id = studio.extension("Keyed").await;
    let path = format!("{EXTENSIONS}/{id}/transfer");
    studio.person.post(&path, json!({ "team_id": team })).await.expect(200);
    let plain = member(&app, &studio.person, team, "Member").await;
    let key = app.personal_key(&plain, &["extension-dev:read", "extension-dev:edit"]).await;
    let listed = key.get("/developer/v1/extensions").await;
    assert_eq!(listed.body["extensions"][0]["id"], json!(id));
    let changed = key.patch(&format!("/developer/v1/extensions/{id}"), json!({ "name": "Ours" })).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let refused = key.put(&format!("/developer/v1/extensions/{id}/secrets/a"), json!({ "value": "v" })).await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    let theirs = super::membership(&studio.person, team, plain.user_id).await;
    assert_eq!(studio.person.delete(&format!("{PATH}/{team}/members/{theirs}")).await.status, 204);
    assert_eq!(key.get(&format!("/developer/v1/extensions/{id}")).await.status, 403);
}

#[tokio::test]
async fn delete_developer_team_refuses_a_team_with_installed_extensions() {
    let app = TestApp::start().await;
    let (studio, team) = studio_with_team(&app).await;
    let id = studio.extension("Installed").await;
    studio.version(id, "1.0.0", &json!({})).await;
    let path = format!("{EXTENSIONS}/{id}/transfer");
    studio.person.post(&path, json!({ "team_id": team })).await.expect(200);
    let other = studio.extension("Alone").await;
    studio
        .person
        .post(&format!("{EXTENSIONS}/{other}/transfer"), json!({ "team_id": team }))
        .await
        .expect(200);
    let body = json!({ "extension_id": id, "granted_permissions": ["chat:read", "chat:send"] });
    let installed = studio.person.post("/v1/extension-installs", body).await;
    assert_eq!(installed.status, 201, "{}", installed.text);
    let refused = studio.person.delete(&format!("{PATH}/{team}")).await;
    refused.refused("CONFLICT", "The team owns an extension with installs");
    let install = installed.data()["id"].as_str().unwrap();
    studio.person.delete(&format!("/v1/extension-installs/{install}")).await.expect(204);
    assert_eq!(studio.person.delete(&format!("{PATH}/{team}")).await.status, 204);
    let back = studio.person.get(&format!("{EXTENSIONS}/{other}")).await;
    assert_eq!(back.data()["extension"]["team_id"], Value::Null);
}
