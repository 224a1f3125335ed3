//! Login assignments (reference/accounts.md#login-assignments).

use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{login_connection, text};

const PATH: &str = "/v1/accounts/login-assignments";
const ASSIGNMENT: &str = "{ id accountId userId loginConnectionId provider createdAt }";

async fn assign(caller: &Caller, login: Uuid, provider: &str, user: Option<Uuid>) -> Answer {
    let input = json!({ "login_connection_id": login, "provider": provider, "user_id": user });
    caller.post(PATH, input).await
}

async fn assign_over_graphql(caller: &Caller, login: Uuid, provider: &str, user: Option<Uuid>) -> Answer {
    let document = format!(
        "mutation($login: UUID!, $provider: String!, $user: UUID) {{ \
         assignLoginConnection(loginConnectionId: $login, provider: $provider, userId: $user) {ASSIGNMENT} }}"
    );
    caller.graphql(&document, json!({ "login": login, "provider": provider, "user": user })).await
}

async fn list_over_graphql(caller: &Caller, user: Option<Uuid>) -> Answer {
    let document = format!("query($user: UUID) {{ accountLoginAssignments(userId: $user) {ASSIGNMENT} }}");
    caller.graphql(&document, json!({ "user": user })).await
}

async fn remove(caller: &Caller, provider: &str, user: Option<Uuid>) -> Answer {
    let query = user.map(|user| format!("?user_id={user}")).unwrap_or_default();
    caller.delete(&format!("{PATH}/{provider}{query}")).await
}

async fn remove_over_graphql(caller: &Caller, provider: &str, user: Option<Uuid>) -> Answer {
    let document = "mutation($provider: String!, $user: UUID) { \
        removeLoginAssignment(provider: $provider, userId: $user) }";
    caller.graphql(document, json!({ "provider": provider, "user": user })).await
}

fn users(listed: &Value) -> Vec<&Value> {
    listed.as_array().unwrap().iter().map(|assignment| &assignment["user_id"]).collect()
}

#[tokio::test]
async fn assign_login_connection_is_always_allowed_for_oneself() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &[]).await;
    let login = login_connection(&app, member.user_id, "twitch").await;
    let answer = assign(&member, login, "twitch", None).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let assigned = answer.data();
    let mut fields: Vec<&String> = assigned.as_object().unwrap().keys().collect();
    fields.sort();
    assert_eq!(fields, ["assigned_at", "login_connection_id", "provider", "user_id"]);
    assert_eq!((&assigned["provider"], &assigned["user_id"]), (&json!("twitch"), &json!(member.user_id)));
    let audited = app.audited_once("login_assignment:assigned").await;
    assert_eq!((audited.account_id, audited.actor_id), (Some(owner.account_id), Some(member.user_id)));

    let of_owner = login_connection(&app, owner.user_id, "kick").await;
    assign(&owner, of_owner, "kick", None).await.expect(201);
    let own = member.get(PATH).await;
    assert_eq!(users(own.data()), [&json!(member.user_id)]);
    let own = member.get(&format!("{PATH}?user_id={}", member.user_id)).await;
    assert_eq!(own.data(), &json!([assigned]));
    let twin = list_over_graphql(&member, None).await.field("accountLoginAssignments");
    assert_eq!(
        (&twin[0]["account_id"], &twin[0]["created_at"]),
        (&json!(owner.account_id), &assigned["assigned_at"])
    );
    assert_eq!(text(&twin[0]["id"]), audited.resource_id.unwrap());
    let all = owner.get(PATH).await;
    assert_eq!(users(all.data()), [&json!(member.user_id), &json!(owner.user_id)]);

    assert_eq!(remove(&member, "twitch", None).await.status, 204);
    let audited = app.audited_once("login_assignment:removed").await;
    assert_eq!(audited.metadata["user_id"], json!(member.user_id));
    let graphql = remove_over_graphql(&member, "twitch", None).await;
    both_refused(
        &remove(&member, "twitch", None).await,
        &graphql,
        404,
        "NOT_FOUND",
        "Login assignment not found",
    );
}

#[tokio::test]
async fn remove_login_assignment_and_assign_need_the_permission_for_others() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["members:read"]).await;
    let login = login_connection(&app, owner.user_id, "twitch").await;
    let other = Some(owner.user_id);
    let rest = member.get(&format!("{PATH}?user_id={}", owner.user_id)).await;
    let graphql = list_over_graphql(&member, other).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: login-assignments:read");
    let (rest, graphql) = (
        assign(&member, login, "twitch", other).await,
        assign_over_graphql(&member, login, "twitch", other).await,
    );
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: login-assignments:create");
    let (rest, graphql) =
        (remove(&member, "twitch", other).await, remove_over_graphql(&member, "twitch", other).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: login-assignments:delete");

    let deputy = app
        .member_with(
            owner.account_id,
            &["login-assignments:read", "login-assignments:create", "login-assignments:delete"],
        )
        .await;
    let twin = assign_over_graphql(&deputy, login, "twitch", other).await.field("assignLoginConnection");
    assert_eq!((&twin["user_id"], &twin["provider"]), (&json!(owner.user_id), &json!("twitch")));
    let listed = deputy.get(&format!("{PATH}?user_id={}", owner.user_id)).await;
    assert_eq!(users(listed.data()), [&json!(owner.user_id)]);
    assert_eq!(
        remove_over_graphql(&deputy, "twitch", other).await.field("removeLoginAssignment"),
        json!(true)
    );
    assert_eq!(owner.get(PATH).await.data(), &json!([]));
}

#[tokio::test]
async fn assign_login_connection_replaces_the_one_of_the_same_platform() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let [first, second] = [
        login_connection(&app, owner.user_id, "twitch").await,
        login_connection(&app, owner.user_id, "twitch").await,
    ];
    let kick = login_connection(&app, owner.user_id, "kick").await;
    assign(&owner, first, "twitch", None).await.expect(201);
    assign(&owner, kick, "kick", None).await.expect(201);
    assign_over_graphql(&owner, second, "twitch", None).await.field("assignLoginConnection");
    let listed = owner.get(PATH).await;
    let connections: Vec<&Value> =
        listed.data().as_array().unwrap().iter().map(|assigned| &assigned["login_connection_id"]).collect();
    assert_eq!(connections, [&json!(kick), &json!(second)]);
}

#[tokio::test]
async fn assign_login_connection_refuses_wrong_providers_and_foreign_ids() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let [own, foreign] = [
        login_connection(&app, owner.user_id, "twitch").await,
        login_connection(&app, other.user_id, "twitch").await,
    ];
    let refused = async |login: Uuid,
                         provider: &str,
                         user: Option<Uuid>,
                         status,
                         code: &str,
                         message: &str| {
        let rest = assign(&owner, login, provider, user).await;
        both_refused(&rest, &assign_over_graphql(&owner, login, provider, user).await, status, code, message);
    };
    let message = "provider must be one of twitch, youtube, kick, trovo, discord";
    refused(own, "spotify", None, 400, "VALIDATION_ERROR", message).await;
    let rest = remove(&owner, "none", None).await;
    both_refused(&rest, &remove_over_graphql(&owner, "none", None).await, 400, "VALIDATION_ERROR", message);
    let message = "provider must be that of the login connection: twitch";
    refused(own, "kick", None, 400, "VALIDATION_ERROR", message).await;
    refused(foreign, "twitch", None, 404, "NOT_FOUND", "Login connection not found").await;
    refused(foreign, "twitch", Some(other.user_id), 404, "NOT_FOUND", "Member not found").await;
    let without = owner.post(PATH, json!({ "provider": "twitch" })).await;
    without.refused("VALIDATION_ERROR", "Missing field: login_connection_id");
    let malformed = owner.get(&format!("{PATH}?user_id=me")).await;
    malformed.refused("VALIDATION_ERROR", "Invalid UUID: user_id");
    assert_eq!(owner.get(PATH).await.data(), &json!([]));
    assert_eq!(app.audited("login_assignment:assigned").await, []);
}

#[tokio::test]
async fn account_login_assignments_is_first_party_only() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let message = "First-party session required";
    let scopes = ["login-assignments:read", "login-assignments:create", "login-assignments:delete"];
    for caller in [app.popout(&owner, &scopes).await, app.service_key(owner.account_id, &scopes).await] {
        let graphql = list_over_graphql(&caller, None).await;
        both_refused(&caller.get(PATH).await, &graphql, 403, "FORBIDDEN", message);
        let graphql = remove_over_graphql(&caller, "twitch", None).await;
        both_refused(&remove(&caller, "twitch", None).await, &graphql, 403, "FORBIDDEN", message);
    }
}
