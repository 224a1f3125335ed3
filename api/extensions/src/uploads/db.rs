//! Queries over `extension_uploads`. Writes carry the account; reads need the name of the file only.

use api_core::{
    Result,
    http::{Caching, StoredFile},
};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*, sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::AccountId,
    schema::{
        extension_installs,
        extension_uploads::{self, dsl},
    },
};
use uuid::Uuid;

#[derive(Debug, Insertable)]
#[diesel(table_name = extension_uploads)]
pub(super) struct NewUpload<'a> {
    pub id: Uuid,
    pub extension_id: Uuid,
    pub account_id: AccountId,
    pub filename: &'a str,
    pub content_type: &'static str,
    pub size_bytes: i64,
    pub sha256: &'a str,
    pub storage_key: &'a str,
    pub created_at: DateTime<Utc>,
}

/// Extension of an install, which is locked against deletion until the transaction ends.
pub(super) async fn extension_of(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    install: Uuid,
) -> Result<Option<Uuid>> {
    Ok(extension_installs::table
        .filter(extension_installs::id.eq(install).and(extension_installs::account_id.eq(account)))
        .select(extension_installs::extension_id)
        .for_key_share()
        .first(connection)
        .await
        .optional()?)
}

/// Blocks other uploads of the extension in the account until the transaction ends.
pub(super) async fn lock(connection: &mut AsyncPgConnection, new: &NewUpload<'_>) -> Result<()> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("extension_uploads:{}:{}", new.extension_id, new.account_id))
        .execute(connection)
        .await?;
    Ok(())
}

/// True when the account has the content already.
pub(super) async fn exists(connection: &mut AsyncPgConnection, new: &NewUpload<'_>) -> Result<bool> {
    let same = dsl::extension_uploads.filter(
        dsl::extension_id
            .eq(new.extension_id)
            .and(dsl::account_id.eq(new.account_id))
            .and(dsl::filename.eq(new.filename)),
    );
    Ok(diesel::select(diesel::dsl::exists(same)).get_result(connection).await?)
}

pub(super) async fn count(connection: &mut AsyncPgConnection, new: &NewUpload<'_>) -> Result<i64> {
    Ok(dsl::extension_uploads
        .filter(dsl::extension_id.eq(new.extension_id).and(dsl::account_id.eq(new.account_id)))
        .count()
        .get_result(connection)
        .await?)
}

pub(super) async fn insert(connection: &mut AsyncPgConnection, new: &NewUpload<'_>) -> Result<()> {
    insert_into(dsl::extension_uploads).values(new).execute(connection).await?;
    Ok(())
}

/// File of this name; those of several accounts have the same content.
pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    filename: &str,
) -> Result<Option<StoredFile>> {
    let row: Option<(String, i64, String, String)> = dsl::extension_uploads
        .filter(dsl::extension_id.eq(extension).and(dsl::filename.eq(filename)))
        .order(dsl::id)
        .select((dsl::content_type, dsl::size_bytes, dsl::sha256, dsl::storage_key))
        .first(connection)
        .await
        .optional()?;
    Ok(row.map(|(content_type, size_bytes, content_hash, storage_key)| StoredFile {
        content_type,
        size_bytes: u64::try_from(size_bytes).unwrap_or_default(),
        content_hash,
        storage_key,
        caching: Caching::Public,
    }))
}
