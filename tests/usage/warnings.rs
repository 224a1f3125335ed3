//! Notifications of budgets (reference/usage.md#warnings).

use chrono::TimeDelta;
use lumio_tests::world::count;
use serde_json::json;
use shared::clock::rfc3339;
use usage_model::{Consumer, Counter, Period};

use super::stage::{BUDGETS, Stage, rows};

async fn titles(stage: &Stage) -> Vec<String> {
    let sql = format!(
        "SELECT to_jsonb(title) AS row FROM notifications
        WHERE user_id = '{}' AND notification_type = 'usage_budget' ORDER BY created_at, id",
        stage.owner.user_id
    );
    rows(&stage.app, &sql).await.iter().map(|title| title.as_str().expect("a text").to_owned()).collect()
}

#[tokio::test]
async fn warnings_and_maximums_notify_once_in_a_period() {
    let mut stage = Stage::new().await;
    let account = stage.owner.account_id;
    let reader = stage.app.member_with(account, &["plan:read"]).await;
    let other = stage.app.member_with(account, &["chat:read"]).await;
    let input = json!({ "unit": "fetches", "period": "hour", "maximum": 10, "warn_percent": 50 });
    let budget = stage.budget(&input).await;
    let count_fetches = async |stage: &Stage, number: i64| {
        stage.count(Consumer::account(account), Counter::Fetches, number).await;
        stage.settle().await;
    };
    count_fetches(&stage, 4).await;
    assert!(titles(&stage).await.is_empty());
    for number in [1, 1, 3] {
        count_fetches(&stage, number).await;
    }
    let near = "Usage budget of Test account nearly reached".to_owned();
    let reached = "Usage budget of Test account reached".to_owned();
    assert_eq!(titles(&stage).await, std::slice::from_ref(&near));
    for number in [1, 5] {
        count_fetches(&stage, number).await;
    }
    assert_eq!(titles(&stage).await, [near.clone(), reached.clone()]);
    let of = |user: uuid::Uuid| {
        format!("notifications WHERE user_id = '{user}' AND notification_type = 'usage_budget'")
    };
    assert_eq!(count(&stage.app, &of(reader.user_id)).await, 2);
    assert_eq!(count(&stage.app, &of(other.user_id)).await, 0);
    let end = Period::Hour.end(stage.app.clock.now());
    let message = format!(
        "10 of 10 fetches of the hour are used by the account. Further use is refused until {}.",
        end.format("%Y-%m-%d %H:%M UTC")
    );
    let found = rows(
        &stage.app,
        &format!(
            "SELECT jsonb_build_object('message', message, 'data', data) AS row FROM notifications
            WHERE user_id = '{}' ORDER BY created_at DESC, id DESC LIMIT 1",
            reader.user_id
        ),
    )
    .await;
    let data = json!({
        "accountId": account, "budgetId": budget["id"], "subject": "account", "subjectId": account, "unit": "fetches",
        "period": "hour", "resetsAt": rfc3339(end),
    });
    assert_eq!(found, [json!({ "message": message, "data": data })]);
    let entry = stage.app.audited_once("usage_budget:reached").await;
    assert_eq!((entry.account_id, entry.actor_id), (Some(account), None));
    assert_eq!((&entry.metadata["used"], &entry.metadata["is_stopped"]), (&json!(10), &json!(true)));

    // The next period begins anew; a jump over both bounds is one notification.
    stage.advance(TimeDelta::hours(1)).await;
    count_fetches(&stage, 12).await;
    assert_eq!(titles(&stage).await, [near.clone(), reached.clone(), reached.clone()]);
    // So does another maximum; the same one does not.
    stage.budget(&input).await;
    assert_eq!(titles(&stage).await.len(), 3);
    let larger = json!({ "unit": "fetches", "period": "hour", "maximum": 20, "warn_percent": 50 });
    stage.budget(&larger).await;
    assert_eq!(titles(&stage).await, [near.clone(), reached.clone(), reached, near]);
    stage.stop().await;
}

#[tokio::test]
async fn warnings_of_an_account_that_fails_delay_no_other() {
    let stage = Stage::new().await;
    let (failing, other) = (stage.owner.account_id, stage.app.owner().await);
    let input = json!({ "unit": "fetches", "period": "hour", "maximum": 1 });
    stage.budget(&input).await;
    other.put(BUDGETS, input).await.expect(200);
    // The audit log of the account takes no further entry.
    let end = format!(
        "INSERT INTO audit_links (account_id, seq, entry_id, created_at, commitment, content, hash)
        VALUES ('{failing}', 9007199254740991, gen_random_uuid(), now(), '\\x00', '\\x00', '\\x00')
        RETURNING to_jsonb(seq) AS row"
    );
    assert_eq!(rows(&stage.app, &end).await.len(), 1);
    for account in [failing, other.account_id] {
        stage.count(Consumer::account(account), Counter::Fetches, 1).await;
    }
    stage.settle().await;
    assert_eq!(stage.app.audited_once("usage_budget:reached").await.account_id, Some(other.account_id));
    assert_eq!(count(&stage.app, "usage_marks").await, 1);
    let later = format!("account_id = '{failing}' AND marked_at > now() + interval '9 minutes'");
    assert_eq!(count(&stage.app, &format!("usage_marks WHERE {later}")).await, 1);
    stage.stop().await;
}

#[tokio::test]
async fn warnings_of_stored_bytes_follow_the_measurement() {
    let mut stage = Stage::new().await;
    let account = stage.owner.account_id;
    let set = async |stage: &Stage, bytes: i64| {
        let sql = format!(
            "INSERT INTO account_usage (account_id, quota, used) VALUES ('{account}', 'storage_bytes', {bytes})
            ON CONFLICT (account_id, quota) DO UPDATE SET used = excluded.used RETURNING to_jsonb(used) AS row"
        );
        assert_eq!(rows(&stage.app, &sql).await.len(), 1);
    };
    stage.budget(&json!({ "unit": "stored_bytes", "period": "day", "maximum": 100 })).await;
    set(&stage, 99).await;
    stage.measure().await;
    let listed = async |stage: &Stage| stage.owner.get("/v1/usage/budgets").await.data()[0].clone();
    let shown = listed(&stage).await;
    assert_eq!((&shown["used"], &shown["stopped_until"]), (&json!(99), &serde_json::Value::Null));
    assert_eq!(titles(&stage).await.len(), 1);
    // All accounts are measured every five minutes, not more often.
    set(&stage, 100).await;
    stage.measure().await;
    assert_eq!(listed(&stage).await["used"], 99);
    stage.advance(TimeDelta::minutes(6)).await;
    stage.measure().await;
    let shown = listed(&stage).await;
    assert_eq!(shown["used"], 100);
    assert!(!shown["stopped_until"].is_null(), "{shown}");
    // The stop lasts as long as the bytes do, beyond the end of the period, and ends with them.
    stage.advance(TimeDelta::days(1)).await;
    stage.measure().await;
    assert!(!listed(&stage).await["stopped_until"].is_null());
    set(&stage, 50).await;
    stage.advance(TimeDelta::minutes(6)).await;
    stage.measure().await;
    assert!(listed(&stage).await["stopped_until"].is_null());
    let hours = rows(
        &stage.app,
        &format!(
            "SELECT to_jsonb(stored_bytes) AS row FROM usage_hours WHERE account_id = '{account}' ORDER BY hour"
        ),
    )
    .await;
    assert_eq!((hours.first(), hours.last()), (Some(&json!(100)), Some(&json!(50))));
    stage.stop().await;
}
