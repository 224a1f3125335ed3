//! Applications of the deployment (reference/connections.md#system-applications).

use connection_model::applications;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, TestApp, both_refused};
use platforms_stand_in::Platform;
use serde_json::{Value, json};
use shared::schema::system_connections;
use uuid::Uuid;

use super::world::{begin, connect};

const ROW: &str = "{ platform kind configured clientIdHint decryptable updatedAt }";

async fn staff(app: &TestApp) -> Person {
    app.admin_with(&["system-connections:read", "system-connections:edit", "system-connections:delete"]).await
}

async fn put(caller: &Caller, platform: &str, body: Value) -> (Answer, Answer) {
    let rest = caller.put(&format!("/v1/admin/system-connections/{platform}"), body.clone()).await;
    let query = format!(
        "mutation($p: String!, $input: UpsertSystemConnectionInput!) {{
            adminUpsertSystemConnection(platform: $p, input: $input) {ROW} }}"
    );
    let kind = body["kind"].as_str().map(str::to_uppercase);
    let input = json!({ "clientId": body["client_id"], "clientSecret": body["client_secret"], "kind": kind });
    (rest, caller.graphql(&query, json!({ "p": platform, "input": input })).await)
}

async fn stored(app: &TestApp) -> Vec<(Uuid, String, String, Vec<u8>)> {
    system_connections::table
        .order((system_connections::platform, system_connections::kind))
        .select((
            system_connections::id,
            system_connections::platform,
            system_connections::kind,
            system_connections::client_secret,
        ))
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

fn of<'a>(rows: &'a Value, platform: &str, kind: &str) -> &'a Value {
    let rows = rows.as_array().unwrap();
    rows.iter().find(|row| row["platform"] == platform && row["kind"] == kind).expect("a row")
}

#[tokio::test]
async fn admin_system_connections_has_every_row_and_shows_no_secret() {
    let app = TestApp::start().await;
    let staff = staff(&app).await;
    let body = json!({ "client_id": "kick-client-abcd", "client_secret": "hush-hush", "kind": "channel" });
    let (rest, graphql) = put(&staff, "kick", body).await;
    assert_eq!((&rest.data()["client_id_hint"], &rest.data()["decryptable"]), (&json!("abcd"), &json!(true)));
    assert_eq!(graphql.field("adminUpsertSystemConnection")["kind"], "CHANNEL");
    let listed = staff.get("/v1/admin/system-connections").await;
    let rows = listed.data();
    assert_eq!(rows.as_array().unwrap().len(), 15);
    assert_eq!(of(rows, "kick", "channel")["configured"], true);
    assert_eq!(of(rows, "kick", "bot")["configured"], false);
    let login = of(rows, "kick", "login");
    assert_eq!(
        (&login["configured"], &login["updated_at"]),
        (&json!(true), &Value::Null),
        "in the configuration"
    );
    assert_eq!(
        of(rows, "trovo", "channel"),
        &json!({ "platform": "trovo", "kind": "channel", "configured": false,
        "client_id_hint": null, "decryptable": false, "updated_at": null })
    );
    let twin = staff.graphql(&format!("{{ adminSystemConnections {ROW} }}"), json!({})).await;
    assert_eq!(twin.field("adminSystemConnections").as_array().unwrap().len(), 15);
    for answer in [&rest, &graphql, &listed, &twin] {
        assert!(
            !answer.text.contains("hush-hush") && !answer.text.contains("kick-client"),
            "{}",
            answer.text
        );
    }
    let kept = stored(&app).await;
    assert_eq!(kept.len(), 1);
    let secret = applications::open(&app.state.keyring, "system_connections", kept[0].0, &kept[0].3).unwrap();
    assert_eq!(secret.unwrap().expose(), "hush-hush");
    let trail = app.audited("system_connection:saved").await;
    assert_eq!(trail.len(), 2);
    for entry in trail {
        assert_eq!((entry.scope.as_str(), entry.account_id), ("system", None));
        assert_eq!(entry.metadata["client_id_hint"], "abcd");
        assert!(!entry.metadata.to_string().contains("hush"));
    }
    app.stop().await;
}

#[tokio::test]
async fn admin_upsert_system_connection_is_used_by_accounts() {
    let app = TestApp::start().await;
    let (staff, owner) = (staff(&app).await, app.owner().await);
    let refused = owner.post("/v1/connections/channel/kick/authorize", json!({})).await;
    refused.refused("BAD_REQUEST", "App credentials not configured");
    app.platforms.register_app(Platform::Kick, "kick-client", "secret");
    let body = json!({ "client_id": "kick-client", "client_secret": "secret", "kind": "channel" });
    put(&staff, "kick", body).await.0.data();
    let (_, connection) = connect(&app, &owner, Platform::Kick, "streamer").await;
    assert_eq!(connection["credential_source"], "system");
    // A secret that cannot be decrypted is reported, and no other application is used instead.
    diesel::update(system_connections::table)
        .set(system_connections::client_secret.eq(b"\x04lost0123456789abcdefghijklmnop".to_vec()))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let listed = staff.get("/v1/admin/system-connections").await;
    assert_eq!(of(listed.data(), "kick", "channel")["decryptable"], false);
    let rest = owner.post("/v1/connections/channel/kick/authorize", json!({})).await;
    let query = "mutation { authorizeChannel(platform: \"kick\") { state } }";
    let graphql = owner.graphql(query, json!({})).await;
    let message = "The system credentials of this platform cannot be decrypted. Ask an operator to enter them again, \
        or enter your own under Connections, App credentials.";
    both_refused(&rest, &graphql, 409, "CREDENTIAL_DECRYPTION_FAILED", message);
    app.stop().await;
}

#[tokio::test]
async fn admin_upsert_system_connection_validates_every_field() {
    let app = TestApp::start().await;
    let staff = staff(&app).await;
    let body = |kind: &str| json!({ "client_id": "a", "client_secret": "b", "kind": kind });
    for (platform, body, message) in [
        ("x", body("channel"), "platform must be one of twitch, youtube, kick, trovo, spotify, discord"),
        ("spotify", body("bot"), "kind must be channel on spotify"),
        ("discord", body("channel"), "kind must be bot or login on discord"),
        (
            "kick",
            json!({ "client_id": "", "client_secret": "b", "kind": "bot" }),
            "client_id must not be empty",
        ),
        (
            "kick",
            json!({ "client_id": "a", "client_secret": " ", "kind": "bot" }),
            "client_secret must not be empty",
        ),
    ] {
        let (rest, graphql) = put(&staff, platform, body).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    let without = staff
        .put("/v1/admin/system-connections/kick", json!({ "client_id": "a", "client_secret": "b" }))
        .await;
    assert_eq!((without.status, without.error().0.as_str()), (400, "VALIDATION_ERROR"));
    assert!(stored(&app).await.is_empty());
    app.stop().await;
}

#[tokio::test]
async fn admin_delete_system_connection_deletes_one_kind_or_all() {
    let app = TestApp::start().await;
    let staff = staff(&app).await;
    for kind in ["channel", "bot", "login"] {
        put(&staff, "trovo", json!({ "client_id": "abcdefgh", "client_secret": "b", "kind": kind }))
            .await
            .0
            .data();
    }
    assert_eq!(staff.delete("/v1/admin/system-connections/trovo?kind=bot").await.status, 204);
    assert_eq!(stored(&app).await.len(), 2);
    let again = staff.delete("/v1/admin/system-connections/trovo?kind=bot").await;
    let query = "mutation { adminDeleteSystemConnection(platform: \"trovo\", kind: BOT) }";
    let graphql = staff.graphql(query, json!({})).await;
    both_refused(&again, &graphql, 404, "NOT_FOUND", "System connection not found");
    let graphql =
        staff.graphql("mutation { adminDeleteSystemConnection(platform: \"trovo\") }", json!({})).await;
    assert_eq!(graphql.field("adminDeleteSystemConnection"), json!(true));
    assert!(stored(&app).await.is_empty());
    assert_eq!(app.audited("system_connection:deleted").await.len(), 3);
    app.stop().await;
}

#[tokio::test]
async fn admin_system_connections_and_changes_need_the_admin_permission() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let rest = owner.get("/v1/admin/system-connections").await;
    let graphql = owner.graphql("{ adminSystemConnections { platform } }", json!({})).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: system-connections:read");
    let (rest, graphql) =
        put(&owner, "x", json!({ "client_id": "", "client_secret": "", "kind": "bot" })).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: system-connections:edit");
    let rest = owner.delete("/v1/admin/system-connections/kick").await;
    let graphql =
        owner.graphql("mutation { adminDeleteSystemConnection(platform: \"kick\") }", json!({})).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: system-connections:delete");
    begin(&owner, Platform::Twitch).await;
    app.stop().await;
}
