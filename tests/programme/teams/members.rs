//! Members of a team (reference/teams.md#members).

use foundation::events::ChannelKind;
use lumio_tests::{Caller, TestApp, both_refused};
use serde_json::json;
use uuid::Uuid;

use super::{PATH, TEAM, member, member_with, membership, role_named, team};

const MEMBER: &str = "{ id userId displayName avatarUrl role { id slug name } joinedAt }";

async fn remove_over_graphql(caller: &Caller, id: Uuid, member: Uuid) -> lumio_tests::Answer {
    let document =
        "mutation($id: UUID!, $memberId: UUID!) { removeDeveloperTeamMember(id: $id, memberId: $memberId) }";
    caller.graphql(document, json!({ "id": id, "memberId": member })).await
}

#[tokio::test]
async fn developer_team_members_are_listed_on_both_protocols() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    let weak = member_with(&app, &owner, id, &["team-testers:read"]).await;
    let listed = owner.get(&format!("{PATH}/{id}/members")).await.data().clone();
    assert_eq!(listed.as_array().unwrap().len(), 2);
    assert_eq!(listed[0]["role"]["slug"], "team-owner");
    let document = format!("query($id: UUID!) {{ developerTeamMembers(id: $id) {MEMBER} }}");
    let twin = owner.graphql(&document, json!({ "id": id })).await;
    assert_eq!(twin.field("developerTeamMembers"), listed);
    let rest = weak.get(&format!("{PATH}/{id}/members")).await;
    let graphql = weak.graphql(&document, json!({ "id": id })).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: team-members:read");
}

#[tokio::test]
async fn update_developer_team_member_role_stays_below_the_caller() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    let (admin, other) = (member(&app, &owner, id, "Admin").await, member(&app, &owner, id, "Admin").await);
    let plain = member(&app, &owner, id, "Member").await;
    let path = |member: Uuid| format!("{PATH}/{id}/members/{member}/role");
    let (of_admin, of_member) =
        (role_named(&owner, id, "Admin").await, role_named(&owner, id, "Member").await);
    let plains = membership(&owner, id, plain.user_id).await;
    let raised = admin.patch(&path(plains), json!({ "role_id": of_admin })).await;
    assert_eq!(raised.data()["role"]["slug"], "team-admin");
    app.audited_once("developer_team:role_changed").await;
    let at = [("id", id), ("memberId", plains)];
    let input = json!({ "role_id": of_member });
    let refused = admin.mutate_at("updateDeveloperTeamMemberRole", &at, &input, MEMBER).await;
    let rest = admin.patch(&path(plains), input.clone()).await;
    both_refused(&rest, &refused, 403, "FORBIDDEN", "The member does not rank below you");
    let lowered = owner.mutate_at("updateDeveloperTeamMemberRole", &at, &input, MEMBER).await;
    assert_eq!(lowered.field("updateDeveloperTeamMemberRole")["role"]["slug"], "team-member");

    let others = membership(&owner, id, other.user_id).await;
    admin
        .patch(&path(others), input.clone())
        .await
        .refused("FORBIDDEN", "The member does not rank below you");
    let owners = membership(&owner, id, owner.user_id).await;
    let message = "The membership of the owner cannot be changed";
    admin.patch(&path(owners), input.clone()).await.refused("CONFLICT", message);
    let of_owner = json!({ "role_id": role_named(&owner, id, "Owner").await });
    let message = "role_id must not be the owner's role";
    owner.patch(&path(plains), of_owner).await.refused("VALIDATION_ERROR", message);
    let (stranger, theirs) = team(&app).await;
    for role in [Uuid::now_v7(), role_named(&stranger, theirs, "Member").await] {
        let input = json!({ "role_id": role });
        owner.patch(&path(plains), input).await.refused("NOT_FOUND", "Role not found");
    }
    owner.patch(&path(Uuid::now_v7()), input).await.refused("NOT_FOUND", "Member not found");
}

#[tokio::test]
async fn update_developer_team_member_role_grants_nothing_beyond_the_callers_rights() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    let editor = member_with(&app, &owner, id, &["team-members:read", "team-members:edit"]).await;
    let plain = member_with(&app, &owner, id, &["team-members:read"]).await;
    let path = format!("{PATH}/{id}/members/{}/role", membership(&owner, id, plain.user_id).await);
    let input = json!({ "role_id": role_named(&owner, id, "Admin").await });
    let refused = editor.patch(&path, input).await;
    refused.refused("FORBIDDEN", "Missing permission: team-extensions:create");
}

#[tokio::test]
async fn remove_developer_team_member_ends_every_right_immediately() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    let plain = member(&app, &owner, id, "Member").await;
    let key = app.personal_key(&plain, &["extension-dev:read"]).await;
    let theirs = membership(&owner, id, plain.user_id).await;
    key.get(&format!("{PATH}/{id}")).await.expect(200);
    let admin = member(&app, &owner, id, "Admin").await;
    let rest = admin.delete(&format!("{PATH}/{id}/members/{theirs}")).await;
    let graphql = remove_over_graphql(&admin, id, theirs).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: team-members:remove");

    assert_eq!(owner.delete(&format!("{PATH}/{id}/members/{theirs}")).await.status, 204);
    app.audited_once("developer_team:member_removed").await;
    let document = format!("query($id: UUID!) {{ developerTeam(id: $id) {TEAM} }}");
    for caller in [&key, &plain.caller] {
        let rest = caller.get(&format!("{PATH}/{id}")).await;
        let graphql = caller.graphql(&document, json!({ "id": id })).await;
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Team not found");
    }
    // No socket has to end: a membership opens no channel.
    assert!(ChannelKind::ALL.iter().all(|kind| !kind.id_of().contains("team")));
    let admins = membership(&owner, id, admin.user_id).await;
    let gone = remove_over_graphql(&owner, id, admins).await;
    assert_eq!(gone.field("removeDeveloperTeamMember"), json!(true));
}

#[tokio::test]
async fn remove_developer_team_member_lets_members_leave_but_not_the_owner() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    let plain = member_with(&app, &owner, id, &["team-members:read"]).await;
    let own = membership(&owner, id, plain.user_id).await;
    assert_eq!(plain.delete(&format!("{PATH}/{id}/members/{own}")).await.status, 204);
    let owners = membership(&owner, id, owner.user_id).await;
    let rest = owner.delete(&format!("{PATH}/{id}/members/{owners}")).await;
    let graphql = remove_over_graphql(&owner, id, owners).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "The membership of the owner cannot be changed");
    let rest = owner.delete(&format!("{PATH}/{id}/members/{own}")).await;
    both_refused(&rest, &remove_over_graphql(&owner, id, own).await, 404, "NOT_FOUND", "Member not found");
}
