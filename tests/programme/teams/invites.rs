//! Invites to a team (reference/teams.md#invites).

use chrono::Duration;
use foundation::jobs::HousekeepingTask;
use lumio_tests::{Answer, Caller, TestApp, both_refused, world};
use lumio_worker::housekeeping::{Housekeeper, Progress, TimeBudget};
use serde_json::{Value, json};
use uuid::Uuid;
use worker_core::Context;

use super::{PATH, TEAM, id as id_of, join, member, member_with, membership, role_named, team};

const INVITE: &str =
    "{ id code url role { id slug name } email expiresAt maxUses useCount createdBy createdAt }";
const ACCEPT: &str = "mutation($code: String!) { acceptDeveloperTeamInvite(code: $code) { id } }";

async fn invite(caller: &Caller, team: Uuid, body: Value) -> Answer {
    caller.post(&format!("{PATH}/{team}/invites"), body).await
}

async fn accept(caller: &Caller, code: &str) -> Answer {
    caller.post(&format!("/v1/developer/team-invites/{code}/accept"), json!({})).await
}

#[tokio::test]
async fn create_developer_team_invite_agrees_on_both_protocols() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    let role = role_named(&owner, id, "Member").await;
    let made = invite(&owner, id, json!({ "role_id": role })).await.expect(201)["data"].clone();
    assert_eq!((&made["max_uses"], &made["use_count"]), (&json!(1), &json!(0)));
    let code = made["code"].as_str().unwrap();
    assert!(made["url"].as_str().unwrap().ends_with(&format!("/developer/team-invites/{code}")));
    app.audited_once("developer_team:invite_created").await;
    let input = json!({ "role_id": role, "max_uses": 2 });
    let twin = owner.mutate_at("createDeveloperTeamInvite", &[("id", id)], &input, INVITE).await;
    let twin = twin.field("createDeveloperTeamInvite");
    assert_eq!((&twin["max_uses"], &twin["role"]), (&json!(2), &made["role"]));
}

#[tokio::test]
async fn developer_team_invites_lists_them_for_members_who_may_invite() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    let role = role_named(&owner, id, "Member").await;
    let made = invite(&owner, id, json!({ "role_id": role })).await.expect(201)["data"].clone();
    let twin =
        invite(&owner, id, json!({ "role_id": role, "max_uses": 2 })).await.expect(201)["data"].clone();
    let listed = owner.get(&format!("{PATH}/{id}/invites")).await.data().clone();
    assert_eq!(listed, json!([twin, made]));
    let document = format!("query($id: UUID!) {{ developerTeamInvites(id: $id) {INVITE} }}");
    let over_graphql = owner.graphql(&document, json!({ "id": id })).await;
    assert_eq!(over_graphql.field("developerTeamInvites"), listed);

    let plain = member(&app, &owner, id, "Member").await;
    let rest = plain.get(&format!("{PATH}/{id}/invites")).await;
    let graphql = plain.graphql(&document, json!({ "id": id })).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: team-members:invite");
    // A code of a role beyond the reader's own is not shown.
    let inviter = member_with(&app, &owner, id, &["team-members:invite"]).await;
    let seen = inviter.get(&format!("{PATH}/{id}/invites")).await.data().clone();
    assert!(
        seen.as_array().unwrap().iter().all(|one| one["code"].is_null() || one["role"]["name"] != "Member")
    );
}

#[tokio::test]
async fn create_developer_team_invite_refuses_the_owners_role_and_greater_rights() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    let input = json!({ "role_id": role_named(&owner, id, "Owner").await });
    let rest = invite(&owner, id, input.clone()).await;
    let graphql = owner.mutate_at("createDeveloperTeamInvite", &[("id", id)], &input, INVITE).await;
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "role_id must not be the owner's role");
    let inviter = member_with(&app, &owner, id, &["team-members:invite"]).await;
    let role = role_named(&owner, id, "Admin").await;
    let refused = invite(&inviter, id, json!({ "role_id": role })).await;
    refused.refused("FORBIDDEN", "Missing permission: team-extensions:create");
    for (change, message) in [
        (json!({ "expires_in": 59 }), "expires_in must be between 60 and 2592000"),
        (json!({ "max_uses": 101 }), "max_uses must be between 1 and 100"),
        (json!({ "email": "nothing" }), "email must be an e-mail address"),
    ] {
        let mut body = json!({ "role_id": role });
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        invite(&owner, id, body).await.refused("VALIDATION_ERROR", message);
    }
    let unknown = invite(&owner, id, json!({ "role_id": Uuid::now_v7() })).await;
    unknown.refused("NOT_FOUND", "Role not found");
}

#[tokio::test]
async fn create_developer_team_invite_refuses_more_mails_to_one_recipient() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    let body = json!({ "role_id": role_named(&owner, id, "Member").await, "email": "guest@example.com" });
    for _ in 0..20 {
        invite(&owner, id, body.clone()).await.expect(201);
    }
    assert_eq!(invite(&owner, id, body).await.status, 429);
}

#[tokio::test]
async fn create_developer_team_invite_refuses_an_invite_beyond_the_limit() {
    let app = TestApp::builder().with("LUMIO_RATE_SESSION", 100_000).start().await;
    let (owner, id) = team(&app).await;
    let body = json!({ "role_id": role_named(&owner, id, "Member").await });
    for _ in 0..100 {
        invite(&owner, id, body.clone()).await.expect(201);
    }
    invite(&owner, id, body.clone()).await.refused("PLAN_LIMIT_REACHED", "Invite limit reached");
    // Invites that cannot be taken any more give way.
    app.clock.advance(chrono::Duration::days(8));
    let owner = app.session(owner.user_id, owner.account_id).await;
    invite(&owner, id, body).await.expect(201);
}

#[tokio::test]
async fn delete_developer_team_invite_ends_its_code() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    let body = json!({ "role_id": role_named(&owner, id, "Member").await });
    let made = invite(&owner, id, body.clone()).await.data().clone();
    let path = format!("{PATH}/{id}/invites/{}", made["id"].as_str().unwrap());
    let document =
        "mutation($id: UUID!, $inviteId: UUID!) { deleteDeveloperTeamInvite(id: $id, inviteId: $inviteId) }";
    let arguments = json!({ "id": id, "inviteId": made["id"] });
    let stranger = app.owner().await;
    let rest = stranger.delete(&path).await;
    let graphql = stranger.graphql(document, arguments.clone()).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Team not found");
    assert_eq!(owner.delete(&path).await.status, 204);
    app.audited_once("developer_team:invite_deleted").await;
    let rest = owner.delete(&path).await;
    both_refused(&rest, &owner.graphql(document, arguments).await, 404, "NOT_FOUND", "Invite not found");
    let code = made["code"].as_str().unwrap();
    accept(&stranger, code).await.refused("NOT_FOUND", "Invite not found");
    let other = invite(&owner, id, body).await.data().clone();
    let gone = owner.graphql(document, json!({ "id": id, "inviteId": other["id"] })).await;
    assert_eq!(gone.field("deleteDeveloperTeamInvite"), json!(true));
}

#[tokio::test]
async fn developer_team_invite_by_code_shows_team_and_role() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    let body = json!({ "role_id": role_named(&owner, id, "Member").await });
    let made = invite(&owner, id, body).await.data().clone();
    let code = made["code"].as_str().unwrap().to_owned();
    let guest = app.owner().await;
    let document = "query($code: String!) { developerTeamInviteByCode(code: $code) {
        team { name slug avatarKey } role { id slug name } expiresAt isValid } }";
    let shown = guest.get(&format!("/v1/developer/team-invites/{code}")).await.data().clone();
    assert_eq!((&shown["team"]["name"], &shown["is_valid"]), (&json!("Night Shift"), &json!(true)));
    let twin = guest.graphql(document, json!({ "code": code })).await;
    assert_eq!(twin.field("developerTeamInviteByCode"), shown);
    let rest = guest.get("/v1/developer/team-invites/unknown").await;
    let graphql = guest.graphql(document, json!({ "code": "unknown" })).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Invite not found");
    app.clock.advance(chrono::Duration::days(8));
    let guest = app.session(guest.user_id, guest.account_id).await;
    let late = guest.get(&format!("/v1/developer/team-invites/{code}")).await;
    assert_eq!(late.data()["is_valid"], json!(false));
    accept(&guest, &code).await.refused("CONFLICT", "Invite is no longer valid");
}

#[tokio::test]
async fn accept_developer_team_invite_needs_no_profile() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    let body = json!({ "role_id": role_named(&owner, id, "Member").await, "max_uses": 3 });
    let made = invite(&owner, id, body).await.data().clone();
    let code = made["code"].as_str().unwrap().to_owned();
    let (guest, other) = (app.owner().await, app.owner().await);
    let joined = accept(&guest, &code).await.data().clone();
    assert_eq!((&joined["id"], &joined["my_role"]["slug"]), (&json!(id), &json!("team-member")));
    app.audited_once("developer_team:member_joined").await;
    let rest = accept(&guest, &code).await;
    let graphql = guest.graphql(ACCEPT, json!({ "code": code })).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "Already a member of this team");
    let twin = other.graphql(ACCEPT, json!({ "code": code })).await;
    assert_eq!(twin.field("acceptDeveloperTeamInvite")["id"], json!(id));
    let shown = other
        .graphql(&format!("query($id: UUID!) {{ developerTeam(id: $id) {TEAM} }}"), json!({ "id": id }))
        .await;
    assert_eq!(shown.field("developerTeam")["member_count"], json!(3));
}

#[tokio::test]
async fn accept_developer_team_invite_twice_at_a_time_joins_one_person() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    let body = json!({ "role_id": role_named(&owner, id, "Member").await });
    let made = invite(&owner, id, body).await.data().clone();
    let code = made["code"].as_str().unwrap();
    let (one, two) = (app.owner().await, app.owner().await);
    let (first, second) = tokio::join!(accept(&one, code), accept(&two, code));
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    assert_eq!(owner.get(&format!("{PATH}/{id}")).await.data()["member_count"], json!(2));
}

#[tokio::test]
async fn accept_developer_team_invite_fails_after_its_maker_lost_the_right() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    let admin = member(&app, &owner, id, "Admin").await;
    let body = json!({ "role_id": role_named(&owner, id, "Member").await });
    let made = invite(&admin, id, body.clone()).await.data().clone();
    let theirs = membership(&owner, id, admin.user_id).await;
    owner.patch(&format!("{PATH}/{id}/members/{theirs}/role"), body).await.expect(200);
    let guest = app.owner().await;
    let refused = accept(&guest, made["code"].as_str().unwrap()).await;
    refused.refused("CONFLICT", "Invite is no longer valid");
    assert_eq!(id_of(made.get("id")).get_version_num(), 7);
}

#[tokio::test]
async fn accept_developer_team_invite_refuses_a_member_beyond_the_limit() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    let body = json!({ "role_id": role_named(&owner, id, "Member").await, "max_uses": 20 });
    let made = invite(&owner, id, body.clone()).await.data().clone();
    let code = made["code"].as_str().unwrap();
    for _ in 0..9 {
        let person = app.owner().await;
        accept(&person, code).await.expect(200);
    }
    let guest = app.owner().await;
    let rest = accept(&guest, code).await;
    let graphql = guest.graphql(ACCEPT, json!({ "code": code })).await;
    both_refused(&rest, &graphql, 403, "PLAN_LIMIT_REACHED", "Team member limit reached");
    let refused = invite(&owner, id, body).await;
    refused.refused("PLAN_LIMIT_REACHED", "Team member limit reached");
    let (other, another) = team(&app).await;
    join(&other, &guest, another, "Member").await.expect(200);
}

#[tokio::test]
async fn developer_team_invites_are_deleted_a_week_after_their_expiry() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    let role = role_named(&owner, id, "Member").await;
    for (days, email) in [(1, "short@lumio.test"), (20, "long@lumio.test")] {
        let body = json!({ "role_id": role, "email": email, "expires_in": days * 86_400 });
        invite(&owner, id, body).await.expect(201);
    }
    let house = Housekeeper::new(&Context::new(app.config(), app.clock.clone()).unwrap()).unwrap();
    let forget = async || {
        let task = HousekeepingTask::ForgetHandled;
        assert_eq!(house.take(task, &mut TimeBudget::of(100)).await.unwrap(), Progress::Completed);
        let left = async |email: &str| {
            world::count(&app, &format!("developer_team_invites WHERE email = '{email}'")).await
        };
        (left("short@lumio.test").await, left("long@lumio.test").await)
    };
    app.clock.advance(Duration::hours(7 * 24 + 23));
    assert_eq!(forget().await, (1, 1));
    app.clock.advance(Duration::hours(2));
    assert_eq!(forget().await, (0, 1));
    app.stop().await;
}
