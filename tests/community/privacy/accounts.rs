//! Audit entries of the accounts that an erasure concerns (reference/privacy.md#record-of-an-erasure).

use std::collections::BTreeSet;

use diesel::sql_query;
use diesel_async::RunQueryDsl;
use lumio_tests::{TestApp, world::count};
use serde_json::json;
use uuid::Uuid;

use super::{
    erase,
    planted::{run, texts},
    staff,
};

/// Appends a link to the chain of the first account that has an event.
fn link(seq: i64) -> String {
    format!(
        "INSERT INTO audit_links (account_id, seq, entry_id, created_at, commitment, content, hash)
         SELECT account_id, {seq}, gen_random_uuid(), now(), '\\x00', '\\x00', '\\x00'
         FROM events ORDER BY account_id LIMIT 1"
    )
}

#[tokio::test]
async fn erase_chat_subject_data_writes_the_entries_of_many_accounts_in_parts() {
    let app = TestApp::start().await;
    let staff = staff(&app).await;
    let events = "
        INSERT INTO events (id, account_id, event_type, platform, platform_event_id, platform_user_id, data, occurred_at)
        SELECT gen_random_uuid(), gen_random_uuid(), 'twitch:follower', 'twitch', 'f', '4711470001', '{}', now()
        FROM generate_series(1, 610)";
    assert_eq!(run(&app, events).await, 610);
    // The log of one account takes no further entry. A larger number is refused.
    assert_eq!(run(&app, &link(9_007_199_254_740_991)).await, 1);
    let mut db = app.databases.postgres.get().await.unwrap();
    let error = sql_query(link(9_007_199_254_740_992)).execute(&mut *db).await.unwrap_err();
    drop(db);
    assert!(error.to_string().contains("audit_links_seq_check"), "{error}");
    // An erasure that was killed when one of its two accounts had its entry.
    let (first, second) = (Uuid::now_v7(), Uuid::now_v7());
    let interrupted = format!(
        "INSERT INTO privacy_erasures (id, kind, subject_hash, salt, account_ids, entered_accounts)
         VALUES (gen_random_uuid(), 'youtube_member', 'hash', 'salt', '{{{first}, {second}}}', 1)"
    );
    assert_eq!(run(&app, &interrupted).await, 1);

    let subject = json!({ "platform": "twitch", "user_id": "4711470001" });
    erase(&staff, &subject).await.refused_with("INTERNAL_SERVER_ERROR");
    let of_accounts = "audit_log WHERE action = 'chat_pii_erasure' AND scope = 'account'";
    assert_eq!(count(&app, of_accounts).await, 609);
    let linked = "audit_links JOIN audit_log ON audit_log.id = entry_id WHERE action = 'chat_pii_erasure'";
    assert_eq!(count(&app, linked).await, 609);
    let entries = app.audited("chat_pii_erasure").await;
    let of_all = entries.iter().find(|entry| entry.scope == "system").unwrap();
    assert_eq!(
        (&of_all.metadata["status"], &of_all.metadata["affected_accounts"]),
        (&json!("failed"), &json!(610))
    );
    let continued = app.audited_once("youtube_member_erasure").await;
    assert_eq!((continued.account_id, &continued.metadata["salt"]), (Some(second), &json!("salt")));
    let status = "SELECT status AS name FROM privacy_erasures WHERE finished_at IS NOT NULL";
    assert_eq!(texts(&app, status).await, BTreeSet::from(["failed".to_owned()]));

    // A repetition finds nothing, and writes no entry again.
    assert_eq!(erase(&staff, &subject).await.data()["affected_account_ids"], json!([]));
    assert_eq!(count(&app, of_accounts).await, 609);
    app.audited_once("youtube_member_erasure").await;
    app.stop().await;
}
