//! Erasure of handler logs: it comes last and reads all of them.

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
async fn erase_chat_subject_data_erases_the_rest_when_logs_are_unreadable() {
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
    // The failed erasure is recorded, because the next call does not find what was erased.
    assert_eq!(
        texts(&app, "SELECT status AS name FROM privacy_erasures WHERE deleted_message_count = 3").await,
        BTreeSet::from(["failed".to_owned()])
    );
    let entries = app.audited("chat_pii_erasure").await;
    let of_accounts: Vec<Option<Uuid>> =
        entries.iter().filter(|entry| entry.scope == "account").map(|entry| entry.account_id).collect();
    assert_eq!((entries.len(), of_accounts), (2, vec![Some(owner.account_id)]));
    let of_all = entries.iter().find(|entry| entry.scope == "system").unwrap();
    assert_eq!(of_all.metadata["status"], "failed");
    assert_eq!(of_all.metadata["deleted_message_count"], 3);
    // The next call erases the rest.
    run(&app, "ALTER TABLE errors_elsewhere RENAME TO extension_errors").await;
    let erased = erase(&staff, &subject).await;
    assert_eq!(erased.data()["affected_account_ids"], json!([owner.account_id]));
    assert_eq!(tables_with(&app, "4711470001").await, BTreeMap::new());
    app.stop().await;
}

#[tokio::test]
async fn erase_chat_subject_data_reads_logs_to_their_end() {
    let app = TestApp::start().await;
    let (owner, staff) = (app.owner().await, staff(&app).await);
    app.one_of_everything(&owner).await;
    // More rows than two statements read.
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
async fn erase_chat_subject_data_handles_a_parallel_erasure_of_one_text() {
    let app = TestApp::start().await;
    let staff = staff(&app).await;
    let line =
        "INSERT INTO extension_logs (id, extension_id, install_id, account_id, level, message, created_at)
        SELECT id, id, id, id, 'info', '8811470002 met 4711470001', now() FROM gen_random_uuid() AS id";
    assert_eq!(run(&app, line).await, 1);
    let mut other = app.databases.timescaledb.get().await.unwrap();
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

/// Inserts log lines of a handler in an account.
async fn logged(app: &TestApp, account_id: Uuid, lines: &[&str]) {
    for line in lines {
        let sql = format!(
            "INSERT INTO extension_logs (id, extension_id, install_id, account_id, level, message, created_at)
             SELECT id, id, id, '{account_id}', 'info', '{line}', now() FROM gen_random_uuid() AS id"
        );
        assert_eq!(run(app, &sql).await, 1);
    }
}

async fn seen(app: &TestApp, account_id: Uuid, user_id: &str, username: &str, display_name: &str) {
    let sql = format!(
        "INSERT INTO platform_users (account_id, platform, platform_user_id, username, display_name, message_count,
             first_seen_at, last_seen_at)
         VALUES ('{account_id}', 'twitch', '{user_id}', '{username}', '{display_name}', 1, now(), now())"
    );
    assert_eq!(run(app, &sql).await, 1);
}

#[tokio::test]
async fn erase_chat_subject_data_erases_names_but_keeps_common_words() {
    let app = TestApp::start().await;
    let (owner, other, staff) = (app.owner().await, app.owner().await, staff(&app).await);
    seen(&app, owner.account_id, "4711470001", "planted888f", "Planted888f").await;
    seen(&app, owner.account_id, "4711470002", "sunshine", "Sunshine").await;
    seen(&app, owner.account_id, "4711470003", "hello", "Hello").await;
    logged(
        &app,
        owner.account_id,
        &[
            "seen 4711470001 planted888f",
            "only Planted888f rolled a 6",
            "planted888fx is another",
            "sunshine rolled a 1",
            "hello rolled a 2",
            "hi @hello",
            r#"event of {"user_id":"4711470003","user_name":"Hello"}"#,
            r#"{"display_name":"Hello"}"#,
        ],
    )
    .await;
    logged(&app, other.account_id, &["Planted888f here too", "sunshine all day", "hello world"]).await;
    for id in ["4711470001", "4711470002", "4711470003"] {
        erase(&staff, &json!({ "platform": "twitch", "user_id": id })).await.expect(200);
    }
    let left = [
        "seen [erased] [erased]",
        "only [erased] rolled a 6",
        "planted888fx is another",
        "[erased] rolled a 1",
        "hello rolled a 2",
        "hi @[erased]",
        r#"event of {"user_id":"[erased]","user_name":"[erased]"}"#,
        r#"{"display_name":"[erased]"}"#,
        "[erased] here too",
        "sunshine all day",
        "hello world",
    ];
    assert_eq!(
        texts(&app, "SELECT message AS name FROM extension_logs").await,
        left.map(str::to_owned).into()
    );
    app.stop().await;
}
