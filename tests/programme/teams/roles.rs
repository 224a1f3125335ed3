//! Roles of a team (reference/teams.md#roles).

use lumio_tests::{TestApp, both_refused};
use serde_json::json;
use uuid::Uuid;

use super::{PATH, id as id_of, member, member_with, role_named, team};

const ROLE: &str = "{ id slug name description permissions isSystem memberCount createdAt updatedAt }";

#[tokio::test]
async fn create_developer_team_role_holds_what_its_maker_holds() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    let path = format!("{PATH}/{id}/roles");
    let body = json!({ "name": "Testers", "permissions": ["team-testers:read", "team-testers:invite"] });
    let made = owner.post(&path, body).await.expect(201)["data"].clone();
    assert_eq!(made["permissions"], json!(["team-testers:invite", "team-testers:read"]));
    app.audited_once("developer_team:role_created").await;
    let input = json!({ "name": "testers", "permissions": [] });
    let rest = owner.post(&path, input.clone()).await;
    let graphql = owner.mutate_at("createDeveloperTeamRole", &[("id", id)], &input, ROLE).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "Role name already in use");
    for (input, message) in [
        (json!({ "name": "x", "permissions": ["team-settings:*"] }), "Invalid permission: team-settings:*"),
        (json!({ "name": "x".repeat(51), "permissions": [] }), "name must be between 1 and 50 characters"),
        (
            json!({ "name": "x", "description": "x".repeat(501), "permissions": [] }),
            "description must be between 0 and 500 characters",
        ),
    ] {
        owner.post(&path, input).await.refused("VALIDATION_ERROR", message);
    }
    let weak = member_with(&app, &owner, id, &["team-settings:edit"]).await;
    let input = json!({ "name": "More", "permissions": ["team-payouts:edit"] });
    let rest = weak.post(&path, input.clone()).await;
    let graphql = weak.mutate_at("createDeveloperTeamRole", &[("id", id)], &input, ROLE).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: team-payouts:edit");
}

#[tokio::test]
async fn create_developer_team_role_refuses_a_role_beyond_the_limit() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    let path = format!("{PATH}/{id}/roles");
    for number in 3..20 {
        owner.post(&path, json!({ "name": number.to_string(), "permissions": [] })).await.expect(201);
    }
    let refused = owner.post(&path, json!({ "name": "x", "permissions": [] })).await;
    refused.refused("PLAN_LIMIT_REACHED", "Role limit reached");
}

#[tokio::test]
async fn update_developer_team_role_takes_effect_at_the_next_request() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    let plain = member(&app, &owner, id, "Member").await;
    let role = role_named(&owner, id, "Member").await;
    let path = format!("{PATH}/{id}/roles/{role}");
    plain.get(&format!("{PATH}/{id}")).await.expect(200);
    let changed = owner.patch(&path, json!({ "permissions": ["team-members:read"] })).await;
    assert_eq!(changed.data()["member_count"], json!(1));
    app.audited_once("developer_team:role_updated").await;
    let message = "Missing permission: team-settings:read";
    plain.get(&format!("{PATH}/{id}")).await.refused("FORBIDDEN", message);

    let owners = role_named(&owner, id, "Owner").await;
    let input = json!({ "name": "Boss" });
    let rest = owner.patch(&format!("{PATH}/{id}/roles/{owners}"), input.clone()).await;
    let at = [("id", id), ("rid", owners)];
    let graphql = owner.mutate_at("updateDeveloperTeamRole", &at, &input, ROLE).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "Cannot edit system role");
    let rest = owner.patch(&format!("{PATH}/{id}/roles/{}", Uuid::now_v7()), input).await;
    rest.refused("NOT_FOUND", "Role not found");
    let weak = member_with(&app, &owner, id, &["team-settings:edit"]).await;
    let admins = role_named(&owner, id, "Admin").await;
    let refused = weak.patch(&format!("{PATH}/{id}/roles/{admins}"), json!({ "permissions": [] })).await;
    refused.refused("FORBIDDEN", "Missing permission: team-extensions:create");
}

#[tokio::test]
async fn delete_developer_team_role_refuses_roles_in_use_and_the_owners() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    member(&app, &owner, id, "Member").await;
    let path = |role: Uuid| format!("{PATH}/{id}/roles/{role}");
    let document = "mutation($id: UUID!, $rid: UUID!) { deleteDeveloperTeamRole(id: $id, rid: $rid) }";
    let used = role_named(&owner, id, "Member").await;
    let rest = owner.delete(&path(used)).await;
    let graphql = owner.graphql(document, json!({ "id": id, "rid": used })).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "Role is still assigned to 1 member(s)");
    let owners = role_named(&owner, id, "Owner").await;
    owner.delete(&path(owners)).await.refused("CONFLICT", "Cannot delete system role");
    let unused = role_named(&owner, id, "Admin").await;
    assert_eq!(owner.delete(&path(unused)).await.status, 204);
    app.audited_once("developer_team:role_deleted").await;
    let made = owner.post(&format!("{PATH}/{id}/roles"), json!({ "name": "x", "permissions": [] })).await;
    let made = id_of(made.data().get("id"));
    let gone = owner.graphql(document, json!({ "id": id, "rid": made })).await;
    assert_eq!(gone.field("deleteDeveloperTeamRole"), json!(true));
    let weak = member_with(&app, &owner, id, &["team-members:read"]).await;
    let message = "Missing permission: team-settings:edit";
    let rest = weak.delete(&path(used)).await;
    let graphql = weak.graphql(document, json!({ "id": id, "rid": used })).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", message);
}

#[tokio::test]
async fn developer_team_roles_are_listed_on_both_protocols() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    let listed = owner.get(&format!("{PATH}/{id}/roles")).await.data().clone();
    assert_eq!(listed.as_array().unwrap().len(), 3);
    let document = format!("query($id: UUID!) {{ developerTeamRoles(id: $id) {ROLE} }}");
    let twin = owner.graphql(&document, json!({ "id": id })).await;
    assert_eq!(twin.field("developerTeamRoles"), listed);
    let stranger = app.owner().await;
    let rest = stranger.get(&format!("{PATH}/{id}/roles")).await;
    let graphql = stranger.graphql(&document, json!({ "id": id })).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Team not found");
}
