//! `shared/src/schema.rs` is generated from the migrated databases, in the layout of `diesel print-schema`.

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use diesel::{QueryableByName, sql_query, sql_types::Text};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use lumio_tests::TestDatabase;
use shared::{config::DatabasesConfig, secret::Secret};

const FILE: &str = "shared/src/schema.rs";
/// Set to 1 to write the file instead of comparing it.
const UPDATE: &str = "UPDATE_SCHEMA";

const COLUMNS: &str = "SELECT t.relname::text AS table_name, a.attname::text AS name,
        (CASE WHEN a.attnotnull THEN '' ELSE 'null ' END || format_type(a.atttypid, NULL)) AS value
    FROM pg_attribute a JOIN pg_class t ON t.oid = a.attrelid JOIN pg_namespace n ON n.oid = t.relnamespace
    WHERE n.nspname = 'public' AND t.relkind IN ('r', 'p') AND NOT t.relispartition AND a.attnum > 0
        AND NOT a.attisdropped AND t.relname <> '__diesel_schema_migrations'
    ORDER BY t.relname COLLATE \"C\", a.attnum";
const PRIMARY_KEYS: &str = "SELECT t.relname::text AS table_name, a.attname::text AS name, '' AS value
    FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace n ON n.oid = t.relnamespace
    CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k(number, place)
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number
    WHERE n.nspname = 'public' AND i.indisprimary ORDER BY t.relname, k.place";
#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Text)]
    table_name: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    value: String,
}

/// Tables of one database: columns with their types, and the columns of the primary key.
#[derive(Default)]
struct Table {
    key: Vec<String>,
    columns: Vec<(String, String)>,
}

#[tokio::test]
async fn generated_schema_rs_is_that_of_the_migrations() {
    let (primary, timeseries) = (TestDatabase::create().await, TestDatabase::create().await);
    for database in [&primary, &timeseries] {
        foundation::db::revert(&config(database, database)).await.unwrap();
    }
    foundation::db::migrate(&config(&primary, &timeseries)).await.unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(FILE);
    let generated = generate(&primary, &timeseries, &std::fs::read_to_string(&path).unwrap()).await;
    if std::env::var(UPDATE).is_ok_and(|value| value == "1") {
        std::fs::write(&path, &generated).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap();
    let differs = stored.lines().zip(generated.lines()).position(|(stored, generated)| stored != generated);
    assert!(
        stored == generated,
        "{FILE} is not what the migrations make, from line {differs:?}: run this test with {UPDATE}=1",
    );
}

fn config(primary: &TestDatabase, timeseries: &TestDatabase) -> DatabasesConfig {
    DatabasesConfig::new(Secret::new(&primary.url), Secret::new(&timeseries.url))
}

async fn generate(primary: &TestDatabase, timeseries: &TestDatabase, stored: &str) -> String {
    let mut text =
        "//! Tables as the migrations create them. A test generates this file from the migrated databases.\n"
            .to_owned();
    let mut connection = AsyncPgConnection::establish(&primary.url).await.unwrap();
    let tables = tables(&mut connection).await;
    for (name, table) in &tables {
        text.push('\n');
        write_table(&mut text, "", name, table);
    }
    text.push('\n');
    // Which foreign key joins two tables is a choice where there are several, and pairs of tables that no query names
    // together would make the crate a hundred times as large: these lines are written by hand.
    for start in ["diesel::joinable!", "diesel::allow_tables_to_appear_in_same_query!"] {
        for line in stored.lines().filter(|line| line.starts_with(start)) {
            writeln!(text, "{line}").unwrap();
        }
        text.push('\n');
    }
    text.push_str("/// Tables of the time-series database.\npub mod timeseries {\n");
    let mut connection = AsyncPgConnection::establish(&timeseries.url).await.unwrap();
    for (place, (name, table)) in self::tables(&mut connection).await.iter().enumerate() {
        if place > 0 {
            text.push('\n');
        }
        write_table(&mut text, "    ", name, table);
    }
    text.push_str("}\n");
    text
}

async fn found(connection: &mut AsyncPgConnection, sql: &str) -> Vec<Found> {
    sql_query(sql).load(connection).await.unwrap()
}

async fn tables(connection: &mut AsyncPgConnection) -> BTreeMap<String, Table> {
    let mut tables = BTreeMap::<String, Table>::new();
    for column in found(connection, COLUMNS).await {
        let table = tables.entry(column.table_name).or_default();
        table.columns.push((column.name, diesel_type(&column.value)));
    }
    for column in found(connection, PRIMARY_KEYS).await {
        if let Some(table) = tables.get_mut(&column.table_name) {
            table.key.push(column.name);
        }
    }
    tables
}

fn write_table(text: &mut String, indent: &str, name: &str, table: &Table) {
    writeln!(text, "{indent}diesel::table! {{\n{indent}    {name} ({}) {{", table.key.join(", ")).unwrap();
    for (column, kind) in &table.columns {
        writeln!(text, "{indent}        {column} -> {kind},").unwrap();
    }
    writeln!(text, "{indent}    }}\n{indent}}}").unwrap();
}

fn diesel_type(sql: &str) -> String {
    if let Some(inner) = sql.strip_prefix("null ") {
        return format!("Nullable<{}>", diesel_type(inner));
    }
    if let Some(inner) = sql.strip_suffix("[]") {
        return format!("Array<{}>", diesel_type(inner));
    }
    match sql {
        "uuid" => "Uuid",
        "text" => "Text",
        "boolean" => "Bool",
        "smallint" => "Int2",
        "integer" => "Int4",
        "bigint" => "Int8",
        "double precision" => "Float8",
        "timestamp with time zone" => "Timestamptz",
        "json" => "Json",
        "jsonb" => "Jsonb",
        "bytea" => "Bytea",
        "interval" => "Interval",
        "date" => "Date",
        other => panic!("a column has a type that schema.rs cannot name yet: {other}"),
    }
    .to_owned()
}
