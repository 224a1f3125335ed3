//! Invites (B §7; C §4).

use chrono::TimeDelta;
use diesel::{prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, TestApp, both_refused};
use serde_json::{Value, json};
use shared::db::schema::{invites, mails, notifications};
use uuid::Uuid;

use super::{members_of, role_id, text};

const INVITE: &str = "{ id accountId code role { id slug name color } method targetUserId email maxUses useCount \
    expiresAt createdBy createdAt status }";

async fn create(caller: &Caller, input: &Value) -> Answer {
    caller.post("/v1/invites", input.clone()).await
}

/// GraphQL writes enums in capitals.
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

/// A new invite of the owner's and its code.
async fn invited(app: &TestApp, owner: &Person, input: Value) -> (Uuid, String) {
    let mut wanted = json!({ "role_id": role_id(app, owner.account_id, "viewer").await, "method": "link" });
    wanted.as_object_mut().unwrap().extend(input.as_object().unwrap().clone());
    let answer = create(owner, &wanted).await;
    let invite = answer.data();
    (text(&invite["id"]).parse().unwrap(), text(&invite["code"]).to_owned())
}

/// Somebody with an account of their own.
async fn stranger(app: &TestApp) -> Person {
    app.owner().await
}

async fn count_of_invites(app: &TestApp) -> i64 {
    invites::table.count().get_result(&mut *app.state.databases.postgres.get().await.unwrap()).await.unwrap()
}

#[tokio::test]
async fn an_invite_is_for_a_week_and_one_use_unless_it_says_otherwise() {
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
async fn codes_are_for_those_who_may_invite() {
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
async fn wrong_invites_are_refused_by_their_field() {
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
    unknown.refused(
        "VALIDATION_ERROR",
        "Invalid method: unknown variant `pigeon`, expected one of `link`, `token`, `person`",
    );
    let inviter = app.member_with(owner.account_id, &["members:create"]).await;
    let graphql = create_over_graphql(&inviter, &link).await;
    let message = "Missing permission: events:read";
    both_refused(&create(&inviter, &link).await, &graphql, 403, "FORBIDDEN", message);
    assert_eq!(count_of_invites(&app).await, 0);
    assert_eq!(app.audited("member:invited").await, []);
}

#[tokio::test]
async fn whoever_has_the_code_sees_what_it_leads_to() {
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
async fn accepting_makes_a_member_in_every_process() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (invite, code) = invited(&app, &owner, json!({ "max_uses": 2 })).await;
    let (first, second, third) = (stranger(&app).await, stranger(&app).await, stranger(&app).await);
    // That they do not belong is remembered elsewhere.
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
    tokio::time::timeout(std::time::Duration::from_secs(1), async {
        let path = format!("/v1/accounts/{}/enabled-features", owner.account_id);
        while elsewhere.get(&path).await.status != 200 {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    })
    .await
    .expect("another process knows within a second");

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
    let told: Vec<(Uuid, String)> = notifications::table
        .select((notifications::user_id, notifications::notification_type))
        .load(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(told, vec![(owner.user_id, "member_joined".to_owned()); 2]);
}

#[tokio::test]
async fn one_use_is_one_use_however_many_come_at_once() {
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
async fn expired_invites_are_no_longer_valid() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (id, code) = invited(&app, &owner, json!({})).await;
    diesel::update(invites::table.find(id))
        .set(invites::expires_at.eq(app.clock.now() - TimeDelta::seconds(1)))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let person = stranger(&app).await;
    let graphql = accept_over_graphql(&person, &code).await;
    both_refused(&accept(&person, &code).await, &graphql, 409, "CONFLICT", "Invite is no longer valid");
    assert_eq!(owner.get("/v1/invites").await.data()[0]["status"], "expired");
    assert_eq!(members_of(&app, owner.account_id).await.len(), 1);
}

#[tokio::test]
async fn an_invited_person_is_told_and_nobody_else_may_take_it() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (person, other) = (stranger(&app).await, stranger(&app).await);
    let wanted = json!({ "method": "person", "target_user_id": person.user_id });
    let (id, code) = invited(&app, &owner, wanted.clone()).await;
    let notification: (Uuid, Value, Value) = notifications::table
        .select((notifications::user_id, notifications::data, notifications::actions))
        .first(&mut *app.state.databases.postgres.get().await.unwrap())
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
        .get_result(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(left, 0, "what it asked for is done");
}

#[tokio::test]
async fn declining_deletes_what_was_meant_for_oneself_only() {
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
async fn taking_an_invite_back_leaves_nothing_to_take() {
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
    let told: i64 = notifications::table
        .count()
        .get_result(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(told, 0);
}

#[tokio::test]
async fn an_address_gets_a_mail_with_the_code() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (_, code) = invited(&app, &owner, json!({ "method": "token", "email": " New@Example.com " })).await;
    let mail: (Option<String>, Value) = mails::table
        .select((mails::address, mails::template))
        .first(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(mail.0.as_deref(), Some("New@Example.com"));
    assert_eq!((&mail.1["template"], &mail.1["code"]), (&json!("invite"), &json!(code)));
    // Sixty an hour: mails to strangers are not free.
    let key = shared::id::new();
    let input = json!({
        "role_id": role_id(&app, owner.account_id, "viewer").await, "method": "link",
        "email": format!("{key}@example.com"),
    });
    for _ in 0..59 {
        create(&owner, &input).await.expect(201);
    }
    let graphql = create_over_graphql(&owner, &input).await;
    both_refused(&create(&owner, &input).await, &graphql, 429, "RATE_LIMIT_EXCEEDED", "Rate limit exceeded");
    assert_eq!(count_of_invites(&app).await, 60);
}

#[tokio::test]
async fn an_account_has_a_limited_number_of_invites() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let viewer = role_id(&app, owner.account_id, "viewer").await;
    let fill = format!(
        "INSERT INTO invites (id, account_id, code, role_id, method) \
         SELECT gen_random_uuid(), '{}', 'code' || n, '{viewer}', 'link' FROM generate_series(1, 500) AS n",
        owner.account_id
    );
    sql_query(fill).execute(&mut *app.state.databases.postgres.get().await.unwrap()).await.unwrap();
    let input = json!({ "role_id": viewer, "method": "link" });
    let graphql = create_over_graphql(&owner, &input).await;
    both_refused(&create(&owner, &input).await, &graphql, 403, "PLAN_LIMIT_REACHED", "Invite limit reached");
    // Those that nobody can take any more make room.
    sql_query("UPDATE invites SET expires_at = now() - interval '1 hour' WHERE code IN ('code1', 'code2')")
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    create(&owner, &input).await.expect(201);
    assert_eq!(count_of_invites(&app).await, 499);
    assert_eq!(owner.get("/v1/invites").await.data().as_array().unwrap().len(), 499);
}

#[tokio::test]
async fn an_account_has_a_limited_number_of_members() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (_, code) = invited(&app, &owner, json!({})).await;
    let mut db = app.state.databases.postgres.get().await.unwrap();
    for sql in [
        "INSERT INTO users (id, display_name, username) SELECT gen_random_uuid(), 'Many', 'many' || n \
         FROM generate_series(1, 4999) AS n"
            .to_owned(),
        format!(
            "INSERT INTO memberships (id, account_id, user_id, role_id) SELECT gen_random_uuid(), '{0}', users.id, \
             (SELECT id FROM account_roles WHERE account_id = '{0}' AND slug = 'viewer') FROM users \
             WHERE username LIKE 'many%'",
            owner.account_id
        ),
    ] {
        sql_query(sql).execute(&mut *db).await.unwrap();
    }
    drop(db);
    let person = stranger(&app).await;
    let graphql = accept_over_graphql(&person, &code).await;
    both_refused(&accept(&person, &code).await, &graphql, 403, "PLAN_LIMIT_REACHED", "Member limit reached");
    assert_eq!(owner.get("/v1/invites").await.data()[0]["use_count"], 0);
}

#[tokio::test]
async fn an_invite_ends_with_its_maker() {
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
async fn whoever_is_not_first_party_takes_no_invite() {
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
