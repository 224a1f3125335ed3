//! Expiry of rows: at the limit of their retention, fast enough for the incoming rate, and in turns of bounded length
//! (reference/privacy.md#retention).

use diesel::{QueryableByName, sql_query, sql_types::BigInt};
use diesel_async::RunQueryDsl;
use foundation::jobs::{Housekeep, HousekeepingTask, Job, RunTriggers};
use lumio_tests::{Statements, TestApp};
use lumio_worker::{
    Daemon,
    housekeeping::{Housekeeper, Progress, TimeBudget},
};
use uuid::Uuid;
use worker_core::Context;

use lumio_tests::world::{eventually, install, jobs, workers};

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

async fn run(app: &TestApp, sql: &str) {
    sql_query(sql).execute(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap();
}

async fn count(app: &TestApp, from: &str) -> i64 {
    let sql = format!("SELECT count(*) AS count FROM {from}");
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query(sql).get_result::<Count>(&mut *db).await.unwrap().count
}

/// Inserts deliveries that were handled a time ago.
async fn handled(app: &TestApp, deliveries: usize, ago: &str) {
    run(
        app,
        &format!(
            "INSERT INTO webhook_inbox (id, platform, delivery_id, event_type, body, sent_at, received_at, handled_at)
             SELECT gen_random_uuid(), 'kick', gen_random_uuid()::text, 'chat', '{{}}', now(), now(),
                now() - interval '{ago}' - n * interval '1 millisecond'
             FROM generate_series(1, {deliveries}) AS n"
        ),
    )
    .await;
}

fn housekeeper(app: &TestApp) -> Housekeeper {
    Housekeeper::new(&Context::new(app.config(), app.clock.clone()).unwrap()).unwrap()
}

#[tokio::test]
async fn forgetting_a_full_inbox_takes_a_handful_of_statements() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    handled(&app, 45_000, "25 hours").await;
    handled(&app, 7, "23 hours").await;
    let house = housekeeper(&app);
    statements.to(&app);
    statements.take();
    let progress = house.take(HousekeepingTask::ForgetHandled, &mut TimeBudget::of(100)).await.unwrap();
    assert_eq!(progress, Progress::Completed);
    let deletions: Vec<String> =
        statements.take().into_iter().filter(|sql| sql.contains("DELETE FROM webhook_inbox")).collect();
    let of_handled = deletions.iter().filter(|sql| sql.contains("handled_at <")).count();
    assert_eq!(of_handled, 5, "ten thousand rows a statement");
    assert_eq!(count(&app, "webhook_inbox").await, 7, "what is younger than a day is still recognised");
    app.stop().await;
}

#[tokio::test]
async fn forgetting_continues_in_the_next_job_without_waiting_for_the_schedule() {
    let app = TestApp::start().await;
    handled(&app, 25_000, "25 hours").await;
    let house = housekeeper(&app);
    // One step, which is one statement.
    let progress = house.take(HousekeepingTask::ForgetHandled, &mut TimeBudget::of(1)).await.unwrap();
    assert_eq!((progress, count(&app, "webhook_inbox").await), (Progress::Pending, 15_000));
    assert_eq!(jobs(&app, Housekeep::QUEUE).await, 1, "somebody goes on");
    let running = workers(&app, &[Daemon::Housekeeping]).await;
    eventually("the rest is forgotten", async || count(&app, "webhook_inbox").await == 0).await;
    eventually("nobody goes on", async || jobs(&app, Housekeep::QUEUE).await == 0).await;
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn forgetting_visits_every_table_once_before_any_twice() {
    let app = TestApp::start().await;
    handled(&app, 25_000, "25 hours").await;
    run(
        &app,
        "INSERT INTO csp_reports (id, document_uri, blocked_uri, violated_directive, received_at)
         VALUES (gen_random_uuid(), 'd', 'b', 'v', now() - interval '31 days')",
    )
    .await;
    // Each table has its turn before the first has its second.
    let progress =
        housekeeper(&app).take(HousekeepingTask::ForgetHandled, &mut TimeBudget::of(10)).await.unwrap();
    assert_eq!(progress, Progress::Pending);
    assert_eq!((count(&app, "csp_reports").await, count(&app, "webhook_inbox").await), (0, 15_000));
    app.stop().await;
}

#[tokio::test]
async fn forgetting_continues_with_the_next_account_in_the_next_job() {
    let app = TestApp::start().await;
    let mut accounts = Vec::new();
    for _ in 0..5 {
        accounts.push(app.owner_on("free").await.account_id);
    }
    accounts.sort_unstable();
    for account in &accounts {
        run(
            &app,
            &format!(
                "INSERT INTO moderation_log (id, account_id, platform, action, target, moderator_type, created_at)
                 SELECT gen_random_uuid(), '{account}', 'twitch', 'ban', 't', 'system', now() - days * interval '1 day'
                 FROM unnest(ARRAY[1, 6, 8, 30]) AS days"
            ),
        )
        .await;
    }
    let left = async || -> Vec<i64> {
        let mut left = Vec::new();
        for account in &accounts {
            left.push(count(&app, &format!("moderation_log WHERE account_id = '{account}'")).await);
        }
        left
    };
    let house = housekeeper(&app);
    let take =
        async |steps| house.take(HousekeepingTask::ForgetChat, &mut TimeBudget::of(steps)).await.unwrap();
    // One step reads the accounts, then each account takes one.
    assert_eq!((take(3).await, left().await), (Progress::Pending, vec![2, 2, 4, 4, 4]));
    assert_eq!((take(3).await, left().await), (Progress::Pending, vec![2, 2, 2, 2, 4]));
    assert_eq!((take(100).await, left().await), (Progress::Completed, vec![2, 2, 2, 2, 2]));
    // And begins anew afterwards.
    assert_eq!(take(100).await, Progress::Completed);
    app.stop().await;
}

/// Retention by table: its rows, how long they are kept, and a statement that inserts a row of the age `$1`.
const RETENTION: [(&str, &str, &str); 13] = [
    (
        "webhook_inbox WHERE handled_at IS NOT NULL",
        "24 hours",
        "INSERT INTO webhook_inbox (id, platform, delivery_id, event_type, body, sent_at, handled_at)
         VALUES (gen_random_uuid(), 'kick', gen_random_uuid()::text, 'chat', '{}', now(), now() - $1)",
    ),
    (
        "webhook_inbox WHERE handled_at IS NULL",
        "7 days",
        "INSERT INTO webhook_inbox (id, platform, delivery_id, event_type, body, sent_at, received_at)
         VALUES (gen_random_uuid(), 'kick', gen_random_uuid()::text, 'chat', '{}', now(), now() - $1)",
    ),
    (
        "extension_actions",
        "7 days",
        "INSERT INTO extension_actions (invocation_id, install_id, account_id, action, created_at)
         SELECT gen_random_uuid()::text, id, account_id, 'chat:send', now() - $1 FROM extension_installs LIMIT 1",
    ),
    (
        "bot_command_replies",
        "7 days",
        "INSERT INTO bot_command_replies (account_id, event_id, command_id, created_at)
         SELECT id, gen_random_uuid(), gen_random_uuid(), now() - $1 FROM accounts LIMIT 1",
    ),
    (
        "notifications WHERE notification_type = 'kept'",
        "90 days",
        "INSERT INTO notifications (id, user_id, notification_type, title, message, created_at)
         SELECT gen_random_uuid(), id, 'kept', 't', 'm', now() - $1 FROM users LIMIT 1",
    ),
    (
        "mails",
        "7 days",
        "INSERT INTO mails (id, address, template, created_at)
         VALUES (gen_random_uuid(), 'a@b.example', '{}', now() - $1)",
    ),
    (
        "csp_reports",
        "30 days",
        "INSERT INTO csp_reports (id, document_uri, blocked_uri, violated_directive, received_at)
         VALUES (gen_random_uuid(), 'd', 'b', 'v', now() - $1)",
    ),
    (
        "token_refreshes",
        "2 days",
        "INSERT INTO token_refreshes (connection_id, updated_at) VALUES (gen_random_uuid(), now() - $1)",
    ),
    (
        "public_profile_changes",
        "400 days",
        "INSERT INTO public_profile_changes (id, platform, platform_channel_id, change_type, changed_at)
         VALUES (gen_random_uuid(), 'twitch', 'kept', 'bio', now() - $1)",
    ),
    (
        "public_panels",
        "400 days",
        "INSERT INTO public_panels (platform, platform_channel_id, panel_id, content, first_seen_at, last_seen_at,
            removed_at)
         VALUES ('twitch', 'kept', gen_random_uuid()::text, 'p', now() - $1, now() - $1, now() - $1)",
    ),
    (
        "crawler_channels WHERE platform = 'twitch' AND visited_at IS NOT NULL",
        "90 days",
        "INSERT INTO crawler_channels (platform, platform_channel_id, visited_at)
         VALUES ('twitch', gen_random_uuid()::text, now() - $1)",
    ),
    (
        "crawler_channels WHERE platform = 'twitch' AND visited_at IS NULL",
        "90 days",
        "INSERT INTO crawler_channels (platform, platform_channel_id, profiled_at)
         VALUES ('twitch', gen_random_uuid()::text, now() - $1)",
    ),
    (
        "audit_log WHERE action = 'kept:kept'",
        "365 days",
        "INSERT INTO audit_log (id, scope, actor_type, action, resource_type, created_at)
         VALUES (gen_random_uuid(), 'system', 'system', 'kept:kept', 'kept', now() - $1)",
    ),
];

#[tokio::test]
async fn forgetting_keeps_rows_up_to_their_retention_and_not_beyond() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    install(&app, &owner, &[]).await;
    let before: Vec<i64> = {
        let mut before = Vec::new();
        for (from, ..) in RETENTION {
            before.push(count(&app, from).await);
        }
        before
    };
    for (_, kept, insert) in RETENTION {
        for age in
            [format!("interval '{kept} 5 minutes'"), format!("(interval '{kept}' - interval '5 minutes')")]
        {
            run(&app, &insert.replace("$1", &age)).await;
        }
    }
    // Days are the platforms': one that began before the limit is over.
    for days in [31, 30] {
        for (table, column, account) in [
            ("platform_quotas", "", ""),
            ("platform_quota_shares", ", account_id", ", (SELECT id FROM accounts LIMIT 1)"),
        ] {
            let sql = format!(
                "INSERT INTO {table} (platform, client_id, day, used{column})
                 VALUES ('youtube', 'kept', (now() - interval '{days} days')::date, 1{account})"
            );
            run(&app, &sql).await;
        }
    }
    // Channels that the crawler visits, watches, or reads the profile of.
    run(
        &app,
        "INSERT INTO crawler_channels (platform, platform_channel_id, next_at, is_watched, profile_next_at, visited_at,
            profiled_at)
         SELECT 'kick', kept.*, now() - interval '91 days', now() - interval '91 days'
         FROM (VALUES ('visited', now(), false, NULL::timestamptz), ('watched', NULL, true, NULL),
            ('connected', NULL, false, now())) AS kept",
    )
    .await;
    let house = housekeeper(&app);
    for task in [HousekeepingTask::ForgetHandled, HousekeepingTask::ForgetAudit] {
        assert_eq!(house.take(task, &mut TimeBudget::of(100)).await.unwrap(), Progress::Completed);
    }
    for ((from, ..), before) in RETENTION.iter().zip(before) {
        assert_eq!(count(&app, from).await, before + 1, "{from}: what is younger stays, what is older goes");
    }
    assert_eq!(count(&app, "crawler_channels WHERE platform = 'kick'").await, 3, "used channels stay");
    for table in ["platform_quotas", "platform_quota_shares"] {
        assert_eq!(count(&app, &format!("{table} WHERE client_id = 'kept'")).await, 1, "{table}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forgetting_removes_dead_letters_after_a_week() {
    let app = TestApp::start().await;
    let config = &app.state.config.redis;
    let dead = format!("{{{}:{}}}:dead", config.prefix, RunTriggers::QUEUE);
    let now = app.clock.now();
    let week = chrono::Duration::days(7);
    for (name, died_at) in [
        ("old", now - week - chrono::Duration::minutes(1)),
        ("young", now - week + chrono::Duration::minutes(1)),
    ] {
        let mut bury = redis::cmd("XADD");
        bury.arg(&dead)
            .arg(format!("{}-1", died_at.timestamp_millis()))
            .arg("j")
            .arg("{}")
            .arg("e")
            .arg(name);
        bury.query_async::<()>(&mut *app.state.redis.get().await.unwrap()).await.unwrap();
    }
    let task = HousekeepingTask::ForgetDeadLetters;
    let key = Uuid::now_v7().to_string();
    assert!(app.state.jobs.enqueue(&Housekeep { task }, &key).await.unwrap());
    let running = workers(&app, &[Daemon::Housekeeping]).await;
    let queues = queue::Connection::open(config.url.expose(), &config.prefix).unwrap();
    let errors = async || -> Vec<String> {
        let letters = queues.dead_letters(RunTriggers::QUEUE, 10).await.unwrap();
        letters.into_iter().map(|letter| letter.error).collect()
    };
    eventually("the old one is forgotten", async || errors().await == ["young"]).await;
    running.stop().await.unwrap();
    app.stop().await;
}
