//! Preview, acceptance, refusal and deletion of invites (reference/accounts.md#taking-and-declining).

use chrono::TimeDelta;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, TestApp, arrives, both_refused};
use serde_json::{Value, json};
use shared::schema::{invites, notifications};
use uuid::Uuid;

use super::{
    accept, accept_over_graphql, count_of_invites, create, create_over_graphql, decline,
    decline_over_graphql, invited, preview_over_graphql, stranger,
};
use crate::{members_of, role_id, text};

#[tokio::test]
async fn invite_by_code_shows_account_role_and_validity() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (_, code) = invited(&app, &owner, json!({ "expires_in": 3600 })).await;
    let anonymous = app.anonymous();
    let seen = anonymous.get(&format!("/v1/invites/{code}")).await;
    let preview = seen.data();
    assert_eq!((&preview["account_name"], &preview["role_name"]), (&json!("Test account"), &json!("viewer")));
    assert_eq!(preview["is_valid"], true);
    assert_eq!(preview_over_graphql(&anonymous, &code).await.field("inviteByCode"), *preview);
    app.clock.advance(TimeDelta::hours(1));
    let seen = anonymous.get(&format!("/v1/invites/{code}")).await;
    assert_eq!(seen.data()["is_valid"], false);
    let unknown = anonymous.get("/v1/invites/none").await;
    both_refused(
        &unknown,
        &preview_over_graphql(&anonymous, "none").await,
        404,
        "NOT_FOUND",
        "Invite not found",
    );
}

#[tokio::test]
async fn accept_invite_makes_a_member_in_every_process() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (invite, code) = invited(&app, &owner, json!({ "max_uses": 2 })).await;
    let (first, second, third) = (stranger(&app).await, stranger(&app).await, stranger(&app).await);
    // The other process caches that they are not a member.
    let there = app.session(first.user_id, owner.account_id).await;
    let (_state, running) = app.second_server().await;
    let elsewhere = there.at(format!("http://{}", running.address));
    elsewhere
        .get(&format!("/v1/accounts/{}/enabled-features", owner.account_id))
        .await
        .refused_with("NOT_FOUND");

    let joined = accept(&first, &code).await;
    let account = joined.expect(200)["data"].clone();
    assert_eq!(
        (&account["account_id"], &account["account_name"]),
        (&json!(owner.account_id), &json!("Test account"))
    );
    assert_eq!(account["role"]["slug"], "viewer");
    let audited = app.audited_once("member:joined").await;
    assert_eq!((audited.account_id, audited.actor_id), (Some(owner.account_id), Some(first.user_id)));
    assert_eq!(audited.resource_id.as_deref(), account["membership_id"].as_str());
    assert_eq!(audited.metadata["invite_id"], json!(invite));
    arrives("another process knows", async {
        let path = format!("/v1/accounts/{}/enabled-features", owner.account_id);
        while elsewhere.get(&path).await.status != 200 {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    })
    .await;

    let again = accept(&first, &code).await;
    let graphql = accept_over_graphql(&first, &code).await;
    both_refused(&again, &graphql, 409, "CONFLICT", "Already a member of this account");
    let twin = accept_over_graphql(&second, &code).await.field("acceptInvite");
    assert_eq!(twin["role"], account["role"]);
    let used_up = accept(&third, &code).await;
    let graphql = accept_over_graphql(&third, &code).await;
    both_refused(&used_up, &graphql, 409, "CONFLICT", "Invite is no longer valid");
    let listed = owner.get("/v1/invites").await;
    assert_eq!((&listed.data()[0]["status"], &listed.data()[0]["use_count"]), (&json!("used_up"), &json!(2)));
    assert_eq!(members_of(&app, owner.account_id).await.len(), 3);
    let notified: Vec<(Uuid, String)> = notifications::table
        .select((notifications::user_id, notifications::notification_type))
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(notified, vec![(owner.user_id, "member_joined".to_owned()); 2]);
}

#[tokio::test]
async fn accept_invite_in_parallel_does_not_exceed_max_uses() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (_, code) = invited(&app, &owner, json!({})).await;
    let mut people = Vec::new();
    for _ in 0..4 {
        people.push(stranger(&app).await);
    }
    let answers = futures::future::join_all(people.iter().map(|person| accept(person, &code))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    for answer in answers.iter().filter(|answer| answer.status != 200) {
        answer.refused("CONFLICT", "Invite is no longer valid");
    }
    assert_eq!(members_of(&app, owner.account_id).await.len(), 2);
}

#[tokio::test]
async fn accept_invite_refuses_an_expired_invite() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (id, code) = invited(&app, &owner, json!({})).await;
    diesel::update(invites::table.find(id))
        .set(invites::expires_at.eq(app.clock.now() - TimeDelta::seconds(1)))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let person = stranger(&app).await;
    let graphql = accept_over_graphql(&person, &code).await;
    both_refused(&accept(&person, &code).await, &graphql, 409, "CONFLICT", "Invite is no longer valid");
    assert_eq!(owner.get("/v1/invites").await.data()[0]["status"], "expired");
    assert_eq!(members_of(&app, owner.account_id).await.len(), 1);
}

#[tokio::test]
async fn create_invite_notifies_the_person_who_alone_may_accept() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (person, other) = (stranger(&app).await, stranger(&app).await);
    let wanted = json!({ "method": "person", "target_user_id": person.user_id });
    let (id, code) = invited(&app, &owner, wanted.clone()).await;
    let notification: (Uuid, Value, Value) = notifications::table
        .select((notifications::user_id, notifications::data, notifications::actions))
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!((notification.0, &notification.1["inviteId"]), (person.user_id, &json!(id)));
    let keys: Vec<&str> =
        notification.2.as_array().unwrap().iter().map(|action| text(&action["key"])).collect();
    assert_eq!(keys, ["accept_invite", "decline_invite"]);
    assert!(!notification.1.to_string().contains(&code), "the code is not in it");

    let mut again = wanted.clone();
    again["role_id"] = json!(role_id(&app, owner.account_id, "viewer").await);
    let graphql = create_over_graphql(&owner, &again).await;
    both_refused(&create(&owner, &again).await, &graphql, 409, "CONFLICT", "User is already invited");
    let message = "Invite not found";
    let graphql = accept_over_graphql(&other, &code).await;
    both_refused(&accept(&other, &code).await, &graphql, 404, "NOT_FOUND", message);
    let graphql = decline_over_graphql(&other, &code).await;
    both_refused(&decline(&other, &code).await, &graphql, 404, "NOT_FOUND", message);

    accept(&person, &code).await.expect(200);
    let left: i64 = notifications::table
        .filter(notifications::user_id.eq(person.user_id))
        .count()
        .get_result(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(left, 0, "what it asked for is done");
}

#[tokio::test]
async fn decline_invite_deletes_personal_invites_only() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let person = stranger(&app).await;
    let (id, code) =
        invited(&app, &owner, json!({ "method": "person", "target_user_id": person.user_id })).await;
    let (_, open) = invited(&app, &owner, json!({ "max_uses": 5 })).await;
    assert_eq!(decline(&person, &code).await.expect(200), &json!({ "success": true }));
    let audited = app.audited_once("invite:declined").await;
    assert_eq!((audited.account_id, audited.actor_id), (Some(owner.account_id), Some(person.user_id)));
    assert_eq!(audited.resource_id, Some(id.to_string()));
    let graphql = decline_over_graphql(&person, &code).await;
    both_refused(&decline(&person, &code).await, &graphql, 404, "NOT_FOUND", "Invite not found");
    let twin = decline_over_graphql(&person, &open).await;
    assert_eq!(twin.field("declineInvite"), json!({ "success": true }));
    assert_eq!(count_of_invites(&app).await, 1, "others may take it still");
    assert_eq!(app.audited("invite:declined").await.len(), 1);
    accept(&person, &open).await.expect(200);
}

#[tokio::test]
async fn delete_invite_deletes_the_invite_and_its_notification() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let person = stranger(&app).await;
    let (first, code) =
        invited(&app, &owner, json!({ "method": "person", "target_user_id": person.user_id })).await;
    let (second, _) = invited(&app, &owner, json!({})).await;
    let delete = async |caller: &Caller, id: Uuid| caller.delete(&format!("/v1/invites/{id}")).await;
    let document = "mutation($id: UUID!) { deleteInvite(id: $id) }";
    let graphql = async |caller: &Caller, id: Uuid| caller.graphql(document, json!({ "id": id })).await;
    let reader = app.member_with(owner.account_id, &["members:read", "members:create"]).await;
    let message = "Missing permission: members:delete";
    both_refused(&delete(&reader, first).await, &graphql(&reader, first).await, 403, "FORBIDDEN", message);
    let message = "Invite not found";
    both_refused(&delete(&other, first).await, &graphql(&other, first).await, 404, "NOT_FOUND", message);
    assert_eq!(count_of_invites(&app).await, 2);
    owner.delete("/v1/invites/mine").await.refused("VALIDATION_ERROR", "Invalid UUID: id");

    assert_eq!(delete(&owner, first).await.status, 204);
    assert_eq!(graphql(&owner, second).await.field("deleteInvite"), json!(true));
    assert_eq!(app.audited("invite:deleted").await.len(), 2);
    accept(&person, &code).await.refused("NOT_FOUND", "Invite not found");
    let notified: i64 = notifications::table
        .count()
        .get_result(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(notified, 0);
}

#[tokio::test]
async fn accept_invite_does_not_find_an_invite_of_a_former_member() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let administrator = app.member_as(owner.account_id, "administrator").await;
    let (_, code) = invited(&app, &administrator, json!({})).await;
    let (_, of_owner) = invited(&app, &owner, json!({})).await;
    administrator.post(&format!("/v1/accounts/{}/leave", owner.account_id), json!({})).await.expect(200);
    let person = stranger(&app).await;
    accept(&person, &code).await.refused("NOT_FOUND", "Invite not found");
    accept(&person, &of_owner).await.expect(200);
}

#[tokio::test]
async fn accept_invite_and_decline_invite_are_first_party_only() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (_, code) = invited(&app, &owner, json!({})).await;
    let person = stranger(&app).await;
    for caller in [app.popout(&person, &[]).await, app.service_key(person.account_id, &[]).await] {
        let message = "First-party session required";
        let graphql = accept_over_graphql(&caller, &code).await;
        both_refused(&accept(&caller, &code).await, &graphql, 403, "FORBIDDEN", message);
        let graphql = decline_over_graphql(&caller, &code).await;
        both_refused(&decline(&caller, &code).await, &graphql, 403, "FORBIDDEN", message);
    }
    let anonymous = app.anonymous();
    let graphql = accept_over_graphql(&anonymous, &code).await;
    let message = "Authentication required";
    both_refused(&accept(&anonymous, &code).await, &graphql, 401, "UNAUTHORIZED", message);
    accept(&app.personal_key(&person, &[]).await, &code).await.expect(200);
}
