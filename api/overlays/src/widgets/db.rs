//! Queries over `widgets`. Each carries the account.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName,
    dsl::{count_star, sql},
    insert_into,
    prelude::*,
    sql_query,
    sql_types::{Array, BigInt, Bool, Integer, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
    update,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_model::install_runs;
use serde_json::Value;
use shared::{
    id::AccountId,
    schema::{
        extension_installs, extension_versions, extensions,
        widgets::{self, dsl},
    },
};
use uuid::Uuid;

use super::MAX_WIDGETS;
use surfaces::object_access::ObjectAccess;

/// A widget with the access of the caller.
#[derive(Debug, Clone, QueryableByName)]
pub(super) struct Row {
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    #[diesel(sql_type = Text)]
    pub name: String,
    #[diesel(sql_type = Text)]
    pub widget_type: String,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub install_id: Option<Uuid>,
    #[diesel(sql_type = Jsonb)]
    pub config: Value,
    #[diesel(sql_type = Integer)]
    pub width: i32,
    #[diesel(sql_type = Integer)]
    pub height: i32,
    #[diesel(sql_type = Bool)]
    pub enabled: bool,
    #[diesel(sql_type = Text)]
    pub token_prefix: String,
    #[diesel(sql_type = Timestamptz)]
    pub created_at: Timestamp,
    #[diesel(sql_type = Timestamptz)]
    pub updated_at: Timestamp,
    /// Column of [`ObjectAccess::sql`].
    #[diesel(sql_type = Nullable<Text>)]
    pub access: Option<String>,
}

#[derive(Insertable)]
#[diesel(table_name = widgets)]
pub(super) struct NewRow<'a> {
    pub id: Uuid,
    pub account_id: AccountId,
    pub name: &'a str,
    pub widget_type: &'a str,
    pub install_id: Option<Uuid>,
    pub config: &'a Value,
    pub width: i32,
    pub height: i32,
    pub enabled: bool,
    pub token_prefix: &'a str,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// New values of columns. Absent fields stay.
#[derive(Debug, Default, AsChangeset)]
#[diesel(table_name = widgets)]
pub(super) struct Changes {
    pub name: Option<String>,
    pub config: Option<Value>,
    pub width: Option<i32>,
    pub height: Option<i32>,
    pub enabled: Option<bool>,
}

/// Widgets of an account ($1) with the access of people ($2).
fn selected(access: &ObjectAccess) -> String {
    format!(
        "SELECT object.id, object.account_id, object.name, object.widget_type, object.install_id, object.config,
            object.width, object.height, object.enabled, object.token_prefix, object.created_at, object.updated_at,
            {} AS access
        FROM widgets AS object WHERE object.account_id = $1",
        access.sql("$2")
    )
}

/// Lists the widgets that the caller reaches, oldest first.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    access: &ObjectAccess,
    widget_type: Option<&str>,
    search: Option<&str>,
) -> Result<Vec<Row>> {
    let sql = format!(
        "SELECT * FROM ({}) AS listed WHERE access IS NOT NULL AND ($3::text IS NULL OR widget_type = $3)
            AND ($4::text IS NULL OR strpos(lower(name), lower($4)) > 0)
        ORDER BY created_at, id LIMIT $5",
        selected(access)
    );
    Ok(sql_query(sql)
        .bind::<SqlUuid, _>(access.account().uuid())
        .bind::<Array<SqlUuid>, _>(access.people().to_vec())
        .bind::<Nullable<Text>, _>(widget_type)
        .bind::<Nullable<Text>, _>(search)
        .bind::<BigInt, _>(MAX_WIDGETS)
        .load(connection)
        .await?)
}

/// Finds a widget, also one that the caller does not reach.
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

/// Oldest install of an extension that runs in the account and has a layer. Built-in extensions are not among
/// them: their widgets have names and flags of their own.
pub(super) async fn install_with_layer(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    slug: &str,
) -> Result<Option<Uuid>> {
    let has_layer = sql::<Bool>("coalesce(extension_versions.manifest -> 'targets' @> '[\"layer\"]', false)");
    Ok(extension_installs::table
        .inner_join(extensions::table)
        .inner_join(extension_versions::table.on(extension_versions::id.eq(extension_installs::version_id)))
        .filter(extension_installs::account_id.eq(account))
        .filter(extensions::slug.eq(slug).and(extensions::visibility.ne("system")))
        .filter(install_runs())
        .filter(has_layer)
        .order((extension_installs::created_at.asc(), extension_installs::id.asc()))
        .select(extension_installs::id)
        .first(connection)
        .await
        .optional()?)
}

/// Lets additions to the widgets of an account follow each other, so that the limit holds.
pub(super) async fn lock_all(connection: &mut AsyncPgConnection, account: AccountId) -> Result<()> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("widgets:{account}"))
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn count(connection: &mut AsyncPgConnection, account: AccountId) -> Result<i64> {
    Ok(dsl::widgets.filter(dsl::account_id.eq(account)).select(count_star()).first(connection).await?)
}

pub(super) async fn insert(connection: &mut AsyncPgConnection, widget: &NewRow<'_>) -> Result<()> {
    insert_into(dsl::widgets).values(widget).execute(connection).await?;
    Ok(())
}

pub(super) async fn change(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    changes: &Changes,
    now: DateTime<Utc>,
) -> Result<()> {
    let own = dsl::widgets.filter(dsl::account_id.eq(account).and(dsl::id.eq(id)));
    update(own).set((changes, dsl::updated_at.eq(now))).execute(connection).await?;
    Ok(())
}

pub(super) async fn put_token_prefix(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    prefix: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    let own = dsl::widgets.filter(dsl::account_id.eq(account).and(dsl::id.eq(id)));
    update(own).set((dsl::token_prefix.eq(prefix), dsl::updated_at.eq(now))).execute(connection).await?;
    Ok(())
}

pub(super) async fn delete(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<()> {
    let own = dsl::widgets.filter(dsl::account_id.eq(account).and(dsl::id.eq(id)));
    diesel::delete(own).execute(connection).await?;
    Ok(())
}
