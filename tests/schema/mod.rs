//! The schema as the code believes it and as the migrations make it.

mod statements;

use std::collections::BTreeMap;

use diesel::{QueryableByName, sql_types::Text};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use lumio_tests::TestDatabase;
use shared::{config::DatabasesConfig, secret::Secret};

#[derive(QueryableByName)]
struct Column {
    #[diesel(sql_type = Text)]
    table_name: String,
    #[diesel(sql_type = Text)]
    column_name: String,
    #[diesel(sql_type = Text)]
    data_type: String,
}

type Tables = BTreeMap<String, Vec<(String, String)>>;

#[tokio::test]
async fn schema_rs_is_what_the_migrations_make() {
    let database = TestDatabase::create().await;
    let mut connection = AsyncPgConnection::establish(&database.url).await.unwrap();
    let sql = "SELECT t.relname::text AS table_name, a.attname::text AS column_name,
            (CASE WHEN a.attnotnull THEN '' ELSE 'null ' END || format_type(a.atttypid, NULL)) AS data_type
        FROM pg_attribute a JOIN pg_class t ON t.oid = a.attrelid JOIN pg_namespace n ON n.oid = t.relnamespace
        WHERE n.nspname = 'public' AND t.relkind IN ('r', 'p') AND NOT t.relispartition AND a.attnum > 0
            AND NOT a.attisdropped AND t.relname <> '__diesel_schema_migrations'
        ORDER BY t.relname, a.attnum";
    let columns: Vec<Column> = diesel::sql_query(sql).load(&mut connection).await.unwrap();
    let mut made = Tables::new();
    for column in columns {
        made.entry(column.table_name).or_default().push((column.column_name, column.data_type));
    }
    let believed = declared(include_str!("../../shared/src/db/schema.rs"));
    for table in made.keys().chain(believed.keys()) {
        assert_eq!(
            believed.get(table),
            made.get(table),
            "shared/src/db/schema.rs (left) and the migrations (right) differ in `{table}`: change schema.rs"
        );
    }
}

#[tokio::test]
async fn every_migration_can_be_undone_and_done_again() {
    let database = TestDatabase::create().await;
    let url = Secret::new(&database.url);
    let config = DatabasesConfig {
        postgres: url.clone(),
        timescaledb: url,
        pool_size: 1,
        pool_timeout: std::time::Duration::from_secs(10),
    };
    shared::db::revert(&config).await.unwrap();
    let ran = shared::db::migrate(&config).await.unwrap();
    assert!(ran.len() >= 7, "{ran:?}");
    let again = shared::db::migrate(&config).await.unwrap();
    assert!(again.is_empty(), "{again:?}");
}

/// The `table!` blocks of schema.rs.
fn declared(source: &str) -> Tables {
    let mut tables = Tables::new();
    let mut current = String::new();
    for line in source.lines().map(str::trim) {
        if let Some((name, _)) = line.split_once(" (").filter(|_| line.ends_with(") {")) {
            name.clone_into(&mut current);
            tables.entry(current.clone()).or_default();
        } else if let Some((column, kind)) = line.split_once(" -> ").filter(|_| line.ends_with(',')) {
            let column = (column.to_owned(), sql_type(kind.trim_end_matches(',')));
            tables.get_mut(&current).expect("a column stands in a table").push(column);
        }
    }
    tables
}

fn sql_type(diesel: &str) -> String {
    if let Some(inner) = diesel.strip_prefix("Nullable<").and_then(|rest| rest.strip_suffix('>')) {
        return format!("null {}", sql_type(inner));
    }
    if let Some(inner) = diesel.strip_prefix("Array<").and_then(|rest| rest.strip_suffix('>')) {
        return format!("{}[]", sql_type(inner));
    }
    match diesel {
        "Uuid" => "uuid",
        "Text" => "text",
        "Bool" => "boolean",
        "Int2" => "smallint",
        "Int4" => "integer",
        "Int8" => "bigint",
        "Float8" => "double precision",
        "Timestamptz" => "timestamp with time zone",
        "Jsonb" => "jsonb",
        "Bytea" => "bytea",
        "Interval" => "interval",
        "Date" => "date",
        other => panic!("schema.rs has a type that this test does not know: {other}"),
    }
    .to_owned()
}
