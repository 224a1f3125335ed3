//! Preparation and commits of statements.

use diesel::{ExpressionMethods, QueryDsl, QueryableByName, sql_query, sql_types::Text};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::db::{Prepare, without_waiting};
use lumio_tests::TestDatabase;
use shared::schema::webhook_inbox;

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Text)]
    value: String,
}

async fn connection(database: &TestDatabase) -> AsyncPgConnection {
    AsyncPgConnection::establish(&database.url).await.unwrap()
}

async fn texts(connection: &mut AsyncPgConnection, sql: &str) -> Vec<String> {
    let found: Vec<Found> = sql_query(sql).load(connection).await.unwrap();
    found.into_iter().map(|found| found.value).collect()
}

#[tokio::test]
async fn statements_are_prepared_once_where_requested() {
    let database = TestDatabase::create().await;
    let mut connection = connection(&database).await;
    for value in ["a", "b"] {
        let sql = "SELECT $1 || 'remembered' AS value";
        let found: Found =
            sql_query(sql).bind::<Text, _>(value).prepared().get_result(&mut connection).await.unwrap();
        assert_eq!(found.value, format!("{value}remembered"));
        let sql = "SELECT $1 || 'forgotten' AS value";
        let _: Found = sql_query(sql).bind::<Text, _>(value).get_result(&mut connection).await.unwrap();
        let change = webhook_inbox::event_type.eq(value);
        diesel::update(webhook_inbox::table).set(change).prepared().execute(&mut connection).await.unwrap();
        let change = webhook_inbox::platform.eq(value);
        diesel::update(webhook_inbox::table).set(change).execute(&mut connection).await.unwrap();
    }
    let known = "SELECT statement AS value FROM pg_prepared_statements
        WHERE statement LIKE 'SELECT $1%' OR statement LIKE 'UPDATE%' ORDER BY statement";
    let update = r#"UPDATE "webhook_inbox" SET "event_type" = $1"#;
    assert_eq!(texts(&mut connection, known).await, ["SELECT $1 || 'remembered' AS value", update]);
}

#[tokio::test]
async fn statements_without_waiting_change_the_commit_of_one_transaction() {
    let database = TestDatabase::create().await;
    let mut connection = connection(&database).await;
    sql_query("SET synchronous_commit = on").execute(&mut connection).await.unwrap();
    let mode = "SELECT current_setting('synchronous_commit') AS value";
    let row = "INSERT INTO webhook_inbox (id, platform, delivery_id, event_type, body, sent_at)
        VALUES (gen_random_uuid(), 'kick', 'd', 'a', '{}', now())";
    sql_query(row).execute(&mut connection).await.unwrap();
    connection
        .transaction(async |connection| {
            let changed = diesel::update(webhook_inbox::table.filter(without_waiting()))
                .set(webhook_inbox::event_type.eq("b"))
                .execute(connection)
                .await?;
            assert_eq!(changed, 1, "the condition is met");
            assert_eq!(texts(connection, mode).await, ["off"]);
            diesel::QueryResult::Ok(())
        })
        .await
        .unwrap();
    assert_eq!(texts(&mut connection, mode).await, ["on"]);
}
