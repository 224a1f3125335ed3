//! App credentials of an account (reference/connections.md#app-credentials).

use connection_model::applications;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use shared::schema::app_credentials;
use uuid::Uuid;

const RECORD: &str = "{ platform kind clientIdHint decryptable updatedAt }";

async fn save(caller: &Caller, platform: &str, body: Value) -> (Answer, Answer) {
    let rest = caller.put(&format!("/v1/connections/app-credentials/{platform}"), body.clone()).await;
    let query = format!(
        "mutation($p: String!, $input: SaveAppCredentialsInput!) {{ saveAppCredentials(platform: $p, input: $input) {RECORD} }}"
    );
    let kind = body["kind"].as_str().map(str::to_uppercase);
    let input = json!({ "clientId": body["client_id"], "clientSecret": body["client_secret"], "kind": kind });
    (rest, caller.graphql(&query, json!({ "p": platform, "input": input })).await)
}

async fn stored(app: &TestApp) -> Vec<(Uuid, String, String, Vec<u8>)> {
    app_credentials::table
        .order(app_credentials::platform)
        .select((
            app_credentials::id,
            app_credentials::platform,
            app_credentials::client_id,
            app_credentials::client_secret,
        ))
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

#[tokio::test]
async fn app_credentials_shows_a_hint_of_the_stored_client_id_only() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let body = json!({ "client_id": " client-abcd ", "client_secret": "hush-hush" });
    let (rest, graphql) = save(&owner, "youtube", body).await;
    assert_eq!(rest.status, 200);
    let record = rest.data();
    assert_eq!((&record["platform"], &record["kind"]), (&json!("youtube"), &json!("channel")));
    assert_eq!((&record["client_id_hint"], &record["decryptable"]), (&json!("abcd"), &json!(true)));
    assert_eq!(graphql.field("saveAppCredentials")["kind"], "CHANNEL");
    let listed = owner.get("/v1/connections/app-credentials").await;
    let twin =
        owner.graphql(&format!("{{ appCredentials {RECORD} }}"), json!({})).await.field("appCredentials");
    assert_eq!(listed.data().as_array().unwrap().len(), 1, "one record a platform");
    assert_eq!(twin[0]["client_id_hint"], "abcd");
    for answer in [&rest, &graphql, &listed] {
        assert!(
            !answer.text.contains("hush-hush") && !answer.text.contains("client-abcd"),
            "{}",
            answer.text
        );
    }
    let rows = stored(&app).await;
    assert_eq!((rows.len(), rows[0].2.as_str()), (1, "client-abcd"));
    assert!(!rows[0].3.windows(9).any(|part| part == b"hush-hush"));
    let secret = applications::open(&app.state.keyring, "app_credentials", rows[0].0, &rows[0].3).unwrap();
    assert_eq!(secret.unwrap().expose(), "hush-hush");
    let trail = app.audited("app_credentials:saved").await;
    assert_eq!(trail.len(), 2);
    assert!(trail.iter().all(|entry| !entry.metadata.to_string().contains("hush")), "{trail:?}");
    app.stop().await;
}

#[tokio::test]
async fn save_app_credentials_replaces_the_record_of_the_platform() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let credentials = |id: &str, kind: &str| json!({ "client_id": id, "client_secret": "s", "kind": kind });
    save(&owner, "kick", credentials("first-1111", "channel")).await.0.data();
    let first = stored(&app).await;
    save(&owner, "kick", credentials("second-2222", "bot")).await.0.data();
    let second = stored(&app).await;
    assert_eq!((second.len(), second[0].0), (1, first[0].0));
    let listed = owner.get("/v1/connections/app-credentials").await;
    assert_eq!(
        (&listed.data()[0]["kind"], &listed.data()[0]["client_id_hint"]),
        (&json!("bot"), &json!("2222"))
    );
    app.stop().await;
}

#[tokio::test]
async fn save_app_credentials_repairs_undecryptable_records() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    save(&owner, "youtube", json!({ "client_id": "client-abcd", "client_secret": "s" })).await.0.data();
    diesel::update(app_credentials::table)
        .set(app_credentials::client_secret.eq(b"\x04lost0123456789abcdefghijklmnop".to_vec()))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let listed = owner.get("/v1/connections/app-credentials").await;
    assert_eq!(
        (&listed.data()[0]["decryptable"], &listed.data()[0]["client_id_hint"]),
        (&json!(false), &json!("abcd"))
    );
    let (rest, _) =
        save(&owner, "youtube", json!({ "client_id": "client-abcd", "client_secret": "s" })).await;
    assert_eq!(rest.data()["decryptable"], true);
    app.stop().await;
}

#[tokio::test]
async fn save_app_credentials_validates_every_field() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let long = "x".repeat(1025);
    for (platform, body, message) in [
        (
            "discord",
            json!({ "client_id": "a", "client_secret": "b" }),
            "platform must be one of twitch, youtube, kick, trovo, spotify",
        ),
        ("kick", json!({ "client_id": " ", "client_secret": "b" }), "client_id must not be empty"),
        ("kick", json!({ "client_id": "a", "client_secret": "" }), "client_secret must not be empty"),
        (
            "kick",
            json!({ "client_id": "a", "client_secret": long }),
            "client_secret must be between 1 and 1024 characters",
        ),
        (
            "kick",
            json!({ "client_id": "x".repeat(256), "client_secret": "b" }),
            "client_id must be between 1 and 255 characters",
        ),
        (
            "kick",
            json!({ "client_id": "a\u{7}b", "client_secret": "b" }),
            "client_id must not contain control characters",
        ),
        (
            "spotify",
            json!({ "client_id": "a", "client_secret": "b", "kind": "bot" }),
            "kind must be channel on spotify",
        ),
    ] {
        let (rest, graphql) = save(&owner, platform, body).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    let login = json!({ "client_id": "a", "client_secret": "b", "kind": "login" });
    let wrong = owner.put("/v1/connections/app-credentials/kick", login).await;
    assert_eq!((wrong.status, wrong.error().0.as_str()), (400, "VALIDATION_ERROR"));
    assert!(stored(&app).await.is_empty());
    app.stop().await;
}

#[tokio::test]
async fn delete_app_credentials_deletes_the_record_once() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    save(&owner, "kick", json!({ "client_id": "client-abcd", "client_secret": "s" })).await.0.data();
    let query = "mutation { deleteAppCredentials(platform: \"kick\") }";
    let rest = stranger.delete("/v1/connections/app-credentials/kick").await;
    let graphql = stranger.graphql(query, json!({})).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "App credentials not found");
    assert_eq!(stored(&app).await.len(), 1);
    assert_eq!(owner.graphql(query, json!({})).await.field("deleteAppCredentials"), json!(true));
    assert!(stored(&app).await.is_empty());
    let entry = app.audited_once("app_credentials:deleted").await;
    assert_eq!(
        (entry.account_id, &entry.metadata["client_id_hint"]),
        (Some(owner.account_id), &json!("abcd"))
    );
    save(&owner, "kick", json!({ "client_id": "client-abcd", "client_secret": "s" })).await.0.data();
    assert_eq!(owner.delete("/v1/connections/app-credentials/kick").await.status, 204);
    app.stop().await;
}

#[tokio::test]
async fn app_credentials_and_their_changes_need_their_permissions() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["chat:read"]).await;
    let graphql = member.graphql("{ appCredentials { platform } }", json!({})).await;
    let rest = member.get("/v1/connections/app-credentials").await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: connections:read");
    let (rest, graphql) = save(&member, "kick", json!({ "client_id": "", "client_secret": "" })).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: connections:create");
    let rest = member.delete("/v1/connections/app-credentials/kick").await;
    let graphql = member.graphql("mutation { deleteAppCredentials(platform: \"kick\") }", json!({})).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: connections:delete");
    app.stop().await;
}
