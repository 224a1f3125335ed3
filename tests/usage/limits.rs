//! Bounds of counting, measurements, budgets and lists (reference/usage.md#constants).

use chrono::TimeDelta;
use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use lumio_tests::{Person, eventually, world::count};
use serde_json::json;
use shared::clock::rfc3339;
use usage_model::{Consumer, Counter, Period, Unit, budgets, storage};
use uuid::Uuid;

use super::{
    counting::{drain, waiting},
    stage::{BUDGETS, Stage, Sums, recount},
};

/// Notifications of budgets.
const NOTICES: &str = "notifications WHERE notification_type = 'usage_budget'";

async fn execute(stage: &Stage, sql: &str) {
    stage.app.databases.postgres.get().await.unwrap().batch_execute(sql).await.unwrap();
}

/// A budget of one fetch for each account of some owners, of which each has made one.
async fn reached(stage: &Stage, owners: &[&Person]) {
    for owner in owners {
        let budget = json!({ "unit": "fetches", "period": "hour", "maximum": 1 });
        owner.put(BUDGETS, budget).await.expect(200);
        stage.count(Consumer::account(owner.account_id), Counter::Fetches, 1).await;
    }
    stage.rounds.drain().await.expect("the counts are moved");
}

#[tokio::test]
async fn limits_of_fields_and_of_the_default_span_are_inclusive() {
    let stage = Stage::new().await;
    let account = stage.owner.account_id;
    let largest = json!({
        "unit": "messages", "period": "month", "maximum": 1_000_000_000_000_000_i64, "warn_percent": 99,
    });
    let made = stage.budget(&largest).await;
    assert_eq!((&made["maximum"], &made["warn_percent"]), (&largest["maximum"], &json!(99)));

    // The hour of the begin is part of a span, which is a day.
    let begin = Period::Hour.begin(stage.app.clock.now());
    for (hours, requests) in [(24, 1), (25, 2)] {
        let hour = rfc3339(begin - TimeDelta::hours(hours));
        let insert = format!(
            "INSERT INTO usage_hours (account_id, subject_kind, subject_id, hour, requests)
             VALUES ('{account}', 'account', '{account}', '{hour}', {requests})"
        );
        execute(&stage, &insert).await;
    }
    for path in ["/v1/usage", "/v1/usage/totals"] {
        let listed = stage.owner.get(path).await.data().clone();
        let requests: Vec<_> = listed.as_array().unwrap().iter().map(|entry| &entry["requests"]).collect();
        assert_eq!(requests, [&json!(1)], "{path}");
    }
    stage.stop().await;
}

#[tokio::test]
async fn limits_of_notified_members_are_a_thousand() {
    let stage = Stage::new().await;
    let account = stage.owner.account_id;
    let reader = stage.app.member_with(account, &["plan:read"]).await;
    // With the owner and this member there are two more than are notified.
    stage.app.members_like(&reader, 1_000).await;
    reached(&stage, &[&stage.owner]).await;
    assert_eq!(count(&stage.app, NOTICES).await, 0);
    stage.settle().await;
    assert_eq!(count(&stage.app, NOTICES).await, 1000);
    let first = format!(
        "{NOTICES} AND user_id IN (
             SELECT user_id FROM memberships WHERE account_id = '{account}' ORDER BY user_id LIMIT 1000)"
    );
    assert_eq!(count(&stage.app, &first).await, 1000, "each of them once");
    stage.app.audited_once("usage_budget:reached").await;
    stage.stop().await;
}

#[tokio::test]
async fn limits_of_a_pass_leave_the_rest_to_the_next_one() {
    let stage = Stage::new().await;
    let mut owners = vec![stage.owner.clone()];
    for _ in 0..4 {
        owners.push(stage.app.owner().await);
    }
    execute(
        &stage,
        "INSERT INTO account_usage (account_id, quota, used) SELECT id, 'storage_bytes', 7 FROM accounts",
    )
    .await;
    assert_eq!(count(&stage.app, "accounts").await, 5);
    let mut db = stage.app.databases.postgres.get().await.unwrap();
    let now = stage.app.clock.now();
    let mut is_more_left = Vec::new();
    for measured in [2, 4, 5, 5] {
        is_more_left.push(storage::measure(&mut db, now, 2).await.unwrap());
        assert_eq!(count(&stage.app, "usage_storage WHERE bytes = 7").await, measured);
    }
    assert_eq!(is_more_left, [true, true, false, false], "the next round is not due");

    reached(&stage, &owners.iter().take(3).collect::<Vec<_>>()).await;
    let mut compared = Vec::new();
    for _ in 0..3 {
        compared.push(budgets::pass(&mut db, now, 2).await.unwrap());
    }
    assert_eq!(compared, [2, 1, 0]);
    assert_eq!(stage.app.audited("usage_budget:reached").await.len(), 3);
    drop(db);
    stage.stop().await;
}

#[tokio::test]
async fn limits_of_a_statement_about_one_account_delay_no_other() {
    let stage = Stage::new().await;
    let other = stage.app.owner().await;
    let locked = stage.owner.account_id;
    reached(&stage, &[&stage.owner, &other]).await;
    let mut lock = AsyncPgConnection::establish(&stage.app.database.url).await.expect("a connection");
    let budgets = format!("BEGIN; SELECT id FROM usage_budgets WHERE account_id = '{locked}' FOR UPDATE");
    lock.batch_execute(&budgets).await.unwrap();
    stage.settle().await;
    assert_eq!(stage.app.audited_once("usage_budget:reached").await.account_id, Some(other.account_id));
    let postponed = format!("usage_marks WHERE account_id = '{locked}' AND marked_at > now()");
    assert_eq!(count(&stage.app, &postponed).await, 1);
    lock.batch_execute("ROLLBACK").await.unwrap();
    execute(&stage, "UPDATE usage_marks SET marked_at = now()").await;
    stage.settle().await;
    assert_eq!(stage.app.audited("usage_budget:reached").await.len(), 2);
    assert_eq!(count(&stage.app, "usage_marks").await, 0);
    stage.stop().await;
}

#[tokio::test]
async fn limits_of_one_page_of_stops_hide_no_stop() {
    let stage = Stage::new().await;
    let account = stage.owner.account_id;
    let until = rfc3339(stage.app.clock.now() + TimeDelta::hours(1));
    // The last one by id is that of the account.
    let stops = format!(
        "INSERT INTO usage_budgets (id, account_id, subject_kind, subject_id, unit, period, maximum,
             is_stopping, stopped_until, created_at, updated_at)
         SELECT gen_random_uuid(), '{account}'::uuid, 'key', gen_random_uuid(), 'requests', 'day', 1,
             true, '{until}'::timestamptz, now(), now() FROM generate_series(1, 1000)
         UNION ALL SELECT '{}'::uuid, '{account}'::uuid, 'account', '{account}'::uuid, 'messages', 'day', 1,
             true, '{until}'::timestamptz, now(), now()",
        Uuid::max()
    );
    execute(&stage, &stops).await;
    stage.read_stops().await;
    let stop = stage.app.state.stops.find(&Consumer::account(account), Unit::Messages);
    assert_eq!(stop.map(|stop| stop.budget_id), Some(Uuid::max()));
    stage.stop().await;
}

#[tokio::test]
async fn limits_of_one_addition_and_of_one_statement_divide_a_batch() {
    let stage = Stage::new().await;
    let account = stage.owner.account_id;
    // More than the fields of an addition, those of a page, and the entries of a statement.
    let extensions = 4100;
    for _ in 0..extensions {
        let consumer = Consumer::extension(account, Uuid::now_v7());
        drop(stage.app.state.meter.count(consumer, Counter::Fetches, 1));
    }
    let stored = async || waiting(&stage.app).await.iter().map(|(_, _, counts)| counts.len()).sum::<usize>();
    eventually("every count is stored", async || stored().await == extensions).await;
    let drained = drain(&stage).await;
    assert_eq!((drained.added, drained.entries), (1, extensions));
    let fetches = i64::try_from(extensions).unwrap();
    assert_eq!(
        count(&stage.app, "usage_hours WHERE subject_kind = 'extension' AND fetches = 1").await,
        fetches
    );
    let expected = Sums { fetches, ..Sums::default() };
    assert_eq!(stage.sums(account, "account", account).await, expected);
    assert_eq!(recount(&stage.app).await, (expected, expected));
    stage.stop().await;
}
