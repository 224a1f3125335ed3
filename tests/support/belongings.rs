//! Rows of a subject in every table, for tests that compare them.

use std::collections::BTreeMap;

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Nullable, Text},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::{Person, TestApp};

/// Tables whose rows name an account without belonging to it, each with the reason.
const NOT_OWNED: &[(&str, &str)] = &[
    ("audit_chains", "audit entries outlive their subject"),
    ("audit_checkpoints", "audit entries outlive their subject"),
    ("audit_links", "audit entries outlive their subject"),
    ("audit_log", "audit entries outlive their subject"),
    ("sessions", "the account that a session looks at"),
    ("users", "the account that a person looks at"),
];

/// Number and content of the rows of each table for a subject: equal before and after when nothing changed.
pub type Belongings = BTreeMap<String, (i64, Option<String>)>;

#[derive(QueryableByName)]
struct Table {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Array<Text>)]
    columns: Vec<String>,
}

#[derive(QueryableByName)]
struct Fingerprint {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = BigInt)]
    rows: i64,
    #[diesel(sql_type = Nullable<Text>)]
    content: Option<String>,
}

impl TestApp {
    /// Rows for an account of each table with an `account_id`, except tables that only name one.
    pub async fn belongings(&self, account_id: Uuid) -> Belongings {
        let by_account = [("account_id", format!("= '{account_id}'"))];
        let mut db = self.databases.postgres.get().await.unwrap();
        let mut tables = owned_tables(&mut db, &by_account).await;
        tables.retain(|(table, _)| !NOT_OWNED.iter().any(|(other, _why)| other == table));
        tables.push(("accounts".to_owned(), format!("id = '{account_id}'")));
        fingerprints(&mut db, &tables).await
    }

    /// Rows of every table for an account, its owner as a person and the owner's extensions as a developer.
    pub async fn belongings_of(&self, owner: &Person) -> Belongings {
        let Person { account_id, user_id, .. } = owner;
        let profiles = format!("SELECT id FROM developer_profiles WHERE user_id = '{user_id}'");
        let extensions = format!("SELECT id FROM extensions WHERE owner_developer_id IN ({profiles})");
        let teams = format!("SELECT id FROM developer_teams WHERE owner_id = '{user_id}'");
        let columns = [
            ("account_id", format!("= '{account_id}'")),
            ("user_id", format!("= '{user_id}'")),
            ("owner_developer_id", format!("IN ({profiles})")),
            ("developer_id", format!("IN ({profiles})")),
            (
                "version_id",
                format!("IN (SELECT id FROM extension_versions WHERE extension_id IN ({extensions}))"),
            ),
            ("extension_id", format!("IN ({extensions})")),
            ("team_id", format!("IN ({teams})")),
            ("owner_team_id", format!("IN ({teams})")),
            (
                "connection_id",
                format!("IN (SELECT id FROM channel_connections WHERE account_id = '{account_id}')"),
            ),
            (
                "discord_guild_id",
                format!("IN (SELECT id FROM discord_guilds WHERE account_id = '{account_id}')"),
            ),
        ];
        let mut db = self.databases.postgres.get().await.unwrap();
        let mut tables = owned_tables(&mut db, &columns).await;
        tables.push(("accounts".to_owned(), format!("id = '{account_id}'")));
        tables.push(("users".to_owned(), format!("id = '{user_id}'")));
        tables.push(("developer_teams".to_owned(), format!("owner_id = '{user_id}'")));
        fingerprints(&mut db, &tables).await
    }
}

/// Every table with one of the columns, with the condition for the rows of the subject. Partitions count with their
/// table, and the tables of rows over time with the others: a test's database holds both schemas.
async fn owned_tables(db: &mut AsyncPgConnection, columns: &[(&str, String)]) -> Vec<(String, String)> {
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let tables: Vec<Table> = sql_query(
        "SELECT relname::text AS name, array_agg(attname::text) AS columns FROM pg_class
         JOIN pg_attribute ON attrelid = pg_class.oid AND attname = ANY($1) AND NOT attisdropped
         WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
         GROUP BY 1",
    )
    .bind::<Array<Text>, _>(names)
    .load(db)
    .await
    .unwrap();
    let condition = |table: &Table| {
        let of_table = columns.iter().filter(|(name, _)| table.columns.iter().any(|column| column == name));
        of_table.map(|(name, whose)| format!("{name} {whose}")).collect::<Vec<_>>().join(" OR ")
    };
    tables.into_iter().map(|table| (table.name.clone(), condition(&table))).collect()
}

/// One statement, because it runs after every call of a long walk.
async fn fingerprints(db: &mut AsyncPgConnection, tables: &[(String, String)]) -> Belongings {
    let of_each = tables.iter().map(|(table, condition)| {
        format!(
            "SELECT '{table}' AS name, count(*) AS rows, md5(string_agg(t::text, '|' ORDER BY t::text)) AS content
             FROM {table} AS t WHERE {condition}"
        )
    });
    let sql = of_each.collect::<Vec<_>>().join(" UNION ALL ");
    let found: Vec<Fingerprint> = sql_query(sql).load(db).await.unwrap();
    found.into_iter().map(|Fingerprint { name, rows, content }| (name, (rows, content))).collect()
}
