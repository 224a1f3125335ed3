//! Erasure of the reasons for deleted messages, also where the record does not name the author.

use std::collections::BTreeMap;

use diesel::{
    sql_query,
    sql_types::{Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::TestApp;
use serde_json::json;
use uuid::Uuid;

use super::{erase, planted::tables_with, staff};

/// Inserts the messages `{prefix}1` to `{prefix}1200` of an account, every hundredth by the person, and their
/// deletions without an author. Every fortieth deletion was refused and has no platform.
async fn plant(app: &TestApp, account_id: Uuid, prefix: &str, person: &str, reason: &str) {
    let mut db = app.databases.postgres.get().await.unwrap();
    for sql in [
        "INSERT INTO chat_messages (id, account_id, platform, platform_message_id, platform_user_id, username, display_name,
             text, sent_at)
         SELECT gen_random_uuid(), $1, 'twitch', $2 || i, CASE WHEN i % 100 = 0 THEN $3 ELSE 'somebody' END, 'n', 'N', 'hi',
             now()
         FROM generate_series(1, 1200) AS i WHERE $4 <> ''",
        "INSERT INTO moderation_log (id, account_id, platform, action, target, moderator_type, reason)
         SELECT gen_random_uuid(), $1, CASE WHEN i % 40 <> 0 THEN 'twitch' END, 'delete', $2 || i, 'system',
             $4 || CASE WHEN i % 100 = 0 THEN ' theirs' ELSE ' of others' END
         FROM generate_series(1, 1200) AS i WHERE $3 <> ''",
        "INSERT INTO audit_log (id, scope, account_id, actor_type, action, resource_type, resource_id, metadata)
         SELECT gen_random_uuid(), 'account', $1, 'system', 'chat:message_deleted', 'chat_message', $2 || i,
             jsonb_build_object('platform', 'twitch', 'success', true, 'reason',
                 $4 || CASE WHEN i % 100 = 0 THEN ' theirs' ELSE ' of others' END)
         FROM generate_series(1, 1200) AS i WHERE $3 <> ''",
    ] {
        sql_query(sql)
            .bind::<SqlUuid, _>(account_id)
            .bind::<Text, _>(prefix)
            .bind::<Text, _>(person)
            .bind::<Text, _>(reason)
            .execute(&mut *db)
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn erase_chat_subject_data_erases_deletion_records_of_the_author() {
    let app = TestApp::start().await;
    let (one, other, staff) = (app.owner().await, app.owner().await, staff(&app).await);
    plant(&app, one.account_id, "m", "4711470001", "an insult").await;
    // Messages of the other account have the same ids.
    plant(&app, other.account_id, "m", "8811470002", "a slander").await;
    let both = |rows| BTreeMap::from([("audit_log".to_owned(), rows), ("moderation_log".to_owned(), rows)]);
    assert_eq!(tables_with(&app, "an insult theirs").await, both(12));

    let erased = erase(&staff, &json!({ "platform": "twitch", "user_id": "4711470001" })).await;
    let expected = json!({ "deleted_message_count": 12, "affected_account_ids": [one.account_id] });
    assert_eq!(*erased.data(), expected);

    assert_eq!(tables_with(&app, "an insult theirs").await, BTreeMap::new());
    assert_eq!(tables_with(&app, "an insult of others").await, both(1188));
    assert_eq!(tables_with(&app, "a slander theirs").await, both(12));
    let deletions = app.audited("chat:message_deleted").await;
    let of_erased: Vec<_> =
        deletions.iter().filter(|entry| entry.resource_id.as_deref() == Some("erased")).collect();
    assert_eq!(of_erased.len(), 12);
    assert!(of_erased.iter().all(|entry| entry.metadata == json!({ "platform": "twitch", "success": true })));
    app.stop().await;
}
