//! Lists of usage (reference/usage.md#hours).

use api_core::token::TokenKind;
use chrono::TimeDelta;
use foundation::jobs::{Housekeep, HousekeepingTask};
use lumio_tests::{Answer, Caller, both_refused, eventually, world::count};
use lumio_worker::Daemon;
use serde_json::{Value, json};
use shared::clock::rfc3339;
use usage_model::{Consumer, Counter, Period};
use uuid::Uuid;

use super::stage::{Stage, install, key_id, rows};

const HOURS: &str = "query($subject: UsageSubject, $subjectId: UUID, $from: String, $to: String, $page: Int, $limit: Int) {
    usageHours(subject: $subject, subjectId: $subjectId, from: $from, to: $to, page: $page, limit: $limit) {
        items { hour subject subjectId requests handlerMs fetches messages storedBytes } total page limit pages } }";
const TOTALS: &str = "query($subject: UsageSubject, $subjectId: UUID, $from: String, $to: String) {
    usageTotals(subject: $subject, subjectId: $subjectId, from: $from, to: $to) {
        items { subject subjectId requests handlerMs fetches messages storedBytes } total } }";

/// GraphQL writes enum values in capitals.
fn variables(query: &[(&str, &str)]) -> Value {
    let camel = |name: &str| if name == "subject_id" { "subjectId".to_owned() } else { name.to_owned() };
    let value = |name: &str, text: &str| match name {
        "subject" => json!(text.to_uppercase()),
        "page" | "limit" => json!(text.parse::<i32>().expect("a number")),
        _ => json!(text),
    };
    Value::Object(query.iter().map(|(name, text)| (camel(name), value(name, text))).collect())
}

async fn over_rest(caller: &Caller, path: &str, query: &[(&str, &str)]) -> Answer {
    caller.send(caller.request(reqwest::Method::GET, path).query(query)).await
}

/// Items that both protocols list.
async fn listed(caller: &Caller, query: &[(&str, &str)]) -> Vec<Value> {
    let rest = over_rest(caller, "/v1/usage", query).await.data().clone();
    let graphql = caller.graphql(HOURS, variables(query)).await.field("usageHours")["items"].clone();
    assert_eq!(lowered(graphql), rest);
    rest.as_array().expect("a list").clone()
}

fn lowered(mut items: Value) -> Value {
    for item in items.as_array_mut().expect("a list") {
        item["subject"] = json!(item["subject"].as_str().expect("a kind").to_lowercase());
    }
    items
}

#[tokio::test]
async fn usage_hours_counts_the_requests_of_accounts_keys_and_extensions() {
    let stage = Stage::new().await;
    let (app, account) = (&stage.app, stage.owner.account_id);
    let service = app.service_key(account, &["plan:read"]).await;
    let service_id = key_id(app, "account_service_keys").await;
    let personal = app.personal_key(&stage.owner, &["chat:read"]).await;
    let personal_id = key_id(app, "user_api_keys").await;
    let installed = install(app, account, &json!({}), &json!({}), "").await;
    let surface = app.surface_token(TokenKind::Extension, account, &installed.id.to_string(), None).await;
    let popout = app.popout(&stage.owner, &["chat:read"]).await;
    let stranger = app.owner().await;
    // A person who has left still has a session that names the account, and everybody has the token of a page.
    let left = app.member_with(account, &["plan:read"]).await;
    let leave =
        format!("DELETE FROM memberships WHERE user_id = '{}' RETURNING to_jsonb(id) AS row", left.user_id);
    assert_eq!(rows(app, &leave).await.len(), 1);
    let share = app.surface_token(TokenKind::Share, account, "overlay", None).await;
    let overlay = app.surface_token(TokenKind::Overlay, account, "overlay", None).await;
    for caller in [&left.caller, &share, &overlay] {
        caller.get("/v1/limits").await;
        caller.graphql("{ limits { name } }", json!({})).await;
    }
    for (caller, number) in [
        (&stage.owner.caller, 2),
        (&service, 3),
        (&personal, 1),
        (&surface, 2),
        (&popout, 1),
        (&stranger.caller, 1),
    ] {
        for _ in 0..number {
            caller.get("/v1/limits").await;
        }
    }
    // Not counted: no credential, a wrong one, a system key, and what is no route of the API.
    app.anonymous().get("/v1/limits").await;
    app.bearer("lm_svc_wrong").get("/v1/limits").await;
    app.system_key().await.get("/v1/limits").await;
    stage.owner.get("/ready").await;
    stage.settle().await;

    let hour = rfc3339(Period::Hour.begin(app.clock.now()));
    let row = |subject: &str, id: Uuid, requests: i64| {
        json!({
            "hour": hour, "subject": subject, "subject_id": id, "requests": requests, "handler_ms": 0, "fetches": 0,
            "messages": 0, "stored_bytes": 0,
        })
    };
    assert_eq!(listed(&stage.owner, &[]).await, [row("account", account, 9)]);
    let mut keys = [row("key", service_id, 3), row("key", personal_id, 1)];
    keys.sort_by_key(|key| key["subject_id"].to_string());
    assert_eq!(listed(&stage.owner, &[("subject", "key")]).await, keys);
    let one = personal_id.to_string();
    assert_eq!(
        listed(&service, &[("subject", "key"), ("subject_id", &one)]).await,
        [row("key", personal_id, 1)]
    );
    assert_eq!(
        listed(&service, &[("subject", "extension")]).await,
        [row("extension", installed.extension_id, 2)]
    );
    let member = app.member_with(account, &["chat:read"]).await;
    for (path, document) in [("/v1/usage", HOURS), ("/v1/usage/totals", TOTALS)] {
        let (rest, gql) = (member.get(path).await, member.graphql(document, json!({})).await);
        both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: plan:read");
    }
    assert_eq!(listed(&stranger, &[("subject", "key"), ("subject_id", &one)]).await, Vec::<Value>::new());
    stage.stop().await;
}

#[tokio::test]
async fn usage_hours_and_usage_totals_list_the_hours_of_a_span() {
    let mut stage = Stage::new().await;
    let (account, first) = (stage.owner.account_id, Uuid::now_v7());
    let second = Uuid::now_v7();
    let begin = Period::Hour.begin(stage.app.clock.now());
    for (extension, counter, number) in [
        (first, Counter::Fetches, 2),
        (second, Counter::HandlerUs, 1_999),
        (second, Counter::HandlerUs, 2),
        (first, Counter::Messages, 1),
    ] {
        stage.count(Consumer::extension(account, extension), counter, number).await;
    }
    stage.advance(TimeDelta::hours(1)).await;
    stage.count(Consumer::extension(account, first), Counter::Fetches, 5).await;
    // Taken back, and more than there was.
    stage.count(Consumer::extension(account, second), Counter::Messages, -1).await;
    stage.settle().await;

    let of_extensions = async |from: chrono::DateTime<chrono::Utc>, to: chrono::DateTime<chrono::Utc>| {
        let (from, to) = (rfc3339(from), rfc3339(to));
        let items = listed(&stage.owner, &[("subject", "extension"), ("from", &from), ("to", &to)]).await;
        let short = |item: &Value| {
            let of = |field: &str| item[field].as_i64().expect("a number");
            (item["subject_id"].clone(), of("fetches"), of("handler_ms"), of("messages"))
        };
        items.iter().map(short).collect::<Vec<_>>()
    };
    let (first_hour, second_hour) = (
        [(json!(first), 2, 0, 1), (json!(second), 0, 2, 0)],
        [(json!(first), 5, 0, 0), (json!(second), 0, 0, 0)],
    );
    let both: Vec<_> = second_hour.iter().chain(&first_hour).cloned().collect();
    let now = stage.app.clock.now();
    assert_eq!(of_extensions(begin, now + TimeDelta::hours(1)).await, both);
    // The hour of `from` is part of the span, one that begins at `to` is not.
    let hour = TimeDelta::hours(1);
    let second_begin = begin + hour;
    assert_eq!(of_extensions(begin + TimeDelta::minutes(59), second_begin).await, first_hour);
    assert_eq!(of_extensions(second_begin, second_begin + hour).await, second_hour);
    assert!(of_extensions(begin - hour, begin).await.is_empty());

    let page =
        over_rest(&stage.owner, "/v1/usage", &[("subject", "extension"), ("limit", "3"), ("page", "2")])
            .await;
    assert_eq!((page.data().as_array().unwrap().len(), &page.body["_meta"]["total"]), (1, &json!(4)));
    let beyond = over_rest(&stage.owner, "/v1/usage", &[("subject", "extension"), ("page", "9")]).await;
    assert_eq!((beyond.data(), &beyond.body["_meta"]["total"]), (&json!([]), &json!(4)));

    let query = [("subject", "extension")];
    let rest = over_rest(&stage.owner, "/v1/usage/totals", &query).await.data().clone();
    let graphql = stage.owner.graphql(TOTALS, variables(&query)).await.field("usageTotals")["items"].clone();
    assert_eq!(lowered(graphql), rest);
    let total = |id: Uuid, handler_ms: i64, fetches: i64, messages: i64| {
        json!({
            "subject": "extension", "subject_id": id, "requests": 0, "handler_ms": handler_ms, "fetches": fetches,
            "messages": messages, "stored_bytes": 0,
        })
    };
    assert_eq!(rest, json!([total(second, 2, 0, 0), total(first, 0, 7, 1)]));
    let account_total = over_rest(&stage.owner, "/v1/usage/totals", &[]).await.data()[0].clone();
    assert_eq!((&account_total["fetches"], &account_total["subject_id"]), (&json!(7), &json!(account)));
    stage.stop().await;
}

#[tokio::test]
async fn usage_totals_and_usage_hours_refuse_a_wrong_query() {
    let stage = Stage::new().await;
    for (query, message) in [
        (vec![("from", "2030-01-02T00:00:00Z"), ("to", "2030-01-01T00:00:00Z")], "from must not be after to"),
        (
            vec![("from", "2030-01-01T00:00:00Z"), ("to", "2030-02-01T00:00:01Z")],
            "from must be at most 31 days before to",
        ),
        (vec![("to", "tomorrow")], "to must be a time in RFC 3339, for example 2030-01-31T12:00:00Z"),
    ] {
        for (path, document) in [("/v1/usage", HOURS), ("/v1/usage/totals", TOTALS)] {
            let rest = over_rest(&stage.owner, path, &query).await;
            let gql = stage.owner.graphql(document, variables(&query)).await;
            both_refused(&rest, &gql, 400, "VALIDATION_ERROR", message);
        }
    }
    for query in ["subject=user", "subject_id=x", "page=0", "limit=101", "unit=requests"] {
        let refused = stage.owner.get(&format!("/v1/usage?{query}")).await;
        assert_eq!(refused.status, 400, "{query}: {}", refused.text);
    }
    let whole = [("from", "2030-01-01T00:00:00Z"), ("to", "2030-02-01T00:00:00Z")];
    over_rest(&stage.owner, "/v1/usage", &whole).await.expect(200);
    let many = format!(
        "INSERT INTO usage_hours (account_id, subject_kind, subject_id, hour, requests)
         SELECT '{}', 'extension', gen_random_uuid(), date_trunc('hour', now()), 1 FROM generate_series(1, 10001)
         RETURNING to_jsonb(1) AS row",
        stage.owner.account_id
    );
    assert_eq!(rows(&stage.app, &many).await.len(), 10_001);
    for path in ["/v1/usage", "/v1/usage/totals"] {
        let listed = over_rest(&stage.owner, path, &[("subject", "extension")]).await;
        assert_eq!(listed.body["_meta"]["total"], 10_000, "{path}");
    }
    stage.stop().await;
}

#[tokio::test]
async fn usage_hours_end_after_ninety_days() {
    let stage = Stage::new().await;
    let account = stage.owner.account_id;
    let old = format!(
        "INSERT INTO usage_hours (account_id, subject_kind, subject_id, hour, requests)
         SELECT '{account}', 'account', '{account}', date_trunc('hour', now()) - days * interval '1 day', days
         FROM unnest(ARRAY[89, 91]) AS days RETURNING to_jsonb(1) AS row"
    );
    assert_eq!(rows(&stage.app, &old).await.len(), 2);
    let daemons = [Daemon::Housekeeping];
    let running =
        lumio_worker::start_with(stage.app.config(), stage.app.clock.clone(), &daemons).await.unwrap();
    let job = Housekeep { task: HousekeepingTask::ForgetHandled };
    assert!(stage.app.state.jobs.enqueue(&job, "forget").await.unwrap());
    let old = async || count(&stage.app, "usage_hours WHERE requests = 91").await;
    eventually("the old hour is deleted", async || old().await == 0).await;
    assert_eq!(count(&stage.app, "usage_hours WHERE requests = 89").await, 1);
    running.stop().await.unwrap();
    stage.stop().await;
}
