//! Queries over `uploads`. All but the one of signed addresses carry the account.

use api_core::{
    Result, Timestamp,
    graphql::Int64,
    http::{Caching, StoredFile},
    page::Window,
};
use diesel::{
    dsl::{exists, select, sql},
    insert_into,
    pg::Pg,
    prelude::*,
    sql_query,
    sql_types::{Bool, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{AccountId, UserId},
    schema::{
        accounts,
        uploads::{self, dsl},
    },
    uploads::DEVELOPER_DOCUMENT,
};
use uuid::Uuid;

use super::UploadPurpose;

#[derive(Queryable, Selectable)]
#[diesel(table_name = uploads)]
pub(super) struct Row {
    pub id: Uuid,
    pub account_id: Uuid,
    pub filename: String,
    pub content_type: String,
    pub size_bytes: i64,
    pub storage_key: String,
    pub purpose: String,
    pub sha256: String,
    pub created_by: Option<Uuid>,
    pub created_at: Timestamp,
}

/// A row to write.
#[derive(Insertable)]
#[diesel(table_name = uploads)]
pub(super) struct NewUpload<'a> {
    pub id: Uuid,
    pub account_id: AccountId,
    pub filename: &'a str,
    pub content_type: &'static str,
    pub size_bytes: i64,
    pub storage_key: &'a str,
    pub purpose: &'static str,
    pub sha256: &'a str,
    pub created_by: Option<Uuid>,
    pub created_at: chrono::DateTime<chrono::Utc>,
}

/// Uploads of an account that a person may see: documents of developers are for the owner.
#[derive(Debug, Clone, Copy)]
pub(super) struct Visible {
    pub account: AccountId,
    pub person: Option<UserId>,
}

impl Visible {
    fn rows(self) -> uploads::BoxedQuery<'static, Pg> {
        let is_open = sql::<Bool>("(purpose <> ")
            .bind::<Text, _>(DEVELOPER_DOCUMENT)
            .sql(" OR (SELECT owner_id FROM accounts WHERE id = ")
            .bind::<SqlUuid, _>(self.account.uuid())
            .sql(") = ")
            .bind::<Nullable<SqlUuid>, _>(self.person.map(|person| person.0))
            .sql(")");
        dsl::uploads.filter(dsl::account_id.eq(self.account.uuid())).filter(is_open).into_boxed()
    }
}

/// Returns one page, newest first, and the total number.
pub(super) async fn page(
    connection: &mut AsyncPgConnection,
    visible: Visible,
    purpose: Option<UploadPurpose>,
    window: Window,
) -> Result<(Vec<Row>, i64)> {
    let filtered = || {
        let rows = visible.rows();
        match purpose {
            Some(purpose) => rows.filter(dsl::purpose.eq(purpose.as_str())),
            None => rows,
        }
    };
    let total = filtered().count().get_result(connection).await?;
    let rows = filtered()
        .order((dsl::created_at.desc(), dsl::id.desc()))
        .limit(window.limit)
        .offset(window.offset())
        .select(Row::as_select())
        .load(connection)
        .await?;
    Ok((rows, total))
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    visible: Visible,
    id: Uuid,
) -> Result<Option<Row>> {
    let found = visible.rows().filter(dsl::id.eq(id)).select(Row::as_select());
    Ok(found.first(connection).await.optional()?)
}

/// True when the person owns the account.
pub(super) async fn is_owner(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    person: UserId,
) -> Result<bool> {
    let owned = accounts::table.filter(accounts::id.eq(account)).filter(accounts::owner_id.eq(person.0));
    Ok(select(exists(owned)).get_result(connection).await?)
}

/// Lets changes of an account's uploads follow each other, so that shared objects are counted once.
pub(super) async fn lock(connection: &mut AsyncPgConnection, account: AccountId) -> Result<()> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("uploads:{account}"))
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn count(connection: &mut AsyncPgConnection, account: AccountId) -> Result<i64> {
    Ok(dsl::uploads.filter(dsl::account_id.eq(account.uuid())).count().get_result(connection).await?)
}

/// True when an upload of the account has this content.
pub(super) async fn has_content(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    sha256: &str,
) -> Result<bool> {
    let same = dsl::uploads.filter(dsl::account_id.eq(account.uuid()).and(dsl::sha256.eq(sha256)));
    Ok(select(exists(same)).get_result(connection).await?)
}

/// True when an upload of the account names this object.
pub(super) async fn has_object(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    storage_key: &str,
) -> Result<bool> {
    let same = dsl::uploads.filter(dsl::account_id.eq(account.uuid()).and(dsl::storage_key.eq(storage_key)));
    Ok(select(exists(same)).get_result(connection).await?)
}

/// Key of the object with this content, which uploads of the account share.
pub(super) async fn object_of(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    sha256: &str,
) -> Result<Option<String>> {
    Ok(dsl::uploads
        .filter(dsl::account_id.eq(account.uuid()).and(dsl::sha256.eq(sha256)))
        .order(dsl::id)
        .select(dsl::storage_key)
        .first(connection)
        .await
        .optional()?)
}

pub(super) async fn insert(connection: &mut AsyncPgConnection, new: &NewUpload<'_>) -> Result<Row> {
    Ok(insert_into(dsl::uploads).values(new).returning(Row::as_returning()).get_result(connection).await?)
}

pub(super) async fn delete(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<()> {
    diesel::delete(dsl::uploads.filter(dsl::account_id.eq(account.uuid()).and(dsl::id.eq(id))))
        .execute(connection)
        .await?;
    Ok(())
}

/// File of an upload of any account, for a signed address.
pub(super) async fn file(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<StoredFile>> {
    let row: Option<Row> =
        dsl::uploads.filter(dsl::id.eq(id)).select(Row::as_select()).first(connection).await.optional()?;
    Ok(row.map(|row| StoredFile {
        content_type: row.content_type,
        size_bytes: u64::try_from(row.size_bytes).unwrap_or_default(),
        content_hash: row.sha256,
        storage_key: row.storage_key,
        caching: Caching::Nothing,
    }))
}

impl Row {
    /// Size for responses.
    pub fn size(&self) -> Int64 {
        Int64(self.size_bytes)
    }
}
