//! Notifications of the caller (reference/notifications.md#notification).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Person, TestApp, both_refused};
use lumio_worker::Daemon;
use notices::notify::Notice;
use serde_json::{Value, json};
use shared::{
    id,
    schema::{account_roles, invites, memberships},
};
use uuid::Uuid;

use super::world::{joined, listed, send_notice};
use lumio_tests::world::{eventually, published, workers};

const PATH: &str = "/v1/notifications";
const LIST: &str = "query($limit: Int, $unread: Boolean, $before: UUID) { notifications(limit: $limit, unread: $unread, before: $before) \
     { items { id userId type title message data actions { key label } readAt createdAt } unreadCount } }";

async fn count(person: &Person) -> Value {
    person.graphql("{ unreadNotificationCount }", json!({})).await.field("unreadNotificationCount")
}

#[tokio::test]
async fn notifications_lists_the_newest_with_the_unread_count() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    for index in 0..12 {
        send_notice(&app, &[owner.user_id, other.user_id], &joined(owner.account_id, &format!("P{index}")))
            .await;
    }
    let rest = owner.get(PATH).await;
    assert_eq!(rest.body["_links"]["self"], PATH);
    let rest = rest.data().clone();
    assert_eq!(rest["items"].as_array().unwrap().len(), 10);
    assert_eq!((&rest["unread_count"], &rest["items"][0]["user_id"]), (&json!(12), &json!(owner.user_id)));
    assert_eq!(rest["items"][0]["message"], "P11 joined Night shift as Viewer.");
    assert_eq!(rest["items"][0]["type"], "member_joined");
    let graphql = owner.graphql(LIST, json!({})).await.field("notifications");
    // The data have the same keys on both protocols: GraphQL does not change their case.
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
async fn mark_notification_read_is_idempotent_and_publishes_to_sockets() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for name in ["Ada", "Bo", "Cy"] {
        send_notice(&app, &[owner.user_id], &joined(owner.account_id, name)).await;
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

    let running = workers(&app, &[Daemon::Outbox]).await;
    let channel = format!("user:{}", owner.user_id);
    eventually("everything is told", async || published(&app, &channel).await.len() == 4).await;
    running.stop().await.unwrap();
    let published = published(&app, &channel).await;
    let types: Vec<&str> = published.iter().map(|event| event["event_type"].as_str().unwrap()).collect();
    assert_eq!(types.iter().filter(|kind| **kind == "notification:new").count(), 3);
    let new = published.iter().find(|event| event["data"]["id"] == ids[0].as_str()).unwrap();
    assert_eq!((&new["data"]["type"], &new["data"]["read_at"]), (&json!("member_joined"), &Value::Null));
    let reads: Vec<&Value> = published
        .iter()
        .filter(|event| event["event_type"] == "notification:read")
        .map(|e| &e["data"])
        .collect();
    assert!(reads.contains(&&json!({ "id": ids[0], "unread_count": 2 })), "{reads:?}");
    app.stop().await;
}

#[tokio::test]
async fn mark_all_notifications_read_is_idempotent_and_publishes_once() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    for name in ["Ada", "Bo"] {
        send_notice(&app, &[owner.user_id, other.user_id], &joined(owner.account_id, name)).await;
    }
    let (path, document) = (format!("{PATH}/read-all"), "mutation { markAllNotificationsRead { success } }");
    let anonymous = app.anonymous();
    both_refused(
        &anonymous.post(&path, json!({})).await,
        &anonymous.graphql(document, json!({})).await,
        401,
        "UNAUTHORIZED",
        "Authentication required",
    );
    let all = owner.graphql(document, json!({})).await;
    assert_eq!(all.field("markAllNotificationsRead"), json!({ "success": true }));
    assert_eq!((count(&owner).await, count(&other).await), (json!(0), json!(2)));
    let read = listed(&owner).await;
    assert!(read.iter().all(|item| item["read_at"].is_string()), "{read:?}");
    app.clock.advance(chrono::Duration::minutes(1));
    assert_eq!(*owner.post(&path, json!({})).await.expect(200), json!({ "success": true }));
    assert_eq!(listed(&owner).await, read);

    let running = workers(&app, &[Daemon::Outbox]).await;
    let channel = format!("user:{}", owner.user_id);
    eventually("everything is published", async || published(&app, &channel).await.len() == 3).await;
    running.stop().await.unwrap();
    let published = published(&app, &channel).await;
    let reads: Vec<&Value> = published
        .iter()
        .filter(|event| event["event_type"] == "notification:read")
        .map(|event| &event["data"])
        .collect();
    assert_eq!(reads, [&json!({ "id": null, "unread_count": 0 })]);
    app.stop().await;
}

#[tokio::test]
async fn delete_notification_and_others_do_not_find_those_of_other_users() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    send_notice(&app, &[owner.user_id], &joined(owner.account_id, "Ada")).await;
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
    send_notice(&app, &[owner.user_id], &joined(owner.account_id, "Bo")).await;
    let id = listed(&owner).await[0]["id"].as_str().unwrap().to_owned();
    let deleted = owner.graphql(&format!("mutation {{ deleteNotification(id: \"{id}\") }}"), json!({})).await;
    assert_eq!(deleted.field("deleteNotification"), json!(true));
    app.stop().await;
}

#[tokio::test]
async fn unread_notification_count_and_list_are_first_party_only() {
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

/// Creates an invite for one person, with its notification; returns the ids of both.
async fn invite(app: &TestApp, owner: &Person, invited: Uuid) -> (Uuid, String) {
    let invite_id = id::new();
    let mut db = app.databases.postgres.get().await.unwrap();
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
    send_notice(app, &[invited], &notice).await;
    let session = app.session(invited, owner.account_id).await;
    let items = listed(&session).await;
    assert_eq!(items[0]["data"]["inviteId"], json!(invite_id));
    let keys: Vec<&Value> =
        items[0]["actions"].as_array().unwrap().iter().map(|action| &action["key"]).collect();
    assert_eq!(keys, ["accept_invite", "decline_invite"]);
    (invite_id, items[0]["id"].as_str().unwrap().to_owned())
}

async fn is_member(app: &TestApp, account: Uuid, user: Uuid) -> bool {
    let mut db = app.databases.postgres.get().await.unwrap();
    let own =
        memberships::table.filter(memberships::account_id.eq(account).and(memberships::user_id.eq(user)));
    own.count().get_result::<i64>(&mut *db).await.unwrap() > 0
}

async fn exists(app: &TestApp, invite: Uuid) -> bool {
    let mut db = app.databases.postgres.get().await.unwrap();
    invites::table.find(invite).count().get_result::<i64>(&mut *db).await.unwrap() > 0
}

#[tokio::test]
async fn run_notification_action_accepts_an_invite_and_deletes_itself() {
    let app = TestApp::start().await;
    let (owner, guest) = (app.owner().await, app.owner().await);
    app.member_as(owner.account_id, "moderator").await;
    let (_, notification) = invite(&app, &owner, guest.user_id).await;
    let path = format!("{PATH}/{notification}/actions/accept_invite");
    owner.post(&path, json!({})).await.refused("NOT_FOUND", "Notification not found");
    assert_eq!(*guest.post(&path, json!({})).await.expect(200), json!({ "success": true }));
    assert!(is_member(&app, owner.account_id, guest.user_id).await);
    assert!(listed(&guest).await.is_empty());
    guest.post(&path, json!({})).await.refused("NOT_FOUND", "Notification not found");
    assert_eq!(app.audited("member:joined").await.len(), 1);
    let notified = listed(&owner).await;
    assert_eq!(notified[0]["type"], "member_joined");
    app.stop().await;
}

#[tokio::test]
async fn run_notification_action_declines_an_invite_over_graphql() {
    let app = TestApp::start().await;
    let (owner, guest) = (app.owner().await, app.owner().await);
    app.member_as(owner.account_id, "moderator").await;
    let (invite_id, notification) = invite(&app, &owner, guest.user_id).await;
    let document =
        "mutation($id: UUID!, $key: String!) { runNotificationAction(id: $id, key: $key) { success } }";
    let variables = json!({ "id": notification, "key": "decline_invite" });
    let declined = guest.graphql(document, variables).await;
    assert_eq!(declined.field("runNotificationAction"), json!({ "success": true }));
    assert!(!is_member(&app, owner.account_id, guest.user_id).await && !exists(&app, invite_id).await);
    assert!(listed(&guest).await.is_empty());
    let entry = app.audited_once("invite:declined").await;
    assert_eq!((entry.account_id, entry.actor_id), (Some(owner.account_id), Some(guest.user_id)));
    app.stop().await;
}

#[tokio::test]
async fn run_notification_action_refuses_an_expired_or_deleted_invite() {
    let app = TestApp::start().await;
    let (owner, guest) = (app.owner().await, app.owner().await);
    app.member_as(owner.account_id, "moderator").await;
    let (invite_id, notification) = invite(&app, &owner, guest.user_id).await;
    let mut db = app.databases.postgres.get().await.unwrap();
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
    assert!(!is_member(&app, owner.account_id, guest.user_id).await);
    app.stop().await;
}
