//! Times of the last use of keys and tokens, written in batches (reference/credentials.md#last-use).

use chrono::{DateTime, Duration, Utc};
use diesel::{prelude::*, sql_query, sql_types};
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, SocketRequest, TestApp};
use serde_json::json;

use super::text;

#[derive(QueryableByName)]
struct Used {
    #[diesel(sql_type = sql_types::Text)]
    kind: String,
    #[diesel(sql_type = sql_types::Nullable<sql_types::Timestamptz>)]
    last_used_at: Option<DateTime<Utc>>,
}

/// Kind and time of the last use of every key and token, by kind.
async fn used(app: &TestApp) -> Vec<(String, Option<DateTime<Utc>>)> {
    let rows: Vec<Used> = sql_query(
        "SELECT 'personal' AS kind, last_used_at FROM user_api_keys
         UNION ALL SELECT 'popout', last_used_at FROM popout_tokens
         UNION ALL SELECT 'service', last_used_at FROM account_service_keys
         UNION ALL SELECT 'system', last_used_at FROM system_keys ORDER BY kind",
    )
    .load(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    rows.into_iter().map(|row| (row.kind, row.last_used_at)).collect()
}

async fn flush(app: &TestApp) {
    app.state.usage.flush(&app.databases.postgres).await.unwrap();
}

/// Row version of the only personal key: it changes with each write.
async fn version(app: &TestApp) -> String {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = sql_types::Text)]
        version: String,
    }
    let row: Row = sql_query("SELECT ctid::text || ' ' || xmin::text AS version FROM user_api_keys")
        .get_result(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    row.version
}

async fn use_each(callers: &[Caller]) {
    for caller in callers {
        caller.get("/v1/platforms/enabled").await;
    }
}

#[tokio::test]
async fn last_used_is_written_by_a_flush_once_per_credential() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let key = app.personal_key(&owner, &["chat:read"]).await;
    let before = version(&app).await;
    for _ in 0..20 {
        key.get("/v1/tokens/me").await.expect(200);
    }
    assert_eq!(
        (used(&app).await[0].1, version(&app).await),
        (None, before),
        "nothing is written by a request"
    );
    flush(&app).await;
    let written = used(&app).await[0].1.expect("the flush writes");
    assert!((app.clock.now() - written).num_seconds() < 60);
    let after = version(&app).await;
    flush(&app).await;
    assert_eq!(version(&app).await, after, "nothing is written twice");
}

#[tokio::test]
async fn last_used_is_recorded_for_every_kind_of_credential() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let callers = [
        app.personal_key(&owner, &["chat:read"]).await,
        app.popout(&owner, &["chat:read"]).await,
        app.service_key(owner.account_id, &["apikeys:read"]).await,
        app.system_key().await,
    ];
    flush(&app).await;
    assert!(used(&app).await.iter().all(|(_, at)| at.is_none()));
    use_each(&callers).await;
    flush(&app).await;
    let first = used(&app).await;
    assert!(first.iter().all(|(_, at)| at.is_some()), "{first:?}");
    app.clock.advance(Duration::minutes(5));
    use_each(&callers).await;
    flush(&app).await;
    for ((kind, first), (_, second)) in first.iter().zip(used(&app).await) {
        let later = second.unwrap() - first.unwrap();
        assert!((295..360).contains(&later.num_seconds()), "{kind}: {later}");
    }
    let shown = owner.get("/v1/service-keys").await;
    assert!(text(&shown.data()[0], "/last_used_at").ends_with('Z'));

    // Popout sessions and sockets count as uses.
    let exchanged =
        app.anonymous().post("/v1/auth/popout/exchange", json!({ "token": callers[1].token() })).await;
    let session = app.bearer(text(exchanged.data(), "/token"));
    for minutes in 1..=2 {
        let before = used(&app).await;
        app.clock.advance(Duration::minutes(minutes));
        if minutes == 1 {
            session.get("/v1/tokens/me").await.expect(200);
        } else {
            SocketRequest::to(app.url()).bearer(callers[1].token()).connect().await;
        }
        flush(&app).await;
        assert!(used(&app).await[1].1 > before[1].1);
    }
}

#[tokio::test]
async fn last_used_keeps_the_latest_time_of_all_processes() {
    let app = TestApp::start().await;
    let (second_state, second_server) = app.second_server().await;
    let key = app.personal_key(&app.owner().await, &["chat:read"]).await;
    let elsewhere = key.at(format!("http://{}", second_server.address));
    elsewhere.get("/v1/tokens/me").await.expect(200);
    app.clock.advance(Duration::minutes(5));
    key.get("/v1/tokens/me").await.expect(200);
    flush(&app).await;
    let latest = used(&app).await[0].1;
    second_state.usage.flush(&app.databases.postgres).await.unwrap();
    assert_eq!(used(&app).await[0].1, latest);
    second_server.stop().await.unwrap();
}

#[tokio::test]
async fn last_used_is_flushed_at_shutdown() {
    let app = TestApp::start().await;
    let (_state, second_server) = app.second_server().await;
    let key = app.personal_key(&app.owner().await, &["chat:read"]).await;
    key.at(format!("http://{}", second_server.address)).get("/v1/tokens/me").await.expect(200);
    second_server.stop().await.unwrap();
    assert!(used(&app).await[0].1.is_some());
}
