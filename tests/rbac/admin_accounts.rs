//! Accounts as operator staff sees and changes them (specification C §8, §9).

use diesel::{insert_into, prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, Statements, TestApp};
use serde_json::{Value, json};
use shared::{
    db::schema::{accounts, bot_connections, channel_connections, plans},
    id,
};
use uuid::Uuid;

use super::{Both, each_needs, id_of, refused, told};

const SUMMARY: &str = "{ id name slug owner { id displayName email } plan { id slug name } memberCount createdAt \
    updatedAt }";
const CONNECTION: &str = "{ id platform username displayName reconnectRequired connectedAt }";
const LIMITS: &str = "{ accountId maxOverlays maxStorageBytes maxUploadSizeBytes maxIntegrations chatRetentionDays \
    customBotAllowed obsRemoteAllowed copyrightDetectionAllowed notes updatedBy updatedAt }";

fn account() -> String {
    format!(
        "{{ id name slug description owner {{ id displayName email }} plan {{ id slug name }} memberCount \
         createdAt updatedAt channelConnections {CONNECTION} botConnections {CONNECTION} }}"
    )
}

async fn admin(app: &TestApp) -> Person {
    app.admin_with(&["accounts:read", "accounts:edit", "accounts:delete", "subscriptions:edit"]).await
}

async fn find(caller: &Caller, id: Uuid) -> Both {
    let document = format!("{{ adminAccount(id: \"{id}\") {} }}", account());
    (caller.get(&format!("/v1/admin/accounts/{id}")).await, caller.graphql(&document, json!({})).await)
}

async fn update(caller: &Caller, id: Uuid, input: Value) -> Both {
    let document = format!(
        "mutation($input: AdminUpdateAccountInput!) {{ adminUpdateAccount(id: \"{id}\", input: $input) {} }}",
        account()
    );
    (
        caller.patch(&format!("/v1/admin/accounts/{id}"), input.clone()).await,
        caller.graphql(&document, json!({ "input": input })).await,
    )
}

async fn delete(caller: &Caller, id: Uuid) -> Both {
    let document = format!("mutation {{ adminDeleteAccount(id: \"{id}\") }}");
    (caller.delete(&format!("/v1/admin/accounts/{id}")).await, caller.graphql(&document, json!({})).await)
}

async fn disconnect(caller: &Caller, id: Uuid, kind: &str, platform: &str) -> Both {
    let field = if kind == "channel" { "adminDisconnectAccountChannel" } else { "adminDisconnectAccountBot" };
    let document = format!("mutation {{ {field}(accountId: \"{id}\", platform: \"{platform}\") }}");
    (
        caller.delete(&format!("/v1/admin/accounts/{id}/{kind}-connections/{platform}")).await,
        caller.graphql(&document, json!({})).await,
    )
}

async fn put_on(caller: &Caller, id: Uuid, plan: Uuid) -> Both {
    let document = format!(
        "mutation {{ adminUpdateAccountPlan(accountId: \"{id}\", planId: \"{plan}\") {} }}",
        account()
    );
    (
        caller.put(&format!("/v1/admin/accounts/{id}/plan"), json!({ "plan_id": plan })).await,
        caller.graphql(&document, json!({})).await,
    )
}

async fn limits(caller: &Caller, id: Uuid) -> Both {
    let document = format!("{{ adminAccountLimits(accountId: \"{id}\") {LIMITS} }}");
    (caller.get(&format!("/v1/admin/accounts/{id}/limits")).await, caller.graphql(&document, json!({})).await)
}

async fn set_limits(caller: &Caller, id: Uuid, rest: Value, graphql: Value) -> Both {
    let document = format!(
        "mutation($input: AdminUpsertAccountLimitsInput!) {{ \
         adminUpsertAccountLimits(accountId: \"{id}\", input: $input) {LIMITS} }}"
    );
    (
        caller.put(&format!("/v1/admin/accounts/{id}/limits"), rest).await,
        caller.graphql(&document, json!({ "input": graphql })).await,
    )
}

async fn search(caller: &Caller, query: &[(&str, &str)]) -> Answer {
    caller.send(caller.request(reqwest::Method::GET, "/v1/admin/accounts").query(query)).await
}

async fn plan(app: &TestApp, slug: &str) -> Uuid {
    plans::table
        .filter(plans::slug.eq(slug))
        .select(plans::id)
        .first(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

/// A channel and a bot of the account, without tokens.
async fn connect(app: &TestApp, account: Uuid, platform: &str) {
    let mut db = app.state.databases.postgres.get().await.unwrap();
    insert_into(channel_connections::table)
        .values((
            channel_connections::id.eq(id::new()),
            channel_connections::account_id.eq(account),
            channel_connections::platform.eq(platform),
            channel_connections::platform_channel_id.eq(account.to_string()),
            channel_connections::channel_name.eq("ada"),
            channel_connections::display_name.eq("Ada"),
            channel_connections::credential_source.eq("system"),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
    insert_into(bot_connections::table)
        .values((
            bot_connections::id.eq(id::new()),
            bot_connections::account_id.eq(account),
            bot_connections::platform.eq(platform),
            bot_connections::bot_user_id.eq(account.to_string()),
            bot_connections::bot_username.eq("adabot"),
            bot_connections::display_name.eq("AdaBot"),
            bot_connections::credential_source.eq("system"),
            bot_connections::credential_app.eq("bot"),
        ))
        .execute(&mut *db)
        .await
        .unwrap();
}

#[tokio::test]
async fn accounts_are_found_by_name_owner_and_identifier() {
    let app = TestApp::start().await;
    let (admin, owner) = (admin(&app).await, app.owner().await);
    assert_eq!(update(&admin, owner.account_id, json!({ "name": "Night_Owl" })).await.0.status, 200);
    let identifier = owner.account_id.to_string();
    for (text, found) in [("night_", 1), (identifier.as_str(), 1), ("OWNER", 2), ("g_h", 0), ("nothing", 0)] {
        let rest = search(&admin, &[("search", text)]).await;
        assert_eq!(rest.data().as_array().unwrap().len(), found, "{text}");
        assert_eq!(rest.body["_meta"]["total"], found);
        let document =
            format!("query($s: String) {{ adminAccounts(search: $s) {{ items {SUMMARY} total }} }}");
        let graphql = admin.graphql(&document, json!({ "s": text })).await.field("adminAccounts");
        assert_eq!((&graphql["items"], &graphql["total"]), (rest.data(), &json!(found)));
    }
    let page = search(&admin, &[("limit", "1"), ("page", "2")]).await;
    assert_eq!(page.body["_meta"], json!({ "total": 2, "page": 2, "limit": 1, "pages": 2 }));
    assert_eq!(id_of(&page.data()[0]), admin.account_id);
    let wrong = search(&admin, &[("limit", "0")]).await;
    wrong.refused("VALIDATION_ERROR", "limit must be between 1 and 100");
}

#[tokio::test]
async fn a_page_of_accounts_is_two_statements() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    sql_query(format!(
        "INSERT INTO accounts (id, name, slug, owner_id, plan_id)
         SELECT gen_random_uuid(), 'a' || n, 'a' || n, '{}', (SELECT id FROM plans WHERE slug = 'free')
         FROM generate_series(1, 1000) n",
        admin.user_id
    ))
    .execute(&mut *app.state.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    admin.get("/v1/admin/accounts").await.expect(200);
    statements.to(&app);
    let page = search(&admin, &[("limit", "100")]).await;
    assert_eq!((page.data().as_array().unwrap().len(), &page.body["_meta"]["total"]), (100, &json!(1001)));
    let sent = statements.take_of("accounts");
    assert_eq!(sent.len(), 2, "{sent:#?}");
}

#[tokio::test]
async fn each_operation_needs_its_permission() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let other = app.admin_with(&["users:edit", "accounts:overrides-edit", "plans:edit"]).await;
    let (account, thing) = (owner.account_id, Uuid::now_v7());
    let calls = |caller: Caller| async move {
        let (read, edit) = ("accounts:read", "accounts:edit");
        vec![
            (
                read,
                (
                    caller.get("/v1/admin/accounts").await,
                    caller.graphql("{ adminAccounts { total } }", json!({})).await,
                ),
            ),
            (read, find(&caller, account).await),
            (edit, update(&caller, account, json!({ "name": "x" })).await),
            ("accounts:delete", delete(&caller, account).await),
            (edit, disconnect(&caller, account, "channel", "twitch").await),
            (edit, disconnect(&caller, account, "bot", "twitch").await),
            ("subscriptions:edit", put_on(&caller, account, thing).await),
            (read, limits(&caller, account).await),
            (edit, set_limits(&caller, account, json!({}), json!({})).await),
        ]
    };
    each_needs(&app, &[&owner, &other], calls).await;
    let service = app.service_key(owner.account_id, &["account:edit"]).await;
    for (permission, both) in calls(service).await {
        refused(&both, 403, "FORBIDDEN", &format!("Missing permission: {permission}"));
    }
    for action in ["account:updated", "account:deleted", "plan:changed", "account:limits_updated"] {
        assert!(app.audited(action).await.is_empty(), "{action}");
    }
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    let (nobody, pro) = (Uuid::now_v7(), plan(&app, "pro").await);
    for both in [
        find(&admin, nobody).await,
        update(&admin, nobody, json!({ "name": "x" })).await,
        update(&admin, nobody, json!({})).await,
        delete(&admin, nobody).await,
        disconnect(&admin, nobody, "channel", "twitch").await,
        disconnect(&admin, nobody, "bot", "twitch").await,
        put_on(&admin, nobody, pro).await,
        limits(&admin, nobody).await,
        set_limits(&admin, nobody, json!({}), json!({})).await,
    ] {
        refused(&both, 404, "NOT_FOUND", "Account not found");
    }
    refused(&put_on(&admin, admin.account_id, nobody).await, 404, "NOT_FOUND", "Plan not found");
    for kind in ["channel", "bot"] {
        let both = disconnect(&admin, admin.account_id, kind, "twitch").await;
        refused(&both, 404, "NOT_FOUND", "Connection not found");
    }
    admin.get("/v1/admin/accounts/x").await.refused("VALIDATION_ERROR", "Invalid UUID: id");
}

#[tokio::test]
async fn an_account_is_changed() {
    let app = TestApp::start().await;
    let (admin, owner) = (admin(&app).await, app.owner().await);
    let id = owner.account_id;
    let (rest, graphql) = update(&admin, id, json!({ "name": " Night ", "description": " Late. " })).await;
    assert_eq!(rest.status, 200, "{}", rest.text);
    assert_eq!((&rest.data()["name"], &rest.data()["description"]), (&json!("Night"), &json!("Late.")));
    assert_eq!(rest.data()["owner"], json!({ "id": owner.user_id, "display_name": "owner", "email": null }));
    assert_eq!((&rest.data()["plan"]["slug"], &rest.data()["member_count"]), (&json!("pro"), &json!(1)));
    assert_eq!(graphql.field("adminUpdateAccount")["name"], "Night");
    let (rest, graphql) = update(&admin, id, json!({ "description": null })).await;
    assert_eq!((&rest.data()["description"], graphql.status), (&Value::Null, 200));
    let audited = app.audited("account:updated").await;
    assert_eq!((audited.len(), audited[0].account_id), (4, Some(id)));
    let (rest, graphql) = find(&admin, id).await;
    assert_eq!(graphql.field("adminAccount"), *rest.data());
    for (input, message) in [
        (json!({ "name": " " }), "name must not be empty"),
        (json!({ "name": "x".repeat(101) }), "name must be between 1 and 100 characters"),
        (json!({ "name": null }), "name cannot be null"),
        (json!({ "description": "x".repeat(501) }), "description must be between 0 and 500 characters"),
    ] {
        refused(&update(&admin, id, input).await, 400, "VALIDATION_ERROR", message);
    }
    assert_eq!(app.audited("account:updated").await.len(), 4);
}

#[tokio::test]
async fn a_deleted_account_is_gone_for_everybody_in_it() {
    let app = TestApp::start().await;
    let (admin, owner) = (admin(&app).await, app.owner().await);
    let member = app.member_as(owner.account_id, "moderator").await;
    let key = app.service_key(owner.account_id, &["roles:read"]).await;
    for caller in [&owner.caller, &member.caller, &key] {
        caller.get("/v1/roles").await.expect(200);
    }
    let (rest, graphql) = delete(&admin, owner.account_id).await;
    assert_eq!((rest.status, rest.text.as_str()), (204, ""));
    graphql.refused("NOT_FOUND", "Account not found");
    for caller in [&owner.caller, &member.caller] {
        caller.get("/v1/roles").await.refused("FORBIDDEN", "Missing permission: roles:read");
    }
    key.get("/v1/roles").await.refused("UNAUTHORIZED", "Invalid or expired token");
    let audited = app.audited_once("account:deleted").await;
    assert_eq!((audited.scope.as_str(), audited.resource_id), ("system", Some(owner.account_id.to_string())));
    let left: i64 = accounts::table
        .count()
        .get_result(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(left, 1);
}

#[tokio::test]
async fn connections_of_an_account_are_ended() {
    let app = TestApp::start().await;
    let (admin, owner, other) = (admin(&app).await, app.owner().await, app.owner().await);
    for person in [&owner, &other] {
        connect(&app, person.account_id, "twitch").await;
    }
    let (rest, graphql) = find(&admin, owner.account_id).await;
    assert_eq!(graphql.field("adminAccount"), *rest.data());
    assert_eq!(rest.data()["channel_connections"][0]["username"], "ada");
    assert_eq!(rest.data()["bot_connections"][0]["username"], "adabot");
    for (kind, message) in [
        ("channel", "platform must be one of twitch, youtube, kick, trovo, spotify"),
        ("bot", "platform must be one of twitch, youtube, kick, trovo"),
    ] {
        let both = disconnect(&admin, owner.account_id, kind, "myspace").await;
        refused(&both, 400, "VALIDATION_ERROR", message);
        let (rest, graphql) = disconnect(&admin, owner.account_id, kind, "twitch").await;
        assert_eq!(rest.status, 204, "{}", rest.text);
        graphql.refused("NOT_FOUND", "Connection not found");
    }
    let audited = app.audited("connection:disconnected").await;
    assert_eq!((audited.len(), audited[0].account_id), (2, Some(owner.account_id)));
    assert_eq!(audited[0].metadata, json!({ "platform": "twitch" }));
    let (rest, _) = find(&admin, owner.account_id).await;
    assert_eq!(
        (&rest.data()["channel_connections"], &rest.data()["bot_connections"]),
        (&json!([]), &json!([]))
    );
    let (rest, _) = find(&admin, other.account_id).await;
    assert_eq!(rest.data()["channel_connections"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_plan_is_there_at_once() {
    let app = TestApp::start().await;
    let (admin, owner) = (admin(&app).await, app.owner_on("free").await);
    let has = async || {
        let features = owner.get(&format!("/v1/accounts/{}/enabled-features", owner.account_id)).await;
        features.data().as_array().unwrap().contains(&json!("feature:multi_account"))
    };
    assert!(!has().await);
    let pro = plan(&app, "pro").await;
    let (rest, graphql) = put_on(&admin, owner.account_id, pro).await;
    assert_eq!((rest.status, &rest.data()["plan"]["slug"]), (200, &json!("pro")));
    assert_eq!(graphql.field("adminUpdateAccountPlan")["plan"], rest.data()["plan"]);
    assert!(has().await);
    // The second time nothing changed.
    let audited = app.audited_once("plan:changed").await;
    assert_eq!((audited.account_id, audited.actor_id), (Some(owner.account_id), Some(admin.user_id)));
    assert_eq!(audited.metadata, json!({ "from": "free", "to": "pro" }));
    let told = told(&app, &format!("account:{}", owner.account_id)).await;
    assert_eq!(told.iter().filter(|event| *event == "plan:updated").count(), 1, "{told:?}");
    let answer = admin.put(&format!("/v1/admin/accounts/{}/plan", owner.account_id), json!({})).await;
    answer.refused("VALIDATION_ERROR", "Missing field: plan_id");
}

#[tokio::test]
async fn limits_are_set_as_a_whole() {
    let app = TestApp::start().await;
    let (admin, owner) = (admin(&app).await, app.owner().await);
    let id = owner.account_id;
    let (rest, graphql) = limits(&admin, id).await;
    assert_eq!(graphql.field("adminAccountLimits"), *rest.data());
    let unset = json!({
        "account_id": id, "max_overlays": null, "max_storage_bytes": null, "max_upload_size_bytes": null,
        "max_integrations": null, "chat_retention_days": null, "custom_bot_allowed": null,
        "obs_remote_allowed": null, "copyright_detection_allowed": null, "notes": null, "updated_by": null,
        "updated_at": null,
    });
    assert_eq!(rest.data(), &unset);
    let rest = json!({
        "max_overlays": 7, "max_storage_bytes": 10_737_418_240_i64, "obs_remote_allowed": false, "notes": " VIP ",
    });
    let graphql = json!({
        "maxOverlays": 7, "maxStorageBytes": 10_737_418_240_i64, "obsRemoteAllowed": false, "notes": "VIP",
    });
    let (rest, graphql) = set_limits(&admin, id, rest, graphql).await;
    assert_eq!(rest.status, 200, "{}", rest.text);
    let set = rest.data();
    assert_eq!((&set["max_overlays"], &set["max_storage_bytes"]), (&json!(7), &json!(10_737_418_240_i64)));
    assert_eq!((&set["obs_remote_allowed"], &set["notes"]), (&json!(false), &json!("VIP")));
    assert_eq!((&set["updated_by"], &set["max_integrations"]), (&json!(admin.user_id), &Value::Null));
    // GraphQL writes numbers beyond 32 bits as doubles.
    let storage = graphql.field("adminUpsertAccountLimits")["max_storage_bytes"].as_f64();
    assert_eq!(storage, Some(10_737_418_240.0));
    // Two of them decide about features.
    let features = owner.get(&format!("/v1/accounts/{id}/enabled-features")).await;
    assert!(!features.data().as_array().unwrap().contains(&json!("feature:obs_remote")));

    // What is absent is the plan's again.
    let (rest, _) =
        set_limits(&admin, id, json!({ "max_integrations": 1 }), json!({ "maxIntegrations": 1 })).await;
    assert_eq!((&rest.data()["max_overlays"], &rest.data()["notes"]), (&Value::Null, &Value::Null));
    assert_eq!(limits(&admin, id).await.0.data()["max_integrations"], 1);
    let features = owner.get(&format!("/v1/accounts/{id}/enabled-features")).await;
    assert!(features.data().as_array().unwrap().contains(&json!("feature:obs_remote")));
    assert_eq!(app.audited("account:limits_updated").await.len(), 4);

    for (rest, graphql, message) in [
        (json!({ "max_overlays": -1 }), json!({ "maxOverlays": -1 }), "Limit cannot be negative".to_owned()),
        (
            json!({ "chat_retention_days": -1 }),
            json!({ "chatRetentionDays": -1 }),
            "Limit cannot be negative".to_owned(),
        ),
        (
            json!({ "notes": "x".repeat(2001) }),
            json!({ "notes": "x".repeat(2001) }),
            "notes must be between 0 and 2000 characters".to_owned(),
        ),
    ] {
        refused(&set_limits(&admin, id, rest, graphql).await, 400, "VALIDATION_ERROR", &message);
    }
    assert_eq!(app.audited("account:limits_updated").await.len(), 4);
}
