//! Queries over the sounds of an account: rows of `sounds`, and those of its installs.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, insert_into,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use live_model::sounds::sounds_of_account;
use shared::{
    id::AccountId,
    schema::{
        accounts, extension_installs, overlays, plans,
        sounds::{self, dsl},
        widgets,
    },
};
use uuid::Uuid;

use super::{Changes, Slice};

/// A sound of an account or of one of its installs.
#[derive(Debug, QueryableByName)]
pub(super) struct Row {
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    #[diesel(sql_type = Text)]
    pub name: String,
    #[diesel(sql_type = Text)]
    pub filename: String,
    #[diesel(sql_type = Text)]
    pub content_type: String,
    #[diesel(sql_type = BigInt)]
    pub size_bytes: i64,
    #[diesel(sql_type = Nullable<BigInt>)]
    pub duration_ms: Option<i64>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    pub waveform: Option<serde_json::Value>,
    #[diesel(sql_type = Text)]
    pub storage_key: String,
    #[diesel(sql_type = Timestamptz)]
    pub created_at: Timestamp,
    #[diesel(sql_type = Nullable<Text>)]
    pub source_extension_name: Option<String>,
}

/// A row to write.
#[derive(Insertable)]
#[diesel(table_name = sounds)]
pub(super) struct NewSound<'a> {
    pub id: Uuid,
    pub account_id: AccountId,
    pub name: &'a str,
    pub filename: &'a str,
    pub content_type: &'static str,
    pub size_bytes: i64,
    pub duration_ms: Option<i64>,
    pub waveform: Option<serde_json::Value>,
    pub storage_key: &'a str,
    pub sha256: &'a str,
    pub created_at: DateTime<Utc>,
}

/// Limits of the plan of an account, in the order of the columns.
#[derive(Debug, Clone, Copy, Queryable)]
pub(super) struct SoundLimits {
    pub sounds: i64,
    pub file_size: i64,
    pub storage_bytes: i64,
}

/// Number and size of the own sounds of an account.
#[derive(Debug, Clone, Copy, QueryableByName)]
pub(super) struct SoundUsage {
    #[diesel(sql_type = BigInt)]
    pub sounds: i64,
    #[diesel(sql_type = BigInt)]
    pub bytes: i64,
}

#[derive(QueryableByName)]
struct Counted {
    #[diesel(sql_type = BigInt)]
    total: i64,
}

const COLUMNS: &str = "id, account_id, name, filename, content_type, size_bytes, duration_ms, waveform, storage_key, \
    created_at, source_extension_name";

/// Returns some sounds whose name contains a text in any case, newest first, and the number of all of them.
pub(super) async fn page(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    search: Option<&str>,
    slice: Slice,
) -> Result<(Vec<Row>, i64)> {
    let found = format!(
        "FROM ({}) AS all_sounds WHERE $2 IS NULL OR strpos(lower(name), lower($2)) > 0",
        sounds_of_account()
    );
    let counted: Counted = sql_query(format!("SELECT count(*) AS total {found}"))
        .bind::<SqlUuid, _>(account.uuid())
        .bind::<Nullable<Text>, _>(search)
        .get_result(connection)
        .await?;
    let rows =
        sql_query(format!("SELECT {COLUMNS} {found} ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4"))
            .bind::<SqlUuid, _>(account.uuid())
            .bind::<Nullable<Text>, _>(search)
            .bind::<BigInt, _>(slice.limit)
            .bind::<BigInt, _>(slice.offset)
            .load(connection)
            .await?;
    Ok((rows, counted.total))
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<Row>> {
    let found = sql_query(format!(
        "SELECT {COLUMNS} FROM ({}) AS all_sounds WHERE id = $2 LIMIT 1",
        sounds_of_account()
    ))
    .bind::<SqlUuid, _>(account.uuid())
    .bind::<SqlUuid, _>(id)
    .load(connection)
    .await?;
    Ok(found.into_iter().next())
}

pub(super) async fn limits(connection: &mut AsyncPgConnection, account: AccountId) -> Result<SoundLimits> {
    Ok(accounts::table
        .inner_join(plans::table)
        .filter(accounts::id.eq(account))
        .select((plans::max_sounds, plans::max_sound_file_size, plans::max_sound_storage_bytes))
        .first(connection)
        .await?)
}

pub(super) async fn usage(connection: &mut AsyncPgConnection, account: AccountId) -> Result<SoundUsage> {
    Ok(sql_query(
        "SELECT count(*) AS sounds, coalesce(sum(size_bytes), 0)::bigint AS bytes FROM sounds WHERE account_id = $1",
    )
    .bind::<SqlUuid, _>(account.uuid())
    .get_result(connection)
    .await?)
}

/// Lets additions to the sounds of an account follow each other, so that the limits hold.
pub(super) async fn lock(connection: &mut AsyncPgConnection, account: AccountId) -> Result<()> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("sounds:{account}"))
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn insert(connection: &mut AsyncPgConnection, new: &NewSound<'_>) -> Result<()> {
    insert_into(dsl::sounds).values(new).execute(connection).await?;
    Ok(())
}

/// Changes an own sound. False when the account has no such one.
pub(super) async fn update(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    changes: Changes,
) -> Result<bool> {
    let own = dsl::sounds.filter(dsl::account_id.eq(account.uuid()).and(dsl::id.eq(id)));
    let changed = diesel::update(own)
        .set((
            changes.name.map(|name| dsl::name.eq(name)),
            changes.duration_ms.map(|duration| dsl::duration_ms.eq(duration)),
            changes.waveform.map(|waveform| dsl::waveform.eq(waveform)),
        ))
        .execute(connection)
        .await?;
    Ok(changed == 1)
}

/// Removes an own sound. False when the account has no such one.
pub(super) async fn delete(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<bool> {
    let own = dsl::sounds.filter(dsl::account_id.eq(account.uuid()).and(dsl::id.eq(id)));
    Ok(diesel::delete(own).execute(connection).await? == 1)
}

pub(super) async fn has_widget(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<bool> {
    let own = widgets::table.filter(widgets::account_id.eq(account.uuid()).and(widgets::id.eq(id)));
    Ok(diesel::select(diesel::dsl::exists(own)).get_result(connection).await?)
}

pub(super) async fn has_overlay(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<bool> {
    let own = overlays::table.filter(overlays::account_id.eq(account.uuid()).and(overlays::id.eq(id)));
    Ok(diesel::select(diesel::dsl::exists(own)).get_result(connection).await?)
}

/// Account of a sound of any account, for a signed address; of a sound of an extension by its install.
pub(super) async fn account_of(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    install: Option<Uuid>,
) -> Result<Option<AccountId>> {
    let found = match install {
        Some(install) => {
            extension_installs::table
                .filter(extension_installs::id.eq(install))
                .select(extension_installs::account_id)
                .first(connection)
                .await
        }
        None => dsl::sounds.filter(dsl::id.eq(id)).select(dsl::account_id).first(connection).await,
    };
    Ok(found.optional()?)
}
