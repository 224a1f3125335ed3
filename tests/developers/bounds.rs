//! Number of versions that are kept, and size of the metrics in one answer
//! (reference/developers.md#version-states).

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Jsonb, Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::{
    TestApp,
    extensions::{Studio, manifest},
};
use serde_json::json;
use uuid::Uuid;

#[derive(QueryableByName)]
struct Version {
    #[diesel(sql_type = Text)]
    version: String,
}

/// Inserts a hundred approved versions, 0.0.1 to 0.0.100. The first is the current one.
async fn a_hundred_versions(app: &TestApp, extension: Uuid) {
    let mut db = app.databases.postgres.get().await.unwrap();
    for sql in [
        "INSERT INTO extension_versions (id, extension_id, version, status, manifest, bundle_size_bytes, approved_at)
         SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, '0.0.' || n, 'approved', $2, 1, now()
         FROM generate_series(1, 100) AS n",
        "UPDATE extensions SET status = 'approved', current_version_id = (
             SELECT id FROM extension_versions WHERE extension_id = $1 AND version = '0.0.1') WHERE id = $1 AND $2 <> '{}'",
    ] {
        sql_query(sql)
            .bind::<SqlUuid, _>(extension)
            .bind::<Jsonb, _>(manifest(extension, "0.0.1", &json!({})))
            .execute(&mut *db)
            .await
            .unwrap();
    }
}

async fn archived(app: &TestApp, extension: Uuid) -> Vec<String> {
    let sql =
        "SELECT version FROM extension_versions WHERE extension_id = $1 AND status = 'archived' ORDER BY id";
    let mut db = app.databases.postgres.get().await.unwrap();
    let rows: Vec<Version> = sql_query(sql).bind::<SqlUuid, _>(extension).load(&mut *db).await.unwrap();
    rows.into_iter().map(|row| row.version).collect()
}

#[tokio::test]
async fn developer_api_submit_version_archives_old_approved_versions() {
    let app = TestApp::start().await;
    let studio: Studio = app.studio().await;
    let id = studio.extension("Old").await;
    a_hundred_versions(&app, id).await;
    studio.version(id, "1.0.0", &json!({})).await;
    assert_eq!(archived(&app, id).await, Vec::<String>::new(), "only the current one is beyond");
    studio.version(id, "1.0.1", &json!({})).await;
    assert_eq!(archived(&app, id).await, ["0.0.2"]);
    studio.version(id, "1.0.2", &json!({})).await;
    assert_eq!(archived(&app, id).await, ["0.0.2", "0.0.3"]);
    app.stop().await;
}

#[tokio::test]
async fn extension_metrics_lists_a_hundred_handlers_and_a_thousand_hours() {
    let app = TestApp::start().await;
    let studio = app.studio().await;
    let id = studio.extension("Busy").await;
    let mut db = app.databases.timescaledb.get().await.unwrap();
    sql_query("SELECT timeseries_ensure('extension_invocations', now() - interval '60 days', now())")
        .execute(&mut *db)
        .await
        .unwrap();
    // The first handlers have the most invocations. Each hour has one of the last handler.
    for sql in [
        "INSERT INTO extension_invocations (id, extension_id, install_id, account_id, handler, bucket_minute, count, errors,
             duration_ms_sum, duration_hist)
         SELECT gen_random_uuid(), $1, $1, $1, 'h' || n, now(), 10000 - n, 0, 1, '{}' FROM generate_series(1, 101) AS n",
        "INSERT INTO extension_invocations (id, extension_id, install_id, account_id, handler, bucket_minute, count, errors,
             duration_ms_sum, duration_hist)
         SELECT gen_random_uuid(), $1, $1, $1, 'h1', now() - n * interval '1 hour', 1, 0, 1, '{}'
         FROM generate_series(1, 1000) AS n",
    ] {
        sql_query(sql).bind::<SqlUuid, _>(id).execute(&mut *db).await.unwrap();
    }
    drop(db);
    let metrics = studio.person.get(&format!("/v1/developer/extensions/{id}/metrics")).await.data().clone();
    let handlers = metrics["by_handler"].as_array().unwrap();
    assert_eq!(
        (handlers.len(), &handlers[0]["handler"], &handlers[99]["handler"]),
        (100, &json!("h1"), &json!("h100"))
    );
    let all: i64 = (1..=101).map(|n| 10_000 - n).sum::<i64>() + 1000;
    assert_eq!(metrics["total_invocations"], all, "also of those that are not told of");
    let hours = metrics["time_series"].as_array().unwrap();
    assert_eq!(hours.len(), 1000, "the newest");
    assert_eq!(hours[999]["total_invocations"], (1..=101).map(|n| 10_000 - n).sum::<i64>());
    app.stop().await;
}
