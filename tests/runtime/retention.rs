//! Telemetry of handlers expires after its time: errors after 90 days, logs after 30, analytics after 180, failed runs
//! after seven (reference/privacy.md#retention).

use diesel::{QueryableByName, sql_query, sql_types::BigInt};
use diesel_async::RunQueryDsl;
use foundation::jobs::{Housekeep, HousekeepingTask};
use lumio_tests::{TestApp, eventually};
use lumio_worker::Daemon;
use uuid::Uuid;

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

async fn count(app: &TestApp, sql: &str) -> i64 {
    let mut db = app.databases.timescaledb.get().await.unwrap();
    sql_query(sql).get_result::<Count>(&mut *db).await.unwrap().count
}

/// Table, column of time, retention in days, and the other columns of a row.
const RETENTION: [(&str, &str, i64, &str); 4] = [
    (
        "extension_errors",
        "occurred_at",
        90,
        "handler, error_type, message) VALUES ($1, $1, $1, $1, 'h', 't', 'm'",
    ),
    ("extension_logs", "created_at", 30, "level, message) VALUES ($1, $1, $1, $1, 'info', 'm'"),
    (
        "extension_invocations",
        "bucket_minute",
        180,
        "handler, count, errors, duration_ms_sum, duration_hist) VALUES ($1, $1, $1, $1, 'h', 1, 0, 1, '{}'",
    ),
    (
        "extension_failed_runs",
        "failed_at",
        7,
        "version_id, handler, run) VALUES ($1, $1, $1, $1, $1, 'h', '{}'",
    ),
];

#[tokio::test]
async fn retention_drops_each_kind_of_telemetry_after_its_time() {
    let app = TestApp::start().await;
    for (table, time, days, rest) in RETENTION {
        // A partition is dropped when everything in it has expired: a week later at most.
        for age in [days + 9, days - 1] {
            let ensure = format!(
                "SELECT timeseries_ensure('{table}', now() - interval '{} days', now() - interval '{} days')::bigint AS count",
                age + 1,
                age - 1
            );
            count(&app, &ensure).await;
            let (columns, values) = rest.split_once(") VALUES (").unwrap();
            let values = values.replace("$1", &format!("'{}'", Uuid::now_v7()));
            let insert = format!(
                "INSERT INTO {table} (id, extension_id, install_id, account_id, {columns}, {time})
                 VALUES ({values}, now() - interval '{age} days')"
            );
            let mut db = app.databases.timescaledb.get().await.unwrap();
            sql_query(insert).execute(&mut *db).await.unwrap();
        }
        assert_eq!(count(&app, &format!("SELECT count(*) AS count FROM {table}")).await, 2, "{table}");
    }
    let task = Housekeep { task: HousekeepingTask::DropExpired };
    app.state.jobs.enqueue(&task, &Uuid::now_v7().to_string()).await.unwrap();
    let running =
        lumio_worker::start_with(app.config(), app.clock.clone(), &[Daemon::Housekeeping]).await.unwrap();
    for (table, time, days, _) in RETENTION {
        let rows = format!("SELECT count(*) AS count FROM {table}");
        eventually("the old rows are dropped", async || count(&app, &rows).await == 1).await;
        let young = format!("{rows} WHERE {time} > now() - interval '{days} days'");
        assert_eq!(count(&app, &young).await, 1, "{table}: what is younger stays");
    }
    running.stop().await.unwrap();
}
