//! Accounts (reference/accounts.md#accounts).

mod changes;
mod creation;

use lumio_tests::{TestApp, both_refused};
use serde_json::{Value, json};

const ACCOUNT: &str = "{ id name description slug avatarUrl ownerId plan { id slug name } primaryLoginConnectionId \
    memberCount createdAt updatedAt }";

#[tokio::test]
async fn accounts_lists_the_accounts_of_the_caller_on_both_protocols() {
    let app = TestApp::start().await;
    let (owner, other, _foreign) = (app.owner().await, app.owner_on("free").await, app.owner().await);
    app.join(other.account_id, owner.user_id, "viewer").await;
    let rest = owner.get("/v1/accounts").await;
    assert_eq!(rest.body["_links"], json!({ "self": "/v1/accounts" }));
    let ids: Vec<&Value> = rest.data().as_array().unwrap().iter().map(|account| &account["id"]).collect();
    assert_eq!(ids, [&json!(owner.account_id), &json!(other.account_id)]);
    assert_eq!((&rest.data()[0]["member_count"], &rest.data()[1]["member_count"]), (&json!(1), &json!(2)));
    assert_eq!(rest.data()[1]["plan"]["slug"], "free");
    let graphql = owner.graphql(&format!("{{ accounts {ACCOUNT} }}"), json!({})).await;
    assert_eq!(graphql.field("accounts"), *rest.data());
}

#[tokio::test]
async fn accounts_shows_account_credentials_only_their_own_account() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    app.join(other.account_id, owner.user_id, "viewer").await;
    for caller in [app.popout(&owner, &[]).await, app.service_key(owner.account_id, &[]).await] {
        let listed = caller.get("/v1/accounts").await;
        let ids: Vec<&Value> =
            listed.data().as_array().unwrap().iter().map(|account| &account["id"]).collect();
        assert_eq!(ids, [&json!(owner.account_id)]);
    }
    let key = app.personal_key(&owner, &[]).await;
    assert_eq!(key.get("/v1/accounts").await.data().as_array().unwrap().len(), 2);
    let (system, query) = (app.system_key().await, "{ accounts { id } }");
    let graphql = system.graphql(query, json!({})).await;
    let message = "This token cannot call the API";
    both_refused(&system.get("/v1/accounts").await, &graphql, 403, "FORBIDDEN", message);
    let anonymous = app.anonymous();
    let graphql = anonymous.graphql(query, json!({})).await;
    let message = "Authentication required";
    both_refused(&anonymous.get("/v1/accounts").await, &graphql, 401, "UNAUTHORIZED", message);
}

#[tokio::test]
async fn account_returns_the_active_account_on_both_protocols() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    app.join(other.account_id, owner.user_id, "viewer").await;
    let path = format!("/v1/accounts/{}", owner.account_id);
    let rest = owner.get(&path).await;
    assert_eq!(rest.body["_links"], json!({ "self": path }));
    assert_eq!(
        (&rest.data()["id"], &rest.data()["owner_id"]),
        (&json!(owner.account_id), &json!(owner.user_id))
    );
    let document = format!("query($id: UUID) {{ account(id: $id) {ACCOUNT} }}");
    for variables in [json!({}), json!({ "id": owner.account_id })] {
        assert_eq!(owner.graphql(&document, variables).await.field("account"), *rest.data());
    }
    // The caller is a member of it, but it is not the active account: other permissions apply there.
    let elsewhere = owner.get(&format!("/v1/accounts/{}", other.account_id)).await;
    let graphql = owner.graphql(&document, json!({ "id": other.account_id })).await;
    both_refused(&elsewhere, &graphql, 404, "NOT_FOUND", "Account not found");
    owner.get("/v1/accounts/mine").await.refused("VALIDATION_ERROR", "Invalid UUID: id");
    let viewer = app.member_as(owner.account_id, "viewer").await;
    let graphql = viewer.graphql(&document, json!({})).await;
    both_refused(&viewer.get(&path).await, &graphql, 403, "FORBIDDEN", "Missing permission: account:read");
    app.service_key(owner.account_id, &["account:read"]).await.get(&path).await.expect(200);
}

#[tokio::test]
async fn account_shows_connections_to_callers_with_the_permission() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    app.one_of_everything(&owner).await;
    let query = "{ account { id channelConnections { platform } botConnections { platform isCustom } } }";
    let account = owner.graphql(query, json!({})).await.field("account");
    assert_eq!(account["channel_connections"], json!([{ "platform": "twitch" }]));
    assert_eq!(account["bot_connections"], json!([{ "platform": "twitch", "is_custom": true }]));
    app.switch("platform:twitch:channel", false).await;
    let account = owner.graphql(query, json!({})).await.field("account");
    assert_eq!(account["channel_connections"], json!([]));
    let reader = app.member_with(owner.account_id, &["account:read"]).await;
    reader.graphql(query, json!({})).await.refused("FORBIDDEN", "Missing permission: connections:read");
}
