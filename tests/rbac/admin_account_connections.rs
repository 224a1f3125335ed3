//! Connections of accounts that staff disconnects (reference/administration.md#accounts-of-staff).

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, TestApp};
use serde_json::json;
use shared::{
    id,
    schema::{bot_connections, channel_connections},
};
use uuid::Uuid;

use super::{
    Both,
    admin_accounts::{admin, find},
    refused,
};

pub(super) async fn disconnect(caller: &Caller, id: Uuid, kind: &str, platform: &str) -> Both {
    let field = if kind == "channel" { "adminDisconnectAccountChannel" } else { "adminDisconnectAccountBot" };
    let document = format!("mutation {{ {field}(accountId: \"{id}\", platform: \"{platform}\") }}");
    (
        caller.delete(&format!("/v1/admin/accounts/{id}/{kind}-connections/{platform}")).await,
        caller.graphql(&document, json!({})).await,
    )
}

/// A channel and a bot of the account, without tokens.
async fn connect(app: &TestApp, account: Uuid, platform: &str) {
    let mut db = app.databases.postgres.get().await.unwrap();
    insert_into(channel_connections::table)
        .values((
            channel_connections::id.eq(id::new()),
            channel_connections::account_id.eq(account),
            channel_connections::platform.eq(platform),
            channel_connections::platform_channel_id.eq(account.to_string()),
            channel_connections::channel_name.eq("ada"),
            channel_connections::display_name.eq("Ada"),
            channel_connections::credential_source.eq("system"),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    insert_into(bot_connections::table)
        .values((
            bot_connections::id.eq(id::new()),
            bot_connections::account_id.eq(account),
            bot_connections::platform.eq(platform),
            bot_connections::bot_user_id.eq(account.to_string()),
            bot_connections::bot_username.eq("adabot"),
            bot_connections::display_name.eq("AdaBot"),
            bot_connections::credential_source.eq("system"),
            bot_connections::credential_app.eq("bot"),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
}

/// Disconnects the connection of the account on Twitch: the first call ends it, and the second finds none.
async fn ended(app: &TestApp, admin: &Caller, account: Uuid, kind: &str) {
    let platforms = if kind == "channel" {
        "twitch, youtube, kick, trovo, spotify"
    } else {
        "twitch, youtube, kick, trovo"
    };
    let both = disconnect(admin, account, kind, "myspace").await;
    refused(&both, 400, "VALIDATION_ERROR", &format!("platform must be one of {platforms}"));
    let (rest, graphql) = disconnect(admin, account, kind, "twitch").await;
    rest.expect(204);
    graphql.refused("NOT_FOUND", "Connection not found");
    let entry = app.audited_once("connection:disconnected").await;
    assert_eq!((entry.account_id, &entry.metadata), (Some(account), &json!({ "platform": "twitch" })));
}

#[tokio::test]
async fn admin_disconnect_account_channel_removes_the_channel_of_the_account_only() {
    let app = TestApp::start().await;
    let (admin, owner, other) = (admin(&app).await, app.owner().await, app.owner().await);
    for person in [&owner, &other] {
        connect(&app, person.account_id, "twitch").await;
    }
    let (rest, graphql) = find(&admin, owner.account_id).await;
    assert_eq!(graphql.field("adminAccount"), *rest.data());
    assert_eq!(rest.data()["channel_connections"][0]["username"], "ada");
    assert_eq!(rest.data()["bot_connections"][0]["username"], "adabot");
    ended(&app, &admin, owner.account_id, "channel").await;
    let (rest, _) = find(&admin, owner.account_id).await;
    assert_eq!(rest.data()["channel_connections"], json!([]));
    assert_eq!(rest.data()["bot_connections"].as_array().unwrap().len(), 1);
    let (rest, _) = find(&admin, other.account_id).await;
    assert_eq!(rest.data()["channel_connections"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn admin_disconnect_account_bot_removes_the_bot_of_the_account_only() {
    let app = TestApp::start().await;
    let (admin, owner, other) = (admin(&app).await, app.owner().await, app.owner().await);
    for person in [&owner, &other] {
        connect(&app, person.account_id, "twitch").await;
    }
    let both = disconnect(&owner, owner.account_id, "bot", "twitch").await;
    refused(&both, 403, "FORBIDDEN", "Missing permission: accounts:edit");
    ended(&app, &admin, owner.account_id, "bot").await;
    let (rest, _) = find(&admin, owner.account_id).await;
    assert_eq!(rest.data()["bot_connections"], json!([]));
    assert_eq!(rest.data()["channel_connections"].as_array().unwrap().len(), 1);
    let (_, graphql) = find(&admin, other.account_id).await;
    assert_eq!(graphql.field("adminAccount")["bot_connections"][0]["username"], "adabot");
}
