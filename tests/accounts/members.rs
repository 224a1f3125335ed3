//! Members (A §4.3; C §4).

use diesel::{insert_into, prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Statements, TestApp, arrives, both_refused};
use serde_json::{Value, json};
use shared::db::schema::{account_permission_overrides, users};
use uuid::Uuid;

use super::{login_connection, members_of, membership_id, role_id, socket};

const MEMBER: &str =
    "{ membershipId userId displayName email avatarUrl role { id slug name color } isOwner joinedAt }";

async fn list(caller: &Caller, account_id: Uuid) -> Answer {
    caller.get(&format!("/v1/accounts/{account_id}/members")).await
}

async fn list_over_graphql(caller: &Caller) -> Answer {
    caller.graphql(&format!("{{ members {MEMBER} }}"), json!({})).await
}

async fn give(caller: &Caller, account_id: Uuid, membership_id: Uuid, role_id: Uuid) -> Answer {
    let path = format!("/v1/accounts/{account_id}/members/{membership_id}");
    caller.patch(&path, json!({ "role_id": role_id })).await
}

async fn give_over_graphql(caller: &Caller, membership_id: Uuid, role_id: Uuid) -> Answer {
    let input = json!({ "membership_id": membership_id, "role_id": role_id });
    caller.mutate("updateMemberRole", &input, MEMBER).await
}

async fn remove(caller: &Caller, account_id: Uuid, membership_id: Uuid) -> Answer {
    caller.delete(&format!("/v1/accounts/{account_id}/members/{membership_id}")).await
}

async fn remove_over_graphql(caller: &Caller, membership_id: Uuid) -> Answer {
    let document = "mutation($id: UUID!) { removeMember(membershipId: $id) }";
    caller.graphql(document, json!({ "id": membership_id })).await
}

async fn search(caller: &Caller, q: &str) -> Answer {
    let request = caller.request(reqwest::Method::GET, "/v1/members/search").query(&[("q", q)]);
    caller.send(request).await
}

#[tokio::test]
async fn both_protocols_list_the_members_and_show_addresses_to_those_who_may_edit() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let viewer = app.member_as(owner.account_id, "viewer").await;
    let reader = app.member_with(owner.account_id, &["members:read"]).await;
    diesel::update(users::table.find(viewer.user_id))
        .set(users::email.eq("viewer@example.com"))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();

    let rest = list(&owner, owner.account_id).await;
    let path = format!("/v1/accounts/{}/members", owner.account_id);
    assert_eq!(rest.body["_links"], json!({ "self": path }));
    let ids: Vec<&Value> = rest.data().as_array().unwrap().iter().map(|member| &member["user_id"]).collect();
    assert_eq!(ids, [&json!(owner.user_id), &json!(viewer.user_id), &json!(reader.user_id)]);
    let (first, second) = (&rest.data()[0], &rest.data()[1]);
    assert_eq!((&first["is_owner"], &first["role"]["slug"]), (&json!(true), &json!("owner")));
    assert_eq!(second["email"], "viewer@example.com");
    assert_eq!(second["membership_id"], json!(membership_id(&app, &viewer).await));
    assert_eq!((&second["is_owner"], &second["role"]["slug"]), (&json!(false), &json!("viewer")));
    assert_eq!(list_over_graphql(&owner).await.field("members"), *rest.data());

    let seen = list(&reader, owner.account_id).await;
    assert!(seen.data().as_array().unwrap().iter().all(|member| member["email"].is_null()));
    assert_eq!(list_over_graphql(&reader).await.field("members"), *seen.data());

    let graphql = list_over_graphql(&viewer).await;
    both_refused(
        &list(&viewer, owner.account_id).await,
        &graphql,
        403,
        "FORBIDDEN",
        "Missing permission: members:read",
    );
    let other = app.owner().await;
    list(&owner, other.account_id).await.refused("NOT_FOUND", "Account not found");
    owner.get("/v1/accounts/mine/members").await.refused("VALIDATION_ERROR", "Invalid UUID: id");
}

#[tokio::test]
async fn a_thousand_members_are_one_statement() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for sql in [
        "INSERT INTO users (id, display_name, username) SELECT gen_random_uuid(), 'Many', 'many' || n \
         FROM generate_series(1, 999) AS n"
            .to_owned(),
        format!(
            "INSERT INTO memberships (id, account_id, user_id, role_id) SELECT gen_random_uuid(), '{0}', users.id, \
             (SELECT id FROM account_roles WHERE account_id = '{0}' AND slug = 'viewer') FROM users \
             WHERE username LIKE 'many%'",
            owner.account_id
        ),
    ] {
        sql_query(sql).execute(&mut *app.state.databases.postgres.get().await.unwrap()).await.unwrap();
    }
    statements.to(&app);
    let (rest, sent) = statements.of(async || list(&owner, owner.account_id).await).await;
    assert_eq!(rest.data().as_array().unwrap().len(), 1000);
    assert!(sent.len() == 1 && sent[0].contains("\"memberships\""), "{sent:#?}");
    let (graphql, sent) = statements.of(async || list_over_graphql(&owner).await).await;
    assert_eq!(graphql.field("members"), *rest.data());
    assert_eq!(sent.len(), 1, "{sent:#?}");
}

#[tokio::test]
async fn another_role_holds_at_once_and_in_every_process() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_as(owner.account_id, "viewer").await;
    let (_state, running) = app.second_server().await;
    let elsewhere = member.at(format!("http://{}", running.address));
    let membership = membership_id(&app, &member).await;
    let [moderator, administrator] = [
        role_id(&app, owner.account_id, "moderator").await,
        role_id(&app, owner.account_id, "administrator").await,
    ];
    list(&elsewhere, owner.account_id).await.refused_with("FORBIDDEN");

    let given = give(&owner, owner.account_id, membership, moderator).await;
    assert_eq!((&given.expect(200)["data"]["role"]["slug"]), (&json!("moderator")));
    assert_eq!(given.data()["user_id"], json!(member.user_id));
    let audited = app.audited_once("member:role_changed").await;
    assert_eq!((audited.account_id, audited.actor_id), (Some(owner.account_id), Some(owner.user_id)));
    assert_eq!(audited.resource_id, Some(membership.to_string()));
    assert_eq!(audited.metadata["to"], json!(moderator));
    arrives("another process knows", async {
        while list(&elsewhere, owner.account_id).await.status != 200 {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    })
    .await;

    let twin = give_over_graphql(&owner, membership, administrator).await.field("updateMemberRole");
    assert_eq!(twin["role"]["slug"], "administrator");
    // The same again changes nothing and is nothing to tell.
    give(&owner, owner.account_id, membership, administrator).await.expect(200);
    assert_eq!(app.audited("member:role_changed").await.len(), 2);
}

#[tokio::test]
async fn the_owner_role_is_neither_given_nor_taken() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let administrator = app.member_as(owner.account_id, "administrator").await;
    let [owned, own] = [membership_id(&app, &owner).await, membership_id(&app, &administrator).await];
    let [owner_role, viewer] =
        [role_id(&app, owner.account_id, "owner").await, role_id(&app, owner.account_id, "viewer").await];
    let before = members_of(&app, owner.account_id).await;
    let rest = give(&owner, owner.account_id, own, owner_role).await;
    let graphql = give_over_graphql(&owner, own, owner_role).await;
    let message = "The Owner role cannot be assigned";
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    let rest = give(&administrator, owner.account_id, owned, viewer).await;
    let graphql = give_over_graphql(&administrator, owned, viewer).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "The owner's role cannot be changed");
    assert_eq!(members_of(&app, owner.account_id).await, before);
}

#[tokio::test]
async fn nobody_is_raised_above_the_caller() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let editor = app.member_with(owner.account_id, &["members:edit", "members:read", "events:read"]).await;
    let member = app.member_as(owner.account_id, "viewer").await;
    let membership = membership_id(&app, &member).await;
    let moderator = role_id(&app, owner.account_id, "moderator").await;
    let rest = give(&editor, owner.account_id, membership, moderator).await;
    let graphql = give_over_graphql(&editor, membership, moderator).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: events:create");
    let key = app.service_key(owner.account_id, &["members:edit"]).await;
    let rest = give(&key, owner.account_id, membership, moderator).await;
    rest.refused("FORBIDDEN", "Missing permission: events:read");
    assert_eq!(app.audited("member:role_changed").await, []);

    // What the account's overrides take from everybody is nothing that the role adds.
    insert_into(account_permission_overrides::table)
        .values((
            account_permission_overrides::account_id.eq(owner.account_id),
            account_permission_overrides::permission.eq("chat:ban"),
            account_permission_overrides::granted.eq(false),
        ))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    app.state
        .caches
        .invalidate(&shared::invalidation::Invalidation::Account { account_id: owner.account_id });
    give(&owner, owner.account_id, membership, moderator).await.expect(200);
}

#[tokio::test]
async fn nobody_is_lowered_or_removed_by_somebody_who_holds_less() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let helper = ["members:edit", "members:delete", "events:read"];
    let ranks = app.member_with(owner.account_id, &helper).await;
    let administrator = app.member_as(owner.account_id, "administrator").await;
    let membership = membership_id(&app, &administrator).await;
    let nothing = app.member_with(owner.account_id, &[]).await;
    let below = membership_id(&app, &nothing).await;
    let (_, empty) = members_of(&app, owner.account_id).await.pop().expect("the member without permissions");
    let rest = give(&ranks, owner.account_id, membership, empty).await;
    let graphql = give_over_graphql(&ranks, membership, empty).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: events:create");
    let rest = remove(&ranks, owner.account_id, membership).await;
    let graphql = remove_over_graphql(&ranks, membership).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: events:create");
    let key = app.personal_key(&owner, &["members:edit", "members:delete"]).await;
    remove(&key, owner.account_id, membership).await.refused("FORBIDDEN", "Missing permission: events:read");
    let service = app.service_key(owner.account_id, &["members:delete"]).await;
    let refusal = remove(&service, owner.account_id, membership).await;
    refusal.refused("FORBIDDEN", "Missing permission: events:read");
    assert_eq!(app.audited("member:removed").await, []);
    // Those who hold no more are within reach, and the owner reaches everybody.
    assert_eq!(remove(&ranks, owner.account_id, below).await.status, 204);
    give(&owner, owner.account_id, membership, empty).await.expect(200);
    assert_eq!(remove(&ranks, owner.account_id, membership).await.status, 204);
}

#[tokio::test]
async fn members_and_roles_of_others_are_not_found() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let member = app.member_as(owner.account_id, "viewer").await;
    let foreign = app.member_as(other.account_id, "viewer").await;
    let [own, others] = [membership_id(&app, &member).await, membership_id(&app, &foreign).await];
    let [role, foreign_role] = [
        role_id(&app, owner.account_id, "moderator").await,
        role_id(&app, other.account_id, "moderator").await,
    ];
    let before = members_of(&app, other.account_id).await;
    let rest = give(&owner, owner.account_id, others, role).await;
    both_refused(&rest, &give_over_graphql(&owner, others, role).await, 404, "NOT_FOUND", "Member not found");
    let rest = give(&owner, owner.account_id, own, foreign_role).await;
    let graphql = give_over_graphql(&owner, own, foreign_role).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Role not found");
    let rest = remove(&owner, owner.account_id, others).await;
    both_refused(&rest, &remove_over_graphql(&owner, others).await, 404, "NOT_FOUND", "Member not found");
    remove(&owner, other.account_id, others).await.refused("NOT_FOUND", "Account not found");
    give(&owner, other.account_id, others, foreign_role).await.refused("NOT_FOUND", "Account not found");
    assert_eq!(members_of(&app, other.account_id).await, before);
    let path = format!("/v1/accounts/{}/members/{own}", owner.account_id);
    let malformed = owner.patch(&path, json!({ "role_id": "viewer" })).await;
    malformed.refused("VALIDATION_ERROR", "Invalid UUID: role_id");
    let path = format!("/v1/accounts/{}/members/me", owner.account_id);
    owner.delete(&path).await.refused("VALIDATION_ERROR", "Invalid UUID: membership_id");
}

#[tokio::test]
async fn the_owner_and_oneself_are_not_removed() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let administrator = app.member_as(owner.account_id, "administrator").await;
    let viewer = app.member_as(owner.account_id, "viewer").await;
    let [owned, own] = [membership_id(&app, &owner).await, membership_id(&app, &administrator).await];
    let rest = remove(&administrator, owner.account_id, owned).await;
    let graphql = remove_over_graphql(&administrator, owned).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "The account owner cannot be removed");
    let rest = remove(&administrator, owner.account_id, own).await;
    let graphql = remove_over_graphql(&administrator, own).await;
    let message = "You cannot remove yourself; leave the account instead";
    both_refused(&rest, &graphql, 409, "CONFLICT", message);
    let rest = remove(&viewer, owner.account_id, own).await;
    let graphql = remove_over_graphql(&viewer, own).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: members:delete");
    assert_eq!(members_of(&app, owner.account_id).await.len(), 3);
}

#[tokio::test]
async fn a_removed_member_has_nothing_left_in_any_process() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_as(owner.account_id, "moderator").await;
    let (popout, key) =
        (app.popout(&member, &["chat:read"]).await, app.personal_key(&member, &["chat:read"]).await);
    let (_state, running) = app.second_server().await;
    let elsewhere = |caller: &Caller| caller.at(format!("http://{}", running.address));
    for caller in [&popout, &key] {
        elsewhere(caller).get("/v1/tokens/me").await.expect(200);
    }
    let chat = format!("chat:{}", owner.account_id);
    let mut by_session = socket(&app, &member).await;
    by_session.subscribe(&chat).await;
    let (mut by_popout, mut by_key) = (socket(&app, &popout).await, socket(&app, &key).await);

    assert_eq!(remove(&owner, owner.account_id, membership_id(&app, &member).await).await.status, 204);
    let audited = app.audited_once("member:removed").await;
    assert_eq!((audited.account_id, audited.actor_id), (Some(owner.account_id), Some(owner.user_id)));
    assert_eq!(audited.metadata["user_id"], json!(member.user_id));

    let lost = json!({ "type": "unsubscribed", "channel": chat, "reason": "permission_revoked" });
    assert_eq!(by_session.frame().await, lost);
    for client in [&mut by_popout, &mut by_key] {
        let (frames, code) = client.until_closed().await;
        assert_eq!((&frames.last().unwrap()["code"], code), (&json!("TOKEN_REVOKED"), 4002));
    }
    arrives("another process knows", async {
        for caller in [&popout, &key] {
            while elsewhere(caller).get("/v1/tokens/me").await.status != 401 {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        }
    })
    .await;
    let me = member.get("/v1/users/me").await;
    assert_eq!((&me.data()["active_account_id"], &me.data()["memberships"]), (&Value::Null, &json!([])));
    assert_eq!(members_of(&app, owner.account_id).await.len(), 1);
}

#[tokio::test]
async fn people_are_found_by_how_their_names_begin() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let found = app.user("Zebra_crossing").await;
    let percent = app.user("zeb%").await;
    let by_login = app.user("somebody").await;
    let login = login_connection(&app, by_login, "twitch").await;
    login_connection(&app, by_login, "kick").await;
    diesel::update(shared::db::schema::login_connections::table.find(login))
        .set(shared::db::schema::login_connections::username.eq("zebrafish"))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let member = app.user("zebra").await;
    app.join(owner.account_id, member, "viewer").await;
    app.switch("platform:kick", false).await;

    let answer = search(&owner, "ZEBRA").await;
    let people = answer.data().as_array().unwrap();
    let ids: Vec<&Value> = people.iter().map(|person| &person["user_id"]).collect();
    assert_eq!(ids, [&json!(by_login), &json!(found)]);
    let platforms = json!([{
        "platform": "twitch", "username": "zebrafish", "display_name": "On twitch",
        "avatar_url": "https://cdn.example/twitch.png",
    }]);
    assert_eq!(people[0]["connections"], platforms);
    assert_eq!(
        (&people[1]["display_name"], &people[1]["connections"]),
        (&json!("Zebra_crossing"), &json!([]))
    );
    // Wildcards of patterns are letters like others.
    let answer = search(&owner, "zeb%").await;
    assert_eq!(answer.data()[0]["user_id"], json!(percent));
    assert_eq!(answer.data().as_array().unwrap().len(), 1);
    let query = "query($q: String!) { searchUsers(query: $q) { userId displayName username avatarUrl \
        connections { platform username displayName avatarUrl } } }";
    let twin = owner.graphql(query, json!({ "q": "zebra" })).await.field("searchUsers");
    assert_eq!(twin, *search(&owner, "zebra").await.data());
    for short in ["", "ze", " ze "] {
        assert_eq!(search(&owner, short).await.data(), &json!([]));
    }
}

#[tokio::test]
async fn a_search_is_bounded_and_for_those_who_may_invite() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    for n in 0..12 {
        app.user(&format!("crowd{n}")).await;
    }
    assert_eq!(search(&owner, "crowd").await.data().as_array().unwrap().len(), 10);
    let two = owner.get("/v1/members/search?q=crowd&limit=2").await;
    assert_eq!(two.data().as_array().unwrap().len(), 2);
    let document = "query($q: String!, $limit: Int) { searchUsers(query: $q, limit: $limit) { userId } }";
    let ask = async |caller: &Caller, q: &str, limit: i32| {
        caller.graphql(document, json!({ "q": q, "limit": limit })).await
    };
    for limit in [0, 11] {
        let rest = owner.get(&format!("/v1/members/search?q=crowd&limit={limit}")).await;
        let message = "limit must be between 1 and 10";
        both_refused(&rest, &ask(&owner, "crowd", limit).await, 400, "VALIDATION_ERROR", message);
    }
    let long = "x".repeat(101);
    let (rest, graphql) = (search(&owner, &long).await, ask(&owner, &long, 1).await);
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "q must be between 0 and 100 characters");
    let viewer = app.member_as(owner.account_id, "viewer").await;
    let (rest, graphql) = (search(&viewer, "crowd").await, ask(&viewer, "crowd", 1).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: members:create");
}

#[tokio::test]
async fn a_search_reads_indexes() {
    let app = TestApp::start().await;
    let mut db = app.state.databases.postgres.get().await.unwrap();
    for sql in [
        "INSERT INTO users (id, display_name, username) SELECT gen_random_uuid(), 'D' || md5(n::text), md5(n::text) \
         FROM generate_series(1, 20000) AS n",
        "ANALYZE users",
        "SET plan_cache_mode = force_generic_plan",
    ] {
        sql_query(sql).execute(&mut *db).await.unwrap();
    }
    #[derive(QueryableByName)]
    struct Line {
        #[diesel(sql_type = diesel::sql_types::Text, column_name = "QUERY PLAN")]
        line: String,
    }
    sql_query(
        "PREPARE found(text) AS SELECT id FROM users WHERE lower(username) ~>=~ lower($1) \
         AND lower(username) ~<~ (lower($1) || chr(1114111)) ORDER BY lower(username) USING ~<~ LIMIT 10",
    )
    .execute(&mut *db)
    .await
    .unwrap();
    let plan: Vec<Line> = sql_query("EXPLAIN EXECUTE found('abc')").load(&mut *db).await.unwrap();
    let plan: Vec<String> = plan.into_iter().map(|line| line.line).collect();
    assert!(plan.iter().any(|line| line.contains("users_username_prefix")), "{plan:#?}");
}

#[tokio::test]
async fn a_code_is_shown_only_to_who_could_have_made_the_invite() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let recruiter = app.member_with(owner.account_id, &["members:read", "members:create"]).await;
    let roles = owner.get("/v1/roles").await;
    let administrator =
        roles.data().as_array().unwrap().iter().find(|role| role["slug"] == "administrator").unwrap();
    let invite = json!({ "role_id": administrator["id"], "method": "link" });
    let code = owner.post("/v1/invites", invite).await.expect(201)["data"]["code"].clone();
    assert_eq!(owner.get("/v1/invites").await.data()[0]["code"], code);
    assert_eq!(recruiter.get("/v1/invites").await.data()[0]["code"], json!(null));
    let graphql = recruiter.graphql("{ invites { code } }", json!({})).await;
    assert_eq!(graphql.body["data"]["invites"][0]["code"], json!(null), "{}", graphql.text);
}
