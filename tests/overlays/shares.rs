//! Shares of an overlay (reference/overlays.md#shares).

use api_core::Timestamp;
use chrono::Duration;
use lumio_tests::{Answer, Caller, PUBLIC_URL, SocketRequest, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{OVERLAYS, both_missing, id_of, mutation, overlay, query, text, tokens};

const SHARE: &str = "{ id overlayId label tokenPrefix expiresAt createdAt createdBy { id displayName } }";
const CREATED: &str =
    "{ id overlayId label token tokenPrefix url expiresAt createdAt createdBy { id displayName } }";

fn path_of(overlay: Uuid) -> String {
    format!("{OVERLAYS}/{overlay}/shares")
}

async fn gql_create(caller: &Caller, overlay: Uuid, input: &Value) -> Answer {
    caller.mutate_at("createOverlayShare", &[("overlayId", overlay)], input, CREATED).await
}

async fn gql_list(caller: &Caller, overlay: Uuid) -> Answer {
    query(caller, "overlayShares", &[("overlayId", overlay)], SHARE).await
}

/// A created share as the list shows it.
fn listed(created: &Value) -> Value {
    let mut share = created.clone();
    let fields = share.as_object_mut().expect("a share");
    assert!(fields.remove("token").is_some() && fields.remove("url").is_some());
    share
}

#[tokio::test]
async fn create_overlay_share_returns_the_token_once() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let made = overlay(&owner, "Mine").await;
    let (id, path) = (id_of(&made), path_of(id_of(&made)));
    let answer = owner.post(&path, json!({ "expires_in": 2_592_000, "label": " Guests " })).await;
    let created = answer.expect(201)["data"].clone();
    assert_eq!(answer.header("location"), format!("/v1/overlay-shares/{}", id_of(&created)));
    assert_eq!(answer.header("cache-control"), "private, no-store");
    let token = text(&created["token"]);
    assert!(token.len() == 73 && token.starts_with("lm_share_"), "{token}");
    let created_at = Timestamp::parse(text(&created["created_at"])).unwrap();
    let expires_at = Timestamp::from(*created_at + Duration::days(30));
    let expected = json!({
        "id": created["id"], "overlay_id": id, "label": "Guests", "token": token, "token_prefix": &token[..15],
        "url": format!("{PUBLIC_URL}/v1/overlays/{}/page#token={token}", text(&made["key"])),
        "expires_at": expires_at, "created_at": created["created_at"],
        "created_by": { "id": owner.user_id, "display_name": "owner" },
    });
    assert_eq!(created, expected);
    let by_key = app.service_key(owner.account_id, &["overlays:edit"]).await;
    let second = gql_create(&by_key, id, &json!({ "expires_in": 60 })).await.field("createOverlayShare");
    assert_eq!((&second["label"], &second["created_by"]), (&Value::Null, &Value::Null));
    let shown = owner.get(&path).await.data().clone();
    assert_eq!(shown, json!([listed(&second), listed(&created)]));
    let entries = app.audited("overlay:share_created").await;
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0].resource_id.as_deref(), Some(text(&created["id"])));
    let metadata = json!({ "overlay_id": id, "label": "Guests", "expires_at": expires_at });
    assert_eq!(entries[0].metadata, metadata);
    app.stop().await;
}

#[tokio::test]
async fn create_overlay_share_validates_time_and_label() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let id = id_of(&overlay(&owner, "Mine").await);
    let time = "expires_in must be between 60 and 2592000";
    for (input, message) in [
        (json!({ "expires_in": 59 }), time),
        (json!({ "expires_in": 2_592_001 }), time),
        (json!({ "expires_in": 60, "label": "" }), "label must not be empty"),
        (json!({ "expires_in": 60, "label": "x".repeat(101) }), "label must be between 1 and 100 characters"),
    ] {
        let rest = owner.post(&path_of(id), input.clone()).await;
        both_refused(&rest, &gql_create(&owner, id, &input).await, 400, "VALIDATION_ERROR", message);
    }
    owner.post(&path_of(id), json!({})).await.refused("VALIDATION_ERROR", "Missing field: expires_in");
    let input = json!({ "expires_in": 60 });
    for (caller, id) in [(&stranger, id), (&owner, Uuid::now_v7())] {
        let rest = caller.post(&path_of(id), input.clone()).await;
        both_missing(&rest, &gql_create(caller, id, &input).await, "Overlay not found");
    }
    assert_eq!(*owner.get(&path_of(id)).await.data(), json!([]));
    app.stop().await;
}

#[tokio::test]
async fn create_overlay_share_stops_at_twenty_shares_that_have_not_ended() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let made = overlay(&owner, "Mine").await;
    let (id, path) = (id_of(&made), path_of(id_of(&made)));
    for _ in 0..19 {
        owner.post(&path, json!({ "expires_in": 60 })).await.expect(201);
    }
    let last = owner.post(&path, json!({ "expires_in": 2_592_000 })).await.data().clone();
    let input = json!({ "expires_in": 60 });
    let rest = owner.post(&path, input.clone()).await;
    let gql = gql_create(&owner, id, &input).await;
    both_refused(&rest, &gql, 403, "PLAN_LIMIT_REACHED", "Overlay share limit reached");
    app.clock.advance(Duration::seconds(60));
    assert_eq!(*owner.get(&path).await.data(), json!([listed(&last)]), "the others have ended");
    owner.post(&path, input.clone()).await.expect(201);
    // Tokens of shares that ended long ago are deleted.
    app.clock.advance(Duration::hours(2));
    let again = app.session(owner.user_id, owner.account_id).await;
    again.post(&path, input).await.expect(201);
    assert_eq!(tokens(&app, &[text(&made["key"])]).await, ["overlay", "share", "share"]);
    app.stop().await;
}

#[tokio::test]
async fn overlay_shares_lists_the_shares_newest_first() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let id = id_of(&overlay(&owner, "Mine").await);
    let other = id_of(&overlay(&owner, "Other").await);
    owner.post(&path_of(other), json!({ "expires_in": 60 })).await.expect(201);
    let mut expected = Vec::new();
    for label in ["first", "second"] {
        let created = owner.post(&path_of(id), json!({ "expires_in": 60, "label": label })).await;
        expected.insert(0, listed(created.data()));
        app.clock.advance(Duration::seconds(5));
    }
    let rest = owner.get(&path_of(id)).await;
    assert_eq!(*rest.data(), json!(expected));
    assert_eq!(gql_list(&owner, id).await.field("overlayShares"), *rest.data());
    let rest = stranger.get(&path_of(id)).await;
    both_missing(&rest, &gql_list(&stranger, id).await, "Overlay not found");
    let reader = app.member_as(owner.account_id, "viewer").await;
    let rest = reader.get(&path_of(id)).await;
    let lacks = "Missing permission: overlays:edit";
    both_refused(&rest, &gql_list(&reader, id).await, 403, "FORBIDDEN", lacks);
    app.stop().await;
}

#[tokio::test]
async fn revoke_overlay_share_ends_its_token_immediately() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let id = id_of(&overlay(&owner, "Mine").await);
    let mut created = Vec::new();
    for _ in 0..2 {
        let share = owner.post(&path_of(id), json!({ "expires_in": 60 })).await.data().clone();
        let socket = SocketRequest::to(app.url()).bearer(text(&share["token"])).connect().await;
        created.push((share, socket));
    }
    let missing = "Overlay share not found";
    let share = id_of(&created[0].0);
    for (caller, id) in [(&stranger, share), (&owner, Uuid::now_v7())] {
        let rest = caller.delete(&format!("/v1/overlay-shares/{id}")).await;
        both_missing(&rest, &mutation(caller, "revokeOverlayShare", &[("id", id)], "").await, missing);
    }
    owner.delete(&format!("/v1/overlay-shares/{share}")).await.expect(204);
    let second = mutation(&owner, "revokeOverlayShare", &[("id", id_of(&created[1].0))], "").await;
    assert_eq!(second.field("revokeOverlayShare"), json!(true));
    for (share, socket) in &mut created {
        let (frames, closed) = socket.until_closed().await;
        assert_eq!((&frames.last().expect("an error")["code"], closed), (&json!("TOKEN_REVOKED"), 4002));
        assert_eq!(SocketRequest::to(app.url()).bearer(text(&share["token"])).refused().await.status, 401);
    }
    assert_eq!(*owner.get(&path_of(id)).await.data(), json!([]));
    owner.delete(&format!("/v1/overlay-shares/{share}")).await.refused("NOT_FOUND", missing);
    let entries = app.audited("overlay:share_revoked").await;
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0].resource_id, Some(share.to_string()));
    assert_eq!(entries[0].metadata, json!({ "overlay_id": id }));
    app.stop().await;
}
