//! Permissions to manage tokens, permissions that a token may carry, and the user that it acts for
//! (reference/credentials.md#popout-permissions).

use chrono::Duration;
use lumio_tests::{Caller, SocketRequest, TestApp, both_refused};
use serde_json::json;
use shared::catalogue::{AccountPermission, Permission};
use uuid::Uuid;

use super::{
    TOKEN, create, create_over_graphql, delete_over_graphql, find_over_graphql, permissions_of, stored,
    update_over_graphql,
};
use crate::text;

#[tokio::test]
async fn delete_popout_token_and_others_need_their_permissions() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &[]).await;
    let id = Uuid::now_v7().to_string();
    let (path, input) = (format!("/v1/tokens/{id}"), json!({ "permissions": ["chat:read"] }));
    let calls = async |caller: &Caller| {
        let list = format!("{{ popoutTokens {TOKEN} }}");
        [
            ("tokens:create", create(caller, input.clone()).await, create_over_graphql(caller, &input).await),
            ("tokens:read", caller.get("/v1/tokens").await, caller.graphql(&list, json!({})).await),
            ("tokens:read", caller.get(&path).await, find_over_graphql(caller, &id).await),
            (
                "tokens:edit",
                caller.patch(&path, json!({})).await,
                update_over_graphql(caller, &id, &json!({})).await,
            ),
            ("tokens:delete", caller.delete(&path).await, delete_over_graphql(caller, &id).await),
        ]
    };
    for (_, rest, graphql) in calls(&app.anonymous()).await {
        both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    }
    for (permission, rest, graphql) in calls(&member).await {
        both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("Missing permission: {permission}"));
    }
    let all = ["tokens:read", "tokens:create", "tokens:edit", "tokens:delete", "chat:read"];
    let scoped = [app.popout(&owner, &all).await, app.service_key(owner.account_id, &all).await];
    for caller in &scoped {
        let [created, listed, found, changed, deleted] = calls(caller).await;
        both_refused(&created.1, &created.2, 403, "FORBIDDEN", "First-party session required");
        assert_eq!(listed.2.field("popoutTokens"), *listed.1.data());
        for (_, rest, graphql) in [found, changed, deleted] {
            both_refused(&rest, &graphql, 404, "NOT_FOUND", "Popout token not found");
        }
    }
    assert_eq!(stored(&app).await, 1, "only the popout that the test wrote");
}

#[tokio::test]
async fn create_popout_token_refuses_wildcards_and_tokens_create() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let id = create(&owner, json!({ "permissions": ["chat:read"] })).await;
    let id = text(id.data(), "/popout_token/id");
    let every: Vec<&str> = AccountPermission::ALL.iter().map(|permission| permission.text()).collect();
    let too_many: Vec<&str> = every.iter().copied().chain(["chat:read"]).collect();
    let number = "permissions must hold between 1 and 123 permissions".to_owned();
    let mut wrong = vec![(json!([]), number.clone()), (json!(too_many), number)];
    for permission in
        ["", "*", "*:*", "chat:*", "chat", "chat:none", "ideas:read", "admin:access", "tokens:create"]
    {
        wrong.push((json!(["chat:read", permission]), format!("Invalid permission: {permission}")));
    }
    for (permissions, message) in wrong {
        let input = json!({ "permissions": permissions });
        let (rest, graphql) =
            (create(&owner, input.clone()).await, create_over_graphql(&owner, &input).await);
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", &message);
        let rest = owner.patch(&format!("/v1/tokens/{id}"), input.clone()).await;
        both_refused(
            &rest,
            &update_over_graphql(&owner, id, &input).await,
            400,
            "VALIDATION_ERROR",
            &message,
        );
    }
    create(&owner, json!({})).await.refused("VALIDATION_ERROR", "Missing field: permissions");
    assert_eq!((stored(&app).await, app.audited("popout_token:updated").await.len()), (1, 0));
    let most: Vec<&str> = every.into_iter().filter(|permission| *permission != "tokens:create").collect();
    let largest = create(&owner, json!({ "permissions": most })).await;
    assert_eq!(largest.data()["popout_token"]["permissions"].as_array().unwrap().len(), 122);
}

#[tokio::test]
async fn create_popout_token_grants_no_more_than_the_caller_holds() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["tokens:create", "tokens:edit", "chat:read"]).await;
    let beyond = json!({ "permissions": ["chat:read", "chat:ban"] });
    let (rest, graphql) =
        (create(&member, beyond.clone()).await, create_over_graphql(&member, &beyond).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: chat:ban");
    assert_eq!(stored(&app).await, 0);

    let own = create(&member, json!({ "permissions": ["chat:read"] })).await;
    let id = text(own.data(), "/popout_token/id").to_owned();
    let path = format!("/v1/tokens/{id}");
    let rest = member.patch(&path, beyond.clone()).await;
    both_refused(
        &rest,
        &update_over_graphql(&member, &id, &beyond).await,
        403,
        "FORBIDDEN",
        "Missing permission: chat:ban",
    );
    // Permissions that another member granted stay and can be reduced, but the caller cannot pass them on.
    owner.patch(&path, json!({ "permissions": ["chat:ban", "chat:read", "events:read"] })).await.expect(200);
    member.patch(&path, json!({ "permissions": ["chat:ban"], "label": "narrow" })).await.expect(200);
    let handed = json!({ "user_id": owner.user_id });
    let (rest, graphql) =
        (member.patch(&path, handed.clone()).await, update_over_graphql(&member, &id, &handed).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: chat:ban");
    assert_eq!(owner.get(&path).await.data()["user_id"], json!(member.user_id));
    let revoked = (app.clock.now() - Duration::days(1)).to_rfc3339();
    member.patch(&path, json!({ "expires_at": revoked })).await.expect(200);
}

#[tokio::test]
async fn create_popout_token_acts_for_the_named_member_only() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let viewer = app.member_as(owner.account_id, "viewer").await;
    for user in [stranger.user_id, Uuid::now_v7()] {
        let input = json!({ "permissions": ["chat:read"], "user_id": user });
        let (rest, graphql) =
            (create(&owner, input.clone()).await, create_over_graphql(&owner, &input).await);
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Member not found");
    }
    assert_eq!(stored(&app).await, 0);
    let input = json!({ "permissions": ["chat:read", "events:read"], "user_id": viewer.user_id });
    let created = create(&owner, input).await;
    assert_eq!(created.data()["popout_token"]["user_id"], json!(viewer.user_id));
    let popout = app.bearer(text(created.data(), "/token"));
    assert_eq!(permissions_of(&popout).await, json!(["events:read"]), "never more than the viewer");

    let path = format!("/v1/tokens/{}", text(created.data(), "/popout_token/id"));
    owner.patch(&path, json!({ "user_id": stranger.user_id })).await.refused("NOT_FOUND", "Member not found");
    owner
        .patch(&path, json!({ "user_id": null }))
        .await
        .refused("VALIDATION_ERROR", "user_id cannot be null");
    owner.patch(&path, json!({ "user_id": "x" })).await.refused("VALIDATION_ERROR", "Invalid UUID: user_id");
    let mut socket = SocketRequest::to(app.url()).bearer(popout.token()).connect().await;
    owner.patch(&path, json!({ "user_id": owner.user_id })).await.expect(200);
    assert_eq!(permissions_of(&popout).await, json!(["chat:read", "events:read"]));
    assert_eq!(socket.until_closed().await.1, 4002, "whoever it was bound to before");
}
