//! Messages of chatters are counted once each, wherever a process ends (reference/ingest.md#chatters).

use diesel::{QueryableByName, sql_query, sql_types::BigInt};
use diesel_async::RunQueryDsl;
use live_model::{ChatMessage, RowBuffer, count_chatters};
use lumio_tests::TestApp;
use lumio_worker::Daemon;
use platform_daemons::ingest::writer::insert;
use uuid::Uuid;

use lumio_tests::world::{eventually, messages, workers};

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

fn chat_message(app: &TestApp, account_id: Uuid, user: &str) -> ChatMessage {
    ChatMessage {
        id: shared::id::new(),
        account_id,
        platform: "twitch".into(),
        platform_message_id: shared::id::new().to_string(),
        platform_user_id: user.into(),
        username: user.into(),
        display_name: user.to_uppercase(),
        color: None,
        badges: Vec::new(),
        text: "hi".into(),
        fragments: Vec::new(),
        emotes: Vec::new(),
        reply_to: None,
        is_deleted: false,
        is_action: false,
        sent_at: app.clock.now(),
        forgets_user: false,
        counted_as: None,
    }
}

async fn store(app: &TestApp, rows: &[ChatMessage]) -> usize {
    let rows: Vec<&ChatMessage> = rows.iter().collect();
    let mut db = app.databases.timescaledb.get().await.unwrap();
    insert(&mut db, &rows).await.unwrap().len()
}

async fn number(app: &TestApp, what: &str) -> i64 {
    let sql = format!("SELECT coalesce(({what}), 0)::bigint AS number");
    let mut db = app.databases.timescaledb.get().await.unwrap();
    sql_query(sql).get_result::<Number>(&mut *db).await.unwrap().number
}

async fn counted(app: &TestApp, account_id: Uuid, user: &str) -> i64 {
    let of_user =
        format!("account_id = '{account_id}' AND platform = 'twitch' AND platform_user_id = '{user}'");
    number(app, &format!("SELECT message_count FROM platform_users WHERE {of_user}")).await
}

async fn recorded(app: &TestApp) -> i64 {
    number(app, "SELECT count(*) FROM chatter_notes").await
}

#[tokio::test]
async fn chatters_stored_before_a_kill_are_counted_once_by_the_next_writer() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let account = owner.account_id;
    let mut rows: Vec<ChatMessage> =
        ["ada", "ada", "bob", "ada"].map(|user| chat_message(&app, account, user)).into();
    rows.push(ChatMessage { forgets_user: true, ..chat_message(&app, account, "shy") });
    assert_eq!(store(&app, &rows).await, 5);
    // The process ends here: nothing was counted, and everything is recorded.
    assert_eq!((counted(&app, account, "ada").await, recorded(&app).await), (0, 1));
    // Rows that were not acknowledged are read again, and found stored.
    assert_eq!(store(&app, &rows).await, 0);
    assert_eq!(recorded(&app).await, 1, "what is stored already is not noted");

    let running = workers(&app, &[Daemon::Ingest]).await;
    eventually("it is counted", async || recorded(&app).await == 0).await;
    let counts = (counted(&app, account, "ada").await, counted(&app, account, "bob").await);
    assert_eq!(counts, (3, 1));
    assert_eq!(counted(&app, account, "shy").await, 0, "an account may keep nothing of its chatters");
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn chatters_are_counted_once_by_concurrent_counters() {
    let app = TestApp::start().await;
    let account = app.owner().await.account_id;
    for _ in 0..60 {
        let rows: Vec<ChatMessage> =
            (0..20).map(|n| chat_message(&app, account, &format!("u{}", n % 4))).collect();
        store(&app, &rows).await;
    }
    let count = async || {
        let mut db = app.databases.timescaledb.get().await.unwrap();
        count_chatters(&mut db).await.unwrap()
    };
    let (a, b, c, d) = futures::join!(count(), count(), count(), count());
    assert_eq!(a + b + c + d, 60, "each batch is counted by one of them");
    for user in 0..4 {
        assert_eq!(counted(&app, account, &format!("u{user}")).await, 300);
    }
    assert_eq!(recorded(&app).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn chatters_are_counted_in_parts_when_a_statement_times_out() {
    let app = TestApp::start().await;
    let account = app.owner().await.account_id;
    for _ in 0..10 {
        store(&app, &[chat_message(&app, account, "ada")]).await;
    }
    let mut db = app.databases.timescaledb.get().await.unwrap();
    // As a server that has time for three records in a statement.
    sql_query(
        "CREATE FUNCTION refuse_many() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             IF (SELECT count(*) FROM gone) > 3 THEN
                 RAISE EXCEPTION USING ERRCODE = 'query_canceled', MESSAGE = 'statement timeout';
             END IF;
             RETURN NULL;
         END $$",
    )
    .execute(&mut *db)
    .await
    .unwrap();
    sql_query(
        "CREATE TRIGGER refuse_many AFTER DELETE ON chatter_notes REFERENCING OLD TABLE AS gone
             FOR EACH STATEMENT EXECUTE FUNCTION refuse_many()",
    )
    .execute(&mut *db)
    .await
    .unwrap();
    assert_eq!(count_chatters(&mut db).await.unwrap(), 10);
    drop(db);
    assert_eq!((counted(&app, account, "ada").await, recorded(&app).await), (10, 0));
    app.stop().await;
}

#[tokio::test]
async fn chatters_are_counted_before_a_writer_stops() {
    let app = TestApp::start().await;
    let account = app.owner().await.account_id;
    let running = workers(&app, &[Daemon::Ingest]).await;
    let rows: Vec<ChatMessage> = (0..30).map(|_| chat_message(&app, account, "ada")).collect();
    RowBuffer::<ChatMessage>::new(app.state.redis.clone()).push(&rows).await.unwrap();
    eventually("they are stored", async || messages(&app, account).await.len() == 30).await;
    running.stop().await.unwrap();
    assert_eq!((counted(&app, account, "ada").await, recorded(&app).await), (30, 0));
    app.stop().await;
}
