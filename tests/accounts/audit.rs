//! Audit log (reference/accounts.md#audit-log).

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{insert_into, prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use foundation::jobs::{Housekeep, HousekeepingTask};
use lumio_tests::{Answer, Caller, DEADLINE, Statements, TestApp, both_refused};
use lumio_worker::Daemon;
use serde_json::{Value, json};
use shared::{
    id,
    schema::{account_service_keys, audit_log},
};
use uuid::Uuid;

use super::{text, workers};

const PAGE: &str = "{ items { id accountId actor { type id displayName } action resourceType resourceId metadata ip \
    createdAt } total page limit pages }";

/// Entry written some minutes ago.
struct Made<'a> {
    scope: &'a str,
    account: Option<Uuid>,
    actor: (&'a str, Option<Uuid>),
    action: &'a str,
    resource: &'a str,
    minutes_ago: i64,
}

async fn made(app: &TestApp, entry: Made<'_>) -> Uuid {
    let entry_id = id::new();
    insert_into(audit_log::table)
        .values((
            audit_log::id.eq(entry_id),
            audit_log::scope.eq(entry.scope),
            audit_log::account_id.eq(entry.account),
            audit_log::actor_type.eq(entry.actor.0),
            audit_log::actor_id.eq(entry.actor.1),
            audit_log::action.eq(entry.action),
            audit_log::resource_type.eq(entry.resource),
            audit_log::metadata.eq(json!({ "n": entry.minutes_ago })),
            audit_log::created_at.eq(ago(app, entry.minutes_ago)),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    entry_id
}

fn ago(app: &TestApp, minutes: i64) -> DateTime<Utc> {
    app.clock.now() - TimeDelta::minutes(minutes)
}

async fn over_graphql(caller: &Caller, field: &str, filter: &Value) -> Answer {
    let kind = match field {
        "auditLog" => "AuditLogFilter",
        _ => "AdminAuditFilter",
    };
    let document = format!("query($filter: {kind}) {{ {field}(filter: $filter) {PAGE} }}");
    caller.graphql(&document, json!({ "filter": filter })).await
}

fn ids(listed: &Value) -> Vec<Uuid> {
    listed.as_array().unwrap().iter().map(|entry| text(&entry["id"]).parse().unwrap()).collect()
}

#[tokio::test]
async fn audit_log_lists_the_entries_of_the_account_newest_first() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let account = Some(owner.account_id);
    app.service_key(owner.account_id, &[]).await;
    let key: Uuid = account_service_keys::table
        .select(account_service_keys::id)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let entry = |actor, action, resource, minutes_ago| Made {
        scope: "account",
        account,
        actor,
        action,
        resource,
        minutes_ago,
    };
    let by_user = made(&app, entry(("user", Some(owner.user_id)), "overlay:created", "overlay", 3)).await;
    let by_key = made(&app, entry(("service_key", Some(key)), "overlay:deleted", "overlay", 2)).await;
    let without_actor = made(&app, entry(("system", None), "chat:user_banned", "chat", 1)).await;
    made(&app, Made { account: Some(other.account_id), ..entry(("system", None), "x:y", "x", 0) }).await;
    made(&app, Made { scope: "system", account: None, ..entry(("system", None), "x:y", "x", 0) }).await;

    let answer = owner.get("/v1/audit-log").await;
    assert_eq!(ids(answer.data()), [without_actor, by_key, by_user]);
    assert_eq!(answer.body["_meta"], json!({ "total": 3, "page": 1, "limit": 25, "pages": 1 }));
    let actors: Vec<&Value> = answer.data().as_array().unwrap().iter().map(|entry| &entry["actor"]).collect();
    assert_eq!(
        actors,
        [
            &json!({ "type": "system", "id": null, "display_name": null }),
            &json!({ "type": "service_key", "id": key, "display_name": "test" }),
            &json!({ "type": "user", "id": owner.user_id, "display_name": "owner" }),
        ]
    );
    assert_eq!(answer.data()[2]["metadata"], json!({ "n": 3 }));
    let graphql = over_graphql(&owner, "auditLog", &Value::Null).await.field("auditLog");
    assert_eq!(ids(&graphql["items"]), [without_actor, by_key, by_user]);
    assert_eq!(graphql["items"][1]["actor"]["type"], "SERVICE_KEY");
    assert_eq!((&graphql["total"], &graphql["pages"], &graphql["limit"]), (&json!(3), &json!(1), &json!(25)));

    let page = owner.get("/v1/audit-log?page=2&limit=2").await;
    assert_eq!(ids(page.data()), [by_user]);
    assert_eq!(page.body["_links"]["prev"], "/v1/audit-log?page=1&limit=2");
    let graphql = over_graphql(&owner, "auditLog", &json!({ "page": 2, "limit": 2 })).await;
    assert_eq!(ids(&graphql.field("auditLog")["items"]), [by_user]);
}

#[tokio::test]
async fn audit_log_applies_filters() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let entry = |action, resource, minutes_ago| Made {
        scope: "account",
        account: Some(owner.account_id),
        actor: ("user", Some(owner.user_id)),
        action,
        resource,
        minutes_ago,
    };
    let first = made(&app, entry("overlay:created", "overlay", 30)).await;
    let second = made(&app, entry("overlay:deleted", "overlay", 20)).await;
    let third =
        made(&app, Made { actor: ("system", None), ..entry("member:joined", "membership", 10) }).await;
    let all = owner.get("/v1/audit-log").await;
    let time = |index: usize| text(&all.data()[index]["created_at"]).to_owned();
    let (of_third, of_second) = (time(0), time(1));
    let read = async |query: Vec<(&str, String)>| {
        let request = owner.request(reqwest::Method::GET, "/v1/audit-log").query(&query);
        ids(owner.send(request).await.data())
    };
    assert_eq!(read(vec![("action", "overlay:created".into())]).await, [first]);
    assert_eq!(read(vec![("resource_type", "overlay".into())]).await, [second, first]);
    assert_eq!(read(vec![("actor_id", owner.user_id.to_string())]).await, [second, first]);
    assert_eq!(read(vec![("from", of_second.clone())]).await, [third, second], "from includes its moment");
    assert_eq!(read(vec![("to", of_second.clone())]).await, [first], "to does not");
    assert_eq!(read(vec![("from", of_second.clone()), ("to", of_third.clone())]).await, [second]);
    let filter = json!({
        "action": "overlay:deleted", "resourceType": "overlay", "actorId": owner.user_id, "from": of_second, "to": of_third,
    });
    let graphql = over_graphql(&owner, "auditLog", &filter).await;
    assert_eq!(ids(&graphql.field("auditLog")["items"]), [second]);

    for (query, filter, message) in [
        ("limit=0", json!({ "limit": 0 }), "limit must be between 1 and 100"),
        ("limit=101", json!({ "limit": 101 }), "limit must be between 1 and 100"),
        ("page=0", json!({ "page": 0 }), "page must be 1 or greater"),
        ("action=", json!({ "action": "" }), "action must not be empty"),
        (
            "from=yesterday",
            json!({ "from": "yesterday" }),
            "from must be a time in RFC 3339, for example 2030-01-31T12:00:00Z",
        ),
    ] {
        let rest = owner.get(&format!("/v1/audit-log?{query}")).await;
        let graphql = over_graphql(&owner, "auditLog", &filter).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    owner.get("/v1/audit-log?actor_id=me").await.refused("VALIDATION_ERROR", "Invalid UUID: actor_id");
}

#[tokio::test]
async fn audit_log_needs_its_permission_and_its_feature() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let moderator = app.member_as(owner.account_id, "moderator").await;
    let graphql = over_graphql(&moderator, "auditLog", &Value::Null).await;
    let rest = moderator.get("/v1/audit-log").await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: audit-log:read");
    app.service_key(owner.account_id, &["audit-log:read"]).await.get("/v1/audit-log").await.expect(200);
    app.override_feature(owner.account_id, "feature:audit_log", false).await;
    let graphql = over_graphql(&owner, "auditLog", &Value::Null).await;
    let rest = owner.get("/v1/audit-log").await;
    both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", "Feature is disabled: feature:audit_log");
}

#[tokio::test]
async fn admin_audit_lists_every_scope_that_staff_may_read() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let entry = |scope, account, minutes_ago| Made {
        scope,
        account,
        actor: ("user", Some(owner.user_id)),
        action: "thing:changed",
        resource: "thing",
        minutes_ago,
    };
    let system = made(&app, entry("system", None, 3)).await;
    let user = made(&app, entry("user", None, 2)).await;
    let account = made(&app, entry("account", Some(owner.account_id), 1)).await;
    let other = made(&app, entry("account", Some(app.owner().await.account_id), 0)).await;
    let both = app.admin_with(&["admin:access", "audit:read", "audit-log:read"]).await;
    let read = async |caller: &Caller, query: &str| caller.get(&format!("/v1/admin/audit{query}")).await;
    assert_eq!(ids(read(&both, "").await.data()), [other, account, user, system], "everything");
    assert_eq!(ids(read(&both, "?scope=system").await.data()), [system]);
    assert_eq!(ids(read(&both, "?scope=user").await.data()), [user]);
    assert_eq!(ids(read(&both, "?scope=account").await.data()), [other, account]);
    let of_account = format!("?account_id={}", owner.account_id);
    let answer = read(&both, &of_account).await;
    assert_eq!(ids(answer.data()), [account]);
    assert_eq!(answer.body["_meta"]["total"], 1);
    let filter = json!({ "scope": "ACCOUNT", "accountId": owner.account_id, "actorId": owner.user_id });
    let twin = over_graphql(&both, "adminAudit", &filter).await.field("adminAudit");
    assert_eq!(ids(&twin["items"]), [account]);

    let system_only = app.admin_with(&["audit:read"]).await;
    let account_only = app.admin_with(&["audit-log:read"]).await;
    assert_eq!(ids(read(&system_only, "?scope=user").await.data()), [user]);
    for (caller, expected) in [(&system_only, vec![user, system]), (&account_only, vec![other, account])] {
        assert_eq!(ids(read(caller, "").await.data()), expected, "what the caller may read");
        let twin = over_graphql(caller, "adminAudit", &json!({})).await.field("adminAudit");
        assert_eq!(ids(&twin["items"]), expected);
    }
    assert_eq!(ids(read(&account_only, &of_account).await.data()), [account]);
    let refused = async |caller: &Caller, scope: &str, message: &str| {
        let rest = read(caller, &format!("?scope={scope}")).await;
        let graphql = over_graphql(caller, "adminAudit", &json!({ "scope": scope.to_uppercase() })).await;
        both_refused(&rest, &graphql, 403, "FORBIDDEN", message);
    };
    refused(&system_only, "account", "Missing permission: audit-log:read").await;
    refused(&account_only, "system", "Missing permission: audit:read").await;
    refused(&account_only, "user", "Missing permission: audit:read").await;
    refused(&owner, "account", "Missing permission: audit:read or audit-log:read").await;
    let rest = read(&both, &format!("?scope=user&account_id={}", owner.account_id)).await;
    let filter = json!({ "scope": "USER", "accountId": owner.account_id });
    let graphql = over_graphql(&both, "adminAudit", &filter).await;
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "account_id is only for the scope account");
    let unknown = read(&both, "?scope=all").await;
    unknown.refused("VALIDATION_ERROR", "Invalid scope: must be one of system, account, user");
}

#[tokio::test]
async fn audit_log_takes_one_statement_for_any_number_of_entries() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let owner = app.owner().await;
    sql_query(format!(
        "INSERT INTO audit_log (id, scope, account_id, actor_type, actor_id, action, resource_type) \
         SELECT gen_random_uuid(), 'account', '{}', 'user', '{}', 'a:b', 'a' FROM generate_series(1, 1000)",
        owner.account_id, owner.user_id
    ))
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    owner.get("/v1/audit-log").await.expect(200);
    statements.to(&app);
    statements.take();
    let answer = owner.get("/v1/audit-log?limit=100&page=3").await;
    assert_eq!(
        (answer.data().as_array().unwrap().len(), &answer.body["_meta"]["total"]),
        (100, &json!(1000))
    );
    let of_the_log = |sent: Vec<String>| -> Vec<String> {
        sent.into_iter().filter(|text| text.contains("FROM audit_log")).collect()
    };
    let sent = of_the_log(statements.take());
    assert_eq!(sent.len(), 1, "{sent:#?}");
    // A page beyond the end has no row that could hold the total.
    let beyond = owner.get("/v1/audit-log?limit=100&page=30").await;
    assert_eq!((beyond.data(), &beyond.body["_meta"]["total"]), (&json!([]), &json!(1000)));
    assert_eq!(of_the_log(statements.take()).len(), 2);
}

#[tokio::test]
async fn audit_entries_are_append_only_and_deleted_after_a_year() {
    let app = TestApp::start().await;
    let entry = |minutes_ago| Made {
        scope: "system",
        account: None,
        actor: ("system", None),
        action: "a:b",
        resource: "a",
        minutes_ago,
    };
    let year = TimeDelta::days(365).num_minutes();
    let (old, young) = (made(&app, entry(year + 5)).await, made(&app, entry(year - 5)).await);
    let rewritten = diesel::update(audit_log::table.find(young))
        .set(audit_log::action.eq("c:d"))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await;
    assert!(rewritten.unwrap_err().to_string().contains("audit_log is append-only"));
    let running = workers(&app, &[Daemon::Housekeeping]).await;
    app.state.jobs.enqueue(&Housekeep { task: HousekeepingTask::ForgetAudit }, "now").await.unwrap();
    let left = async || -> Vec<Uuid> {
        let ids = audit_log::table.select(audit_log::id);
        ids.load(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap()
    };
    let forgotten = tokio::time::timeout(DEADLINE, async {
        while left().await.contains(&old) {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    });
    forgotten.await.expect("the old entry is forgotten");
    assert_eq!(left().await, [young]);
    running.stop().await.unwrap();
}
