//! Who wrote what is counted once for each message, wherever a process ends (C B13).

use diesel::{QueryableByName, sql_query, sql_types::BigInt};
use diesel_async::RunQueryDsl;
use lumio_tests::TestApp;
use lumio_worker::{Daemon, ingest::writer::insert};
use shared::ingest::{ChatMessage, RowBuffer, count_chatters};
use uuid::Uuid;

use super::world::{eventually, messages, workers};

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

fn said(app: &TestApp, account_id: Uuid, user: &str) -> ChatMessage {
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
    }
}

async fn store(app: &TestApp, rows: &[ChatMessage]) -> usize {
    let rows: Vec<&ChatMessage> = rows.iter().collect();
    let mut db = app.state.databases.timescaledb.get().await.unwrap();
    insert(&mut db, &rows).await.unwrap().len()
}

async fn number(app: &TestApp, what: &str) -> i64 {
    let sql = format!("SELECT coalesce(({what}), 0)::bigint AS number");
    let mut db = app.state.databases.timescaledb.get().await.unwrap();
    sql_query(sql).get_result::<Number>(&mut *db).await.unwrap().number
}

async fn counted(app: &TestApp, account_id: Uuid, user: &str) -> i64 {
    let of_user =
        format!("account_id = '{account_id}' AND platform = 'twitch' AND platform_user_id = '{user}'");
    number(app, &format!("SELECT message_count FROM platform_users WHERE {of_user}")).await
}

async fn noted(app: &TestApp) -> i64 {
    number(app, "SELECT count(*) FROM chatter_notes").await
}

#[tokio::test]
async fn what_a_writer_stored_before_it_was_killed_is_counted_once_by_the_next() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let account = owner.account_id;
    let mut rows: Vec<ChatMessage> =
        ["ada", "ada", "bob", "ada"].map(|user| said(&app, account, user)).into();
    rows.push(ChatMessage { forgets_user: true, ..said(&app, account, "shy") });
    assert_eq!(store(&app, &rows).await, 5);
    // Its process ends here: nothing was counted, and everything is noted.
    assert_eq!((counted(&app, account, "ada").await, noted(&app).await), (0, 1));
    // What it could not acknowledge is read, and found stored, again.
    assert_eq!(store(&app, &rows).await, 0);
    assert_eq!(noted(&app).await, 1, "what is stored already is not noted");

    let running = workers(&app, &[Daemon::Ingest]).await;
    eventually("it is counted", async || noted(&app).await == 0).await;
    let counts = (counted(&app, account, "ada").await, counted(&app, account, "bob").await);
    assert_eq!(counts, (3, 1));
    assert_eq!(counted(&app, account, "shy").await, 0, "an account may keep nothing of its chatters");
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn those_who_count_at_once_count_each_message_once() {
    let app = TestApp::start().await;
    let account = app.owner().await.account_id;
    for _ in 0..60 {
        let rows: Vec<ChatMessage> = (0..20).map(|n| said(&app, account, &format!("u{}", n % 4))).collect();
        store(&app, &rows).await;
    }
    let count = async || {
        let mut db = app.state.databases.timescaledb.get().await.unwrap();
        count_chatters(&mut db).await.unwrap()
    };
    let (a, b, c, d) = futures::join!(count(), count(), count(), count());
    assert_eq!(a + b + c + d, 60, "each batch is counted by one of them");
    for user in 0..4 {
        assert_eq!(counted(&app, account, &format!("u{user}")).await, 300);
    }
    assert_eq!(noted(&app).await, 0);
    app.stop().await;
}

#[tokio::test]
async fn what_is_too_much_for_one_statement_is_counted_in_parts() {
    let app = TestApp::start().await;
    let account = app.owner().await.account_id;
    for _ in 0..10 {
        store(&app, &[said(&app, account, "ada")]).await;
    }
    let mut db = app.state.databases.timescaledb.get().await.unwrap();
    // As a server that has time for three notes in a statement.
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
    assert_eq!((counted(&app, account, "ada").await, noted(&app).await), (10, 0));
    app.stop().await;
}

#[tokio::test]
async fn a_writer_that_stops_has_counted_what_it_stored() {
    let app = TestApp::start().await;
    let account = app.owner().await.account_id;
    let running = workers(&app, &[Daemon::Ingest]).await;
    let rows: Vec<ChatMessage> = (0..30).map(|_| said(&app, account, "ada")).collect();
    RowBuffer::<ChatMessage>::new(app.state.redis.clone()).push(&rows).await.unwrap();
    eventually("they are stored", async || messages(&app, account).await.len() == 30).await;
    running.stop().await.unwrap();
    assert_eq!((counted(&app, account, "ada").await, noted(&app).await), (30, 0));
    app.stop().await;
}
