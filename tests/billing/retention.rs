//! Retention of chat messages by the plan of the account (reference/billing.md#chat-retention).

use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Integer, Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use foundation::jobs::{Housekeep, HousekeepingTask};
use lumio_tests::{TestApp, eventually};
use lumio_worker::Daemon;
use shared::id;
use uuid::Uuid;

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    #[diesel(column_name = "QUERY PLAN")]
    text: String,
}

/// Creates the partitions for old rows.
async fn open_past(app: &TestApp) {
    sql_query("SELECT timeseries_ensure('chat_messages', now() - interval '420 days', now())")
        .execute(&mut *app.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap();
}

/// Inserts `count` messages of an account, sent `days_ago` days ago, one millisecond apart.
async fn insert_messages(app: &TestApp, account: Uuid, days_ago: i32, count: i32) {
    sql_query(
        "INSERT INTO chat_messages (id, account_id, platform, platform_message_id, platform_user_id, username,
            display_name, text, sent_at)
         SELECT gen_random_uuid(), $1, 'twitch', gen_random_uuid()::text, 'u', 'u', 'U', 'hi',
            now() - make_interval(days => $2) - make_interval(hours => 1) - n * interval '1 millisecond'
         FROM generate_series(1, $3) AS n",
    )
    .bind::<SqlUuid, _>(account)
    .bind::<Integer, _>(days_ago)
    .bind::<Integer, _>(count)
    .execute(&mut *app.databases.timescaledb.get().await.unwrap())
    .await
    .unwrap();
}

async fn messages(app: &TestApp, account: Uuid) -> i64 {
    let counted = sql_query("SELECT count(*) AS count FROM chat_messages WHERE account_id = $1");
    let counted = counted.bind::<SqlUuid, _>(account);
    let mut db = app.databases.timescaledb.get().await.unwrap();
    counted.get_result::<Count>(&mut *db).await.unwrap().count
}

#[tokio::test]
async fn retention_deletes_messages_older_than_the_plan_keeps() {
    let app = TestApp::start().await;
    open_past(&app).await;
    let (free, pro, enterprise) =
        (app.owner_on("free").await, app.owner_on("pro").await, app.owner_on("enterprise").await);
    let (short, for_good) = (app.owner_on("pro").await, app.owner_on("free").await);
    let mut db = app.databases.postgres.get().await.unwrap();
    for (account, days) in [(short.account_id, 2), (for_good.account_id, 2_147_483_647)] {
        sql_query("INSERT INTO account_limits (account_id, chat_retention_days) VALUES ($1, $2)")
            .bind::<SqlUuid, _>(account)
            .bind::<Integer, _>(days)
            .execute(&mut *db)
            .await
            .unwrap();
    }
    drop(db);
    for account in [&free, &pro, &enterprise, &short, &for_good] {
        for days in [0, 1, 5, 10, 80, 100, 400] {
            insert_messages(&app, account.account_id, days, 3).await;
        }
    }
    // More than one batch.
    insert_messages(&app, free.account_id, 30, 12_000).await;
    let housekeeping = Housekeep { task: HousekeepingTask::ForgetChat };
    assert!(app.state.jobs.enqueue(&housekeeping, &id::new().to_string()).await.unwrap());
    let workers = lumio_worker::start_with(app.config(), app.clock.clone(), &[Daemon::Housekeeping])
        .await
        .expect("the workers start");
    eventually("old chat of every account goes", async || {
        (messages(&app, free.account_id).await, messages(&app, pro.account_id).await) == (9, 15)
            && messages(&app, short.account_id).await == 6
    })
    .await;
    assert_eq!(messages(&app, enterprise.account_id).await, 21, "the plan keeps everything");
    assert_eq!(messages(&app, for_good.account_id).await, 21, "an operator keeps everything");
    workers.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn retention_finds_the_oldest_messages_by_the_account_index() {
    let app = TestApp::start().await;
    open_past(&app).await;
    let (account, other) = (app.owner().await.account_id, app.owner().await.account_id);
    // All rows are in one partition.
    insert_messages(&app, other, 30, 20_000).await;
    insert_messages(&app, account, 30, 10).await;
    let mut db = app.databases.timescaledb.get().await.unwrap();
    sql_query("ANALYZE chat_messages").execute(&mut *db).await.unwrap();
    // The partition that holds all rows.
    let holding = sql_query("SELECT DISTINCT tableoid::regclass::text AS \"QUERY PLAN\" FROM chat_messages");
    let holding: Vec<Line> = holding.load(&mut *db).await.unwrap();
    let explain = format!(
        "EXPLAIN DELETE FROM chat_messages WHERE account_id = '{account}' AND sent_at < now() - interval '7 days'"
    );
    let plan: Vec<Line> = sql_query(explain).load(&mut *db).await.unwrap();
    for partition in holding {
        let scan = plan.iter().find(|line| {
            line.text.contains(" Scan") && line.text.contains(&format!(" on {}", partition.text))
        });
        let scan = scan.unwrap_or_else(|| panic!("{} is not looked at", partition.text));
        assert!(!scan.text.contains("Seq Scan"), "{}", scan.text);
    }
}
