//! Token of the page of an overlay (reference/overlays.md#tokens).

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Binary, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::{PUBLIC_URL, SocketRequest, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{OVERLAYS, both_missing, id_of, mutation, overlay, query, text, tokens};

const TOKEN: &str = "{ token tokenPrefix url createdAt }";

#[tokio::test]
async fn overlay_token_returns_the_token_and_the_address_of_the_page() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let made = overlay(&owner, "Mine").await;
    let id = id_of(&made);
    let answer = owner.get(&format!("{OVERLAYS}/{id}/token")).await;
    let shown = answer.data().clone();
    let token = text(&shown["token"]);
    assert!(token.len() == 75 && token.starts_with("lm_overlay_"), "{token}");
    let expected = json!({
        "token": token, "token_prefix": &token[..17], "created_at": made["created_at"],
        "url": format!("{PUBLIC_URL}/v1/overlays/{}/page#token={token}", text(&made["key"])),
    });
    assert_eq!(shown, expected);
    assert_eq!(answer.header("cache-control"), "private, no-store");
    let gql = query(&owner, "overlayToken", &[("overlayId", id)], TOKEN).await;
    assert_eq!(gql.field("overlayToken"), shown, "the token stays");
    assert_eq!(gql.header("cache-control"), "private, no-store");
    app.bearer(token).get(OVERLAYS).await.refused("FORBIDDEN", "This token cannot call the API");
    for (caller, id) in [(&stranger, id), (&owner, Uuid::now_v7())] {
        let rest = caller.get(&format!("{OVERLAYS}/{id}/token")).await;
        let gql = query(caller, "overlayToken", &[("overlayId", id)], TOKEN).await;
        both_missing(&rest, &gql, "Overlay not found");
    }
    let reader = app.member_as(owner.account_id, "viewer").await;
    let rest = reader.get(&format!("{OVERLAYS}/{id}/token")).await;
    let gql = query(&reader, "overlayToken", &[("overlayId", id)], TOKEN).await;
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: overlays:edit");
    app.stop().await;
}

#[tokio::test]
async fn overlay_token_is_stored_encrypted() {
    #[derive(QueryableByName)]
    struct Stored {
        #[diesel(sql_type = Binary)]
        token: Vec<u8>,
    }
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let id = id_of(&overlay(&owner, "Mine").await);
    let shown = owner.get(&format!("{OVERLAYS}/{id}/token")).await.data().clone();
    let mut db = app.databases.postgres.get().await.unwrap();
    let stored: Stored = sql_query("SELECT token FROM overlays WHERE id = $1")
        .bind::<SqlUuid, _>(id)
        .get_result(&mut *db)
        .await
        .unwrap();
    let body = &text(&shown["token"]).as_bytes()["lm_overlay_".len()..];
    assert!(!stored.token.windows(body.len()).any(|bytes| bytes == body));
    drop(db);
    app.stop().await;
}

#[tokio::test]
async fn rotate_overlay_token_ends_the_former_token_immediately() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let made = overlay(&owner, "Mine").await;
    let (id, key) = (id_of(&made), text(&made["key"]));
    let path = format!("{OVERLAYS}/{id}/token");
    let first = owner.get(&path).await.data().clone();
    let mut socket = SocketRequest::to(app.url()).bearer(text(&first["token"])).connect().await;
    let share = owner.post(&format!("{OVERLAYS}/{id}/shares"), json!({ "expires_in": 60 })).await;
    let mut shared = SocketRequest::to(app.url()).bearer(text(&share.data()["token"])).connect().await;

    let answer = owner.post(&format!("{path}/rotate"), json!({})).await;
    let second = answer.expect(200)["data"].clone();
    assert_eq!(answer.header("cache-control"), "private, no-store");
    assert_ne!(second["token"], first["token"]);
    assert_eq!(*owner.get(&path).await.data(), second);
    let (frames, closed) = socket.until_closed().await;
    assert_eq!((&frames.last().expect("an error")["code"], closed), (&json!("TOKEN_REVOKED"), 4002));
    shared.is_quiet().await;
    assert_eq!(SocketRequest::to(app.url()).bearer(text(&first["token"])).refused().await.status, 401);
    SocketRequest::to(app.url()).bearer(text(&second["token"])).connect().await.is_quiet().await;

    let third = mutation(&owner, "rotateOverlayToken", &[("overlayId", id)], TOKEN).await;
    let third = third.field("rotateOverlayToken");
    assert_ne!(third["token"], second["token"]);
    assert_eq!(tokens(&app, &[key]).await, ["overlay", "share"]);
    let rest = stranger.post(&format!("{path}/rotate"), json!({})).await;
    let gql = mutation(&stranger, "rotateOverlayToken", &[("overlayId", id)], TOKEN).await;
    both_missing(&rest, &gql, "Overlay not found");
    let entries = app.audited("overlay:token_rotated").await;
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[1].metadata, json!({ "token_prefix": third["token_prefix"] }));
    app.stop().await;
}

#[tokio::test]
async fn delete_overlay_ends_sockets_of_its_tokens() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let id = id_of(&overlay(&owner, "Mine").await);
    let path = format!("{OVERLAYS}/{id}");
    let token: Value = owner.get(&format!("{path}/token")).await.data()["token"].clone();
    let share =
        owner.post(&format!("{path}/shares"), json!({ "expires_in": 60 })).await.data()["token"].clone();
    let mut sockets = Vec::new();
    for token in [&token, &share] {
        sockets.push(SocketRequest::to(app.url()).bearer(text(token)).connect().await);
    }
    owner.delete(&path).await.expect(204);
    for socket in &mut sockets {
        let (frames, closed) = socket.until_closed().await;
        assert_eq!((&frames.last().expect("an error")["code"], closed), (&json!("TOKEN_REVOKED"), 4002));
    }
    app.stop().await;
}
