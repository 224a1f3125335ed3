//! Present limits of a caller (reference/limits.md#present-limits).

use std::collections::BTreeMap;

use api_core::token::TokenKind;
use diesel_async::SimpleAsyncConnection;
use lumio_tests::{Caller, Person, TestApp, both_refused};
use serde_json::{Value, json};

const LIMITS: &str = "{ limits { name scope limit unit windowSecs used remaining resetsAt source } }";

/// Objects that `one_of_everything` does not create.
const FURTHER: &str = "
    INSERT INTO account_roles (id, account_id, slug, name, position, permissions)
        VALUES (gen_random_uuid(), '{account}', 'further', 'Further', 9, '{}');
    WITH person AS (INSERT INTO users (id, display_name, username)
            VALUES (gen_random_uuid(), 'further', 'further') RETURNING id)
        INSERT INTO memberships (id, account_id, user_id, role_id)
        SELECT gen_random_uuid(), '{account}', person.id, roles.id FROM person, account_roles AS roles
        WHERE roles.account_id = '{account}' AND roles.slug = 'viewer';
    INSERT INTO account_usage (account_id, quota, used)
        VALUES ('{account}', 'integrations', 1), ('{account}', 'storage_bytes', 1);
    INSERT INTO listed_songs (id, account_id, list, title, artist, title_key, artist_key)
        VALUES (gen_random_uuid(), '{account}', 'blocked', 't', 'a', 't', 'a');
    INSERT INTO accounts (id, name, slug, owner_id, plan_id)
        SELECT gen_random_uuid(), 'Further', 'further', '{owner}', plan_id FROM accounts WHERE id = '{account}';
    INSERT INTO watchlist_entries (id, user_id, platform, platform_channel_id)
        VALUES (gen_random_uuid(), '{owner}', 'twitch', 'further')";

/// Limits by scope and name, which both protocols agree about.
pub(super) async fn limits(caller: &Caller) -> BTreeMap<(String, String), Value> {
    let rest = caller.get("/v1/limits").await;
    let rows = rest.data().as_array().expect("a list").clone();
    let mut graphql = caller.graphql(LIMITS, json!({})).await.field("limits");
    for (row, other) in rows.iter().zip(graphql.as_array_mut().expect("a list")) {
        for field in ["scope", "source"] {
            other[field] = json!(other[field].as_str().expect("a value").to_lowercase());
        }
        for field in ["limit", "used", "remaining"] {
            other[field] = whole(&other[field]);
        }
        // The request over GraphQL is counted itself.
        let is_counted = !row["window_secs"].is_null();
        for field in ["name", "scope", "limit", "unit", "window_secs", "source"] {
            assert_eq!(row[field], other[field], "{row} {other}");
        }
        assert!(is_counted || row == other, "{row} {other}");
    }
    let named = |row: Value| {
        let text = |field: &str| row[field].as_str().expect("a text").to_owned();
        ((text("scope"), text("name")), row)
    };
    let count = rows.len();
    let limits: BTreeMap<_, _> = rows.into_iter().map(named).collect();
    assert_eq!(limits.len(), count, "names are unique in a scope");
    limits
}

/// A number of GraphQL, where large ones are doubles, as REST writes it.
fn whole(number: &Value) -> Value {
    number.as_i64().map_or_else(
        || {
            number
                .as_f64()
                .map_or(Value::Null, |number| json!(format!("{number:.0}").parse::<i64>().expect("whole")))
        },
        |number| json!(number),
    )
}

fn row<'a>(limits: &'a BTreeMap<(String, String), Value>, scope: &str, name: &str) -> &'a Value {
    limits
        .get(&(scope.to_owned(), name.to_owned()))
        .unwrap_or_else(|| panic!("no {scope} limit {name}: {limits:?}"))
}

async fn further(app: &TestApp, owner: &Person) {
    let sql = FURTHER
        .replace("{account}", &owner.account_id.to_string())
        .replace("{owner}", &owner.user_id.to_string());
    app.databases.postgres.get().await.unwrap().batch_execute(&sql).await.unwrap();
}

#[tokio::test]
async fn limits_of_every_count_grow_with_the_object() {
    let app = TestApp::start().await;
    let owner = app.owner_on("pro").await;
    let before = limits(&owner).await;
    app.one_of_everything(&owner).await;
    further(&app, &owner).await;
    let after = limits(&owner).await;
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    let mut counted = 0;
    for (key, row) in after.iter().filter(|(_, row)| row["window_secs"].is_null()) {
        let was = &before[key];
        let Some(used) = row["used"].as_i64() else {
            assert_eq!((&row["remaining"], row), (&Value::Null, was), "{row}");
            continue;
        };
        assert_eq!(used, was["used"].as_i64().expect("a count") + 1, "{key:?}: {was} {row}");
        assert_eq!(
            row["limit"].as_i64().expect("a limit") - used,
            row["remaining"].as_i64().expect("a rest"),
            "{row}"
        );
        assert_eq!(row["resets_at"], Value::Null);
        counted += 1;
    }
    assert!(counted >= 20, "{counted} counts");
    for (scope, name, limit, unit, source) in [
        ("account", "roles", 25, "objects", "constant"),
        ("account", "members", 5000, "objects", "constant"),
        ("account", "sounds", 100, "objects", "plan"),
        ("account", "overlays", 25, "objects", "plan"),
        ("account", "storage_bytes", 2_147_483_648_i64, "bytes", "plan"),
        ("account", "upload_bytes", 26_214_400, "bytes", "plan"),
        ("account", "chat_retention", 90, "days", "plan"),
        ("credential", "api_keys", 20, "objects", "constant"),
        ("credential", "accounts", 3, "objects", "plan"),
    ] {
        let shown = row(&after, scope, name);
        let of_row = (&shown["limit"], &shown["unit"], &shown["source"]);
        assert_eq!(of_row, (&json!(limit), &json!(unit), &json!(source)));
    }
    // Staff overrides the plan, and a developer may have more keys.
    let profile = app.developer_profile(owner.user_id).await;
    let sql = format!(
        "UPDATE account_limits SET max_overlays = 7 WHERE account_id = '{}';
         INSERT INTO developer_limits (developer_id, limit_key, value) VALUES ('{profile}', 'max_api_keys', 50)",
        owner.account_id
    );
    app.databases.postgres.get().await.unwrap().batch_execute(&sql).await.unwrap();
    let overridden = limits(&owner).await;
    let overlays = row(&overridden, "account", "overlays");
    assert_eq!((&overlays["limit"], &overlays["source"]), (&json!(7), &json!("override")));
    assert_eq!(row(&overridden, "credential", "api_keys")["limit"], 50);
    app.stop().await;
}

#[tokio::test]
async fn limits_of_every_window_grow_with_its_count() {
    let app = TestApp::start().await;
    app.begin_a_window(3600);
    let owner = app.owner().await;
    let before = limits(&owner).await;
    let windows = before.values().filter(|row| !row["window_secs"].is_null());
    let mut windows: Vec<Value> = windows.cloned().collect();
    for row in &windows {
        let holder = match row["scope"].as_str() {
            Some("credential") => owner.user_id.to_string(),
            Some("account") => owner.account_id.to_string(),
            _ => "127.0.0.1".to_owned(),
        };
        let name: &'static str = row["name"].as_str().expect("a name").to_owned().leak();
        let limit = u32::try_from(row["limit"].as_i64().expect("a limit")).expect("a limit");
        let seconds = row["window_secs"].as_i64().expect("seconds");
        app.state.limiter.count(name, &holder, limit, seconds).await;
    }
    let after = limits(&owner).await;
    // Two requests of this test went by in addition.
    windows.retain(|row| row["name"] != "session");
    assert!(windows.len() >= 12, "{windows:?}");
    for was in &windows {
        let text = |field: &str| was[field].as_str().expect("a text");
        let now = row(&after, text("scope"), text("name"));
        assert_eq!((&was["used"], &now["used"]), (&json!(0), &json!(1)), "{now}");
        assert_eq!(now["limit"].as_i64().expect("a limit") - 1, now["remaining"].as_i64().expect("a rest"));
        assert_eq!(now["resets_at"], was["resets_at"]);
    }
    let session = row(&after, "credential", "session");
    assert_eq!((&session["source"], &session["unit"]), (&json!("configuration"), &json!("requests")));
    // The last request of the first call, the count of this test, and the request itself.
    let first = row(&before, "credential", "session")["used"].as_i64().expect("a count");
    assert_eq!(session["used"], first + 3);
    app.stop().await;
}

#[tokio::test]
async fn limits_state_what_the_checks_refuse() {
    let app = TestApp::builder().with("LUMIO_RATE_SERVICE_KEY", 6).start().await;
    app.begin_a_window(60);
    let owner = app.owner().await;
    // The tier of a credential: each call of `limits` makes two requests.
    let key = app.service_key(owner.account_id, &[]).await;
    let of_key =
        |limits: &BTreeMap<(String, String), Value>| row(limits, "credential", "service_key").clone();
    let first = of_key(&limits(&key).await);
    assert_eq!((&first["limit"], &first["used"], &first["remaining"]), (&json!(6), &json!(1), &json!(5)));
    limits(&key).await;
    let last = key.get("/v1/limits").await;
    assert_eq!(last.header("x-ratelimit-remaining"), "1");
    let last = key.get("/v1/limits").await;
    let rows = last.data().as_array().expect("a list").clone();
    let row_of_key = rows.iter().find(|row| row["name"] == "service_key").expect("the tier");
    assert_eq!((&row_of_key["used"], &row_of_key["remaining"]), (&json!(6), &json!(0)));
    key.get("/v1/limits").await.refused("RATE_LIMIT_EXCEEDED", "Rate limit exceeded");

    // A number of objects: as many are created as remain.
    let remaining = row(&limits(&owner).await, "account", "roles")["remaining"].as_i64().expect("a rest");
    let create = async |name: i64| {
        owner.post("/v1/roles", json!({ "name": format!("Role {name}"), "permissions": [] })).await
    };
    for number in 0..remaining {
        create(number).await.expect(201);
    }
    assert_eq!(row(&limits(&owner).await, "account", "roles")["remaining"], 0);
    create(remaining).await.refused("PLAN_LIMIT_REACHED", "Role limit reached");
    app.stop().await;
}

#[tokio::test]
async fn limits_are_those_of_the_credential() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let person = app.user("without an account").await;
    let scopes = |limits: &BTreeMap<(String, String), Value>| {
        let mut scopes: Vec<String> = limits.keys().map(|(scope, _)| scope.clone()).collect();
        scopes.dedup();
        scopes
    };
    let session = limits(&owner).await;
    assert_eq!(scopes(&session), ["account", "address", "credential"]);
    let personal = limits(&app.personal_key(&owner, &[]).await).await;
    assert_eq!(row(&personal, "credential", "api_key")["limit"], 100_000);
    row(&personal, "credential", "watchlist");
    // Neither a key of the account nor a popout shows what its person has.
    let service = limits(&app.service_key(owner.account_id, &[]).await).await;
    let popout = limits(&app.popout(&owner, &["chat:read"]).await).await;
    for (limits, tier) in [(&service, "service_key"), (&popout, "popout")] {
        let own: Vec<&String> =
            limits.keys().filter(|(scope, _)| scope == "credential").map(|(_, name)| name).collect();
        assert_eq!(own, ["idempotency_keys", tier]);
        assert_eq!(row(limits, "account", "roles")["used"], row(&session, "account", "roles")["used"]);
    }
    // Nothing of an account is shown to a person who belongs to none.
    let outside = app.session(person, owner.account_id).await;
    assert_eq!(scopes(&limits(&outside).await), ["address", "credential"]);

    let anonymous = app.anonymous();
    let refused = (anonymous.get("/v1/limits").await, anonymous.graphql(LIMITS, json!({})).await);
    both_refused(&refused.0, &refused.1, 401, "UNAUTHORIZED", "Authentication required");
    let overlay = app.surface_token(TokenKind::Overlay, owner.account_id, "o", None).await;
    for caller in [overlay, app.system_key().await] {
        let refused = (caller.get("/v1/limits").await, caller.graphql(LIMITS, json!({})).await);
        both_refused(&refused.0, &refused.1, 403, "FORBIDDEN", "This token cannot call the API");
    }
    app.stop().await;
}
