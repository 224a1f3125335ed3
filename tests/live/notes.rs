//! Notes about platform users (reference/chat.md#notes).

use diesel::{prelude::*, sql_query, sql_types};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use shared::schema::user_notes;
use uuid::Uuid;

const NOTE: &str = "{ id body author { id displayName avatarUrl } createdAt updatedAt }";
const PATH: &str = "/v1/chat/users/twitch/44/notes";

async fn list(caller: &Caller) -> Answer {
    let document = format!("{{ userNotes(platform: \"twitch\", platformUserId: \"44\") {NOTE} }}");
    caller.graphql(&document, json!({})).await
}

async fn create(caller: &Caller, body: &str) -> Answer {
    let document = format!(
        "mutation($input: CreateUserNoteInput!) \
         {{ createUserNote(platform: \"twitch\", platformUserId: \"44\", input: $input) {NOTE} }}"
    );
    caller.graphql(&document, json!({ "input": { "body": body } })).await
}

async fn update(caller: &Caller, id: &str, body: &str) -> Answer {
    let document = format!(
        "mutation($id: UUID!, $input: UpdateUserNoteInput!) {{ updateUserNote(id: $id, input: $input) {NOTE} }}"
    );
    caller.graphql(&document, json!({ "id": id, "input": { "body": body } })).await
}

async fn delete(caller: &Caller, id: &str) -> Answer {
    caller.graphql("mutation($id: UUID!) { deleteUserNote(id: $id) }", json!({ "id": id })).await
}

fn id(note: &Value) -> String {
    note["id"].as_str().expect("an id").to_owned()
}

async fn bodies(app: &TestApp) -> Vec<String> {
    user_notes::table
        .order(user_notes::id.asc())
        .select(user_notes::body)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

#[tokio::test]
async fn user_notes_are_managed_on_both_protocols() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let moderator = app.member_as(owner.account_id, "moderator").await;
    let created = moderator.post(PATH, json!({ "body": "  first\nline  " })).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let first = created.data().clone();
    assert_eq!(first["body"], "first\nline");
    assert_eq!(first["author"]["id"], json!(moderator.user_id));
    assert_eq!(created.body["_links"]["self"], json!(format!("/v1/chat/notes/{}", id(&first))));
    let second = create(&owner, "second").await.field("createUserNote");
    let key = app.service_key(owner.account_id, &["chat:notes"]).await;
    let third = create(&key, "third").await.field("createUserNote");
    assert_eq!(third["author"], Value::Null);

    let listed = owner.get(PATH).await;
    assert_eq!(*listed.data(), json!([third, second, first]));
    assert_eq!(list(&owner).await.field("userNotes"), *listed.data());
    assert_eq!(owner.get("/v1/chat/users/kick/44/notes").await.data(), &json!([]));

    // Any member may edit it.
    app.clock.advance(chrono::Duration::seconds(5));
    let rewritten = owner.patch(&format!("/v1/chat/notes/{}", id(&first)), json!({ "body": "new" })).await;
    assert_eq!((&rewritten.data()["body"], &rewritten.data()["author"]), (&json!("new"), &first["author"]));
    assert_ne!(rewritten.data()["updated_at"], first["updated_at"]);
    let rewritten = update(&moderator, &id(&second), "newer").await.field("updateUserNote");
    assert_eq!(rewritten["body"], "newer");
    owner.delete(&format!("/v1/chat/notes/{}", id(&first))).await.expect(204);
    assert_eq!(delete(&owner, &id(&second)).await.field("deleteUserNote"), json!(true));
    assert_eq!(bodies(&app).await, ["third"]);

    assert_eq!(app.audited("user_note:created").await.len(), 3);
    assert_eq!(app.audited("user_note:updated").await.len(), 2);
    let deleted = app.audited("user_note:deleted").await;
    assert_eq!(deleted[0].account_id, Some(owner.account_id));
    assert_eq!(deleted[0].resource_id, Some(id(&first)));
    app.stop().await;
}

#[tokio::test]
async fn update_user_note_takes_one_to_two_thousand_characters_as_creation_does() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let existing = id(owner.post(PATH, json!({ "body": "x".repeat(2000) })).await.data());
    let note = format!("/v1/chat/notes/{existing}");
    let between = "body must be between 1 and 2000 characters";
    for (body, message) in [
        ("x".repeat(2001), between),
        ("  ".into(), "body must not be empty"),
        ("a\u{7}b".into(), "body must not contain control characters"),
    ] {
        let rest = owner.post(PATH, json!({ "body": body })).await;
        both_refused(&rest, &create(&owner, &body).await, 400, "VALIDATION_ERROR", message);
        let rest = owner.patch(&note, json!({ "body": body })).await;
        both_refused(&rest, &update(&owner, &existing, &body).await, 400, "VALIDATION_ERROR", message);
    }
    let message = "platform must be one of twitch, youtube, kick, trovo";
    let rest = owner.post("/v1/chat/users/discord/44/notes", json!({ "body": "x" })).await;
    rest.refused("VALIDATION_ERROR", message);
    owner.get("/v1/chat/users/discord/44/notes").await.refused("VALIDATION_ERROR", message);
    assert_eq!(bodies(&app).await, ["x".repeat(2000)]);
    app.stop().await;
}

#[tokio::test]
async fn create_user_note_limits_a_user_to_a_hundred_notes() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    sql_query(
        "INSERT INTO user_notes (id, account_id, platform, platform_user_id, body) \
         SELECT gen_random_uuid(), $1, 'twitch', '44', 'n' FROM generate_series(1, 99)",
    )
    .bind::<sql_types::Uuid, _>(owner.account_id)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    let both =
        futures::join!(owner.post(PATH, json!({ "body": "a" })), owner.post(PATH, json!({ "body": "b" })));
    assert_eq!([both.0.status, both.1.status].iter().filter(|status| **status == 201).count(), 1);
    let rest = owner.post(PATH, json!({ "body": "c" })).await;
    let graphql = create(&owner, "c").await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "A user can have at most 100 notes");
    assert_eq!(owner.get(PATH).await.data().as_array().unwrap().len(), 100);
    other.post(PATH, json!({ "body": "theirs" })).await.expect(201);
    owner.post("/v1/chat/users/twitch/45/notes", json!({ "body": "another's" })).await.expect(201);
    app.stop().await;
}

#[tokio::test]
async fn delete_user_note_and_others_do_not_find_notes_of_other_accounts() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let note = id(owner.post(PATH, json!({ "body": "ours" })).await.data());
    assert_eq!(stranger.get(PATH).await.data(), &json!([]));
    for missing in [note.clone(), Uuid::now_v7().to_string()] {
        let address = format!("/v1/chat/notes/{missing}");
        let rest = stranger.patch(&address, json!({ "body": "theirs" })).await;
        let graphql = update(&stranger, &missing, "theirs").await;
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Note not found");
        let (rest, graphql) = (stranger.delete(&address).await, delete(&stranger, &missing).await);
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Note not found");
    }
    stranger.delete("/v1/chat/notes/x").await.refused("VALIDATION_ERROR", "Invalid UUID: id");
    assert_eq!(bodies(&app).await, ["ours"]);
    assert!(app.audited("user_note:deleted").await.is_empty());
    app.stop().await;
}

#[tokio::test]
async fn user_notes_need_the_permission_and_the_feature() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let note = id(owner.post(PATH, json!({ "body": "ours" })).await.data());
    let address = format!("/v1/chat/notes/{note}");
    let unprivileged = app.member_with(owner.account_id, &["chat:read", "chat:userinfo"]).await;
    let calls = async |caller: &Caller| {
        [
            (caller.get(PATH).await, list(caller).await),
            (caller.post(PATH, json!({ "body": "x" })).await, create(caller, "x").await),
            (caller.patch(&address, json!({ "body": "x" })).await, update(caller, &note, "x").await),
            (caller.delete(&address).await, delete(caller, &note).await),
        ]
    };
    for (rest, graphql) in calls(&app.anonymous()).await {
        both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    }
    for (rest, graphql) in calls(&unprivileged).await {
        both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: chat:notes");
    }
    app.override_feature(owner.account_id, "feature:multichat", false).await;
    for (rest, graphql) in calls(&owner).await {
        both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", "Feature is disabled: feature:multichat");
    }
    assert_eq!(bodies(&app).await, ["ours"]);
    app.stop().await;
}
