//! Erasure of data that is written during the erasure.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use lumio_tests::TestApp;
use serde_json::json;

use super::{
    erase,
    planted::{run, texts, until},
    staff,
};

/// Longest time that an erasure waits for deliveries.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Starts an automation run that names the person.
async fn start(app: &TestApp, key: &str) {
    let sql = format!(
        r#"INSERT INTO automation_runs (id, account_id, automation_id, trigger, dedupe_key)
           SELECT gen_random_uuid(), account_id, id, '{{"data": {{"platform_user_id": "4711470001"}}}}', '{key}'
           FROM automations LIMIT 1"#
    );
    assert_eq!(run(app, &sql).await, 1);
}

#[tokio::test]
async fn erase_chat_subject_data_erases_runs_started_meanwhile() {
    let app = TestApp::start().await;
    let (owner, staff) = (app.owner().await, staff(&app).await);
    app.one_of_everything(&owner).await;
    start(&app, "late-before").await;
    let started = "SELECT dedupe_key AS name FROM automation_runs WHERE dedupe_key LIKE 'late-%'";
    let meanwhile = async {
        until(&app, false, started).await;
        start(&app, "late-meanwhile").await;
    };
    let subject = json!({ "platform": "twitch", "user_id": "4711470001" });
    let (erased, ()) = tokio::join!(erase(&staff, &subject), meanwhile);
    assert_eq!(erased.data()["affected_account_ids"], json!([owner.account_id]));
    assert_eq!(texts(&app, started).await, BTreeSet::new());
    app.stop().await;
}

#[tokio::test]
async fn erase_chat_subject_data_waits_for_deliveries_that_name_the_id_only() {
    let app = TestApp::start().await;
    let staff = staff(&app).await;
    let subject = json!({ "platform": "kick", "user_id": "676" });
    let deliver = async |key: &str, body: &str| {
        let sql = format!(
            "INSERT INTO webhook_inbox (id, platform, delivery_id, event_type, body, sent_at)
             VALUES (gen_random_uuid(), 'kick', '{key}', 'chat', '{body}', now())"
        );
        assert_eq!(run(&app, &sql).await, 1);
    };
    let begun = Instant::now();
    erase(&staff, &subject).await.expect(200);
    let without = begun.elapsed();
    deliver("of-others", r#"{"platform": "kick", "paid": 676, "viewers": [676]}"#).await;
    let begun = Instant::now();
    erase(&staff, &subject).await.expect(200);
    assert!(begun.elapsed() < 2 * without + MAX_WAIT / 2, "{:?}, {without:?} without", begun.elapsed());

    deliver("theirs", r#"{"sender": {"user_id": 676}}"#).await;
    let handled = async {
        // Waits until the erasure has checked the deliveries once.
        tokio::time::sleep(Duration::from_secs(4)).await;
        run(&app, "UPDATE webhook_inbox SET handled_at = now() WHERE delivery_id = 'theirs'").await
    };
    let (erased, handled) = tokio::join!(erase(&staff, &subject), handled);
    erased.expect(200);
    assert_eq!(handled, 1);
    assert_eq!(
        texts(&app, "SELECT delivery_id AS name FROM webhook_inbox WHERE body = '{}'").await,
        BTreeSet::from(["theirs".to_owned()])
    );
    app.stop().await;
}
