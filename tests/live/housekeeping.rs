//! Periodic maintenance of the databases.

use chrono::Duration;
use diesel::{QueryableByName, insert_into, prelude::*, sql_query, sql_types::BigInt};
use diesel_async::RunQueryDsl;
use foundation::jobs::{HandleDelivery, Housekeep, HousekeepingTask, Job};
use lumio_tests::TestApp;
use lumio_worker::Daemon;
use serde_json::json;
use shared::{
    id,
    schema::{extension_actions, webhook_inbox},
};

use lumio_tests::world::{eventually, inbox, install, open_deliveries, workers};

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

async fn count(app: &TestApp, sql: &str) -> i64 {
    let mut db = app.databases.timescaledb.get().await.unwrap();
    sql_query(sql).get_result::<Count>(&mut *db).await.unwrap().count
}

async fn partitions(app: &TestApp, table: &str) -> i64 {
    let sql = format!("SELECT count(*) AS count FROM pg_inherits WHERE inhparent = '{table}'::regclass");
    count(app, &sql).await
}

async fn run_housekeeping(app: &TestApp, task: HousekeepingTask) {
    assert!(app.state.jobs.enqueue(&Housekeep { task }, &id::new().to_string()).await.unwrap());
}

#[tokio::test]
async fn housekeeping_creates_missing_partitions_at_start_and_on_schedule() {
    let app = TestApp::start().await;
    let before = partitions(&app, "chat_messages").await;
    let running = workers(&app, &[Daemon::Housekeeping]).await;
    eventually("more stand ready", async || partitions(&app, "chat_messages").await > before).await;
    let ready = partitions(&app, "chat_messages").await;
    let newest = "SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'chat_messages'::regclass ORDER BY 1 DESC LIMIT 1";
    let drop_newest = format!("DO $$ BEGIN EXECUTE 'DROP TABLE ' || ({newest}); END $$");
    sql_query(drop_newest).execute(&mut *app.databases.timescaledb.get().await.unwrap()).await.unwrap();
    assert_eq!(partitions(&app, "chat_messages").await, ready - 1);
    run_housekeeping(&app, HousekeepingTask::MakePartitions).await;
    eventually("it is made again", async || partitions(&app, "chat_messages").await == ready).await;
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn housekeeping_drops_expired_partitions_and_keeps_others() {
    let app = TestApp::start().await;
    let old = "SELECT timeseries_ensure('extension_logs', now() - interval '60 days', now() - interval '50 days')::bigint
        + timeseries_ensure('chat_messages', now() - interval '60 days', now() - interval '50 days') AS count";
    assert!(count(&app, old).await >= 4);
    let (logs, chat) = (partitions(&app, "extension_logs").await, partitions(&app, "chat_messages").await);
    run_housekeeping(&app, HousekeepingTask::DropExpired).await;
    let running = workers(&app, &[Daemon::Housekeeping]).await;
    let old_logs = "SELECT count(*) AS count FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'extension_logs'::regclass
          AND substring(c.relname from '_p(\\d+)$') < to_char(now() - interval '40 days', 'YYYYMMDD')";
    eventually("old logs go", async || count(&app, old_logs).await == 0).await;
    assert!(logs > 0 && partitions(&app, "extension_logs").await > 0);
    // Chat is kept for as long as the plan sets, so its partitions stay.
    assert!(partitions(&app, "chat_messages").await >= chat);
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn housekeeping_forgets_handled_deliveries_and_old_actions_only() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let install = install(&app, &owner, &[]).await;
    let now = app.clock.now();
    let delivery = |handled_hours_ago: Option<i64>| {
        (
            webhook_inbox::id.eq(id::new()),
            webhook_inbox::platform.eq("kick"),
            webhook_inbox::delivery_id.eq(id::new().to_string()),
            webhook_inbox::event_type.eq("channel.followed"),
            webhook_inbox::body.eq(json!({})),
            webhook_inbox::sent_at.eq(now - Duration::hours(48)),
            // Not old enough for the sweep, so that it stays open.
            webhook_inbox::received_at.eq(now + Duration::hours(1)),
            webhook_inbox::handled_at.eq(handled_hours_ago.map(|hours| now - Duration::hours(hours))),
        )
    };
    let action = |id: &str, days_ago: i64| {
        (
            extension_actions::install_id.eq(install),
            extension_actions::invocation_id.eq(id.to_owned()),
            extension_actions::account_id.eq(owner.account_id),
            extension_actions::action.eq("chat:send"),
            extension_actions::created_at.eq(now - Duration::days(days_ago)),
        )
    };
    let mut db = app.databases.postgres.get().await.unwrap();
    let deliveries = vec![delivery(Some(25)), delivery(Some(30)), delivery(Some(23)), delivery(None)];
    insert_into(webhook_inbox::table).values(deliveries).execute(&mut *db).await.unwrap();
    let never_handled = (
        webhook_inbox::id.eq(id::new()),
        webhook_inbox::platform.eq("kick"),
        webhook_inbox::delivery_id.eq("01NEVERHANDLED"),
        webhook_inbox::event_type.eq("channel.followed"),
        webhook_inbox::body.eq(json!({})),
        webhook_inbox::sent_at.eq(now - Duration::days(8)),
        webhook_inbox::received_at.eq(now - Duration::days(8)),
    );
    insert_into(webhook_inbox::table).values(never_handled).execute(&mut *db).await.unwrap();
    let actions = vec![action("old", 8), action("new", 6)];
    insert_into(extension_actions::table).values(actions).execute(&mut *db).await.unwrap();
    drop(db);
    run_housekeeping(&app, HousekeepingTask::ForgetHandled).await;
    let running = workers(&app, &[Daemon::Housekeeping]).await;
    eventually("all but two deliveries are forgotten", async || inbox(&app).await == 2).await;
    assert_eq!(open_deliveries(&app).await, 1);
    assert_eq!(lumio_tests::world::jobs(&app, HandleDelivery::QUEUE).await, 0, "old ones are not swept up");
    let actions = async || -> Vec<String> {
        let mut db = app.databases.postgres.get().await.unwrap();
        extension_actions::table.select(extension_actions::invocation_id).load(&mut *db).await.unwrap()
    };
    eventually("an action is forgotten", async || actions().await == ["new"]).await;
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn housekeeping_keeps_events_as_long_as_chat_and_at_least_thirty_days() {
    let app = TestApp::start().await;
    let past = "SELECT timeseries_ensure('events', now() - interval '420 days', now())::bigint AS count";
    count(&app, past).await;
    let (free, pro) = (app.owner_on("free").await.account_id, app.owner_on("pro").await.account_id);
    let enterprise = app.owner_on("enterprise").await.account_id;
    for account in [free, pro, enterprise] {
        let sql = format!(
            "INSERT INTO events (id, account_id, event_type, platform_event_id, occurred_at)
             SELECT gen_random_uuid(), '{account}', 'custom:a', days::text, now() - make_interval(days => days, hours => 1)
             FROM unnest(ARRAY[0, 5, 10, 29, 31, 80, 100, 400]) AS days"
        );
        sql_query(sql).execute(&mut *app.databases.timescaledb.get().await.unwrap()).await.unwrap();
    }
    let left = async |account| {
        count(&app, &format!("SELECT count(*) AS count FROM events WHERE account_id = '{account}'")).await
    };
    run_housekeeping(&app, HousekeepingTask::ForgetEvents).await;
    let running = workers(&app, &[Daemon::Housekeeping]).await;
    // Chat expires after 7 days on `free` and after 90 on `pro`; `enterprise` keeps it indefinitely.
    eventually("old events go", async || (left(free).await, left(pro).await) == (4, 6)).await;
    assert_eq!(left(enterprise).await, 8);
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn housekeeping_shows_the_cost_of_accounts_by_rank_only() {
    let app = TestApp::start().await;
    let accounts: Vec<uuid::Uuid> = (0..12).map(|_| id::new()).collect();
    for (number, account) in accounts.iter().enumerate() {
        for (age_minutes, millis) in [(1, 1000 * (number + 1)), (2, 500), (20, 90_000)] {
            let planted = format!(
                "INSERT INTO extension_invocations (id, extension_id, install_id, account_id, handler, bucket_minute, \
                 count, errors, duration_ms_sum, duration_hist) VALUES ('{}', '{}', '{}', '{account}', 'h', \
                 date_trunc('minute', now() - interval '{age_minutes} minutes'), 1, 0, {millis}, '{{}}')",
                id::new(),
                id::new(),
                id::new(),
            );
            sql_query(planted).execute(&mut *app.databases.timescaledb.get().await.unwrap()).await.unwrap();
        }
    }
    let running = workers(&app, &[Daemon::Housekeeping]).await;
    let metrics = format!("http://{}/metrics", running.metrics_address);
    eventually("the accounts are ranked", async || {
        let text = reqwest::get(&metrics).await.unwrap().text().await.unwrap();
        let seconds = |rank: &str| {
            let is_of = |line: &&str| {
                line.starts_with("lumio_tenant_handler_seconds{")
                    && line.contains(&format!("rank=\"{rank}\""))
            };
            text.lines().find(is_of).and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
        };
        let shown = text.lines().find(|line| line.starts_with("lumio_tenants_with_handlers{"));
        assert!(accounts.iter().all(|account| !text.contains(&account.to_string())));
        (seconds("1"), seconds("10"), seconds("11")) == (Some(12.5), Some(3.5), None)
            && shown.is_some_and(|line| line.ends_with(" 12"))
    })
    .await;
    running.stop().await.unwrap();
    app.stop().await;
}
