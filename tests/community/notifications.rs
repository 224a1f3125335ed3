//! The caller's own notifications (specification C B19).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Person, TestApp, both_refused};
use lumio_worker::Daemon;
use serde_json::{Value, json};
use shared::{
    db::schema::{account_roles, invites, memberships},
    id,
    notify::Notice,
};
use uuid::Uuid;

use super::world::{joined, listed, tell};
use crate::live::world::{eventually, told, workers};

const PATH: &str = "/v1/notifications";
const LIST: &str = "query($limit: Int, $unread: Boolean, $before: UUID) { notifications(limit: $limit, unread: $unread, before: $before) \
     { items { id userId type title message data actions { key label } readAt createdAt } unreadCount } }";

async fn count(person: &Person) -> Value {
    person.graphql("{ unreadNotificationCount }", json!({})).await.field("unreadNotificationCount")
}

#[tokio::test]
async fn both_protocols_list_the_newest_with_the_unread_count() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    for index in 0..12 {
        tell(&app, &[owner.user_id, other.user_id], &joined(owner.account_id, &format!("P{index}"))).await;
    }
    let rest = owner.get(PATH).await;
    assert_eq!(rest.body["_links"]["self"], PATH);
    let rest = rest.data().clone();
    assert_eq!(rest["items"].as_array().unwrap().len(), 10);
    assert_eq!((&rest["unread_count"], &rest["items"][0]["user_id"]), (&json!(12), &json!(owner.user_id)));
    assert_eq!(rest["items"][0]["message"], "P11 joined Night shift as Viewer.");
    assert_eq!(rest["items"][0]["type"], "member_joined");
    let graphql = owner.graphql(LIST, json!({})).await.field("notifications");
    // The data are the same text on both protocols, whatever the case of the other names.
    let without_data = |list: &Value| {
        let mut items = list["items"].as_array().unwrap().clone();
        items.iter_mut().for_each(|item| item["data"] = Value::Null);
        items
    };
    assert_eq!(without_data(&graphql), without_data(&rest));
    assert_eq!(graphql["unread_count"], 12);

    let last = rest["items"][9]["id"].as_str().unwrap();
    let older = owner.get(&format!("{PATH}?before={last}")).await.data()["items"].clone();
    assert_eq!(older.as_array().unwrap().len(), 2);
    assert_eq!(older[1]["message"], "P0 joined Night shift as Viewer.");
    let older = owner.graphql(LIST, json!({ "before": last })).await.field("notifications");
    assert_eq!(older["items"].as_array().unwrap().len(), 2);
    let first = owner.get(&format!("{PATH}?limit=7&token=secret")).await;
    let next = first.body["_links"]["next"].as_str().unwrap();
    assert_eq!(next, format!("{PATH}?limit=7&before={}", first.data()["items"][6]["id"].as_str().unwrap()));
    let second = owner.get(next).await;
    assert_eq!(second.data()["items"].as_array().unwrap().len(), 5);
    assert!(second.body["_links"].get("next").is_none(), "the end");
    assert_eq!(owner.get(&format!("{PATH}?limit=50")).await.data()["items"].as_array().unwrap().len(), 12);
    for limit in ["0", "51", "-1"] {
        let refused = owner.get(&format!("{PATH}?limit={limit}")).await;
        refused.refused("VALIDATION_ERROR", "limit must be between 1 and 50");
        let refused = owner.graphql(LIST, json!({ "limit": limit.parse::<i64>().unwrap() })).await;
        refused.refused("VALIDATION_ERROR", "limit must be between 1 and 50");
    }
    owner.get(&format!("{PATH}?before=nothing")).await.refused("VALIDATION_ERROR", "Invalid UUID: before");
    app.stop().await;
}

#[tokio::test]
async fn reading_is_idempotent_and_keeps_its_time_and_tells_the_persons_sockets() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for name in ["Ada", "Bo", "Cy"] {
        tell(&app, &[owner.user_id], &joined(owner.account_id, name)).await;
    }
    let ids: Vec<String> =
        listed(&owner).await.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect();
    let read = owner.post(&format!("{PATH}/{}/read", ids[0]), json!({})).await;
    assert_eq!(*read.expect(200), json!({ "success": true }));
    let at = listed(&owner).await[0]["read_at"].clone();
    assert!(at.is_string());
    app.clock.advance(chrono::Duration::minutes(1));
    let document = "mutation($id: UUID!) { markNotificationRead(id: $id) { success } }";
    let again = owner.graphql(document, json!({ "id": ids[0] })).await;
    assert_eq!(again.field("markNotificationRead"), json!({ "success": true }));
    assert_eq!(listed(&owner).await[0]["read_at"], at);
    assert_eq!(count(&owner).await, 2);
    let unread = owner.get(&format!("{PATH}?unread=true")).await.data().clone();
    assert_eq!((unread["items"].as_array().unwrap().len(), &unread["unread_count"]), (2, &json!(2)));

    let all = owner.graphql("mutation { markAllNotificationsRead { success } }", json!({})).await;
    assert_eq!(all.field("markAllNotificationsRead"), json!({ "success": true }));
    assert_eq!(count(&owner).await, 0);
    assert_eq!(
        *owner.post(&format!("{PATH}/read-all"), json!({})).await.expect(200),
        json!({ "success": true })
    );

    let running = workers(&app, &[Daemon::Outbox]).await;
    let channel = format!("user:{}", owner.user_id);
    eventually("everything is told", async || told(&app, &channel).await.len() == 5).await;
    running.stop().await.unwrap();
    let told = told(&app, &channel).await;
    let types: Vec<&str> = told.iter().map(|event| event["event_type"].as_str().unwrap()).collect();
    assert_eq!(types.iter().filter(|kind| **kind == "notification:new").count(), 3);
    let new = told.iter().find(|event| event["data"]["id"] == ids[0].as_str()).unwrap();
    assert_eq!((&new["data"]["type"], &new["data"]["read_at"]), (&json!("member_joined"), &Value::Null));
    let reads: Vec<&Value> =
        told.iter().filter(|event| event["event_type"] == "notification:read").map(|e| &e["data"]).collect();
    assert!(reads.contains(&&json!({ "id": ids[0], "unread_count": 2 })), "{reads:?}");
    assert!(reads.contains(&&json!({ "id": null, "unread_count": 0 })), "{reads:?}");
    app.stop().await;
}

#[tokio::test]
async fn another_persons_notifications_are_not_found_and_stay() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    tell(&app, &[owner.user_id], &joined(owner.account_id, "Ada")).await;
    let before = listed(&owner).await;
    let id = before[0]["id"].as_str().unwrap();
    let not_found = "Notification not found";
    both_refused(
        &other.post(&format!("{PATH}/{id}/read"), json!({})).await,
        &other
            .graphql(&format!("mutation {{ markNotificationRead(id: \"{id}\") {{ success }} }}"), json!({}))
            .await,
        404,
        "NOT_FOUND",
        not_found,
    );
    both_refused(
        &other.delete(&format!("{PATH}/{id}")).await,
        &other.graphql(&format!("mutation {{ deleteNotification(id: \"{id}\") }}"), json!({})).await,
        404,
        "NOT_FOUND",
        not_found,
    );
    let action = format!("mutation {{ runNotificationAction(id: \"{id}\", key: \"x\") {{ success }} }}");
    both_refused(
        &other.post(&format!("{PATH}/{id}/actions/x"), json!({})).await,
        &other.graphql(&action, json!({})).await,
        404,
        "NOT_FOUND",
        not_found,
    );
    both_refused(
        &owner.post(&format!("{PATH}/{id}/actions/x"), json!({})).await,
        &owner.graphql(&action, json!({})).await,
        404,
        "NOT_FOUND",
        "Notification action not found",
    );
    other.post(&format!("{PATH}/read-all"), json!({})).await.expect(200);
    assert_eq!(listed(&owner).await, before);
    owner.delete(&format!("{PATH}/{id}")).await.expect(204);
    assert!(listed(&owner).await.is_empty());
    owner.delete(&format!("{PATH}/{id}")).await.refused("NOT_FOUND", not_found);
    tell(&app, &[owner.user_id], &joined(owner.account_id, "Bo")).await;
    let id = listed(&owner).await[0]["id"].as_str().unwrap().to_owned();
    let deleted = owner.graphql(&format!("mutation {{ deleteNotification(id: \"{id}\") }}"), json!({})).await;
    assert_eq!(deleted.field("deleteNotification"), json!(true));
    app.stop().await;
}

#[tokio::test]
async fn only_first_party_sessions_see_notifications() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let popout = app.popout(&owner, &["chat:read"]).await;
    let service = app.service_key(owner.account_id, &["chat:read"]).await;
    for caller in [&popout, &service] {
        both_refused(
            &caller.get(PATH).await,
            &caller.graphql("{ unreadNotificationCount }", json!({})).await,
            403,
            "FORBIDDEN",
            "First-party session required",
        );
    }
    both_refused(
        &app.anonymous().get(PATH).await,
        &app.anonymous().graphql("{ unreadNotificationCount }", json!({})).await,
        401,
        "UNAUTHORIZED",
        "Authentication required",
    );
    let key = app.personal_key(&owner, &["chat:read"]).await;
    assert_eq!(key.get(PATH).await.data()["unread_count"], 0);
    app.stop().await;
}

/// An invite for one person, with its notification; answers the invite's and the notification's id.
async fn invite(app: &TestApp, owner: &Person, invited: Uuid) -> (Uuid, String) {
    let invite_id = id::new();
    let mut db = app.state.databases.postgres.get().await.unwrap();
    let role_id: Uuid = account_roles::table
        .filter(account_roles::account_id.eq(owner.account_id).and(account_roles::slug.ne("owner")))
        .select(account_roles::id)
        .first(&mut *db)
        .await
        .unwrap();
    diesel::insert_into(invites::table)
        .values((
            invites::id.eq(invite_id),
            invites::account_id.eq(owner.account_id),
            invites::code.eq(invite_id.simple().to_string()),
            invites::role_id.eq(role_id),
            invites::method.eq("person"),
            invites::target_user_id.eq(invited),
            invites::max_uses.eq(1),
            invites::created_by.eq(owner.user_id),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    drop(db);
    let notice = Notice::Invite {
        invite_id,
        account_id: owner.account_id,
        account_name: "Night shift",
        role_name: "Moderator",
        invited_by: Some("Ada"),
        expires_at: None,
    };
    tell(app, &[invited], &notice).await;
    let session = app.session(invited, owner.account_id).await;
    let items = listed(&session).await;
    assert_eq!(items[0]["data"]["inviteId"], json!(invite_id));
    let keys: Vec<&Value> =
        items[0]["actions"].as_array().unwrap().iter().map(|action| &action["key"]).collect();
    assert_eq!(keys, ["accept_invite", "decline_invite"]);
    (invite_id, items[0]["id"].as_str().unwrap().to_owned())
}

async fn belongs(app: &TestApp, account: Uuid, user: Uuid) -> bool {
    let mut db = app.state.databases.postgres.get().await.unwrap();
    let own =
        memberships::table.filter(memberships::account_id.eq(account).and(memberships::user_id.eq(user)));
    own.count().get_result::<i64>(&mut *db).await.unwrap() > 0
}

async fn stands(app: &TestApp, invite: Uuid) -> bool {
    let mut db = app.state.databases.postgres.get().await.unwrap();
    invites::table.find(invite).count().get_result::<i64>(&mut *db).await.unwrap() > 0
}

#[tokio::test]
async fn an_invite_is_accepted_by_its_notification_which_then_goes() {
    let app = TestApp::start().await;
    let (owner, guest) = (app.owner().await, app.owner().await);
    app.member_as(owner.account_id, "moderator").await;
    let (_, notification) = invite(&app, &owner, guest.user_id).await;
    let path = format!("{PATH}/{notification}/actions/accept_invite");
    owner.post(&path, json!({})).await.refused("NOT_FOUND", "Notification not found");
    assert_eq!(*guest.post(&path, json!({})).await.expect(200), json!({ "success": true }));
    assert!(belongs(&app, owner.account_id, guest.user_id).await);
    assert!(listed(&guest).await.is_empty());
    guest.post(&path, json!({})).await.refused("NOT_FOUND", "Notification not found");
    assert_eq!(app.audited("member:joined").await.len(), 1);
    let told = listed(&owner).await;
    assert_eq!(told[0]["type"], "member_joined");
    app.stop().await;
}

#[tokio::test]
async fn an_invite_is_declined_by_its_notification_over_graphql() {
    let app = TestApp::start().await;
    let (owner, guest) = (app.owner().await, app.owner().await);
    app.member_as(owner.account_id, "moderator").await;
    let (invite_id, notification) = invite(&app, &owner, guest.user_id).await;
    let document =
        "mutation($id: UUID!, $key: String!) { runNotificationAction(id: $id, key: $key) { success } }";
    let variables = json!({ "id": notification, "key": "decline_invite" });
    let declined = guest.graphql(document, variables).await;
    assert_eq!(declined.field("runNotificationAction"), json!({ "success": true }));
    assert!(!belongs(&app, owner.account_id, guest.user_id).await && !stands(&app, invite_id).await);
    assert!(listed(&guest).await.is_empty());
    let told = app.audited_once("invite:declined").await;
    assert_eq!((told.account_id, told.actor_id), (Some(owner.account_id), Some(guest.user_id)));
    app.stop().await;
}

#[tokio::test]
async fn an_invite_that_is_gone_is_said_so() {
    let app = TestApp::start().await;
    let (owner, guest) = (app.owner().await, app.owner().await);
    app.member_as(owner.account_id, "moderator").await;
    let (invite_id, notification) = invite(&app, &owner, guest.user_id).await;
    let mut db = app.state.databases.postgres.get().await.unwrap();
    diesel::update(invites::table.find(invite_id))
        .set(invites::expires_at.eq(app.clock.now() - chrono::Duration::days(1)))
        .execute(&mut *db)
        .await
        .unwrap();
    let path = format!("{PATH}/{notification}/actions/accept_invite");
    guest.post(&path, json!({})).await.refused("CONFLICT", "Invite is no longer valid");
    diesel::delete(invites::table.find(invite_id)).execute(&mut *db).await.unwrap();
    drop(db);
    guest.post(&path, json!({})).await.refused("NOT_FOUND", "Invite not found");
    assert!(!belongs(&app, owner.account_id, guest.user_id).await);
    app.stop().await;
}
