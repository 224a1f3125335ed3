//! Invites (reference/accounts.md#invites).

mod backing;
mod limits;
mod taking;

use chrono::TimeDelta;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, TestApp, both_refused};
use serde_json::{Value, json};
use shared::schema::{invites, mails};
use uuid::Uuid;

use super::{role_id, text};

const INVITE: &str = "{ id accountId code role { id slug name color } method targetUserId email maxUses useCount \
    expiresAt createdBy createdAt status }";

async fn create(caller: &Caller, input: &Value) -> Answer {
    caller.post("/v1/invites", input.clone()).await
}

/// Sends the same input over GraphQL, where enum values are upper case.
async fn create_over_graphql(caller: &Caller, input: &Value) -> Answer {
    let mut input = input.clone();
    if let Some(method) = input["method"].as_str() {
        input["method"] = json!(method.to_uppercase());
    }
    caller.mutate("createInvite", &input, INVITE).await
}

async fn accept(caller: &Caller, code: &str) -> Answer {
    caller.post(&format!("/v1/invites/{code}/accept"), json!({})).await
}

async fn accept_over_graphql(caller: &Caller, code: &str) -> Answer {
    let document = "mutation($code: String!) { acceptInvite(code: $code) { accountId accountName membershipId \
        role { id slug name color } } }";
    caller.graphql(document, json!({ "code": code })).await
}

async fn decline(caller: &Caller, code: &str) -> Answer {
    caller.post(&format!("/v1/invites/{code}/decline"), json!({})).await
}

async fn decline_over_graphql(caller: &Caller, code: &str) -> Answer {
    let document = "mutation($code: String!) { declineInvite(code: $code) { success } }";
    caller.graphql(document, json!({ "code": code })).await
}

async fn preview_over_graphql(caller: &Caller, code: &str) -> Answer {
    let document = "query($code: String!) { inviteByCode(code: $code) { accountName accountAvatarUrl roleName \
        expiresAt isValid } }";
    caller.graphql(document, json!({ "code": code })).await
}

/// Creates an invite as the owner; returns its id and code.
async fn invited(app: &TestApp, owner: &Person, input: Value) -> (Uuid, String) {
    let mut wanted = json!({ "role_id": role_id(app, owner.account_id, "viewer").await, "method": "link" });
    wanted.as_object_mut().unwrap().extend(input.as_object().unwrap().clone());
    let answer = create(owner, &wanted).await;
    let invite = answer.data();
    (text(&invite["id"]).parse().unwrap(), text(&invite["code"]).to_owned())
}

/// User with an account of their own.
async fn stranger(app: &TestApp) -> Person {
    app.owner().await
}

async fn count_of_invites(app: &TestApp) -> i64 {
    invites::table.count().get_result(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap()
}

#[tokio::test]
async fn create_invite_defaults_to_a_week_and_one_use() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let viewer = role_id(&app, owner.account_id, "viewer").await;
    let answer = create(&owner, &json!({ "role_id": viewer, "method": "link" })).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let invite = answer.data();
    assert_eq!(text(&invite["code"]).len(), 22, "16 bytes as base64url");
    assert_eq!(answer.body["_links"]["self"], format!("/v1/invites/{}", text(&invite["id"])));
    assert_eq!((&invite["max_uses"], &invite["use_count"]), (&json!(1), &json!(0)));
    assert_eq!((&invite["status"], &invite["method"]), (&json!("active"), &json!("link")));
    assert_eq!((&invite["role"]["slug"], &invite["created_by"]), (&json!("viewer"), &json!(owner.user_id)));
    let lifetime = |invite: &Value| {
        let time = |field: &str| text(&invite[field]).parse::<chrono::DateTime<chrono::Utc>>().unwrap();
        time("expires_at") - time("created_at")
    };
    assert_eq!(lifetime(invite), TimeDelta::days(7));
    let audited = app.audited_once("member:invited").await;
    assert_eq!((audited.account_id, audited.actor_id), (Some(owner.account_id), Some(owner.user_id)));
    assert!(!audited.metadata.to_string().contains(text(&invite["code"])), "{}", audited.metadata);

    let wanted = json!({ "role_id": viewer, "method": "token", "expires_in": null, "max_uses": null });
    let twin = create_over_graphql(&owner, &wanted).await.field("createInvite");
    assert_eq!((&twin["expires_at"], &twin["max_uses"]), (&Value::Null, &Value::Null));
    let wanted = json!({ "role_id": viewer, "method": "token", "expires_in": 3600, "max_uses": 100 });
    let hour = create_over_graphql(&owner, &wanted).await.field("createInvite");
    assert_eq!((lifetime(&hour), &hour["max_uses"]), (TimeDelta::hours(1), &json!(100)));

    let listed = owner.get("/v1/invites").await;
    let ids: Vec<&Value> = listed.data().as_array().unwrap().iter().map(|invite| &invite["id"]).collect();
    assert_eq!(ids, [&hour["id"], &twin["id"], &invite["id"]]);
    let graphql = owner.graphql(&format!("{{ invites {INVITE} }}"), json!({})).await.field("invites");
    let codes = |list: &Value| -> Vec<Value> {
        list.as_array().unwrap().iter().map(|invite| invite["code"].clone()).collect()
    };
    assert_eq!(codes(&graphql), codes(listed.data()));
    assert_eq!(graphql[2]["method"], "LINK");
}

#[tokio::test]
async fn invites_shows_codes_only_to_callers_who_may_invite() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    invited(&app, &owner, json!({})).await;
    let reader = app.member_with(owner.account_id, &["members:read"]).await;
    let listed = reader.get("/v1/invites").await;
    assert_eq!((listed.data().as_array().unwrap().len(), &listed.data()[0]["code"]), (1, &Value::Null));
    let viewer = app.member_as(owner.account_id, "viewer").await;
    let graphql = viewer.graphql("{ invites { id } }", json!({})).await;
    let message = "Missing permission: members:read";
    both_refused(&viewer.get("/v1/invites").await, &graphql, 403, "FORBIDDEN", message);
    let input = json!({ "role_id": role_id(&app, owner.account_id, "viewer").await, "method": "link" });
    let graphql = create_over_graphql(&reader, &input).await;
    let message = "Missing permission: members:create";
    both_refused(&create(&reader, &input).await, &graphql, 403, "FORBIDDEN", message);
    let other = app.owner().await;
    assert_eq!(other.get("/v1/invites").await.data(), &json!([]));
}

#[tokio::test]
async fn create_invite_validates_every_field() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let member = app.member_as(owner.account_id, "viewer").await;
    let viewer = role_id(&app, owner.account_id, "viewer").await;
    let owner_role = role_id(&app, owner.account_id, "owner").await;
    let foreign_role = role_id(&app, other.account_id, "viewer").await;
    let person = json!({ "role_id": viewer, "method": "person" });
    let link = json!({ "role_id": viewer, "method": "link" });
    let with = |base: &Value, more: Value| {
        let mut input = base.clone();
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    let lifetimes = "expires_in must be 3600, 86400, 604800, 2592000 or null";
    let uses = "max_uses must be between 1 and 100, or null";
    for (input, status, code, message) in [
        (with(&link, json!({ "expires_in": 60 })), 400, "VALIDATION_ERROR", lifetimes),
        (with(&link, json!({ "max_uses": 0 })), 400, "VALIDATION_ERROR", uses),
        (with(&link, json!({ "max_uses": 101 })), 400, "VALIDATION_ERROR", uses),
        (
            with(&link, json!({ "email": "a@[127.0.0.1]" })),
            400,
            "VALIDATION_ERROR",
            "email must be an e-mail address",
        ),
        (
            with(&link, json!({ "email": "-oQ/tmp@example.org" })),
            400,
            "VALIDATION_ERROR",
            "email must be an e-mail address",
        ),
        (
            with(&link, json!({ "email": "nobody" })),
            400,
            "VALIDATION_ERROR",
            "email must be an e-mail address",
        ),
        (
            with(&link, json!({ "target_user_id": other.user_id })),
            400,
            "VALIDATION_ERROR",
            "target_user_id is only for the method person",
        ),
        (person.clone(), 400, "VALIDATION_ERROR", "target_user_id is required for the method person"),
        (
            with(&person, json!({ "target_user_id": other.user_id, "email": "a@b.example" })),
            400,
            "VALIDATION_ERROR",
            "email is only for the methods link and token",
        ),
        (
            with(&link, json!({ "role_id": owner_role })),
            400,
            "VALIDATION_ERROR",
            "The Owner role cannot be assigned",
        ),
        (with(&link, json!({ "role_id": foreign_role })), 404, "NOT_FOUND", "Role not found"),
        (with(&person, json!({ "target_user_id": Uuid::now_v7() })), 404, "NOT_FOUND", "User not found"),
        (
            with(&person, json!({ "target_user_id": member.user_id })),
            409,
            "CONFLICT",
            "User is already a member",
        ),
    ] {
        let graphql = create_over_graphql(&owner, &input).await;
        both_refused(&create(&owner, &input).await, &graphql, status, code, message);
    }
    let unknown = create(&owner, &with(&link, json!({ "method": "pigeon" }))).await;
    unknown.refused("VALIDATION_ERROR", "Invalid method: must be one of link, token, person");
    let inviter = app.member_with(owner.account_id, &["members:create"]).await;
    let graphql = create_over_graphql(&inviter, &link).await;
    let message = "Missing permission: events:read";
    both_refused(&create(&inviter, &link).await, &graphql, 403, "FORBIDDEN", message);
    assert_eq!(count_of_invites(&app).await, 0);
    assert_eq!(app.audited("member:invited").await, []);
}

#[tokio::test]
async fn create_invite_mails_the_code_at_a_limited_rate() {
    let app = TestApp::start().await;
    app.begin_a_window(3600);
    let owner = app.owner().await;
    let (_, code) = invited(&app, &owner, json!({ "method": "token", "email": " New@Example.com " })).await;
    let mail: (Option<String>, Value) = mails::table
        .select((mails::address, mails::template))
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(mail.0.as_deref(), Some("New@Example.com"));
    assert_eq!((&mail.1["template"], &mail.1["code"]), (&json!("invite"), &json!(code)));
    // Sixty an hour, because each invite mails a stranger.
    let role = role_id(&app, owner.account_id, "viewer").await;
    let to = |n: u32| json!({ "role_id": role, "method": "link", "email": format!("new{n}@example.com") });
    for n in 0..59 {
        create(&owner, &to(n)).await.expect(201);
    }
    let input = to(59);
    let graphql = create_over_graphql(&owner, &input).await;
    both_refused(&create(&owner, &input).await, &graphql, 429, "RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    assert_eq!(count_of_invites(&app).await, 60);
}

#[tokio::test]
async fn create_invite_limits_mails_to_one_address_across_accounts() {
    let app = TestApp::start().await;
    app.begin_a_window(86_400);
    let owners = [app.owner().await, app.owner().await];
    let input = async |owner: &Person, email: &str| {
        let role = role_id(&app, owner.account_id, "viewer").await;
        json!({ "role_id": role, "method": "link", "email": email })
    };
    for n in 0..20 {
        let (owner, email) = (&owners[n % 2], format!("Ada+{n}@Example.com"));
        create(owner, &input(owner, &email).await).await.expect(201);
    }
    for owner in &owners {
        let input = input(owner, "ada@example.com").await;
        let graphql = create_over_graphql(owner, &input).await;
        let rest = create(owner, &input).await;
        both_refused(&rest, &graphql, 429, "RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    }
    let other = input(&owners[0], "grace@example.com").await;
    create(&owners[0], &other).await.expect(201);
    assert_eq!(count_of_invites(&app).await, 21);
}
