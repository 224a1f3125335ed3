//! Leaving an account, and the belongings of the member that are deleted (reference/accounts.md#leaving).

use api_core::token::TokenKind;
use diesel::{prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, TestApp, both_refused};
use lumio_worker::Daemon;
use serde_json::json;
use shared::schema::{
    account_service_keys, invites, login_assignments, popout_tokens, sessions, user_api_keys, users,
};
use uuid::Uuid;

use super::{login_connection, members_of, role_id, socket, workers};

async fn leave(caller: &Caller, account_id: Uuid) -> Answer {
    caller.post(&format!("/v1/accounts/{account_id}/leave"), json!({})).await
}

async fn leave_over_graphql(caller: &Caller, account_id: Uuid) -> Answer {
    let document = "mutation($id: UUID!) { leaveAccount(id: $id) { success } }";
    caller.graphql(document, json!({ "id": account_id })).await
}

/// Gives a member one of each thing that members own: a popout, a personal key, tokens, a login assignment,
/// an invite, a service key.
async fn add_belongings(app: &TestApp, person: &Person) {
    app.popout(person, &[]).await;
    app.personal_key(person, &[]).await;
    app.service_key(person.account_id, &[]).await;
    app.surface_token(TokenKind::Extension, person.account_id, "x", None).await;
    let login = login_connection(app, person.user_id, "twitch").await;
    let role = role_id(app, person.account_id, "viewer").await;
    let mut db = app.databases.postgres.get().await.unwrap();
    for sql in [
        format!("UPDATE account_service_keys SET created_by = '{}'", person.user_id),
        format!("UPDATE surface_tokens SET user_id = '{}'", person.user_id),
        format!(
            "UPDATE users SET active_account_id = '{}' WHERE id = '{}'",
            person.account_id, person.user_id
        ),
        format!(
            "INSERT INTO login_assignments (id, account_id, user_id, login_connection_id, platform) \
             VALUES (gen_random_uuid(), '{}', '{}', '{login}', 'twitch')",
            person.account_id, person.user_id
        ),
        format!(
            "INSERT INTO invites (id, account_id, code, role_id, method, created_by) \
             VALUES (gen_random_uuid(), '{}', 'secret', '{role}', 'link', '{}')",
            person.account_id, person.user_id
        ),
    ] {
        sql_query(sql).execute(&mut *db).await.unwrap();
    }
}

#[tokio::test]
async fn leave_account_deletes_everything_of_the_member_but_service_keys() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_as(owner.account_id, "administrator").await;
    add_belongings(&app, &member).await;
    let answer = leave(&member, owner.account_id).await;
    assert_eq!(answer.expect(200), &json!({ "success": true }));

    let mut db = app.databases.postgres.get().await.unwrap();
    for (table, left) in [
        ("popouts", popout_tokens::table.count().get_result::<i64>(&mut *db).await),
        ("keys", user_api_keys::table.count().get_result(&mut *db).await),
        ("tokens", shared::schema::surface_tokens::table.count().get_result(&mut *db).await),
        ("assignments", login_assignments::table.count().get_result(&mut *db).await),
        ("invites", invites::table.count().get_result(&mut *db).await),
    ] {
        assert_eq!(left.unwrap(), 0, "{table}");
    }
    let creators: Vec<Option<Uuid>> =
        account_service_keys::table.select(account_service_keys::created_by).load(&mut *db).await.unwrap();
    assert_eq!(creators, [None]);
    let active: (Option<Uuid>, Option<Uuid>) = users::table
        .inner_join(sessions::table)
        .filter(users::id.eq(member.user_id))
        .select((users::active_account_id, sessions::active_account_id))
        .first(&mut *db)
        .await
        .unwrap();
    assert_eq!(active, (None, None));
    drop(db);
    let audited = app.audited_once("member:left").await;
    assert_eq!((audited.account_id, audited.actor_id), (Some(owner.account_id), Some(member.user_id)));
    assert_eq!(members_of(&app, owner.account_id).await.len(), 1);
    member.get("/v1/settings").await.refused("FORBIDDEN", "Missing permission: settings:read");

    let second = app.member_as(owner.account_id, "viewer").await;
    let twin = leave_over_graphql(&second, owner.account_id).await;
    assert_eq!(twin.field("leaveAccount"), json!({ "success": true }));
    assert_eq!(members_of(&app, owner.account_id).await.len(), 1);
}

#[tokio::test]
async fn leave_account_refuses_owners_and_non_members() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let rest = leave(&owner, owner.account_id).await;
    let graphql = leave_over_graphql(&owner, owner.account_id).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "Account owner cannot leave");
    let rest = leave(&owner, other.account_id).await;
    let graphql = leave_over_graphql(&owner, other.account_id).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Account not found");
    // A key belongs to one account and reaches no other account of its user.
    app.join(other.account_id, owner.user_id, "viewer").await;
    let key = app.personal_key(&owner, &[]).await;
    leave(&key, other.account_id).await.refused("NOT_FOUND", "Account not found");
    let popout = app.popout(&owner, &[]).await;
    let graphql = leave_over_graphql(&popout, owner.account_id).await;
    let rest = leave(&popout, owner.account_id).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "First-party session required");
    owner.post("/v1/accounts/mine/leave", json!({})).await.refused("VALIDATION_ERROR", "Invalid UUID: id");
    assert_eq!(members_of(&app, other.account_id).await.len(), 2);
    // It is not the active account, but the caller is a member of it.
    leave(&owner, other.account_id).await.expect(200);
    assert_eq!(owner.get("/v1/users/me").await.data()["active_account_id"], json!(owner.account_id));
}

#[tokio::test]
async fn leave_account_publishes_events_to_the_account_and_the_member() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_as(owner.account_id, "viewer").await;
    let (mut account, mut person) = (socket(&app, &owner).await, socket(&app, &member).await);
    account.subscribe(&format!("account:{}", owner.account_id)).await;
    person.subscribe(&format!("user:{}", member.user_id)).await;
    let running = workers(&app, &[Daemon::Outbox]).await;
    leave(&member, owner.account_id).await.expect(200);
    let event = account.frame().await;
    assert_eq!(
        (&event["event_type"], &event["data"]["change"]),
        (&json!("members:updated"), &json!("removed"))
    );
    assert_eq!(event["data"]["user_id"], json!(member.user_id));
    let event = person.frame().await;
    assert_eq!(event["event_type"], "permissions:updated");
    assert_eq!(event["data"], json!({ "account_id": owner.account_id }));
    running.stop().await.unwrap();
}
