//! Queries of the store. Extensions that are not listed are visible to those they are offered to.

use api_core::{Result, Timestamp, graphql::Int64, page::Window};
use diesel::{
    QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{Array, BigInt, Bool, Double, Integer, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use shared::{
    id::{AccountId, UserId},
    schema::{extension_reviews, extension_versions},
};
use uuid::Uuid;

use super::{StoreDeveloper, StoreExtension, StoreSort, version::StoreVersion};

/// Maximum number of versions shown, the newest; older ones are archived
/// (reference/developers.md#version-states).
const MAX_VERSIONS: i64 = 100;
/// Only currency (reference/developers.md#pricing).
const CURRENCY: &str = "EUR";

/// A checked query.
pub(super) struct Filter<'a> {
    pub words: Option<&'a str>,
    pub category: Option<&'static str>,
    pub pricing: Option<&'static str>,
    pub sort: StoreSort,
}

#[derive(Debug, QueryableByName)]
pub(super) struct StoreRow {
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    #[diesel(sql_type = Text)]
    short_id: String,
    #[diesel(sql_type = Text)]
    slug: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    short_description: String,
    #[diesel(sql_type = Nullable<Text>)]
    category: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    icon_key: Option<String>,
    #[diesel(sql_type = Text)]
    pricing_type: String,
    #[diesel(sql_type = Nullable<BigInt>)]
    pricing_amount: Option<i64>,
    #[diesel(sql_type = Integer)]
    install_count: i32,
    #[diesel(sql_type = Double)]
    rating_avg: f64,
    #[diesel(sql_type = Integer)]
    rating_count: i32,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    published_at: Option<Timestamp>,
    #[diesel(sql_type = Nullable<Text>)]
    developer_slug: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    developer_name: Option<String>,
    #[diesel(sql_type = Bool)]
    installed: bool,
}

/// Further columns of the detail.
#[derive(Debug, QueryableByName)]
pub(super) struct DetailRow {
    #[diesel(sql_type = Text)]
    pub long_description: String,
    #[diesel(sql_type = Nullable<Text>)]
    pub pricing_interval: Option<String>,
    #[diesel(sql_type = Array<Text>)]
    pub screenshots: Vec<String>,
    #[diesel(sql_type = Array<Text>)]
    pub tags: Vec<String>,
    #[diesel(sql_type = Nullable<Text>)]
    pub support_url: Option<String>,
    #[diesel(sql_type = Text)]
    pub visibility: String,
    #[diesel(sql_type = Text)]
    pub current_version: String,
    #[diesel(sql_type = Jsonb)]
    pub manifest: Value,
    /// Last field: the derived code shadows its own `row` with this one.
    #[diesel(embed)]
    pub row: StoreRow,
}

#[derive(QueryableByName)]
struct ListRow {
    #[diesel(sql_type = BigInt)]
    total: i64,
    #[diesel(embed)]
    row: Option<StoreRow>,
}

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = extension_versions)]
struct VersionRow {
    id: Uuid,
    version: String,
    changelog: String,
    breaking: bool,
    bundle_size_bytes: i64,
    approved_at: Option<Timestamp>,
}

impl From<VersionRow> for StoreVersion {
    fn from(row: VersionRow) -> Self {
        Self {
            id: row.id,
            version: row.version,
            changelog: row.changelog,
            breaking: row.breaking,
            bundle_size_bytes: Int64(row.bundle_size_bytes),
            approved_at: row.approved_at,
        }
    }
}

const COLUMNS: &str = "extensions.id, short_id, extensions.slug, extensions.name, short_description, category, icon_key, \
    pricing_type, pricing_amount, install_count, rating_avg, rating_count, published_at, \
    coalesce(developers.slug, teams.slug) AS developer_slug, coalesce(developers.display_name, teams.name) AS developer_name";
const DEVELOPERS: &str = "LEFT JOIN developer_profiles AS developers ON developers.id = owner_developer_id
    LEFT JOIN developer_teams AS teams ON teams.id = owner_team_id";
const FILTER: &str =
    "is_listed AND ($1::text IS NULL OR category = $1) AND ($2::text IS NULL OR pricing_type = $2)";
const WORDS: &str = " AND to_tsvector('simple'::regconfig, name || ' ' || short_description) @@ to_tsquery('simple'::regconfig, $3)";

impl StoreSort {
    /// Order of the list. Each order has an index.
    const fn sql(self) -> &'static str {
        match self {
            Self::Popular => "install_count DESC, id DESC",
            Self::Newest => "published_at DESC NULLS LAST, id DESC",
            Self::Rating => "rating_avg DESC, rating_count DESC, id DESC",
            Self::Name => "lower(name), id",
        }
    }
}

/// One page of the listed extensions and their total, in one statement.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    filter: &Filter<'_>,
    window: Window,
) -> Result<(Vec<StoreExtension>, i64)> {
    let (order, words) = (filter.sort.sql(), filter.words.map_or(" AND $3::text IS NULL", |_| WORDS));
    // The page is read from the index of its order before anything is joined to it.
    let sql = format!(
        "WITH page AS (
             SELECT {COLUMNS}, EXISTS (SELECT FROM extension_installs AS installs
                    WHERE installs.account_id = $4 AND installs.extension_id = extensions.id) AS installed
             FROM (SELECT * FROM extensions WHERE {FILTER}{words} ORDER BY {order} LIMIT $5 OFFSET $6) AS extensions
             {DEVELOPERS})
         SELECT totals.total, page.* FROM (SELECT count(*) AS total FROM extensions WHERE {FILTER}{words}) AS totals
         LEFT JOIN page ON true ORDER BY {order}"
    );
    let rows: Vec<ListRow> = sql_query(sql)
        .bind::<Nullable<Text>, _>(filter.category)
        .bind::<Nullable<Text>, _>(filter.pricing)
        .bind::<Nullable<Text>, _>(filter.words)
        .bind::<SqlUuid, _>(account.uuid())
        .bind::<BigInt, _>(window.limit)
        .bind::<BigInt, _>(window.offset())
        .load(connection)
        .await?;
    let total = rows.iter().map(|row| row.total).next().unwrap_or_default();
    Ok((rows.into_iter().filter_map(|row| row.row).map(StoreExtension::from).collect(), total))
}

/// Reader of the store.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Viewer {
    pub account: AccountId,
    pub user: Option<UserId>,
}

/// Condition of an extension that is offered: published and listed, unlisted, the caller's own, granted to
/// the account, or installed in it. `$1` is the account, `$2` the person.
const OFFERED: &str = "current_version_id IS NOT NULL AND status IN ('approved', 'archived') AND (
        is_listed OR (visibility IN ('unlisted', 'system') AND status = 'approved') OR developers.user_id = $2
        OR EXISTS (SELECT FROM developer_team_members AS members
                   WHERE members.team_id = extensions.owner_team_id AND members.user_id = $2)
        OR EXISTS (SELECT FROM extension_access_grants AS grants
                   WHERE grants.extension_id = extensions.id AND grants.account_id = $1)
        OR EXISTS (SELECT FROM extension_installs AS installs
                   WHERE installs.account_id = $1 AND installs.extension_id = extensions.id))";

/// Extension of an id or slug, if it is offered to the viewer.
pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    viewer: Viewer,
    name: &str,
) -> Result<Option<DetailRow>> {
    let by = if Uuid::try_parse(name).is_ok() { "extensions.id = $3::uuid" } else { "extensions.slug = $3" };
    let sql = format!(
        "SELECT {COLUMNS}, extensions.description AS long_description, pricing_interval, screenshots, tags, support_url,
                visibility, current.version AS current_version, current.manifest,
                EXISTS (SELECT FROM extension_installs AS installs
                        WHERE installs.account_id = $1 AND installs.extension_id = extensions.id) AS installed
         FROM (SELECT * FROM extensions WHERE {by}) AS extensions {DEVELOPERS}
         JOIN LATERAL (SELECT version, manifest FROM extension_versions WHERE id = current_version_id) AS current ON true
         WHERE {OFFERED}"
    );
    Ok(sql_query(sql)
        .bind::<SqlUuid, _>(viewer.account.uuid())
        .bind::<Nullable<SqlUuid>, _>(viewer.user)
        .bind::<Text, _>(name)
        .get_result(connection)
        .await
        .optional()?)
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Bool)]
    is_installed: bool,
}

/// True when the account has the extension installed; `None` when it is not offered to the viewer.
pub(crate) async fn is_installed(
    connection: &mut AsyncPgConnection,
    viewer: Viewer,
    extension: Uuid,
) -> Result<Option<bool>> {
    let sql = format!(
        "SELECT EXISTS (SELECT FROM extension_installs AS installs
                        WHERE installs.account_id = $1 AND installs.extension_id = $3) AS is_installed
         FROM extensions {DEVELOPERS} WHERE extensions.id = $3 AND {OFFERED}"
    );
    let found: Option<Found> = sql_query(sql)
        .bind::<SqlUuid, _>(viewer.account.uuid())
        .bind::<Nullable<SqlUuid>, _>(viewer.user)
        .bind::<SqlUuid, _>(extension)
        .get_result(connection)
        .await
        .optional()?;
    Ok(found.map(|found| found.is_installed))
}

/// Published versions, newest first.
pub(super) async fn versions(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
) -> Result<Vec<StoreVersion>> {
    let rows: Vec<VersionRow> = extension_versions::table
        .filter(extension_versions::extension_id.eq(extension))
        .filter(extension_versions::status.eq("approved"))
        .order((extension_versions::approved_at.desc(), extension_versions::id.desc()))
        .limit(MAX_VERSIONS)
        .select(VersionRow::as_select())
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(StoreVersion::from).collect())
}

/// Number of reviews of each rating.
pub(super) async fn ratings(connection: &mut AsyncPgConnection, extension: Uuid) -> Result<Vec<(i32, i64)>> {
    Ok(extension_reviews::table
        .filter(extension_reviews::extension_id.eq(extension))
        .group_by(extension_reviews::rating)
        .select((extension_reviews::rating, diesel::dsl::count_star()))
        .load(connection)
        .await?)
}

impl From<StoreRow> for StoreExtension {
    fn from(row: StoreRow) -> Self {
        let developer = row.developer_slug.zip(row.developer_name);
        Self {
            id: row.id,
            short_id: row.short_id,
            slug: row.slug,
            name: row.name,
            description: row.short_description,
            category: row.category,
            icon_key: row.icon_key,
            pricing_currency: (row.pricing_type != "free").then(|| CURRENCY.to_owned()),
            pricing_type: row.pricing_type,
            pricing_amount: row.pricing_amount.map(Int64),
            install_count: row.install_count,
            rating_avg: row.rating_avg,
            rating_count: row.rating_count,
            published_at: row.published_at,
            developer: developer.map(|(slug, display_name)| StoreDeveloper { slug, display_name }),
            installed: row.installed,
        }
    }
}
