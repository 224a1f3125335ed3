//! Queries over `overlays`. Each carries the account.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, insert_into,
    prelude::*,
    sql_query,
    sql_types::{Array, BigInt, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid},
    update,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{self, AccountId},
    schema::{
        overlays::{self, dsl},
        uploads,
    },
    uploads::DEVELOPER_DOCUMENT,
};
use uuid::Uuid;

use super::{MAX_LAYERS, MAX_OVERLAYS};
use surfaces::object_access::ObjectAccess;

/// An overlay with the access of the caller.
#[derive(Debug, Clone, QueryableByName)]
pub(super) struct Row {
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    #[diesel(sql_type = Text)]
    pub name: String,
    #[diesel(sql_type = Text)]
    pub key: String,
    #[diesel(sql_type = Integer)]
    pub width: i32,
    #[diesel(sql_type = Integer)]
    pub height: i32,
    #[diesel(sql_type = Text)]
    pub background: String,
    #[diesel(sql_type = Integer)]
    pub version: i32,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub thumbnail_upload_id: Option<Uuid>,
    #[diesel(sql_type = Integer)]
    pub layer_count: i32,
    #[diesel(sql_type = Timestamptz)]
    pub created_at: Timestamp,
    #[diesel(sql_type = Timestamptz)]
    pub updated_at: Timestamp,
    /// Column of [`ObjectAccess::sql`].
    #[diesel(sql_type = Nullable<Text>)]
    pub access: Option<String>,
}

#[derive(Insertable)]
#[diesel(table_name = overlays)]
pub(super) struct NewOverlay<'a> {
    pub id: Uuid,
    pub account_id: AccountId,
    pub name: &'a str,
    pub key: &'a str,
    pub width: i32,
    pub height: i32,
    pub background: &'a str,
    pub thumbnail_upload_id: Option<Uuid>,
    pub token: Vec<u8>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// New values of columns. Absent fields stay; an inner `None` is null.
#[derive(Debug, Default, AsChangeset)]
#[diesel(table_name = overlays)]
pub(super) struct Changes {
    pub name: Option<String>,
    pub width: Option<i32>,
    pub height: Option<i32>,
    pub background: Option<String>,
    pub thumbnail_upload_id: Option<Option<Uuid>>,
}

/// Overlays of an account ($1) with the access of people ($2).
fn selected(access: &ObjectAccess) -> String {
    format!(
        "SELECT object.id, object.account_id, object.name, object.key, object.width, object.height,
            object.background, object.version, object.thumbnail_upload_id, object.created_at, object.updated_at,
            (SELECT count(*)::int4 FROM overlay_layers AS layer WHERE layer.overlay_id = object.id) AS layer_count,
            {} AS access
        FROM overlays AS object WHERE object.account_id = $1",
        access.sql("$2")
    )
}

/// Lists the overlays that the caller reaches, oldest first.
pub(super) async fn list(connection: &mut AsyncPgConnection, access: &ObjectAccess) -> Result<Vec<Row>> {
    let sql = format!(
        "SELECT * FROM ({}) AS listed WHERE access IS NOT NULL ORDER BY created_at, id LIMIT $3",
        selected(access)
    );
    Ok(sql_query(sql)
        .bind::<SqlUuid, _>(access.account().uuid())
        .bind::<Array<SqlUuid>, _>(access.people().to_vec())
        .bind::<BigInt, _>(MAX_OVERLAYS)
        .load(connection)
        .await?)
}

/// Finds an overlay, also one that the caller does not reach.
pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    access: &ObjectAccess,
    id: Uuid,
) -> Result<Option<Row>> {
    Ok(sql_query(format!("{} AND object.id = $3", selected(access)))
        .bind::<SqlUuid, _>(access.account().uuid())
        .bind::<Array<SqlUuid>, _>(access.people().to_vec())
        .bind::<SqlUuid, _>(id)
        .get_result(connection)
        .await
        .optional()?)
}

pub(super) async fn insert(connection: &mut AsyncPgConnection, overlay: &NewOverlay<'_>) -> Result<()> {
    insert_into(dsl::overlays).values(overlay).execute(connection).await?;
    Ok(())
}

/// Copies the layers of an overlay to another one of the account.
pub(super) async fn copy_layers(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    from: Uuid,
    to: Uuid,
) -> Result<()> {
    let ids: Vec<Uuid> = (0..MAX_LAYERS).map(|_| id::new()).collect();
    sql_query(
        "INSERT INTO overlay_layers (id, account_id, overlay_id, layer_type, name, config, visible, sort_order,
            install_id, x, y, width, height, rotation, opacity, locked)
        SELECT fresh.id, $1, $3, layer_type, name, config, visible, sort_order, install_id, x, y, width, height,
            rotation, opacity, locked
        FROM (SELECT *, row_number() OVER (ORDER BY sort_order, id) AS place FROM overlay_layers
            WHERE account_id = $1 AND overlay_id = $2) AS layer
        JOIN unnest($4::uuid[]) WITH ORDINALITY AS fresh (id, place) ON fresh.place = layer.place",
    )
    .bind::<SqlUuid, _>(account.uuid())
    .bind::<SqlUuid, _>(from)
    .bind::<SqlUuid, _>(to)
    .bind::<Array<SqlUuid>, _>(ids)
    .execute(connection)
    .await?;
    Ok(())
}

/// Changes an overlay and counts the change.
pub(super) async fn change(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    changes: &Changes,
    now: DateTime<Utc>,
) -> Result<()> {
    let own = dsl::overlays.filter(dsl::account_id.eq(account).and(dsl::id.eq(id)));
    update(own)
        .set((changes, dsl::version.eq(dsl::version + 1), dsl::updated_at.eq(now)))
        .execute(connection)
        .await?;
    Ok(())
}

/// Counts a change of the layers of an overlay; returns its new version.
pub(super) async fn count_change(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<i32> {
    let own = dsl::overlays.filter(dsl::account_id.eq(account).and(dsl::id.eq(id)));
    Ok(update(own)
        .set((dsl::version.eq(dsl::version + 1), dsl::updated_at.eq(now)))
        .returning(dsl::version)
        .get_result(connection)
        .await?)
}

/// Version of an overlay that is locked.
pub(super) async fn version(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<i32> {
    let own = dsl::overlays.filter(dsl::account_id.eq(account).and(dsl::id.eq(id)));
    Ok(own.select(dsl::version).first(connection).await?)
}

/// Key of an overlay that the caller reaches.
pub(super) async fn key(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<String> {
    let own = dsl::overlays.filter(dsl::account_id.eq(account).and(dsl::id.eq(id)));
    Ok(own.select(dsl::key).first(connection).await?)
}

pub(super) async fn delete(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<()> {
    let own = dsl::overlays.filter(dsl::account_id.eq(account).and(dsl::id.eq(id)));
    diesel::delete(own).execute(connection).await?;
    Ok(())
}

/// True when the account has an upload that its editors may see. The upload is kept until the transaction ends.
pub(super) async fn has_upload(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<bool> {
    let own = uploads::table.filter(uploads::account_id.eq(account).and(uploads::id.eq(id)));
    let own = own.filter(uploads::purpose.ne(DEVELOPER_DOCUMENT));
    let found: Option<Uuid> = own.select(uploads::id).for_key_share().first(connection).await.optional()?;
    Ok(found.is_some())
}
