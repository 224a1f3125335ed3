//! Accounts as staff reads and changes them (reference/administration.md#accounts-of-staff).

use diesel::{prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, Statements, TestApp};
use serde_json::{Value, json};
use shared::schema::{accounts, plans};
use uuid::Uuid;

use super::{
    Both,
    admin_account_connections::disconnect,
    admin_account_limits::{limits, set_limits},
    each_needs, id_of, pending_events, refused,
};

const SUMMARY: &str = "{ id name slug owner { id displayName email } plan { id slug name } memberCount createdAt \
    updatedAt }";
const CONNECTION: &str = "{ id platform username displayName reconnectRequired connectedAt }";
fn account() -> String {
    format!(
        "{{ id name slug description owner {{ id displayName email }} plan {{ id slug name }} memberCount \
         createdAt updatedAt channelConnections {CONNECTION} botConnections {CONNECTION} }}"
    )
}

pub(super) async fn admin(app: &TestApp) -> Person {
    app.admin_with(&["accounts:read", "accounts:edit", "accounts:delete", "subscriptions:edit"]).await
}

pub(super) async fn find(caller: &Caller, id: Uuid) -> Both {
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

async fn search(caller: &Caller, query: &[(&str, &str)]) -> Answer {
    caller.send(caller.request(reqwest::Method::GET, "/v1/admin/accounts").query(query)).await
}

async fn plan(app: &TestApp, slug: &str) -> Uuid {
    plans::table
        .filter(plans::slug.eq(slug))
        .select(plans::id)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

#[tokio::test]
async fn admin_accounts_searches_by_name_owner_and_identifier() {
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
async fn admin_accounts_lists_a_page_in_two_statements() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    sql_query(format!(
        "INSERT INTO accounts (id, name, slug, owner_id, plan_id)
         SELECT gen_random_uuid(), 'a' || n, 'a' || n, '{}', (SELECT id FROM plans WHERE slug = 'free')
         FROM generate_series(1, 1000) n",
        admin.user_id
    ))
    .execute(&mut *app.databases.postgres.get().await.unwrap())
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
async fn admin_accounts_operations_need_their_permission() {
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
async fn admin_account_and_its_changes_report_unknown_accounts() {
    let app = TestApp::start().await;
    let admin = admin(&app).await;
    let (unknown_id, pro) = (Uuid::now_v7(), plan(&app, "pro").await);
    for both in [
        find(&admin, unknown_id).await,
        update(&admin, unknown_id, json!({ "name": "x" })).await,
        update(&admin, unknown_id, json!({})).await,
        delete(&admin, unknown_id).await,
        disconnect(&admin, unknown_id, "channel", "twitch").await,
        disconnect(&admin, unknown_id, "bot", "twitch").await,
        put_on(&admin, unknown_id, pro).await,
        limits(&admin, unknown_id).await,
        set_limits(&admin, unknown_id, json!({}), json!({})).await,
    ] {
        refused(&both, 404, "NOT_FOUND", "Account not found");
    }
    refused(&put_on(&admin, admin.account_id, unknown_id).await, 404, "NOT_FOUND", "Plan not found");
    for kind in ["channel", "bot"] {
        let both = disconnect(&admin, admin.account_id, kind, "twitch").await;
        refused(&both, 404, "NOT_FOUND", "Connection not found");
    }
    admin.get("/v1/admin/accounts/x").await.refused("VALIDATION_ERROR", "Invalid UUID: id");
}

#[tokio::test]
async fn admin_update_account_changes_name_and_description() {
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
async fn admin_delete_account_ends_access_for_everybody_in_it() {
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
    let left: i64 =
        accounts::table.count().get_result(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap();
    assert_eq!(left, 1);
}

#[tokio::test]
async fn admin_update_account_plan_takes_effect_immediately() {
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
    let published = pending_events(&app, &format!("account:{}", owner.account_id)).await;
    assert_eq!(published.iter().filter(|event| *event == "plan:updated").count(), 1, "{published:?}");
    let answer = admin.put(&format!("/v1/admin/accounts/{}/plan", owner.account_id), json!({})).await;
    answer.refused("VALIDATION_ERROR", "Missing field: plan_id");
}
