//! Keys and what changes between a request and its repetition: memberships, the active account, the pool and the commit.

use diesel::sql_query;
use diesel_async::{RunQueryDsl, SimpleAsyncConnection};
use lumio_tests::{
    Person, TestApp,
    world::{connect, count},
};
use platforms_stand_in::Platform;
use serde_json::{Value, json};

use super::{NOT_REPEATABLE, is_conflict, is_executed, is_repetition, post_with_key, stage::stored};

const ACCOUNTS: &str = "/v1/accounts";
const COMMANDS: &str = "/v1/bot-commands";
const TEAMS: &str = "/v1/developer/teams";
/// Half of the pool of a test server.
const MAX_PINS: usize = 8;

/// Refuses the next two commits of a row with an answer, as a deferred check of what the operation wrote would.
const REFUSE_TWO_COMMITS: &str = "
    CREATE SEQUENCE commits;
    CREATE FUNCTION refuse_to_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('commits') <= 2 THEN RAISE EXCEPTION 'refused at the commit'; END IF;
        RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER refuse_to_commit AFTER INSERT ON idempotent_requests DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION refuse_to_commit();";

fn command(name: &str) -> Value {
    json!({ "name": name, "response": "example.com" })
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// Lets a person join a team with a new role that may create roles.
async fn join(owner: &Person, person: &Person, team: &str) {
    let role = json!({ "name": "Helpers", "permissions": ["team-settings:edit"] });
    let role = owner.post(&format!("{TEAMS}/{team}/roles"), role).await.data()["id"].clone();
    let invite = owner.post(&format!("{TEAMS}/{team}/invites"), json!({ "role_id": role })).await;
    let accept = format!("/v1/developer/team-invites/{}/accept", text(&invite.data()["code"]));
    person.post(&accept, json!({})).await.expect(200);
}

#[tokio::test]
async fn create_developer_team_role_is_not_replayed_to_a_person_who_was_removed() {
    let app = TestApp::start().await;
    let (owner, member) = (app.owner().await, app.owner().await);
    app.developer_profile(owner.user_id).await;
    let team = owner.post(TEAMS, json!({ "name": "Night Shift", "slug": "night-shift" })).await;
    let team = text(&team.data()["id"]).to_owned();
    join(&owner, &member, &team).await;
    let roles = format!("{TEAMS}/{team}/roles");
    let role = json!({ "name": "Painters", "permissions": ["team-settings:edit"] });
    let create = async || post_with_key(&member, &roles, "k", &role).await;
    let first = create().await;
    is_executed(&first, 201);
    is_repetition(&first, &create().await);

    let members = owner.get(&format!("{TEAMS}/{team}/members")).await.data().clone();
    let of_member = |listed: &&Value| listed["user_id"] == json!(member.user_id);
    let membership = members.as_array().expect("a list").iter().find(of_member).expect("the member").clone();
    owner.delete(&format!("{TEAMS}/{team}/members/{}", text(&membership["id"]))).await.expect(204);
    create().await.expect(404);
    let of_person = format!("user_id = '{}'", member.user_id);
    let kept = format!("{of_person} AND answer IS NOT NULL");
    assert_eq!((stored(&app, &of_person).await, stored(&app, &kept).await), (1, 0), "the key stays known");
    // Back in the team the request has no second effect, and its answer stays withheld.
    let back = json!({ "role_id": membership["role"]["id"] });
    let invite = owner.post(&format!("{TEAMS}/{team}/invites"), back).await;
    let accept = format!("/v1/developer/team-invites/{}/accept", text(&invite.data()["code"]));
    member.post(&accept, json!({})).await.expect(200);
    is_conflict(&create().await, NOT_REPEATABLE);
    assert_eq!(count(&app, "developer_team_roles WHERE name = 'Painters'").await, 1);
    app.stop().await;
}

#[tokio::test]
async fn create_account_has_one_effect_although_it_changes_the_active_account() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    app.override_every_feature(owner.account_id, true).await;
    let allowed = sql_query("UPDATE users SET max_accounts_override = 9");
    allowed.execute(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap();
    let account = json!({ "name": "Second" });
    let created = post_with_key(&owner, ACCOUNTS, "k", &account).await;
    is_executed(&created, 201);
    let active = text(&created.data()["id"]).parse().expect("an id");
    let later = app.session(owner.user_id, active).await;
    is_conflict(&post_with_key(&later, ACCOUNTS, "k", &account).await, NOT_REPEATABLE);
    assert_eq!(count(&app, "accounts WHERE name = 'Second'").await, 1);
    // A rule with a permission in an account: another account, another key.
    let role = json!({ "name": "Helper", "permissions": ["chat:read"] });
    for session in [&owner, &later] {
        is_executed(&post_with_key(session, "/v1/roles", "k", &role).await, 201);
    }
    app.stop().await;
}

#[tokio::test]
async fn create_bot_command_with_a_key_leaves_half_of_the_pool_to_others() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    app.override_every_feature(owner.account_id, true).await;
    let mut pinned = Vec::new();
    for _ in 0..MAX_PINS {
        pinned.push(app.databases.postgres.get_pinned().await.expect("a connection"));
    }
    let refused = post_with_key(&owner, COMMANDS, "k", &command("hug")).await;
    refused.expect(429);
    refused.refused("RATE_LIMIT_EXCEEDED", "Too many requests at once");
    assert_eq!(refused.header("retry-after"), "1");
    // Requests without a key use the other half.
    is_executed(&owner.post(COMMANDS, command("dance")).await, 201);
    drop(pinned);
    is_executed(&post_with_key(&owner, COMMANDS, "k", &command("hug")).await, 201);
    app.stop().await;
}

#[tokio::test]
async fn create_bot_command_stores_nothing_when_its_commit_fails() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    app.override_every_feature(owner.account_id, true).await;
    owner.post(COMMANDS, command("taken")).await.expect(201);
    let mut db = app.databases.postgres.get().await.unwrap();
    db.batch_execute(REFUSE_TWO_COMMITS).await.expect("the trigger");
    drop(db);
    // A success, and a refusal whose answer must not be stored by itself.
    for name in ["hug", "taken"] {
        post_with_key(&owner, COMMANDS, name, &command(name)).await.expect(500);
    }
    assert_eq!(stored(&app, "true").await, 0);
    assert_eq!(count(&app, "bot_commands").await, 1);
    is_executed(&post_with_key(&owner, COMMANDS, "hug", &command("hug")).await, 201);
    is_executed(&post_with_key(&owner, COMMANDS, "taken", &command("taken")).await, 409);
    app.stop().await;
}

#[tokio::test]
async fn send_chat_to_platform_stores_no_credential_of_its_address_in_another_spelling() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let popout = app.popout(&owner, &["chat:write"]).await;
    let spelled = popout.token().replace('_', "%5F");
    let path = format!("/v1/chat/send?token={spelled}");
    let message = json!({ "platform": "twitch", "message": "hello" });
    let send = async || post_with_key(&app.anonymous(), &path, "k", &message).await;
    let first = send().await;
    is_executed(&first, 200);
    is_repetition(&first, &send().await);
    let holding = format!("strpos(concat(answer::text, headers::text), '{spelled}') > 0");
    assert_eq!((stored(&app, "true").await, stored(&app, &holding).await), (1, 0));
    app.stop().await;
}
