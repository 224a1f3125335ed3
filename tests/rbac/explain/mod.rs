//! Explanations of decisions about access (reference/permissions.md#explanations).

mod policies;

use diesel::prelude::*;
use diesel_async::{RunQueryDsl, SimpleAsyncConnection};
use foundation::invalidation::Invalidation;
use lumio_tests::{Caller, TestApp};
use serde_json::{Value, json};
use shared::schema::{account_service_keys, user_api_keys};
use uuid::Uuid;

use super::{Both, refused, text};

/// Explanation over both protocols.
async fn explain(caller: &Caller, operation: &str, subject: Option<&str>) -> Both {
    let document = "query($operation: String!, $subject: String) {
        explainAccess(operation: $operation, subject: $subject) {
            operation subject allowed reason steps { order kind name effect detail } } }";
    let query: Vec<(&str, &str)> =
        [("operation", operation)].into_iter().chain(subject.map(|subject| ("subject", subject))).collect();
    let request = caller.request(reqwest::Method::GET, "/v1/access/explain").query(&query);
    let variables = json!({ "operation": operation, "subject": subject });
    (caller.send(request).await, caller.graphql(document, variables).await)
}

/// Explanation that both protocols agree about.
#[track_caller]
fn explained(both: &Both) -> Value {
    let (rest, mut graphql) = (both.0.data().clone(), both.1.field("explainAccess"));
    for step in graphql["steps"].as_array_mut().expect("steps") {
        for field in ["kind", "effect"] {
            step[field] = json!(text(step, &format!("/{field}")).to_lowercase());
        }
    }
    assert_eq!(rest, graphql);
    rest
}

/// Kinds, names and effects of the steps.
fn steps(explanation: &Value) -> Vec<(String, String, String)> {
    let steps = explanation["steps"].as_array().expect("steps");
    for (position, step) in steps.iter().enumerate() {
        assert_eq!(step["order"], position + 1, "{explanation}");
    }
    let part = |step: &Value, name: &str| text(step, &format!("/{name}")).to_owned();
    steps.iter().map(|step| (part(step, "kind"), part(step, "name"), part(step, "effect"))).collect()
}

#[track_caller]
fn assert_steps(explanation: &Value, expected: &[(&str, &str, &str)]) {
    let shown = steps(explanation);
    let shown: Vec<(&str, &str, &str)> =
        shown.iter().map(|(kind, name, effect)| (kind.as_str(), name.as_str(), effect.as_str())).collect();
    assert_eq!(shown, expected, "{explanation}");
}

async fn run(app: &TestApp, sql: &str) {
    app.databases.postgres.get().await.unwrap().batch_execute(sql).await.unwrap();
}

async fn service_key_of(app: &TestApp, account: Uuid) -> Uuid {
    account_service_keys::table
        .filter(account_service_keys::account_id.eq(account))
        .select(account_service_keys::id)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

async fn personal_key_of(app: &TestApp, user: Uuid) -> Uuid {
    user_api_keys::table
        .filter(user_api_keys::user_id.eq(user))
        .select(user_api_keys::id)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

#[tokio::test]
async fn explain_access_names_role_override_key_plan_and_flag_in_the_order_of_the_checks() {
    let app = TestApp::start().await;
    let owner = app.owner_on("free").await;
    let account = owner.account_id;
    let reader = app.member_with(account, &["roles:read"]).await;
    let moderator = app.member_as(account, "moderator").await;
    let subject = moderator.user_id.to_string();

    // The role decides.
    let explanation = explained(&explain(&reader, "members", Some(&subject)).await);
    assert_eq!(explanation["operation"], "members");
    assert_eq!(explanation["subject"], json!(subject));
    assert_eq!((&explanation["allowed"], &explanation["reason"]), (&json!(true), &Value::Null));
    assert_steps(
        &explanation,
        &[
            ("credential", "session", "grants"),
            ("membership", "moderator", "neutral"),
            ("role", "moderator", "grants"),
            ("permission", "members:read", "grants"),
        ],
    );

    // An override of the account denies what the role holds, and grants what it lacks.
    run(
        &app,
        &format!(
            "INSERT INTO account_permission_overrides (account_id, permission, granted)
             VALUES ('{account}', 'members:read', false), ('{account}', 'bot-modules:edit', true)"
        ),
    )
    .await;
    app.state.caches.invalidate(&Invalidation::Account { account_id: account });
    let explanation = explained(&explain(&reader, "members", Some(&subject)).await);
    assert_eq!(explanation["reason"], "Missing permission: members:read");
    assert_steps(
        &explanation,
        &[
            ("credential", "session", "grants"),
            ("membership", "moderator", "neutral"),
            ("role", "moderator", "grants"),
            ("override", "members:read", "denies"),
            ("permission", "members:read", "denies"),
        ],
    );

    // The plan locks the feature until the account's override lifts it; the global switch counts first.
    let of_feature = async |expected: &[(&str, &str, &str)], reason: Value| {
        let explanation = explained(&explain(&reader, "updateBotModule", Some(&subject)).await);
        assert_eq!(explanation["reason"], reason);
        let all = [
            ("credential", "session", "grants"),
            ("membership", "moderator", "neutral"),
            ("role", "moderator", "denies"),
            ("override", "bot-modules:edit", "grants"),
            ("permission", "bot-modules:edit", "grants"),
        ];
        assert_steps(&explanation, &[&all[..], expected].concat());
    };
    let (flag, on) = ("feature:bot_modules", "grants");
    of_feature(
        &[("switch", flag, on), ("plan", "free", "denies"), ("feature", flag, "denies")],
        json!(
            "Feature is disabled: feature:bot_modules is not part of the account's plan; another plan may include it"
        ),
    )
    .await;
    app.override_feature(account, flag, true).await;
    let lifted = [
        ("switch", flag, on),
        ("plan", "free", "denies"),
        ("feature_override", flag, on),
        ("feature", flag, on),
    ];
    of_feature(&lifted, Value::Null).await;
    app.switch(flag, false).await;
    of_feature(
        &[("switch", flag, "denies"), ("feature", flag, "denies")],
        json!("Feature is disabled: feature:bot_modules"),
    )
    .await;
    app.stop().await;
}

#[tokio::test]
async fn explain_access_of_a_key_names_its_scopes_and_its_end() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let moderator = app.member_as(owner.account_id, "moderator").await;
    app.service_key(owner.account_id, &["chat:read"]).await;
    app.personal_key(&moderator, &["members:read"]).await;
    let service = format!("key:{}", service_key_of(&app, owner.account_id).await);
    let personal = format!("key:{}", personal_key_of(&app, moderator.user_id).await);

    let explanation = explained(&explain(&owner, "members", Some(&service)).await);
    assert_eq!((&explanation["subject"], &explanation["allowed"]), (&json!(service), &json!(false)));
    let denied = [
        ("credential", "service_key", "grants"),
        ("scopes", "members:read", "denies"),
        ("permission", "members:read", "denies"),
    ];
    assert_steps(&explanation, &denied);
    // A service key acts for no person.
    let explanation = explained(&explain(&owner, "notifications", Some(&service)).await);
    assert_eq!(explanation["reason"], "First-party session required");
    assert_steps(&explanation, &[("credential", "service_key", "denies")]);

    let granted = [
        ("credential", "user_api_key", "grants"),
        ("membership", "moderator", "neutral"),
        ("role", "moderator", "grants"),
        ("scopes", "members:read", "neutral"),
        ("permission", "members:read", "grants"),
    ];
    assert_steps(&explained(&explain(&owner, "members", Some(&personal)).await), &granted);
    run(&app, "UPDATE user_api_keys SET expires_at = now() - interval '1 second'").await;
    let explanation = explained(&explain(&owner, "members", Some(&personal)).await);
    assert_eq!(explanation["reason"], "Authentication required");
    let ended = [("credential", "user_api_key", "denies"), ("credential", "anonymous", "denies")];
    assert_steps(&explanation, &ended);
    app.stop().await;
}

#[tokio::test]
async fn explain_access_of_the_caller_explains_its_own_credential_and_person() {
    let app = TestApp::start().await;
    let staff = app.admin_with(&["users:read"]).await;
    let explanation = explained(&explain(&staff, "adminUsers", None).await);
    assert_eq!(explanation["subject"], json!(staff.user_id));
    assert_eq!(
        (&explanation["allowed"], &explanation["steps"][1]["kind"]),
        (&json!(true), &json!("admin_role"))
    );
    let explanation = explained(&explain(&staff, "createIdea", None).await);
    assert_steps(
        &explanation,
        &[
            ("credential", "session", "grants"),
            ("user_role", "member", "grants"),
            ("permission", "ideas:create", "grants"),
            ("switch", "system:ideas_hub", "grants"),
            ("feature", "system:ideas_hub", "grants"),
        ],
    );
    // A key of the same person acts as no staff.
    let key = app.personal_key(&staff, &["roles:read"]).await;
    let explanation = explained(&explain(&key, "adminUsers", None).await);
    assert_eq!(explanation["reason"], "Missing permission: users:read");
    assert_eq!(text(&explanation, "/subject"), format!("key:{}", personal_key_of(&app, staff.user_id).await));
    // A popout that another member made has the rights of both.
    let maker = app.member_with(staff.account_id, &["roles:read"]).await;
    let popout = app.popout_by(&maker, &staff, &["roles:read", "members:read"]).await;
    let explanation = explained(&explain(&popout, "members", None).await);
    assert!(text(&explanation, "/subject").starts_with("popout:"));
    let last: Vec<_> = steps(&explanation).into_iter().rev().take(2).collect();
    assert_eq!((last[1].0.as_str(), last[1].2.as_str()), ("maker", "denies"));
    assert_eq!(explanation["allowed"], false);
    app.stop().await;
}

#[tokio::test]
async fn explain_access_refuses_callers_names_and_subjects() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let member = app.member_with(owner.account_id, &["members:read"]).await;
    let denied = explain(&member, "members", None).await;
    refused(&denied, 403, "FORBIDDEN", "Missing permission: roles:read");
    let anonymous = explain(&app.anonymous(), "members", None).await;
    refused(&anonymous, 401, "UNAUTHORIZED", "Authentication required");

    let message = "operation must be the name of an operation";
    for (unknown, suggestion) in
        [("createRol", "; did you mean createRole?"), ("delete_role", "; did you mean deleteRole?"), ("", "")]
    {
        let both = explain(&owner, unknown, None).await;
        refused(&both, 400, "VALIDATION_ERROR", &format!("{message}{suggestion}"));
        assert_eq!(both.0.body["details"]["fields"][0]["field"], "operation");
    }
    // Feeds of the deployment are in no published document.
    let both = explain(&owner, "internalBotModuleHandlers", None).await;
    assert_eq!(both.0.status, 400, "{}", both.0.text);
    for malformed in ["me", "key:", "popout:x"] {
        let both = explain(&owner, "members", Some(malformed)).await;
        let message = "subject must be the id of a member, or key: and the id of a key";
        refused(&both, 400, "VALIDATION_ERROR", message);
    }

    // Subjects of other accounts do not exist.
    app.service_key(stranger.account_id, &["members:read"]).await;
    app.personal_key(&stranger, &["members:read"]).await;
    let foreign = [
        stranger.user_id.to_string(),
        Uuid::now_v7().to_string(),
        format!("key:{}", service_key_of(&app, stranger.account_id).await),
        format!("key:{}", personal_key_of(&app, stranger.user_id).await),
        format!("key:{}", Uuid::now_v7()),
    ];
    for subject in &foreign {
        refused(&explain(&owner, "members", Some(subject)).await, 404, "NOT_FOUND", "Subject not found");
    }

    // The list of members shows no staff role, no platform-wide role and no override of a person.
    let subject = member.user_id.to_string();
    app.personal_key(&member, &["members:read"]).await;
    let key = format!("key:{}", personal_key_of(&app, member.user_id).await);
    let message = "Rights of another person outside of the account are not shown";
    for (operation, subject) in [
        ("adminUsers", &subject),
        ("adminAudit", &subject),
        ("createIdea", &subject),
        ("deleteIdea", &key),
        ("createAccount", &subject),
    ] {
        refused(&explain(&owner, operation, Some(subject)).await, 403, "FORBIDDEN", message);
    }
    // No key acts as staff, whoever holds it.
    let explanation = explained(&explain(&owner, "adminUsers", Some(&key)).await);
    assert_eq!(explanation["reason"], "Missing permission: users:read");
    app.stop().await;
}
