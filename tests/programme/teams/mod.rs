//! Teams of developers (reference/teams.md).

mod extensions;
mod invites;
mod members;
mod payouts;
mod roles;
mod team;

use lumio_tests::{Answer, Caller, Person, TestApp};
use serde_json::{Value, json};
use uuid::Uuid;

const PATH: &str = "/v1/developer/teams";
const TEAM: &str = "{ id name slug description githubUrl websiteUrl avatarKey ownerId memberCount
    myRole { id slug name } myPermissions createdAt }";

/// A person with a developer profile.
async fn developer(app: &TestApp) -> Person {
    let person = app.owner().await;
    app.developer_profile(person.user_id).await;
    person
}

/// A developer and the id of a team that the developer owns.
async fn team(app: &TestApp) -> (Person, Uuid) {
    let owner = developer(app).await;
    let team = team_of(&owner).await;
    (owner, team)
}

/// Id of a new team of a developer.
pub async fn team_of(owner: &Caller) -> Uuid {
    let slug = format!("team-{}", &Uuid::now_v7().simple().to_string()[16..]);
    let made = owner.post(PATH, json!({ "name": "Night Shift", "slug": slug })).await;
    id(made.expect(201)["data"].get("id"))
}

/// A person who joins a team with a role.
async fn member(app: &TestApp, owner: &Caller, team: Uuid, role: &str) -> Person {
    let person = app.owner().await;
    join(owner, &person, team, role).await.expect(200);
    person
}

/// A person who joins a team with a new role of these permissions.
async fn member_with(app: &TestApp, owner: &Caller, team: Uuid, permissions: &[&str]) -> Person {
    let name = Uuid::now_v7().to_string();
    let body = json!({ "name": name, "permissions": permissions });
    owner.post(&format!("{PATH}/{team}/roles"), body).await.expect(201);
    member(app, owner, team, &name).await
}

async fn join(owner: &Caller, person: &Caller, team: Uuid, role: &str) -> Answer {
    let body = json!({ "role_id": role_named(owner, team, role).await });
    let invite = owner.post(&format!("{PATH}/{team}/invites"), body).await;
    let code = invite.expect(201)["data"]["code"].as_str().expect("a code").to_owned();
    person.post(&format!("/v1/developer/team-invites/{code}/accept"), json!({})).await
}

/// Id of a role by its name.
async fn role_named(caller: &Caller, team: Uuid, name: &str) -> Uuid {
    let roles = caller.get(&format!("{PATH}/{team}/roles")).await;
    let roles = roles.data().as_array().expect("a list").clone();
    id(roles.iter().find(|role| role["name"] == name).expect("the role").get("id"))
}

/// Membership of a person in a team.
async fn membership(caller: &Caller, team: Uuid, user: Uuid) -> Uuid {
    let members = caller.get(&format!("{PATH}/{team}/members")).await;
    let members = members.data().as_array().expect("a list").clone();
    id(members.iter().find(|member| member["user_id"] == json!(user)).expect("the member").get("id"))
}

fn id(value: Option<&Value>) -> Uuid {
    value.and_then(Value::as_str).expect("an id").parse().expect("a UUID")
}
