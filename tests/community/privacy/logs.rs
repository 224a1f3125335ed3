//! What handlers wrote to their logs: read whole, however much it is, and after everything else.

use std::collections::{BTreeMap, BTreeSet};

use diesel::sql_query;
use diesel_async::RunQueryDsl;
use lumio_tests::TestApp;
use serde_json::json;
use uuid::Uuid;

use super::{
    erase,
    planted::{keys_with, plant, run, tables_with, texts, until},
    staff,
};

#[tokio::test]
async fn nothing_waits_for_logs_that_cannot_be_read() {
    let app = TestApp::start().await;
    let (owner, staff) = (app.owner().await, staff(&app).await);
    app.one_of_everything(&owner).await;
    plant(&app, owner.account_id, "twitch", "4711470001").await;
    run(&app, "ALTER TABLE extension_errors RENAME TO errors_elsewhere").await;
    let subject = json!({ "platform": "twitch", "user_id": "4711470001" });
    erase(&staff, &subject).await.refused_with("DATABASE_ERROR");
    let logs = BTreeMap::from([("errors_elsewhere".to_owned(), 1), ("extension_logs".to_owned(), 1)]);
    assert_eq!(tables_with(&app, "4711470001").await, logs);
    assert_eq!(keys_with(&app, "4711470001").await, BTreeSet::new());
    // What is gone is told: the next call does not find it.
    assert_eq!(
        texts(&app, "SELECT status AS name FROM privacy_erasures WHERE deleted_message_count = 3").await,
        BTreeSet::from(["failed".to_owned()])
    );
    let told = app.audited("chat_pii_erasure").await;
    let of_accounts: Vec<Option<Uuid>> =
        told.iter().filter(|entry| entry.scope == "account").map(|entry| entry.account_id).collect();
    assert_eq!((told.len(), of_accounts), (2, vec![Some(owner.account_id)]));
    let of_all = told.iter().find(|entry| entry.scope == "system").unwrap();
    assert_eq!(of_all.metadata["status"], "failed");
    assert_eq!(of_all.metadata["deleted_message_count"], 3);
    // The next call does what was left.
    run(&app, "ALTER TABLE errors_elsewhere RENAME TO extension_errors").await;
    let erased = erase(&staff, &subject).await;
    assert_eq!(erased.data()["affected_account_ids"], json!([owner.account_id]));
    assert_eq!(tables_with(&app, "4711470001").await, BTreeMap::new());
    app.stop().await;
}

#[tokio::test]
async fn logs_are_cleared_to_their_end() {
    let app = TestApp::start().await;
    let (owner, staff) = (app.owner().await, staff(&app).await);
    app.one_of_everything(&owner).await;
    // More than two statements read at once.
    let rows = run(
        &app,
        "INSERT INTO extension_logs (id, extension_id, install_id, account_id, level, message, created_at)
         SELECT gen_random_uuid(), extension_id, install.id, account_id, 'info',
             CASE WHEN i % 1000 = 0 THEN 'seen 4711470001' ELSE 'line ' || i END, now()
         FROM (SELECT * FROM extension_installs LIMIT 1) AS install CROSS JOIN generate_series(1, 25000) AS i",
    )
    .await;
    assert_eq!(rows, 25_000);
    erase(&staff, &json!({ "platform": "twitch", "user_id": "4711470001" })).await.expect(200);
    assert_eq!(tables_with(&app, "4711470001").await, BTreeMap::new());
    assert_eq!(tables_with(&app, "seen [erased]").await, BTreeMap::from([("extension_logs".to_owned(), 25)]));
    app.stop().await;
}

#[tokio::test]
async fn a_text_that_another_erasure_clears_meanwhile_loses_both_ids() {
    let app = TestApp::start().await;
    let staff = staff(&app).await;
    let line =
        "INSERT INTO extension_logs (id, extension_id, install_id, account_id, level, message, created_at)
        SELECT id, id, id, id, 'info', '8811470002 met 4711470001', now() FROM gen_random_uuid() AS id";
    assert_eq!(run(&app, line).await, 1);
    let mut other = app.state.databases.timescaledb.get().await.unwrap();
    for sql in ["BEGIN", "UPDATE extension_logs SET message = '[erased] met 4711470001'"] {
        sql_query(sql).execute(&mut *other).await.unwrap();
    }
    let subject = json!({ "platform": "twitch", "user_id": "4711470001" });
    let commit = async {
        let waiting = "SELECT pid::text AS name FROM pg_stat_activity WHERE datname = current_database()
            AND wait_event_type = 'Lock' AND query LIKE 'UPDATE extension_logs%'";
        until(&app, true, waiting).await;
        sql_query("COMMIT").execute(&mut *other).await.unwrap();
    };
    let (erased, ()) = tokio::join!(erase(&staff, &subject), commit);
    erased.expect(200);
    assert_eq!(
        texts(&app, "SELECT message AS name FROM extension_logs").await,
        BTreeSet::from(["[erased] met [erased]".to_owned()])
    );
    drop(other);
    app.stop().await;
}
