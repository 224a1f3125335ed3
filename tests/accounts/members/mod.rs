//! Members: their list and their removal (reference/accounts.md#members).

mod roles;
mod search;

use diesel::{prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Statements, TestApp, arrives, both_refused};
use serde_json::{Value, json};
use shared::schema::users;
use uuid::Uuid;

use super::{members_of, membership_id, socket};

const MEMBER: &str =
    "{ membershipId userId displayName email avatarUrl role { id slug name color } isOwner joinedAt }";

async fn list(caller: &Caller, account_id: Uuid) -> Answer {
    caller.get(&format!("/v1/accounts/{account_id}/members")).await
}

async fn list_over_graphql(caller: &Caller) -> Answer {
    caller.graphql(&format!("{{ members {MEMBER} }}"), json!({})).await
}

async fn remove(caller: &Caller, account_id: Uuid, membership_id: Uuid) -> Answer {
    caller.delete(&format!("/v1/accounts/{account_id}/members/{membership_id}")).await
}

async fn remove_over_graphql(caller: &Caller, membership_id: Uuid) -> Answer {
    let document = "mutation($id: UUID!) { removeMember(membershipId: $id) }";
    caller.graphql(document, json!({ "id": membership_id })).await
}

#[tokio::test]
async fn members_shows_addresses_to_callers_who_may_edit() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let viewer = app.member_as(owner.account_id, "viewer").await;
    let reader = app.member_with(owner.account_id, &["members:read"]).await;
    diesel::update(users::table.find(viewer.user_id))
        .set(users::email.eq("viewer@example.com"))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();

    let rest = list(&owner, owner.account_id).await;
    let path = format!("/v1/accounts/{}/members", owner.account_id);
    assert_eq!(rest.body["_links"], json!({ "self": path }));
    let ids: Vec<&Value> = rest.data().as_array().unwrap().iter().map(|member| &member["user_id"]).collect();
    assert_eq!(ids, [&json!(owner.user_id), &json!(viewer.user_id), &json!(reader.user_id)]);
    let (first, second) = (&rest.data()[0], &rest.data()[1]);
    assert_eq!((&first["is_owner"], &first["role"]["slug"]), (&json!(true), &json!("owner")));
    assert_eq!(second["email"], "viewer@example.com");
    assert_eq!(second["membership_id"], json!(membership_id(&app, &viewer).await));
    assert_eq!((&second["is_owner"], &second["role"]["slug"]), (&json!(false), &json!("viewer")));
    assert_eq!(list_over_graphql(&owner).await.field("members"), *rest.data());

    let seen = list(&reader, owner.account_id).await;
    assert!(seen.data().as_array().unwrap().iter().all(|member| member["email"].is_null()));
    assert_eq!(list_over_graphql(&reader).await.field("members"), *seen.data());

    let graphql = list_over_graphql(&viewer).await;
    both_refused(
        &list(&viewer, owner.account_id).await,
        &graphql,
        403,
        "FORBIDDEN",
        "Missing permission: members:read",
    );
    let other = app.owner().await;
    list(&owner, other.account_id).await.refused("NOT_FOUND", "Account not found");
    owner.get("/v1/accounts/mine/members").await.refused("VALIDATION_ERROR", "Invalid UUID: id");
}

#[tokio::test]
async fn members_reads_a_thousand_members_in_one_statement() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for sql in [
        "INSERT INTO users (id, display_name, username) SELECT gen_random_uuid(), 'Many', 'many' || n \
         FROM generate_series(1, 999) AS n"
            .to_owned(),
        format!(
            "INSERT INTO memberships (id, account_id, user_id, role_id) SELECT gen_random_uuid(), '{0}', users.id, \
             (SELECT id FROM account_roles WHERE account_id = '{0}' AND slug = 'viewer') FROM users \
             WHERE username LIKE 'many%'",
            owner.account_id
        ),
    ] {
        sql_query(sql).execute(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap();
    }
    statements.to(&app);
    let (rest, sent) = statements.of(async || list(&owner, owner.account_id).await).await;
    assert_eq!(rest.data().as_array().unwrap().len(), 1000);
    assert!(sent.len() == 1 && sent[0].contains("\"memberships\""), "{sent:#?}");
    let (graphql, sent) = statements.of(async || list_over_graphql(&owner).await).await;
    assert_eq!(graphql.field("members"), *rest.data());
    assert_eq!(sent.len(), 1, "{sent:#?}");
}

#[tokio::test]
async fn remove_member_refuses_the_owner_and_oneself() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let administrator = app.member_as(owner.account_id, "administrator").await;
    let viewer = app.member_as(owner.account_id, "viewer").await;
    let [owned, own] = [membership_id(&app, &owner).await, membership_id(&app, &administrator).await];
    let rest = remove(&administrator, owner.account_id, owned).await;
    let graphql = remove_over_graphql(&administrator, owned).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "The account owner cannot be removed");
    let rest = remove(&administrator, owner.account_id, own).await;
    let graphql = remove_over_graphql(&administrator, own).await;
    let message = "You cannot remove yourself; leave the account instead";
    both_refused(&rest, &graphql, 409, "CONFLICT", message);
    let rest = remove(&viewer, owner.account_id, own).await;
    let graphql = remove_over_graphql(&viewer, own).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: members:delete");
    assert_eq!(members_of(&app, owner.account_id).await.len(), 3);
}

#[tokio::test]
async fn remove_member_ends_credentials_and_subscriptions_in_every_process() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_as(owner.account_id, "moderator").await;
    let (popout, key) =
        (app.popout(&member, &["chat:read"]).await, app.personal_key(&member, &["chat:read"]).await);
    let (_state, running) = app.second_server().await;
    let elsewhere = |caller: &Caller| caller.at(format!("http://{}", running.address));
    for caller in [&popout, &key] {
        elsewhere(caller).get("/v1/tokens/me").await.expect(200);
    }
    let chat = format!("chat:{}", owner.account_id);
    let mut by_session = socket(&app, &member).await;
    by_session.subscribe(&chat).await;
    let (mut by_popout, mut by_key) = (socket(&app, &popout).await, socket(&app, &key).await);

    assert_eq!(remove(&owner, owner.account_id, membership_id(&app, &member).await).await.status, 204);
    let audited = app.audited_once("member:removed").await;
    assert_eq!((audited.account_id, audited.actor_id), (Some(owner.account_id), Some(owner.user_id)));
    assert_eq!(audited.metadata["user_id"], json!(member.user_id));

    let lost = json!({ "type": "unsubscribed", "channel": chat, "reason": "permission_revoked" });
    assert_eq!(by_session.frame().await, lost);
    for client in [&mut by_popout, &mut by_key] {
        let (frames, code) = client.until_closed().await;
        assert_eq!((&frames.last().unwrap()["code"], code), (&json!("TOKEN_REVOKED"), 4002));
    }
    arrives("another process knows", async {
        for caller in [&popout, &key] {
            while elsewhere(caller).get("/v1/tokens/me").await.status != 401 {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        }
    })
    .await;
    let me = member.get("/v1/users/me").await;
    assert_eq!((&me.data()["active_account_id"], &me.data()["memberships"]), (&Value::Null, &json!([])));
    assert_eq!(members_of(&app, owner.account_id).await.len(), 1);
}

#[tokio::test]
async fn invites_shows_a_code_only_to_callers_who_could_grant_its_role() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let recruiter = app.member_with(owner.account_id, &["members:read", "members:create"]).await;
    let roles = owner.get("/v1/roles").await;
    let administrator =
        roles.data().as_array().unwrap().iter().find(|role| role["slug"] == "administrator").unwrap();
    let invite = json!({ "role_id": administrator["id"], "method": "link" });
    let code = owner.post("/v1/invites", invite).await.expect(201)["data"]["code"].clone();
    assert_eq!(owner.get("/v1/invites").await.data()[0]["code"], code);
    assert_eq!(recruiter.get("/v1/invites").await.data()[0]["code"], json!(null));
    let graphql = recruiter.graphql("{ invites { code } }", json!({})).await;
    assert_eq!(graphql.body["data"]["invites"][0]["code"], json!(null), "{}", graphql.text);
}
