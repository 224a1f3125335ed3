//! Rows of the main database, in one snapshot.

use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::{Request, Stores, cursor::Cursor, secrets};
use crate::{
    Error, Result,
    manifest::{PEOPLE, Sealed},
    sql,
    tables::exported,
    writer::ArchiveWriter,
};

/// Settings of the transaction: times in UTC, sorting instead of a search by another index, and statements that may sort
/// many rows.
const SETTINGS: [&str; 3] = [
    "SET LOCAL timezone = 'UTC'",
    "SET LOCAL cursor_tuple_fraction = 1",
    "SET LOCAL statement_timeout = '120s'",
];

/// Keys of stored objects that rows of the account name. `$1` is the account.
const OBJECTS: &str = "SELECT storage_key AS line FROM (
        SELECT storage_key FROM uploads WHERE account_id = $1 AND purpose <> 'developer_document'
        UNION SELECT storage_key FROM sounds WHERE account_id = $1
        UNION SELECT storage_key FROM extension_uploads WHERE account_id = $1) AS objects
    ORDER BY storage_key COLLATE \"C\"";

/// Result of a snapshot.
pub(super) struct Head {
    /// Name of the account.
    pub name: String,
    /// Slug of its plan.
    pub plan: String,
    /// Sealing of the secrets.
    pub secrets: Option<Sealed>,
    /// Keys of its stored objects.
    pub object_keys: Vec<String>,
}

#[derive(QueryableByName)]
struct Account {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    plan: String,
}

/// Writes the people and the rows of the main database, and the secrets where they are requested.
pub(super) async fn write(
    stores: Stores<'_>,
    request: Request<'_>,
    writer: &mut ArchiveWriter,
) -> Result<Head> {
    let mut connection = stores.postgres.get().await?;
    connection
        .build_transaction()
        .repeatable_read()
        .read_only()
        .run(async |connection| read(connection, stores, request, writer).await)
        .await
}

async fn read(
    connection: &mut AsyncPgConnection,
    stores: Stores<'_>,
    request: Request<'_>,
    writer: &mut ArchiveWriter,
) -> Result<Head> {
    for setting in SETTINGS {
        sql_query(setting).execute(connection).await?;
    }
    let Account { name, plan } =
        account(connection, request.account).await?.ok_or(Error::NoAccount(request.account))?;
    write_people(connection, request, writer).await?;
    for (table, rows) in exported(false) {
        writer.begin_rows(&table.file()).await?;
        write_lines(connection, &sql::select(table, rows), request.account, writer).await?;
        writer.end().await?;
    }
    let secrets = match request.secrets_key {
        Some(key) => Some(secrets::write(connection, stores.keyring, request.account, key, writer).await?),
        None => None,
    };
    let object_keys = lines(connection, OBJECTS, request.account).await?;
    Ok(Head { name, plan, secrets, object_keys })
}

async fn account(connection: &mut AsyncPgConnection, account: Uuid) -> Result<Option<Account>> {
    Ok(sql_query(
        "SELECT accounts.name, plans.slug AS plan FROM accounts JOIN plans ON plans.id = plan_id WHERE accounts.id = $1",
    )
    .bind::<SqlUuid, _>(account)
    .get_result(connection)
    .await
    .optional()?)
}

/// Writes everyone whom rows of the archive name.
async fn write_people(
    connection: &mut AsyncPgConnection,
    request: Request<'_>,
    writer: &mut ArchiveWriter,
) -> Result<()> {
    let with_secrets = request.secrets_key.is_some();
    let named = exported(false).chain(exported(true).filter(|_| with_secrets));
    writer.begin_rows(PEOPLE).await?;
    write_lines(connection, &sql::select_people(named), request.account, writer).await?;
    writer.end().await
}

async fn write_lines(
    connection: &mut AsyncPgConnection,
    sql: &str,
    account: Uuid,
    writer: &mut ArchiveWriter,
) -> Result<()> {
    let mut cursor = Cursor::open(connection, sql, account).await?;
    loop {
        let lines = cursor.lines().await?;
        if lines.is_empty() {
            return cursor.close().await;
        }
        for line in &lines {
            writer.row(line).await?;
        }
    }
}

/// All lines of a statement that has short ones.
async fn lines(connection: &mut AsyncPgConnection, sql: &str, account: Uuid) -> Result<Vec<String>> {
    let (mut cursor, mut all) = (Cursor::open(connection, sql, account).await?, Vec::new());
    loop {
        let lines = cursor.lines().await?;
        if lines.is_empty() {
            cursor.close().await?;
            return Ok(all);
        }
        all.extend(lines);
    }
}
