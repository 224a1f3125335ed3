//! Changes of an account: name, description and primary login connection (reference/accounts.md#account).

use lumio_tests::{Caller, TestApp, both_refused};
use serde_json::{Value, json};

use super::ACCOUNT;
use crate::login_connection;

#[tokio::test]
async fn update_account_changes_the_name_and_the_description() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let path = format!("/v1/accounts/{}", owner.account_id);
    let update = async |caller: &Caller, input: &Value| caller.patch(&path, input.clone()).await;
    let changed = update(&owner, &json!({ "name": " Night shift ", "description": "Late" })).await;
    assert_eq!(
        (&changed.data()["name"], &changed.data()["description"]),
        (&json!("Night shift"), &json!("Late"))
    );
    let audited = app.audited_once("account:updated").await;
    assert_eq!((audited.account_id, audited.actor_id), (Some(owner.account_id), Some(owner.user_id)));
    assert_eq!(audited.metadata, json!({ "changed": ["name", "description"] }));
    let twin = owner.mutate("updateAccount", &json!({ "description": null }), ACCOUNT).await;
    let twin = twin.field("updateAccount");
    assert_eq!((&twin["name"], &twin["description"]), (&json!("Night shift"), &Value::Null));
    update(&owner, &json!({})).await.expect(200);
    assert_eq!(app.audited("account:updated").await.len(), 2);

    for (input, message) in [
        (json!({ "name": "" }), "name must not be empty"),
        (json!({ "name": null }), "name cannot be null"),
        (json!({ "name": "x".repeat(101) }), "name must be between 1 and 100 characters"),
        (json!({ "description": "x".repeat(501) }), "description must be between 0 and 500 characters"),
    ] {
        let graphql = owner.mutate("updateAccount", &input, "{ id }").await;
        both_refused(&update(&owner, &input).await, &graphql, 400, "VALIDATION_ERROR", message);
    }
    let viewer = app.member_as(owner.account_id, "viewer").await;
    let graphql = viewer.mutate("updateAccount", &json!({}), "{ id }").await;
    let rest = update(&viewer, &json!({})).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: account:edit");
    let other = app.owner().await;
    update(&other, &json!({ "name": "Mine" })).await.refused("NOT_FOUND", "Account not found");
    assert_eq!(owner.get(&path).await.data()["name"], "Night shift");
}

#[tokio::test]
async fn set_primary_login_connection_is_for_the_owner_and_sets_the_avatar() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let administrator = app.member_as(owner.account_id, "administrator").await;
    let [own, of_administrator] = [
        login_connection(&app, owner.user_id, "twitch").await,
        login_connection(&app, administrator.user_id, "kick").await,
    ];
    let set = async |caller: &Caller, input: &Value| {
        let rest = caller.put("/v1/accounts/primary-connection", input.clone()).await;
        (rest, caller.mutate("setPrimaryLoginConnection", input, ACCOUNT).await)
    };
    let (rest, graphql) = set(&owner, &json!({ "login_connection_id": own })).await;
    assert_eq!(rest.data()["primary_login_connection_id"], json!(own));
    assert_eq!(rest.data()["avatar_url"], "https://cdn.example/twitch.png");
    assert_eq!(graphql.field("setPrimaryLoginConnection")["primary_login_connection_id"], json!(own));
    let audited = app.audited("account:primary_connection_set").await;
    assert_eq!(audited.len(), 2);
    assert_eq!(audited[0].metadata, json!({ "login_connection_id": own }));
    let (rest, _) =
        set(&owner, &json!({ "account_id": owner.account_id, "login_connection_id": null })).await;
    assert_eq!(
        (&rest.data()["primary_login_connection_id"], &rest.data()["avatar_url"]),
        (&Value::Null, &Value::Null)
    );

    let (rest, graphql) = set(&owner, &json!({})).await;
    let message = "login_connection_id is required; null for none";
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    let (rest, graphql) = set(&owner, &json!({ "login_connection_id": of_administrator })).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Login connection not found");
    let (rest, graphql) = set(&administrator, &json!({ "login_connection_id": of_administrator })).await;
    let message = "Only the account owner can set the primary connection";
    both_refused(&rest, &graphql, 403, "FORBIDDEN", message);
    let foreign = json!({ "account_id": other.account_id, "login_connection_id": own });
    let (rest, graphql) = set(&owner, &foreign).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Account not found");
    let popout = app.popout(&owner, &[]).await;
    let (rest, graphql) = set(&popout, &json!({ "login_connection_id": own })).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "First-party session required");
}
