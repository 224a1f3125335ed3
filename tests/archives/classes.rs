//! Every table and column of an account has a class (reference/archives.md#content).

use std::collections::{BTreeMap, BTreeSet};

use archive_model::tables::{Class, table, tables};
use diesel::{QueryableByName, sql_query, sql_types::Text};
use diesel_async::RunQueryDsl;
use lumio_tests::TestApp;

#[derive(QueryableByName)]
struct Column {
    #[diesel(sql_type = Text)]
    owner: String,
    #[diesel(sql_type = Text)]
    name: String,
}

async fn pairs(app: &TestApp, sql: &str) -> Vec<(String, String)> {
    let mut db = app.databases.postgres.get().await.unwrap();
    let found: Vec<Column> = sql_query(sql).load(&mut *db).await.unwrap();
    found.into_iter().map(|column| (column.owner, column.name)).collect()
}

#[tokio::test]
async fn classes_cover_every_table_and_column_of_an_account() {
    let app = TestApp::start().await;
    // A test's database has the tables of both sets of migrations.
    let mut schema: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let columns = "SELECT relname::text AS owner, attname::text AS name FROM pg_class
        JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition";
    for (table, column) in pairs(&app, columns).await {
        schema.entry(table).or_default().insert(column);
    }
    let listed = "shared/archive-model/src/tables: exported, derived or left out, with the reason";
    for (name, _) in schema.iter().filter(|(_, columns)| columns.contains("account_id")) {
        assert!(table(name).is_some(), "`{name}` has an account_id and no class in {listed}");
    }
    // Rows that end with the rows of an account are its own, too.
    let owned = "SELECT child.relname::text AS owner, parent.relname::text AS name FROM pg_constraint
        JOIN pg_class AS child ON child.oid = conrelid JOIN pg_class AS parent ON parent.oid = confrelid
        WHERE contype = 'f' AND confdeltype = 'c' AND NOT child.relispartition";
    for (child, parent) in pairs(&app, owned).await {
        let is_owned = table(&parent).is_some_and(|table| matches!(table.class, Class::Exported(_)));
        assert!(
            !is_owned || table(&child).is_some(),
            "`{child}` belongs to {parent} and has no class in {listed}"
        );
    }
    for table in tables() {
        let columns = schema.get(table.name).unwrap_or_else(|| panic!("there is no table {}", table.name));
        let Some(rows) = table.exported_rows() else { continue };
        let classified: BTreeSet<String> = rows.columns().map(str::to_owned).collect();
        assert_eq!(
            &classified, columns,
            "columns of {} with a class (left), and those of the schema",
            table.name
        );
    }
    app.stop().await;
}
