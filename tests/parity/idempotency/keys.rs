//! Forms of keys, their holders, and what is not stored.

use chrono::Duration;
use diesel::sql_query;
use diesel_async::RunQueryDsl;
use lumio_tests::{
    TestApp, sign_in_with,
    world::{connect, count},
};
use platforms_stand_in::Platform;
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    OTHER_BODY, graphql_with_key, is_conflict, is_executed, is_repetition, is_replay, post_with_key,
    stage::stored,
};

const TICKETS: &str = "/v1/support/tickets";
const ROLES: &str = "/v1/roles";
const COMMANDS: &str = "/v1/bot-commands";
const MALFORMED: &str = "Idempotency-Key must have 1 to 255 visible ASCII characters";
const CREATE_TICKET: &str =
    "mutation($input: CreateSupportTicketInput!) { createSupportTicket(input: $input) { id } }";

fn ticket() -> Value {
    json!({ "subject": "Chat stays empty", "body": "Since this morning." })
}

fn command(name: &str) -> Value {
    json!({ "name": name, "response": "example.com" })
}

#[tokio::test]
async fn keys_belong_to_a_person_in_an_account_or_to_a_credential() {
    let app = TestApp::start().await;
    let (owner, elsewhere) = (app.owner().await, app.owner().await);
    let (_state, second) = app.second_server().await;
    let first = post_with_key(&owner, TICKETS, "k", &ticket()).await;
    is_executed(&first, 201);
    // The same person in the same account: other sessions and processes, and the key as a string of RFC 9651.
    let session = app.session(owner.user_id, owner.account_id).await;
    is_repetition(&first, &post_with_key(&session, TICKETS, "k", &ticket()).await);
    let second_server = owner.at(format!("http://{}", second.address));
    is_repetition(&first, &post_with_key(&second_server, TICKETS, "\"k\"", &ticket()).await);
    // The rule needs no permission in an account: the active one does not count.
    app.join(elsewhere.account_id, owner.user_id, "viewer").await;
    let session = app.session(owner.user_id, elsewhere.account_id).await;
    is_repetition(&first, &post_with_key(&session, TICKETS, "k", &ticket()).await);
    // Other holders, another address and the other protocol.
    let colleague = app.member_as(owner.account_id, "viewer").await;
    let others = [
        colleague.caller.clone(),
        app.personal_key(&owner, &["chat:read"]).await,
        app.personal_key(&owner, &["chat:read"]).await,
    ];
    for other in &others {
        is_executed(&post_with_key(other, TICKETS, "k", &ticket()).await, 201);
    }
    let role = json!({ "name": "Helper", "permissions": ["chat:read"] });
    is_executed(&post_with_key(&owner, ROLES, "k", &role).await, 201);
    let longest = json!({ "name": "Longest", "permissions": ["chat:read"] });
    is_executed(&post_with_key(&owner, ROLES, &"k".repeat(255), &longest).await, 201);
    let variables = json!({ "input": ticket() });
    let graphql = graphql_with_key(&owner, "k", CREATE_TICKET, variables.clone()).await;
    is_executed(&graphql, 200);
    is_repetition(&graphql, &graphql_with_key(&owner, "k", CREATE_TICKET, variables).await);
    assert_eq!(count(&app, "support_tickets").await, 5);
    second.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn keys_of_other_forms_are_refused_and_those_of_other_requests_ignored() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let long = "k".repeat(256);
    for key in ["", "a b", "\"", long.as_str()] {
        let rest = post_with_key(&owner, TICKETS, key, &ticket()).await;
        rest.expect(400);
        rest.refused("VALIDATION_ERROR", MALFORMED);
        let graphql = graphql_with_key(&owner, key, CREATE_TICKET, json!({ "input": ticket() })).await;
        graphql.refused("VALIDATION_ERROR", MALFORMED);
    }
    let twice =
        owner.request(Method::POST, TICKETS).header("idempotency-key", "a").header("idempotency-key", "a");
    owner.send(twice.json(&ticket())).await.refused("VALIDATION_ERROR", MALFORMED);
    // The rule of the operation is checked before the form of the key.
    post_with_key(&app.anonymous(), TICKETS, "", &ticket()).await.expect(401);
    let several = "mutation($input: CreateSupportTicketInput!) { a: createSupportTicket(input: $input) { id } \
        b: createSupportTicket(input: $input) { id } }";
    let answer = graphql_with_key(&owner, "k", several, json!({ "input": ticket() })).await;
    answer.expect(400);
    answer.refused("VALIDATION_ERROR", "Idempotency-Key needs exactly one mutation field");
    assert_eq!(count(&app, "support_tickets").await, 0);

    // Operations that know no keys: reads, changes of other methods, and exempt ones.
    let read = owner.request(Method::GET, ROLES).header("idempotency-key", "");
    is_executed(&owner.send(read).await, 200);
    let query = "{ roles { id } }";
    let change = "mutation($input: UpdateMeInput!) { updateMe(input: $input) { id } }";
    let input = json!({ "input": { "streamerMode": true } });
    for _ in 0..2 {
        is_executed(&graphql_with_key(&owner, "k", query, json!({})).await, 200);
        is_executed(&graphql_with_key(&owner, "k", change, input.clone()).await, 200);
        let exempt = owner.request(Method::POST, "/v1/auth/ws-token").header("idempotency-key", "k");
        is_executed(&owner.send(exempt).await, 200);
    }
    assert_eq!(stored(&app, "true").await, 0);
    app.stop().await;
}

#[tokio::test]
async fn keys_of_refused_requests_execute_once_the_reason_is_gone() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    // 403, then 400 with another body, then the execution. Each has the same key.
    app.override_feature(owner.account_id, "feature:bot_commands", false).await;
    post_with_key(&owner, COMMANDS, "k", &command("hug")).await.refused_with("FEATURE_DISABLED");
    app.override_feature(owner.account_id, "feature:bot_commands", true).await;
    post_with_key(&owner, COMMANDS, "k", &command("")).await.expect(400);
    post_with_key(&app.bearer("lm_usr_none"), COMMANDS, "k", &command("hug")).await.expect(401);
    assert_eq!(stored(&app, "true").await, 0);
    let created = post_with_key(&owner, COMMANDS, "k", &command("hug")).await;
    is_executed(&created, 201);
    is_repetition(&created, &post_with_key(&owner, COMMANDS, "k", &command("hug")).await);
    is_conflict(&post_with_key(&owner, COMMANDS, "k", &command("dance")).await, OTHER_BODY);

    // 429 of the operation.
    connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let friend = app.platforms.create_user(Platform::Twitch, "friend").0;
    let path = format!("/v1/chat/users/twitch/{}/refresh", friend.id);
    owner.post(&path, json!({})).await.expect(200);
    let refresh =
        async || owner.send(owner.request(Method::POST, &path).header("idempotency-key", "k")).await;
    refresh().await.expect(429);
    app.clock.advance(Duration::minutes(11));
    let refreshed = refresh().await;
    is_executed(&refreshed, 200);
    is_repetition(&refreshed, &refresh().await);

    // What was not found, or in conflict, is stored.
    let unknown = format!("/v1/automations/{}/duplicate", Uuid::now_v7());
    app.override_every_feature(owner.account_id, true).await;
    let duplicate =
        async || owner.send(owner.request(Method::POST, &unknown).header("idempotency-key", "k")).await;
    let missing = duplicate().await;
    is_executed(&missing, 404);
    is_repetition(&missing, &duplicate().await);
    let taken = post_with_key(&owner, COMMANDS, "l", &command("hug")).await;
    is_executed(&taken, 409);
    let deleted = sql_query("DELETE FROM bot_commands WHERE name = 'hug'");
    deleted.execute(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap();
    is_repetition(&taken, &post_with_key(&owner, COMMANDS, "l", &command("hug")).await);
    is_executed(&post_with_key(&owner, COMMANDS, "m", &command("hug")).await, 201);

    // A failed sign-in cannot be hidden by a key.
    let link = sign_in_with("twitch", &friend, "wrong");
    let failed = post_with_key(&owner, "/v1/auth/link", "k", &link).await;
    assert!(failed.status >= 400 && !is_replay(&failed), "{}", failed.text);
    assert_eq!(app.audited("user:login_failed").await.len(), 1);
    app.stop().await;
}

#[tokio::test]
async fn keys_of_addresses_with_a_credential_store_no_credential() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let popout = app.popout(&owner, &["chat:write"]).await;
    let path = format!("/v1/chat/send?token={}", popout.token());
    let message = json!({ "platform": "twitch", "message": "hello" });
    let send = async || post_with_key(&app.anonymous(), &path, "k", &message).await;
    let first = send().await;
    is_executed(&first, 200);
    is_repetition(&first, &send().await);
    let holding = format!("strpos(concat(answer::text, headers::text), '{}') > 0", popout.token());
    assert_eq!((stored(&app, "true").await, stored(&app, &holding).await), (1, 0));
    assert_eq!(app.platforms.sent_messages(Platform::Twitch).len(), 1);
    app.stop().await;
}
