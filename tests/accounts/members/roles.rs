//! Changes of a member's role, and the permissions that they need
//! (reference/permissions.md#authority-in-an-account).

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, arrives, both_refused};
use serde_json::json;
use shared::schema::account_permission_overrides;
use uuid::Uuid;

use super::{MEMBER, list, remove, remove_over_graphql};
use crate::{members_of, membership_id, role_id};

async fn give(caller: &Caller, account_id: Uuid, membership_id: Uuid, role_id: Uuid) -> Answer {
    let path = format!("/v1/accounts/{account_id}/members/{membership_id}");
    caller.patch(&path, json!({ "role_id": role_id })).await
}

async fn give_over_graphql(caller: &Caller, membership_id: Uuid, role_id: Uuid) -> Answer {
    let input = json!({ "membership_id": membership_id, "role_id": role_id });
    caller.mutate("updateMemberRole", &input, MEMBER).await
}

#[tokio::test]
async fn update_member_role_takes_immediate_effect_in_every_process() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_as(owner.account_id, "viewer").await;
    let (_state, running) = app.second_server().await;
    let elsewhere = member.at(format!("http://{}", running.address));
    let membership = membership_id(&app, &member).await;
    let [moderator, administrator] = [
        role_id(&app, owner.account_id, "moderator").await,
        role_id(&app, owner.account_id, "administrator").await,
    ];
    list(&elsewhere, owner.account_id).await.refused_with("FORBIDDEN");

    let given = give(&owner, owner.account_id, membership, moderator).await;
    assert_eq!((&given.expect(200)["data"]["role"]["slug"]), (&json!("moderator")));
    assert_eq!(given.data()["user_id"], json!(member.user_id));
    let audited = app.audited_once("member:role_changed").await;
    assert_eq!((audited.account_id, audited.actor_id), (Some(owner.account_id), Some(owner.user_id)));
    assert_eq!(audited.resource_id, Some(membership.to_string()));
    assert_eq!(audited.metadata["to"], json!(moderator));
    arrives("another process knows", async {
        while list(&elsewhere, owner.account_id).await.status != 200 {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    })
    .await;

    let twin = give_over_graphql(&owner, membership, administrator).await.field("updateMemberRole");
    assert_eq!(twin["role"]["slug"], "administrator");
    // Repeating the change changes nothing and publishes nothing.
    give(&owner, owner.account_id, membership, administrator).await.expect(200);
    assert_eq!(app.audited("member:role_changed").await.len(), 2);
}

#[tokio::test]
async fn update_member_role_neither_grants_nor_removes_the_owner_role() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let administrator = app.member_as(owner.account_id, "administrator").await;
    let [owned, own] = [membership_id(&app, &owner).await, membership_id(&app, &administrator).await];
    let [owner_role, viewer] =
        [role_id(&app, owner.account_id, "owner").await, role_id(&app, owner.account_id, "viewer").await];
    let before = members_of(&app, owner.account_id).await;
    let rest = give(&owner, owner.account_id, own, owner_role).await;
    let graphql = give_over_graphql(&owner, own, owner_role).await;
    let message = "The Owner role cannot be assigned";
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    let rest = give(&administrator, owner.account_id, owned, viewer).await;
    let graphql = give_over_graphql(&administrator, owned, viewer).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "The owner's role cannot be changed");
    assert_eq!(members_of(&app, owner.account_id).await, before);
}

#[tokio::test]
async fn update_member_role_grants_no_more_than_the_caller_holds() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let editor = app.member_with(owner.account_id, &["members:edit", "members:read", "events:read"]).await;
    let member = app.member_as(owner.account_id, "viewer").await;
    let membership = membership_id(&app, &member).await;
    let moderator = role_id(&app, owner.account_id, "moderator").await;
    let rest = give(&editor, owner.account_id, membership, moderator).await;
    let graphql = give_over_graphql(&editor, membership, moderator).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: events:create");
    let key = app.service_key(owner.account_id, &["members:edit"]).await;
    let rest = give(&key, owner.account_id, membership, moderator).await;
    rest.refused("FORBIDDEN", "Missing permission: events:read");
    assert_eq!(app.audited("member:role_changed").await, []);

    // A permission that the account's overrides deny to all members is not added by the role.
    insert_into(account_permission_overrides::table)
        .values((
            account_permission_overrides::account_id.eq(owner.account_id),
            account_permission_overrides::permission.eq("chat:ban"),
            account_permission_overrides::granted.eq(false),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    app.state
        .caches
        .invalidate(&foundation::invalidation::Invalidation::Account { account_id: owner.account_id });
    give(&owner, owner.account_id, membership, moderator).await.expect(200);
}

#[tokio::test]
async fn update_member_role_and_removal_need_all_permissions_of_the_member() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let helper = ["members:edit", "members:delete", "events:read"];
    let ranks = app.member_with(owner.account_id, &helper).await;
    let administrator = app.member_as(owner.account_id, "administrator").await;
    let membership = membership_id(&app, &administrator).await;
    let nothing = app.member_with(owner.account_id, &[]).await;
    let below = membership_id(&app, &nothing).await;
    let (_, empty) = members_of(&app, owner.account_id).await.pop().expect("the member without permissions");
    let rest = give(&ranks, owner.account_id, membership, empty).await;
    let graphql = give_over_graphql(&ranks, membership, empty).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: events:create");
    let rest = remove(&ranks, owner.account_id, membership).await;
    let graphql = remove_over_graphql(&ranks, membership).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: events:create");
    let key = app.personal_key(&owner, &["members:edit", "members:delete"]).await;
    remove(&key, owner.account_id, membership).await.refused("FORBIDDEN", "Missing permission: events:read");
    let service = app.service_key(owner.account_id, &["members:delete"]).await;
    let refusal = remove(&service, owner.account_id, membership).await;
    refusal.refused("FORBIDDEN", "Missing permission: events:read");
    assert_eq!(app.audited("member:removed").await, []);
    // Members who hold no more than the caller can be changed, and the owner can change all members.
    assert_eq!(remove(&ranks, owner.account_id, below).await.status, 204);
    give(&owner, owner.account_id, membership, empty).await.expect(200);
    assert_eq!(remove(&ranks, owner.account_id, membership).await.status, 204);
}

#[tokio::test]
async fn update_member_role_does_not_find_members_and_roles_of_other_accounts() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let member = app.member_as(owner.account_id, "viewer").await;
    let foreign = app.member_as(other.account_id, "viewer").await;
    let [own, others] = [membership_id(&app, &member).await, membership_id(&app, &foreign).await];
    let [role, foreign_role] = [
        role_id(&app, owner.account_id, "moderator").await,
        role_id(&app, other.account_id, "moderator").await,
    ];
    let before = members_of(&app, other.account_id).await;
    let rest = give(&owner, owner.account_id, others, role).await;
    both_refused(&rest, &give_over_graphql(&owner, others, role).await, 404, "NOT_FOUND", "Member not found");
    let rest = give(&owner, owner.account_id, own, foreign_role).await;
    let graphql = give_over_graphql(&owner, own, foreign_role).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Role not found");
    let rest = remove(&owner, owner.account_id, others).await;
    both_refused(&rest, &remove_over_graphql(&owner, others).await, 404, "NOT_FOUND", "Member not found");
    remove(&owner, other.account_id, others).await.refused("NOT_FOUND", "Account not found");
    give(&owner, other.account_id, others, foreign_role).await.refused("NOT_FOUND", "Account not found");
    assert_eq!(members_of(&app, other.account_id).await, before);
    let path = format!("/v1/accounts/{}/members/{own}", owner.account_id);
    let malformed = owner.patch(&path, json!({ "role_id": "viewer" })).await;
    malformed.refused("VALIDATION_ERROR", "Invalid UUID: role_id");
    let path = format!("/v1/accounts/{}/members/me", owner.account_id);
    owner.delete(&path).await.refused("VALIDATION_ERROR", "Invalid UUID: membership_id");
}
