//! Access of members to a widget (reference/overlays.md#access).

use chrono::Duration;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{WIDGETS, both_missing, id_of, mutation, query, widget};

const ENTRY: &str = "{ id widgetId userId userName userAvatar role grantedBy createdAt }";
const CANDIDATE: &str = "{ id displayName avatarUrl }";

fn path_of(widget: Uuid, user: Uuid) -> String {
    format!("{WIDGETS}/{widget}/access/{user}")
}

async fn gql_set(caller: &Caller, widget: Uuid, user: Uuid, role: &str) -> Answer {
    let document = format!(
        "mutation($widgetId: UUID!, $userId: UUID!, $input: SetAccessInput!) {{
            setWidgetAccess(widgetId: $widgetId, userId: $userId, input: $input) {ENTRY} }}"
    );
    let variables = json!({ "widgetId": widget, "userId": user, "input": { "role": role } });
    caller.graphql(&document, variables).await
}

async fn gql_remove(caller: &Caller, widget: Uuid, user: Uuid) -> Answer {
    mutation(caller, "removeWidgetAccess", &[("widgetId", widget), ("userId", user)], "").await
}

async fn gql_entries(caller: &Caller, widget: Uuid) -> Answer {
    query(caller, "widgetAccess", &[("widgetId", widget)], ENTRY).await
}

async fn gql_candidates(caller: &Caller, widget: Uuid) -> Answer {
    query(caller, "widgetAccessCandidates", &[("widgetId", widget)], CANDIDATE).await
}

#[tokio::test]
async fn set_widget_access_adds_changes_and_removes_an_entry() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let id = id_of(&widget(&owner, "Mine").await);
    let friend = app.member_as(owner.account_id, "viewer").await;
    let path = path_of(id, friend.user_id);
    let set = owner.put(&path, json!({ "role": "viewer" })).await.expect(200)["data"].clone();
    let expected = json!({
        "id": set["id"], "widget_id": id, "user_id": friend.user_id, "user_name": "viewer", "user_avatar": null,
        "role": "viewer", "granted_by": owner.user_id, "created_at": set["created_at"],
    });
    assert_eq!(set, expected);
    let administrator = app.member_as(owner.account_id, "administrator").await;
    let mut expected = set.clone();
    (expected["role"], expected["granted_by"]) = (json!("editor"), json!(administrator.user_id));
    let changed = gql_set(&administrator, id, friend.user_id, "editor").await.field("setWidgetAccess");
    assert_eq!(changed, expected);
    expected["role"] = json!("none");
    assert_eq!(*owner.put(&path, json!({ "role": "none" })).await.data(), expected);
    assert_eq!(*owner.get(&format!("{WIDGETS}/{id}/access")).await.data(), json!([]));
    let rest = owner.put(&path, json!({ "role": "none" })).await;
    both_missing(&rest, &gql_set(&owner, id, friend.user_id, "none").await, "Access entry not found");
    let entries = app.audited("widget:access_set").await;
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0].resource_id, Some(id.to_string()));
    assert_eq!(entries[0].metadata, json!({ "user_id": friend.user_id, "role": "viewer" }));
    let removed = app.audited_once("widget:access_removed").await;
    assert_eq!(removed.metadata, json!({ "user_id": friend.user_id, "role": "editor" }));
    app.stop().await;
}

#[tokio::test]
async fn set_widget_access_refuses_other_roles_and_people() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let id = id_of(&widget(&owner, "Mine").await);
    let friend = app.member_as(owner.account_id, "viewer").await;
    for role in ["owner", "Viewer", ""] {
        let rest = owner.put(&path_of(id, friend.user_id), json!({ "role": role })).await;
        let gql = gql_set(&owner, id, friend.user_id, role).await;
        both_refused(&rest, &gql, 400, "BAD_REQUEST", "Invalid role");
    }
    for user in [stranger.user_id, Uuid::now_v7()] {
        for role in ["viewer", "none"] {
            let rest = owner.put(&path_of(id, user), json!({ "role": role })).await;
            both_missing(&rest, &gql_set(&owner, id, user, role).await, "Member not found");
        }
    }
    let rest = stranger.put(&path_of(id, stranger.user_id), json!({ "role": "editor" })).await;
    let gql = gql_set(&stranger, id, stranger.user_id, "editor").await;
    both_missing(&rest, &gql, "Widget not found");
    assert_eq!(*owner.get(&format!("{WIDGETS}/{id}/access")).await.data(), json!([]));
    app.stop().await;
}

#[tokio::test]
async fn widget_access_lists_the_entries_oldest_first() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let id = id_of(&widget(&owner, "Mine").await);
    let mut expected = Vec::new();
    for _ in 0..2 {
        let friend = app.member_as(owner.account_id, "viewer").await;
        let set = owner.put(&path_of(id, friend.user_id), json!({ "role": "editor" })).await;
        expected.push(set.data().clone());
        app.clock.advance(Duration::seconds(5));
    }
    let rest = owner.get(&format!("{WIDGETS}/{id}/access")).await;
    assert_eq!(*rest.data(), json!(expected));
    assert_eq!(gql_entries(&owner, id).await.field("widgetAccess"), json!(expected));
    let rest = stranger.get(&format!("{WIDGETS}/{id}/access")).await;
    both_missing(&rest, &gql_entries(&stranger, id).await, "Widget not found");
    app.stop().await;
}

#[tokio::test]
async fn widget_access_candidates_are_members_whom_an_entry_would_bind() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let id = id_of(&widget(&owner, "Mine").await);
    app.member_as(owner.account_id, "administrator").await;
    let moderator = app.member_as(owner.account_id, "moderator").await;
    let viewer = app.member_as(owner.account_id, "viewer").await;
    let candidate = |id: Uuid, name: &str| json!({ "id": id, "display_name": name, "avatar_url": null });
    let path = format!("{WIDGETS}/{id}/access/candidates");
    let all = json!([candidate(moderator.user_id, "moderator"), candidate(viewer.user_id, "viewer")]);
    assert_eq!(*owner.get(&path).await.data(), all);
    owner.put(&path_of(id, viewer.user_id), json!({ "role": "viewer" })).await.expect(200);
    let left = gql_candidates(&owner, id).await.field("widgetAccessCandidates");
    assert_eq!(left, json!([all[0]]));
    let rest = stranger.get(&path).await;
    both_missing(&rest, &gql_candidates(&stranger, id).await, "Widget not found");
    app.stop().await;
}

#[tokio::test]
async fn remove_widget_access_opens_the_widget_again_after_the_last_entry() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let id = id_of(&widget(&owner, "Mine").await);
    let one = app.member_as(owner.account_id, "viewer").await;
    let two = app.member_as(owner.account_id, "viewer").await;
    let outsider = app.member_as(owner.account_id, "viewer").await;
    for friend in [&one, &two] {
        owner.put(&path_of(id, friend.user_id), json!({ "role": "editor" })).await.expect(200);
    }
    let reads = async |caller: &Caller| {
        let is_listed = *caller.get(WIDGETS).await.data() != json!([]);
        let status = caller.get(&format!("{WIDGETS}/{id}")).await.status;
        assert_eq!(is_listed, status == 200, "the list leaves out what cannot be read");
        is_listed
    };
    assert!(reads(&one).await && reads(&two).await && !reads(&outsider).await);
    // An editor whose role lacks the permission only reads.
    assert_eq!(one.get(WIDGETS).await.data()[0]["my_access"], "viewer");
    owner.delete(&path_of(id, one.user_id)).await.expect(204);
    assert!(!reads(&one).await && reads(&two).await);
    assert_eq!(gql_remove(&owner, id, two.user_id).await.field("removeWidgetAccess"), json!(true));
    assert!(reads(&one).await && reads(&two).await && reads(&outsider).await);
    for user in [one.user_id, stranger.user_id] {
        let rest = owner.delete(&path_of(id, user)).await;
        both_missing(&rest, &gql_remove(&owner, id, user).await, "Access entry not found");
    }
    let rest = stranger.delete(&path_of(id, one.user_id)).await;
    both_missing(&rest, &gql_remove(&stranger, id, one.user_id).await, "Widget not found");
    let entries = app.audited("widget:access_removed").await;
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[1].metadata, json!({ "user_id": two.user_id, "role": "editor" }));
    app.stop().await;
}

#[tokio::test]
async fn widget_access_ends_with_the_membership() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let id = id_of(&widget(&owner, "Mine").await);
    let friend = app.member_as(owner.account_id, "viewer").await;
    owner.put(&path_of(id, friend.user_id), json!({ "role": "editor" })).await.expect(200);
    friend.post(&format!("/v1/accounts/{}/leave", owner.account_id), json!({})).await.expect(200);
    assert_eq!(*owner.get(&format!("{WIDGETS}/{id}/access")).await.data(), json!([]));
    app.stop().await;
}

#[tokio::test]
async fn set_widget_access_is_refused_to_members_whom_the_entries_exclude() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let id = id_of(&widget(&owner, "Mine").await);
    let granter = app.member_with(owner.account_id, &["widgets:read", "widgets:access-grant"]).await;
    let friend = app.member_as(owner.account_id, "viewer").await;
    owner.put(&path_of(id, friend.user_id), json!({ "role": "editor" })).await.expect(200);
    for role in ["viewer", "none"] {
        owner.put(&path_of(id, granter.user_id), json!({ "role": "viewer" })).await.expect(200);
        if role == "none" {
            owner.delete(&path_of(id, granter.user_id)).await.expect(204);
        }
        let own: Value = json!({ "role": "editor" });
        let rest = granter.put(&path_of(id, granter.user_id), own).await;
        let gql = gql_set(&granter, id, granter.user_id, "editor").await;
        both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing access to this widget");
    }
    app.stop().await;
}
