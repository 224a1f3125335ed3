//! Teams (reference/teams.md#team).

use std::collections::BTreeSet;

use lumio_tests::{TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{PATH, TEAM, developer, member, team};

#[tokio::test]
async fn create_developer_team_makes_its_three_roles() {
    let app = TestApp::start().await;
    let owner = developer(&app).await;
    let body = json!({ "name": " Night Shift ", "slug": "night-shift", "website_url": "https://a.example" });
    let made = owner.post(PATH, body).await.expect(201)["data"].clone();
    assert_eq!(
        (&made["name"], &made["slug"], &made["member_count"], &made["owner_id"]),
        (&json!("Night Shift"), &json!("night-shift"), &json!(1), &json!(owner.user_id))
    );
    assert_eq!(made["my_role"]["slug"], "team-owner");
    assert_eq!(made["my_permissions"].as_array().unwrap().len(), 20);
    assert_eq!(app.audited_once("developer_team:created").await.metadata["slug"], "night-shift");
    let input = json!({ "name": "Day", "slug": "day-shift" });
    let twin = owner.mutate("createDeveloperTeam", &input, TEAM).await.field("createDeveloperTeam");
    assert_eq!((&twin["slug"], &twin["my_role"]["slug"]), (&json!("day-shift"), &json!("team-owner")));
    let one = owner.get(&format!("{PATH}/{}", made["id"].as_str().unwrap())).await;
    assert_eq!(one.data(), &made);
    let roles = owner.get(&format!("{PATH}/{}/roles", made["id"].as_str().unwrap())).await.data().clone();
    let of = |slug: &str| {
        let role = roles.as_array().unwrap().iter().find(|role| role["slug"] == slug).unwrap();
        let permissions = role["permissions"].as_array().unwrap().iter();
        permissions.map(|permission| permission.as_str().unwrap()).collect::<BTreeSet<&str>>()
    };
    let every = owner.get(&format!("{PATH}/permissions")).await.data().clone();
    let every: BTreeSet<&str> =
        every.as_array().unwrap().iter().map(|one| one["permission"].as_str().unwrap()).collect();
    assert_eq!((every.len(), &of("team-owner")), (20, &every));
    let withheld = ["team-settings:edit", "team-payouts:edit", "team-members:remove"];
    let admin = of("team-admin");
    assert_eq!(every.difference(&admin).copied().collect::<BTreeSet<_>>(), BTreeSet::from(withheld));
    let of_members = [
        "team-extensions:create",
        "team-extensions:edit",
        "team-extensions:analytics",
        "team-versions:create",
        "team-members:read",
        "team-secrets:read",
        "team-settings:read",
    ];
    assert_eq!(of("team-member"), BTreeSet::from(of_members));
}

#[tokio::test]
async fn developer_teams_lists_those_of_the_caller() {
    let app = TestApp::start().await;
    let (owner, other) = (developer(&app).await, developer(&app).await);
    let made = owner.post(PATH, json!({ "name": "Day", "slug": "day-shift" })).await.data().clone();
    let second = owner.post(PATH, json!({ "name": "Night", "slug": "night-shift" })).await.data().clone();
    let listed = owner.get(PATH).await.data().clone();
    assert_eq!(listed, json!([made, second]));
    let document = format!("{{ developerTeams {TEAM} }}");
    assert_eq!(owner.graphql(&document, json!({})).await.field("developerTeams"), listed);
    assert_eq!(other.get(PATH).await.data(), &json!([]));
}

#[tokio::test]
async fn create_developer_team_refuses_people_without_a_profile_and_wrong_fields() {
    let app = TestApp::start().await;
    let (guest, owner) = (app.owner().await, developer(&app).await);
    let input = json!({ "name": "Team", "slug": "a-team" });
    let rest = guest.post(PATH, input.clone()).await;
    let graphql = guest.mutate("createDeveloperTeam", &input, TEAM).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Developer profile required");
    let (rest, graphql) =
        (guest.get(PATH).await, guest.graphql(&format!("{{ developerTeams {TEAM} }}"), json!({})).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Developer profile required");
    for (change, message) in [
        (json!({ "slug": "ab" }), "Slug must be between 3 and 50 characters"),
        (json!({ "slug": "1abc" }), "Slug must start with a lowercase letter"),
        (json!({ "slug": "aBc" }), "Slug must contain only lowercase letters, digits, and hyphens"),
        (json!({ "name": "x".repeat(61) }), "name must be between 1 and 60 characters"),
        (json!({ "description": "x".repeat(2001) }), "description must be between 0 and 2000 characters"),
        (json!({ "github_url": "http://a.example" }), "github_url must be an https address"),
        (
            json!({ "website_url": format!("https://a.example/{}", "x".repeat(2000)) }),
            "website_url must be between 1 and 2000 characters",
        ),
    ] {
        let mut body = input.clone();
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        owner.post(PATH, body).await.refused("VALIDATION_ERROR", message);
    }
    let picture = json!({ "name": "Team", "slug": "a-team", "avatar_key": Uuid::now_v7() });
    owner.post(PATH, picture).await.refused("NOT_FOUND", "Upload not found");
    let key = app.personal_key(&owner, &["extension-dev:read"]).await;
    let message = "This credential does not carry extension-dev:edit";
    key.post(PATH, input).await.refused("FORBIDDEN", message);
}

#[tokio::test]
async fn create_developer_team_refuses_slugs_of_developers_and_teams() {
    let app = TestApp::start().await;
    let owner = developer(&app).await;
    let profile = app.developer_profile(app.owner().await.user_id).await;
    let of_developer = format!("dev-{}", profile.simple());
    owner.post(PATH, json!({ "name": "T", "slug": "taken" })).await.expect(201);
    for slug in ["taken", &of_developer] {
        let refused = owner.post(PATH, json!({ "name": "T", "slug": slug })).await;
        refused.refused("CONFLICT", "Slug is already taken");
    }
}

#[tokio::test]
async fn create_developer_team_refuses_a_team_beyond_the_limit() {
    let app = TestApp::builder().with("LUMIO_RATE_SESSION", 100_000).start().await;
    let owner = developer(&app).await;
    for number in 0..50 {
        owner.post(PATH, json!({ "name": "T", "slug": format!("team-{number}") })).await.expect(201);
    }
    let refused = owner.post(PATH, json!({ "name": "T", "slug": "one-more" })).await;
    refused.refused("PLAN_LIMIT_REACHED", "Team limit reached");
}

#[tokio::test]
async fn developer_team_permissions_lists_the_catalogue() {
    let app = TestApp::start().await;
    let person = app.owner().await;
    let listed = person.get("/v1/developer/teams/permissions").await.data().clone();
    assert_eq!(listed.as_array().unwrap().len(), 20);
    assert_eq!(
        listed[0],
        json!({
            "permission": "team-extensions:create", "category": "team-extensions",
            "label": "Team extensions: create",
        })
    );
    let twin = person.graphql("{ developerTeamPermissions { permission category label } }", json!({})).await;
    assert_eq!(twin.field("developerTeamPermissions"), listed);
}

#[tokio::test]
async fn update_developer_team_changes_what_members_with_the_permission_give() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    let path = format!("{PATH}/{id}");
    let changed = owner.patch(&path, json!({ "name": "Day", "description": "We work." })).await;
    assert_eq!(
        (&changed.data()["name"], &changed.data()["description"]),
        (&json!("Day"), &json!("We work."))
    );
    app.audited_once("developer_team:updated").await;
    let input = json!({ "description": null });
    let twin = owner.mutate_at("updateDeveloperTeam", &[("id", id)], &input, TEAM).await;
    assert_eq!(twin.field("updateDeveloperTeam")["description"], Value::Null);
    let picture = crate::image(&owner).await;
    let changed = owner.patch(&path, json!({ "avatar_key": picture })).await;
    assert_eq!(changed.data()["avatar_key"], json!(picture));
    let other = app.owner().await;
    let foreign = json!({ "avatar_key": crate::image(&other).await });
    owner.patch(&path, foreign).await.refused("NOT_FOUND", "Upload not found");

    let admin = member(&app, &owner, id, "Admin").await;
    let rest = admin.patch(&path, json!({ "name": "Mine" })).await;
    let input = json!({ "name": "Mine" });
    let graphql = admin.mutate_at("updateDeveloperTeam", &[("id", id)], &input, TEAM).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: team-settings:edit");
    let stranger = developer(&app).await;
    let rest = stranger.patch(&path, input.clone()).await;
    let graphql = stranger.mutate_at("updateDeveloperTeam", &[("id", id)], &input, TEAM).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Team not found");
}

#[tokio::test]
async fn developer_team_is_shown_to_members_only() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    let member = member(&app, &owner, id, "Member").await;
    let shown = member.get(&format!("{PATH}/{id}")).await.data().clone();
    assert_eq!((&shown["member_count"], &shown["my_role"]["slug"]), (&json!(2), &json!("team-member")));
    let document = format!("query($id: UUID!) {{ developerTeam(id: $id) {TEAM} }}");
    assert_eq!(member.graphql(&document, json!({ "id": id })).await.field("developerTeam"), shown);
    let stranger = app.owner().await;
    let rest = stranger.get(&format!("{PATH}/{id}")).await;
    both_refused(
        &rest,
        &stranger.graphql(&document, json!({ "id": id })).await,
        404,
        "NOT_FOUND",
        "Team not found",
    );
}

#[tokio::test]
async fn delete_developer_team_is_for_its_owner_alone() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    let admin = member(&app, &owner, id, "Admin").await;
    let document = "mutation($id: UUID!) { deleteDeveloperTeam(id: $id) }";
    let rest = admin.delete(&format!("{PATH}/{id}")).await;
    let graphql = admin.graphql(document, json!({ "id": id })).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Only the owner of the team can do this");
    assert_eq!(owner.delete(&format!("{PATH}/{id}")).await.status, 204);
    app.audited_once("developer_team:deleted").await;
    owner.get(&format!("{PATH}/{id}")).await.refused("NOT_FOUND", "Team not found");
    admin.get(&format!("{PATH}/{id}")).await.refused("NOT_FOUND", "Team not found");
    let (owner, other) = team(&app).await;
    let gone = owner.graphql(document, json!({ "id": other })).await;
    assert_eq!(gone.field("deleteDeveloperTeam"), json!(true));
}

#[tokio::test]
async fn public_developer_team_profile_needs_no_credential() {
    let app = TestApp::start().await;
    let (owner, id) = team(&app).await;
    member(&app, &owner, id, "Member").await;
    let slug = owner.get(&format!("{PATH}/{id}")).await.data()["slug"].as_str().unwrap().to_owned();
    let shown = app.anonymous().get(&format!("{PATH}/{slug}/profile")).await.data().clone();
    assert_eq!((&shown["name"], &shown["extensions"]), (&json!("Night Shift"), &json!([])));
    let roles: Vec<&Value> = shown["members"].as_array().unwrap().iter().map(|one| &one["role"]).collect();
    assert_eq!(roles, [&json!("Owner"), &json!("Member")]);
    let document = "query($slug: String!) { publicDeveloperTeamProfile(slug: $slug) { id name slug stats
        { extensionCount totalInstalls avgRating } members { userId displayName avatarUrl role } } }";
    let twin = app.anonymous().graphql(document, json!({ "slug": slug })).await;
    let twin = twin.field("publicDeveloperTeamProfile");
    assert_eq!((&twin["members"], &twin["stats"]), (&shown["members"], &shown["stats"]));
    let rest = app.anonymous().get(&format!("{PATH}/unknown/profile")).await;
    let graphql = app.anonymous().graphql(document, json!({ "slug": "unknown" })).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Team not found");
}
