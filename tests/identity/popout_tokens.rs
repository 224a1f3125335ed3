//! Tokens of popouts (specification A §4.2; C §2.2).

use std::time::Duration as Wait;

use chrono::Duration;
use diesel::{prelude::*, sql_query, sql_types};
use diesel_async::RunQueryDsl;
use futures::future::join_all;
use lumio_tests::{Answer, Caller, Person, SocketRequest, Statements, TestApp, both_refused};
use serde_json::{Value, json};
use shared::{
    catalogue::{AccountPermission, Permission},
    db::schema::{account_roles, memberships, popout_tokens},
    invalidation::{Invalidation, announce},
    token,
};
use uuid::Uuid;

use super::text;

const TOKEN: &str = "{ id accountId userId tokenPrefix label permissions createdAt expiresAt lastUsedAt }";

/// Creates a token from what REST takes.
async fn create(caller: &Caller, input: Value) -> Answer {
    caller.post("/v1/tokens", input).await
}

async fn create_over_graphql(caller: &Caller, input: &Value) -> Answer {
    caller.mutate("createPopoutToken", input, &format!("{{ token popoutToken {TOKEN} }}")).await
}

/// Changes a token, with the changes as REST takes them.
async fn update_over_graphql(caller: &Caller, id: &str, changes: &Value) -> Answer {
    let mut input = changes.clone();
    input["id"] = json!(id);
    caller.mutate("updatePopoutToken", &input, TOKEN).await
}

async fn delete_over_graphql(caller: &Caller, id: &str) -> Answer {
    let document = "mutation($id: UUID!) { deletePopoutToken(id: $id) { success } }";
    caller.graphql(document, json!({ "id": id })).await
}

async fn find_over_graphql(caller: &Caller, id: &str) -> Answer {
    let document = format!("query($id: UUID!) {{ popoutToken(id: $id) {TOKEN} }}");
    caller.graphql(&document, json!({ "id": id })).await
}

async fn permissions_of(caller: &Caller) -> Value {
    caller.get("/v1/tokens/me").await.data()["permissions"].clone()
}

async fn stored(app: &TestApp) -> i64 {
    popout_tokens::table
        .count()
        .get_result(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

/// Takes everything but these permissions from a member's own role, as another process would.
async fn narrow(app: &TestApp, member: &Person, permissions: &[&str]) {
    let role = memberships::table
        .filter(memberships::user_id.eq(member.user_id))
        .select(memberships::role_id)
        .single_value();
    diesel::update(account_roles::table.filter(account_roles::id.nullable().eq(role)))
        .set(account_roles::permissions.eq(permissions.to_vec()))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    announce(&app.state.redis, &Invalidation::Account { account_id: member.account_id }).await.unwrap();
}

#[tokio::test]
async fn a_token_is_shown_once_stored_as_a_hash_and_acts_for_its_creator() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let answer = create(&owner, json!({ "permissions": ["chat:write", "chat:read", "chat:read"] })).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let (text_of, created) = (text(answer.data(), "/token"), &answer.data()["popout_token"]);
    assert_eq!((text_of.len(), &text_of[..7]), (71, "lm_pop_"));
    let id = text(created, "/id");
    let expected = json!({
        "id": id,
        "account_id": owner.account_id,
        "user_id": owner.user_id,
        "token_prefix": text_of[..13],
        "label": null,
        "permissions": ["chat:read", "chat:write"],
        "created_at": created["created_at"],
        "expires_at": null,
        "last_used_at": null,
    });
    assert_eq!(*created, expected);
    assert_eq!(answer.body["_links"], json!({ "self": { "href": format!("/v1/tokens/{id}") } }));
    let hash: Vec<u8> = popout_tokens::table
        .select(popout_tokens::token_hash)
        .first(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(hash, token::hash(text_of));
    for path in ["/v1/tokens".to_owned(), format!("/v1/tokens/{id}")] {
        let answer = owner.get(&path).await;
        assert_eq!(answer.body["_links"], json!({ "self": path }));
        assert!(!answer.text.contains(text_of));
    }
    assert_eq!(permissions_of(&app.bearer(text_of)).await, json!(["chat:read", "chat:write"]));
    let audited = app.audited_once("popout_token:created").await;
    assert_eq!((audited.resource_id.as_deref(), audited.actor_id), (Some(id), Some(owner.user_id)));
    assert_eq!(audited.metadata["permissions"], created["permissions"]);
    assert!(!audited.metadata.to_string().contains("lm_pop_"));
}

#[tokio::test]
async fn both_protocols_manage_the_same_tokens() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let input =
        json!({ "permissions": ["chat:read"], "label": " Chat ", "expires_at": "2999-01-01T00:00:00+02:00" });
    let created = create_over_graphql(&owner, &input).await.field("createPopoutToken");
    let token = &created["popout_token"];
    assert_eq!((&token["label"], &token["expires_at"]), (&json!("Chat"), &json!("2998-12-31T22:00:00.000Z")));
    let id = text(token, "/id");
    let path = format!("/v1/tokens/{id}");
    assert_eq!(owner.get("/v1/tokens").await.data(), &json!([token]));
    let graphql = owner.graphql(&format!("{{ popoutTokens {TOKEN} }}"), json!({})).await;
    assert_eq!(graphql.field("popoutTokens"), json!([token]));
    assert_eq!(owner.get(&path).await.data(), token);
    assert_eq!(find_over_graphql(&owner, id).await.field("popoutToken"), *token);

    let rest = owner.patch(&path, json!({ "label": null, "expires_at": null })).await;
    assert_eq!((&rest.data()["label"], &rest.data()["expires_at"]), (&Value::Null, &Value::Null));
    assert_eq!(owner.patch(&path, json!({})).await.data(), rest.data(), "absent fields stay");
    let changes = json!({ "label": "", "permissions": ["events:read", "chat:read"] });
    let changed = update_over_graphql(&owner, id, &changes).await.field("updatePopoutToken");
    assert_eq!(
        (&changed["label"], &changed["permissions"]),
        (&json!(""), &json!(["chat:read", "events:read"]))
    );
    let popout = app.bearer(text(&created, "/token"));
    assert_eq!(permissions_of(&popout).await, json!(["chat:read", "events:read"]));
    assert_eq!(app.audited("popout_token:updated").await.len(), 2, "nothing is told of nothing");

    let second = create(&owner, json!({ "permissions": ["chat:read"] })).await;
    let second = format!("/v1/tokens/{}", text(second.data(), "/popout_token/id"));
    assert_eq!(owner.delete(&second).await.status, 204);
    let deleted = delete_over_graphql(&owner, id).await;
    assert_eq!(deleted.field("deletePopoutToken"), json!({ "success": true }));
    popout.get("/v1/tokens/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    assert_eq!((stored(&app).await, app.audited("popout_token:revoked").await.len()), (0, 2));
}

#[tokio::test]
async fn each_operation_needs_its_permission_and_creation_a_first_party() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let nobody = app.member_with(owner.account_id, &[]).await;
    let id = Uuid::now_v7().to_string();
    let (path, input) = (format!("/v1/tokens/{id}"), json!({ "permissions": ["chat:read"] }));
    let calls = async |caller: &Caller| {
        let list = format!("{{ popoutTokens {TOKEN} }}");
        [
            ("tokens:create", create(caller, input.clone()).await, create_over_graphql(caller, &input).await),
            ("tokens:read", caller.get("/v1/tokens").await, caller.graphql(&list, json!({})).await),
            ("tokens:read", caller.get(&path).await, find_over_graphql(caller, &id).await),
            (
                "tokens:edit",
                caller.patch(&path, json!({})).await,
                update_over_graphql(caller, &id, &json!({})).await,
            ),
            ("tokens:delete", caller.delete(&path).await, delete_over_graphql(caller, &id).await),
        ]
    };
    for (_, rest, graphql) in calls(&app.anonymous()).await {
        both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    }
    for (permission, rest, graphql) in calls(&nobody).await {
        both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("Missing permission: {permission}"));
    }
    let all = ["tokens:read", "tokens:create", "tokens:edit", "tokens:delete", "chat:read"];
    let scoped = [app.popout(&owner, &all).await, app.service_key(owner.account_id, &all).await];
    for caller in &scoped {
        let [created, listed, found, changed, deleted] = calls(caller).await;
        both_refused(&created.1, &created.2, 403, "FORBIDDEN", "First-party session required");
        assert_eq!(listed.2.field("popoutTokens"), *listed.1.data());
        for (_, rest, graphql) in [found, changed, deleted] {
            both_refused(&rest, &graphql, 404, "NOT_FOUND", "Popout token not found");
        }
    }
    assert_eq!(stored(&app).await, 1, "only the popout that the test wrote");
}

#[tokio::test]
async fn permissions_are_of_the_account_without_wildcards_and_without_making_tokens() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let id = create(&owner, json!({ "permissions": ["chat:read"] })).await;
    let id = text(id.data(), "/popout_token/id");
    let every: Vec<&str> = AccountPermission::ALL.iter().map(|permission| permission.text()).collect();
    let too_many: Vec<&str> = every.iter().copied().chain(["chat:read"]).collect();
    let number = "permissions must hold between 1 and 123 permissions".to_owned();
    let mut wrong = vec![(json!([]), number.clone()), (json!(too_many), number)];
    for permission in
        ["", "*", "*:*", "chat:*", "chat", "chat:none", "ideas:read", "admin:access", "tokens:create"]
    {
        wrong.push((json!(["chat:read", permission]), format!("Invalid permission: {permission}")));
    }
    for (permissions, message) in wrong {
        let input = json!({ "permissions": permissions });
        let (rest, graphql) =
            (create(&owner, input.clone()).await, create_over_graphql(&owner, &input).await);
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", &message);
        let rest = owner.patch(&format!("/v1/tokens/{id}"), input.clone()).await;
        both_refused(
            &rest,
            &update_over_graphql(&owner, id, &input).await,
            400,
            "VALIDATION_ERROR",
            &message,
        );
    }
    create(&owner, json!({})).await.refused("VALIDATION_ERROR", "Invalid body: missing field `permissions`");
    assert_eq!((stored(&app).await, app.audited("popout_token:updated").await.len()), (1, 0));
    let most: Vec<&str> = every.into_iter().filter(|permission| *permission != "tokens:create").collect();
    let largest = create(&owner, json!({ "permissions": most })).await;
    assert_eq!(largest.data()["popout_token"]["permissions"].as_array().unwrap().len(), 122);
}

#[tokio::test]
async fn a_token_cannot_exceed_its_creator() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["tokens:create", "tokens:edit", "chat:read"]).await;
    let beyond = json!({ "permissions": ["chat:read", "chat:ban"] });
    let (rest, graphql) =
        (create(&member, beyond.clone()).await, create_over_graphql(&member, &beyond).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: chat:ban");
    assert_eq!(stored(&app).await, 0);

    let own = create(&member, json!({ "permissions": ["chat:read"] })).await;
    let id = text(own.data(), "/popout_token/id").to_owned();
    let path = format!("/v1/tokens/{id}");
    let rest = member.patch(&path, beyond.clone()).await;
    both_refused(
        &rest,
        &update_over_graphql(&member, &id, &beyond).await,
        403,
        "FORBIDDEN",
        "Missing permission: chat:ban",
    );
    // What somebody else gave stays, may be narrowed, and may not be handed on.
    owner.patch(&path, json!({ "permissions": ["chat:ban", "chat:read", "events:read"] })).await.expect(200);
    member.patch(&path, json!({ "permissions": ["chat:ban"], "label": "narrow" })).await.expect(200);
    let handed = json!({ "user_id": owner.user_id });
    let (rest, graphql) =
        (member.patch(&path, handed.clone()).await, update_over_graphql(&member, &id, &handed).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: chat:ban");
    assert_eq!(owner.get(&path).await.data()["user_id"], json!(member.user_id));
    let revoked = (app.clock.now() - Duration::days(1)).to_rfc3339();
    member.patch(&path, json!({ "expires_at": revoked })).await.expect(200);
}

#[tokio::test]
async fn a_token_acts_for_the_member_that_it_names_and_for_nobody_else() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let viewer = app.member_as(owner.account_id, "viewer").await;
    for user in [stranger.user_id, Uuid::now_v7()] {
        let input = json!({ "permissions": ["chat:read"], "user_id": user });
        let (rest, graphql) =
            (create(&owner, input.clone()).await, create_over_graphql(&owner, &input).await);
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Member not found");
    }
    assert_eq!(stored(&app).await, 0);
    let input = json!({ "permissions": ["chat:read", "events:read"], "user_id": viewer.user_id });
    let created = create(&owner, input).await;
    assert_eq!(created.data()["popout_token"]["user_id"], json!(viewer.user_id));
    let popout = app.bearer(text(created.data(), "/token"));
    assert_eq!(permissions_of(&popout).await, json!(["events:read"]), "never more than the viewer");

    let path = format!("/v1/tokens/{}", text(created.data(), "/popout_token/id"));
    owner.patch(&path, json!({ "user_id": stranger.user_id })).await.refused("NOT_FOUND", "Member not found");
    owner
        .patch(&path, json!({ "user_id": null }))
        .await
        .refused("VALIDATION_ERROR", "user_id cannot be null");
    owner.patch(&path, json!({ "user_id": "x" })).await.refused("VALIDATION_ERROR", "Invalid UUID: user_id");
    let mut socket = SocketRequest::to(app.url()).bearer(popout.token()).connect().await;
    owner.patch(&path, json!({ "user_id": owner.user_id })).await.expect(200);
    assert_eq!(permissions_of(&popout).await, json!(["chat:read", "events:read"]));
    assert_eq!(socket.until_closed().await.1, 4002, "whoever it was bound to before");
}

#[tokio::test]
async fn labels_and_expiries_have_limits() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let kept = create(&owner, json!({ "permissions": ["chat:read"], "label": "ß".repeat(100) })).await;
    let id = text(kept.data(), "/popout_token/id");
    let past = (app.clock.now() - Duration::seconds(1)).to_rfc3339();
    let time = "expires_at must be a time in RFC 3339, for example 2030-01-31T12:00:00Z";
    for (field, value, message) in [
        ("label", json!("x".repeat(101)), "label must be between 0 and 100 characters"),
        ("label", json!("a\nb"), "label must not contain control characters"),
        ("expires_at", json!("tomorrow"), time),
        ("expires_at", json!(past), "expires_at cannot be in the past"),
    ] {
        let mut input = json!({ "permissions": ["chat:read"] });
        input[field] = value.clone();
        let (rest, graphql) =
            (create(&owner, input.clone()).await, create_over_graphql(&owner, &input).await);
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
        if message != "expires_at cannot be in the past" {
            let changes = json!({ field: value });
            let rest = owner.patch(&format!("/v1/tokens/{id}"), changes.clone()).await;
            both_refused(
                &rest,
                &update_over_graphql(&owner, id, &changes).await,
                400,
                "VALIDATION_ERROR",
                message,
            );
        }
    }
    let changes = json!({ "permissions": null });
    let rest = owner.patch(&format!("/v1/tokens/{id}"), changes.clone()).await;
    let graphql = update_over_graphql(&owner, id, &changes).await;
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "permissions cannot be null");
    assert_eq!(owner.get("/v1/tokens").await.data(), &json!([kept.data()["popout_token"]]));
}

#[tokio::test]
async fn a_past_expiry_revokes_without_deleting_at_once_in_every_process() {
    let app = TestApp::start().await;
    let (_second_state, second_server) = app.second_server().await;
    let owner = app.owner().await;
    let created = create(&owner, json!({ "permissions": ["chat:read"] })).await;
    let here = app.bearer(text(created.data(), "/token"));
    let elsewhere = here.at(format!("http://{}", second_server.address));
    let id = text(created.data(), "/popout_token/id");
    let path = format!("/v1/tokens/{id}");
    let mut socket = SocketRequest::to(app.url()).query(here.token()).connect().await;
    for popout in [&here, &elsewhere] {
        popout.get("/v1/tokens/me").await.expect(200);
    }
    let past = (app.clock.now() - Duration::days(1)).to_rfc3339();
    let changes = json!({ "expires_at": past });
    update_over_graphql(&owner, id, &changes).await.field("updatePopoutToken");
    here.get("/v1/tokens/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    let (frames, code) = socket.until_closed().await;
    assert_eq!((&frames.last().unwrap()["code"], code), (&json!("TOKEN_EXPIRED"), 4001));
    tokio::time::sleep(Wait::from_secs(1)).await;
    elsewhere.get("/v1/tokens/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    assert_eq!(owner.get(&path).await.data()["id"], id, "it is still there");
    owner.patch(&path, json!({ "expires_at": null })).await.expect(200);
    here.get("/v1/tokens/me").await.expect(200);
    second_server.stop().await.unwrap();
}

#[tokio::test]
async fn a_popout_loses_what_its_person_loses_within_a_second_everywhere() {
    let app = TestApp::start().await;
    let (_second_state, second_server) = app.second_server().await;
    let owner = app.owner().await;
    let member = app.member_with(owner.account_id, &["tokens:create", "chat:read", "events:read"]).await;
    let created = create(&member, json!({ "permissions": ["chat:read", "events:read"] })).await;
    let raw = app.bearer(text(created.data(), "/token"));
    let exchanged = app.anonymous().post("/v1/auth/popout/exchange", json!({ "token": raw.token() })).await;
    let session = app.bearer(text(exchanged.data(), "/token"));
    let elsewhere = |caller: &Caller| caller.at(format!("http://{}", second_server.address));
    let popouts = [raw.clone(), session.clone(), elsewhere(&raw), elsewhere(&session)];
    let mut socket = SocketRequest::to(app.url()).bearer(session.token()).connect().await;
    let (chat, events) = (format!("chat:{}", owner.account_id), format!("events:{}", owner.account_id));
    socket.subscribe(&chat).await;
    socket.subscribe(&events).await;
    for popout in &popouts {
        assert_eq!(permissions_of(popout).await, json!(["chat:read", "events:read"]));
    }
    narrow(&app, &member, &["events:read"]).await;
    tokio::time::sleep(Wait::from_secs(1)).await;
    for popout in &popouts {
        assert_eq!(permissions_of(popout).await, json!(["events:read"]));
    }
    let pushed = json!({ "type": "unsubscribed", "channel": chat, "reason": "permission_revoked" });
    assert_eq!(socket.frame().await, pushed);
    socket.is_quiet().await;

    // The person leaves: the token is gone with the membership.
    diesel::delete(memberships::table.filter(memberships::user_id.eq(member.user_id)))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let left = Invalidation::MembershipEnded { account_id: owner.account_id, user_id: member.user_id };
    announce(&app.state.redis, &left).await.unwrap();
    tokio::time::sleep(Wait::from_secs(1)).await;
    for popout in &popouts {
        popout.get("/v1/tokens/me").await.refused("UNAUTHORIZED", "Invalid or expired token");
    }
    let (frames, code) = socket.until_closed().await;
    assert_eq!((&frames.last().unwrap()["code"], code), (&json!("TOKEN_REVOKED"), 4002));
    assert_eq!(stored(&app).await, 0);
    second_server.stop().await.unwrap();
}

#[tokio::test]
async fn tokens_of_other_accounts_are_not_found_and_stay_as_they_are() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let created = create(&owner, json!({ "permissions": ["chat:read"] })).await;
    let id = text(created.data(), "/popout_token/id");
    let (path, changes) = (format!("/v1/tokens/{id}"), json!({ "label": "taken" }));
    for (rest, graphql) in [
        (stranger.get(&path).await, find_over_graphql(&stranger, id).await),
        (stranger.patch(&path, changes.clone()).await, update_over_graphql(&stranger, id, &changes).await),
        (stranger.patch(&path, json!({})).await, update_over_graphql(&stranger, id, &json!({})).await),
        (stranger.delete(&path).await, delete_over_graphql(&stranger, id).await),
    ] {
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Popout token not found");
    }
    stranger.get("/v1/tokens/x").await.refused("VALIDATION_ERROR", "Invalid UUID: id");
    assert_eq!(stranger.get("/v1/tokens").await.data(), &json!([]));
    assert_eq!(owner.get(&path).await.data(), &created.data()["popout_token"]);
    assert!(app.audited("popout_token:updated").await.is_empty());
}

#[tokio::test]
async fn an_account_has_no_more_tokens_than_the_list_shows_by_one_statement() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let owner = app.owner().await;
    sql_query(
        "INSERT INTO popout_tokens (id, account_id, user_id, created_by, token_hash, token_prefix, permissions) \
         SELECT gen_random_uuid(), $1, $2, $2, sha256(n::text::bytea), 'lm_pop_', '{chat:read}' \
         FROM generate_series(1, 999) n",
    )
    .bind::<sql_types::Uuid, _>(owner.account_id)
    .bind::<sql_types::Uuid, _>(owner.user_id)
    .execute(&mut *app.state.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    let input = json!({ "permissions": ["chat:read"] });
    let answers = join_all((0..4).map(|_| create(&owner, input.clone()))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    let (rest, graphql) = (create(&owner, input.clone()).await, create_over_graphql(&owner, &input).await);
    both_refused(&rest, &graphql, 403, "PLAN_LIMIT_REACHED", "Popout token limit reached");
    statements.to(&app);
    let (listed, sent) = statements.of(async || owner.get("/v1/tokens").await).await;
    assert_eq!(listed.data().as_array().unwrap().len(), 1000);
    assert!(sent.len() == 1 && sent[0].contains("popout_tokens"), "{sent:#?}");
}
