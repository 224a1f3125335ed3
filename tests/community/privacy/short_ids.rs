//! Erasure of ids so short that the same number means other things as well.

use std::collections::BTreeSet;

use diesel::{
    sql_query,
    sql_types::{Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::TestApp;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    erase,
    planted::{run, texts},
    staff,
};

/// Log lines of a handler before and after the erasure.
const LOGGED: &[(&str, &str)] = &[
    ("kick:676 said hello", "kick:[erased] said hello"),
    ("Kick has no viewer 676", "Kick has no viewer [erased]"),
    ("676 is nobody on kick", "[erased] is nobody on kick"),
    (r#"{"user_id":676}"#, r#"{"user_id":[erased]}"#),
    (r#"{ "viewer_id" : "676" }"#, r#"{ "viewer_id" : "[erased]" }"#),
    (r#"{\"userId\":\"676\"}"#, r#"{\"userId\":\"[erased]\"}"#),
    ("viewerIds: [675, 676]", "viewerIds: [675, [erased]]"),
    (r#"{"ids":[676],"took":676}"#, r#"{"ids":[[erased]],"took":676}"#),
    ("took 676 ms", "took 676 ms"),
    ("paid 676", "paid 676"),
    (r#"{"paid":676,"valid":"676"}"#, r#"{"paid":676,"valid":"676"}"#),
    ("676", "676"),
    ("sidekick 676", "sidekick 676"),
    ("twitch:676", "twitch:676"),
    ("kick:6760", "kick:6760"),
    (r#"{"user_id":4711,"took":676}"#, r#"{"user_id":4711,"took":676}"#),
];

/// Values that a handler stores: name, value, and true when it is kept.
fn cached() -> [(&'static str, Value, bool); 12] {
    [
        ("took", json!(676), true),
        ("word", json!("676"), true),
        ("seen:676", json!(1), true),
        ("count", json!({ "user_id": 9, "count": 676 }), true),
        ("paid", json!(676), true),
        ("sums", json!({ "paid": 676, "raids": [676], "grid": "676" }), true),
        ("kick:676", json!(1), false),
        ("kick:last", json!(676), false),
        ("seen:676:on", json!({ "platform": "kick" }), false),
        ("last_user_id", json!(676), false),
        ("winner", json!({ "viewer_id": "676" }), false),
        ("best", json!({ "platform": "kick", "viewer": "676" }), false),
    ]
}

#[tokio::test]
async fn short_ids_are_erased_only_where_the_context_marks_them() {
    let app = TestApp::start().await;
    let (owner, staff) = (app.owner().await, staff(&app).await);
    app.one_of_everything(&owner).await;
    let mut db = app.databases.postgres.get().await.unwrap();
    for (message, _) in LOGGED {
        sql_query(
            "INSERT INTO extension_logs (id, extension_id, install_id, account_id, level, message, created_at)
             VALUES (gen_random_uuid(), $1, $1, $1, 'debug', $2, now())",
        )
        .bind::<SqlUuid, _>(owner.account_id)
        .bind::<Text, _>(*message)
        .execute(&mut *db)
        .await
        .unwrap();
    }
    drop(db);
    let runs = run(
        &app,
        r#"INSERT INTO automation_runs (id, account_id, automation_id, trigger, dedupe_key)
           SELECT gen_random_uuid(), account_id, id, run.trigger::jsonb, run.key FROM automations,
               (VALUES ('{"raiders": 676}', 'short-other'), ('{"paid": 676, "raid": "676"}', 'short-paid'),
                   ('{"viewer_id": 676}', 'short-theirs'), ('{"viewerIDs": [675, 676]}', 'short-listed'))
                   AS run (trigger, key)"#,
    )
    .await;
    assert_eq!(runs, 4);
    // The run names the platform, its step the person.
    let steps = run(
        &app,
        r#"WITH run AS (
               INSERT INTO automation_runs (id, account_id, automation_id, trigger, dedupe_key)
               SELECT gen_random_uuid(), account_id, id, run.trigger::jsonb, run.key FROM automations,
                   (VALUES ('{"platform": "kick"}', 'short-step'), ('{"platform": "twitch"}', 'short-amount'))
                       AS run (trigger, key)
               RETURNING id, account_id)
           INSERT INTO automation_steps (account_id, run_id, position, node_id, status, input)
           SELECT account_id, id, 0, gen_random_uuid(), 'succeeded', '{"raid": 676}' FROM run"#,
    )
    .await;
    assert_eq!(steps, 2);
    let answers = run(
        &app,
        r#"INSERT INTO idempotent_requests
               (id, request, operation, fingerprint, status, answer, started_at, created_at)
           SELECT gen_random_uuid(), gen_random_uuid(), stored.name, sha256('short'), 200, stored.answer::json, now(), now()
           FROM (VALUES ('paid', '{"paid": 676}'), ('others', '{"viewer_id": 9}'), ('theirs', '{"viewer_id": 676}'),
                   ('note', '{"_links": {"self": "/v1/chat/users/kick/676/notes"}}'), ('unreadable', '{"text": "\u0000"}'))
               AS stored (name, answer)"#,
    )
    .await;
    assert_eq!(answers, 5);
    let namespace = app.state.redis.key(format_args!("ext_cache:{}:{}", Uuid::nil(), owner.account_id));
    let mut pipe = redis::pipe();
    for (name, value, _) in cached() {
        pipe.cmd("SET").arg(format!("{namespace}:v:{name}")).arg(value.to_string()).ignore();
        pipe.cmd("ZADD").arg(format!("{namespace}:index")).arg(1).arg(name).ignore();
    }
    pipe.query_async::<()>(&mut *app.state.redis.get().await.unwrap()).await.unwrap();

    erase(&staff, &json!({ "platform": "kick", "user_id": "676" })).await.expect(200);

    let left: BTreeSet<String> = LOGGED.iter().map(|(_, left)| (*left).to_owned()).collect();
    assert_eq!(
        texts(&app, "SELECT message AS name FROM extension_logs WHERE level = 'debug'").await,
        left,
        "what is left of the lines"
    );
    assert_eq!(
        texts(&app, "SELECT dedupe_key AS name FROM automation_runs WHERE dedupe_key LIKE 'short-%'").await,
        BTreeSet::from(["short-amount", "short-other", "short-paid"].map(str::to_owned))
    );
    assert_eq!(
        texts(&app, "SELECT operation AS name FROM idempotent_requests WHERE answer IS NOT NULL AND operation <> 'rows'").await,
        BTreeSet::from(["others", "paid"].map(str::to_owned))
    );
    let stays: BTreeSet<String> =
        cached().into_iter().filter(|(.., stays)| *stays).map(|(name, ..)| name.to_owned()).collect();
    let mut redis = app.state.redis.get().await.unwrap();
    let names: BTreeSet<String> = redis::cmd("ZRANGE")
        .arg(format!("{namespace}:index"))
        .arg(0)
        .arg(-1)
        .query_async(&mut *redis)
        .await
        .unwrap();
    assert_eq!(names, stays);
    let start = format!("{namespace}:v:");
    let keys: Vec<String> =
        redis::cmd("KEYS").arg(format!("{start}*")).query_async(&mut *redis).await.unwrap();
    let values: BTreeSet<String> = keys.iter().map(|key| key.replacen(&start, "", 1)).collect();
    assert_eq!(values, stays);
    drop(redis);
    app.stop().await;
}
