//! Queries over `extension_installs`. Each carries the account.

use api_core::{ApiError, Result, Timestamp, access::AccountFeatures, graphql::Json};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName,
    dsl::sql,
    insert_into,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Bool, Jsonb, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use semver::Version;
use serde_json::{Map, Value};
use shared::{
    db::schema::{
        extension_installs::{self, dsl},
        extension_versions, extensions,
    },
    extensions::{ConfigSchema, consent_needed, masked},
    id::{AccountId, UserId},
};
use std::collections::HashMap;
use uuid::Uuid;

use super::{
    ExtensionInstall,
    effective::{InstallEffective, Standing},
};

/// More than an account may have.
const MAX_ROWS: i64 = 1000;

#[derive(Debug, Insertable)]
#[diesel(table_name = extension_installs)]
pub(super) struct NewInstall {
    pub id: Uuid,
    pub account_id: AccountId,
    pub extension_id: Uuid,
    pub version_id: Uuid,
    pub config: Value,
    pub granted_permissions: Vec<String>,
    pub installed_by: Option<UserId>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

#[derive(Debug, AsChangeset)]
#[diesel(table_name = extension_installs)]
pub(crate) struct Changes {
    pub version_id: Option<Uuid>,
    pub pinned_version: Option<Option<String>>,
    pub enabled: Option<bool>,
    pub killed_at: Option<Option<DateTime<Utc>>>,
    pub config: Option<Value>,
    pub granted_permissions: Option<Vec<String>>,
    pub updated_at: DateTime<Utc>,
}

impl Changes {
    /// Nothing but the time.
    pub(crate) const fn at(now: DateTime<Utc>) -> Self {
        Self {
            version_id: None,
            pinned_version: None,
            enabled: None,
            killed_at: None,
            config: None,
            granted_permissions: None,
            updated_at: now,
        }
    }
}

/// An install that is about to change.
#[derive(Debug, Clone, Queryable)]
pub(crate) struct Locked {
    pub id: Uuid,
    pub extension_id: Uuid,
    pub version_id: Uuid,
    pub config: Value,
    pub granted_permissions: Vec<String>,
    pub visibility: String,
}

/// What the caller may install.
#[derive(Debug, Clone, QueryableByName)]
pub(super) struct Offer {
    #[diesel(sql_type = SqlUuid)]
    pub extension_id: Uuid,
    #[diesel(sql_type = Text)]
    pub visibility: String,
    #[diesel(sql_type = Text)]
    pub pricing_type: String,
    #[diesel(sql_type = Bool)]
    /// The caller is its developer and owns the account.
    pub is_own: bool,
    #[diesel(sql_type = SqlUuid)]
    pub version_id: Uuid,
    #[diesel(sql_type = Text)]
    pub version: String,
    #[diesel(sql_type = Jsonb)]
    pub manifest: Value,
}

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = extension_installs)]
struct Row {
    id: Uuid,
    account_id: Uuid,
    extension_id: Uuid,
    pinned_version: Option<String>,
    enabled: bool,
    killed_at: Option<Timestamp>,
    config: Value,
    granted_permissions: Vec<String>,
    installed_by: Option<Uuid>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// What stands beside an install: the extension, the version that runs, and the current one.
#[derive(Debug, Queryable)]
struct Rest {
    extension_slug: String,
    extension_name: String,
    category: Option<String>,
    extension_status: String,
    version: String,
    version_status: String,
    config_schema: Option<Value>,
    current_version: Option<String>,
    current_permissions: Option<Value>,
}

/// The settings that the version which runs declares.
const CONFIG_SCHEMA: &str = "(extension_versions.manifest -> 'config_schema')";

/// The current version of an extension; archived extensions still have one.
const CURRENT_VERSION: &str = "(SELECT current.version FROM extension_versions AS current
    WHERE current.id = extensions.current_version_id)";
const CURRENT_PERMISSIONS: &str =
    "(SELECT current.manifest -> 'permissions' FROM extension_versions AS current
    WHERE current.id = extensions.current_version_id)";

pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    features: &AccountFeatures,
) -> Result<Vec<ExtensionInstall>> {
    let rows = dsl::extension_installs
        .inner_join(extensions::table)
        .inner_join(extension_versions::table.on(extension_versions::id.eq(dsl::version_id)))
        .filter(dsl::account_id.eq(account))
        .order((dsl::created_at, dsl::id))
        .limit(MAX_ROWS)
        .select((
            Row::as_select(),
            (
                extensions::slug,
                extensions::name,
                extensions::category,
                extensions::status,
                extension_versions::version,
                extension_versions::status,
                sql::<Nullable<Jsonb>>(CONFIG_SCHEMA),
                sql::<Nullable<Text>>(CURRENT_VERSION),
                sql::<Nullable<Jsonb>>(CURRENT_PERMISSIONS),
            ),
        ))
        .load::<(Row, Rest)>(connection)
        .await?;
    views(connection, rows, features).await
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    features: &AccountFeatures,
) -> Result<Option<ExtensionInstall>> {
    let rows = dsl::extension_installs
        .inner_join(extensions::table)
        .inner_join(extension_versions::table.on(extension_versions::id.eq(dsl::version_id)))
        .filter(dsl::account_id.eq(account).and(dsl::id.eq(id)))
        .select((
            Row::as_select(),
            (
                extensions::slug,
                extensions::name,
                extensions::category,
                extensions::status,
                extension_versions::version,
                extension_versions::status,
                sql::<Nullable<Jsonb>>(CONFIG_SCHEMA),
                sql::<Nullable<Text>>(CURRENT_VERSION),
                sql::<Nullable<Jsonb>>(CURRENT_PERMISSIONS),
            ),
        ))
        .load::<(Row, Rest)>(connection)
        .await?;
    Ok(views(connection, rows, features).await?.pop())
}

/// Holds the install until the end of the transaction.
pub(crate) async fn locked(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<Locked>> {
    Ok(dsl::extension_installs
        .inner_join(extensions::table)
        .filter(dsl::account_id.eq(account).and(dsl::id.eq(id)))
        .select((
            dsl::id,
            dsl::extension_id,
            dsl::version_id,
            dsl::config,
            dsl::granted_permissions,
            extensions::visibility,
        ))
        .for_update()
        .first(connection)
        .await
        .optional()?)
}

/// What an extension offers the caller: its current version if it is listed, unlisted or granted to the account; to a
/// tester, in an account that the tester owns, also what is in testing; and to its own developer, in an account that the
/// developer owns, also what is private and, unless it is public, not reviewed: nobody else's account runs what no
/// reviewer saw (C B1.1, B1.4). The extension's row is held and its count raised, which
/// what is built in has none of.
pub(super) async fn offered(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    user: Option<UserId>,
    account: AccountId,
) -> Result<Option<Offer>> {
    let offers: Vec<Offer> = sql_query(
        "WITH counted AS (
             UPDATE extensions SET install_count = install_count + (visibility <> 'system')::integer
             WHERE id = $1 AND status NOT IN ('suspended', 'archived')
             RETURNING id, visibility, pricing_type, current_version_id, listed_at, owner_developer_id),
         offered AS (
             SELECT counted.*, coalesce(developer_profiles.user_id = $2 AND accounts.owner_id = $2, false) AS is_own,
                    accounts.owner_id = $2 AND EXISTS (
                        SELECT FROM extension_testers AS testers
                        WHERE testers.extension_id = counted.id AND testers.user_id = $2) AS is_tester,
                    EXISTS (
                        SELECT FROM extension_access_grants AS grants
                        WHERE grants.extension_id = counted.id AND grants.account_id = $3) AS is_granted
             FROM counted
             JOIN accounts ON accounts.id = $3
             LEFT JOIN developer_profiles ON developer_profiles.id = owner_developer_id)
         SELECT offered.id AS extension_id, visibility, pricing_type, is_own, versions.id AS version_id,
                versions.version, versions.manifest
         FROM offered JOIN extension_versions AS versions ON versions.extension_id = offered.id
         WHERE (versions.id = current_version_id
                AND (is_own OR is_granted OR visibility IN ('unlisted', 'system')
                     OR (visibility IN ('public', 'paid') AND listed_at IS NOT NULL)))
            OR (is_own AND visibility IN ('private', 'unlisted')
                AND versions.status IN ('pending', 'testing', 'pending_publish'))
            OR (is_tester AND versions.status = 'testing')
         ORDER BY versions.submitted_at DESC, versions.id DESC LIMIT 1",
    )
    .bind::<SqlUuid, _>(extension)
    .bind::<Nullable<SqlUuid>, _>(user)
    .bind::<SqlUuid, _>(account)
    .load(connection)
    .await?;
    Ok(offers.into_iter().next())
}

/// Installs of the account, and of one extension in it.
pub(super) async fn count(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    extension: Uuid,
) -> Result<(i64, i64)> {
    Ok(dsl::extension_installs
        .filter(dsl::account_id.eq(account))
        .select((
            diesel::dsl::count_star(),
            sql::<BigInt>("count(*) FILTER (WHERE extension_id = ").bind::<SqlUuid, _>(extension).sql(")"),
        ))
        .first(connection)
        .await?)
}

pub(super) async fn insert(connection: &mut AsyncPgConnection, install: NewInstall) -> Result<()> {
    insert_into(dsl::extension_installs).values(install).execute(connection).await?;
    Ok(())
}

/// Whether the account has such an install.
pub(crate) async fn exists(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<bool> {
    let own = dsl::extension_installs.filter(dsl::account_id.eq(account).and(dsl::id.eq(id)));
    Ok(diesel::select(diesel::dsl::exists(own)).get_result(connection).await?)
}

pub(crate) async fn update(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    changes: Changes,
) -> Result<()> {
    let own = dsl::extension_installs.filter(dsl::account_id.eq(account).and(dsl::id.eq(id)));
    diesel::update(own).set(changes).execute(connection).await?;
    Ok(())
}

pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    extension: Uuid,
) -> Result<()> {
    diesel::delete(dsl::extension_installs.filter(dsl::account_id.eq(account).and(dsl::id.eq(id))))
        .execute(connection)
        .await?;
    diesel::update(extensions::table.find(extension))
        .set(extensions::install_count.eq(extensions::install_count - 1))
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn manifest(connection: &mut AsyncPgConnection, version: Uuid) -> Result<Value> {
    Ok(extension_versions::table.find(version).select(extension_versions::manifest).first(connection).await?)
}

/// The version that an install runs, with its manifest.
pub(super) async fn running(connection: &mut AsyncPgConnection, version: Uuid) -> Result<(Version, Value)> {
    let (version, manifest): (String, Value) = extension_versions::table
        .find(version)
        .select((extension_versions::version, extension_versions::manifest))
        .first(connection)
        .await?;
    Ok((parse(&version)?, manifest))
}

/// A published version of an extension.
pub(super) async fn published(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    version: &str,
) -> Result<Option<(Uuid, Value)>> {
    Ok(extension_versions::table
        .filter(extension_versions::extension_id.eq(extension).and(extension_versions::version.eq(version)))
        .filter(extension_versions::status.eq_any(["approved", "archived"]))
        .select((extension_versions::id, extension_versions::manifest))
        .first(connection)
        .await
        .optional()?)
}

/// The current version of an extension.
pub(super) async fn current(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
) -> Result<Option<(Uuid, Value)>> {
    Ok(extension_versions::table
        .inner_join(extensions::table)
        .filter(extensions::id.eq(extension))
        .filter(extensions::current_version_id.eq(extension_versions::id.nullable()))
        .select((extension_versions::id, extension_versions::manifest))
        .first(connection)
        .await
        .optional()?)
}

async fn views(
    connection: &mut AsyncPgConnection,
    rows: Vec<(Row, Rest)>,
    features: &AccountFeatures,
) -> Result<Vec<ExtensionInstall>> {
    let is_outdated =
        |rest: &Rest| rest.current_version.as_ref().is_some_and(|current| *current != rest.version);
    let outdated = rows.iter().filter(|(_, rest)| is_outdated(rest));
    let breaking = breaking(connection, outdated.map(|(row, _)| row.extension_id).collect()).await?;
    rows.into_iter().map(|(row, rest)| view(row, rest, &breaking, features)).collect()
}

/// The breaking versions of some extensions, in one query.
pub(super) async fn breaking(
    connection: &mut AsyncPgConnection,
    extensions: Vec<Uuid>,
) -> Result<HashMap<Uuid, Vec<Version>>> {
    let mut by_extension: HashMap<Uuid, Vec<Version>> = HashMap::new();
    if extensions.is_empty() {
        return Ok(by_extension);
    }
    let rows: Vec<(Uuid, String)> = extension_versions::table
        .filter(extension_versions::extension_id.eq_any(extensions))
        .filter(extension_versions::breaking)
        .filter(extension_versions::status.eq_any(["approved", "archived"]))
        .select((extension_versions::extension_id, extension_versions::version))
        .load(connection)
        .await?;
    for (extension, version) in rows {
        by_extension.entry(extension).or_default().push(parse(&version)?);
    }
    Ok(by_extension)
}

fn view(
    row: Row,
    rest: Rest,
    breaking: &HashMap<Uuid, Vec<Version>>,
    features: &AccountFeatures,
) -> Result<ExtensionInstall> {
    let (mut update_available, mut update_requires_consent) = (false, false);
    if let Some(current) = &rest.current_version {
        let (running, current) = (parse(&rest.version)?, parse(current)?);
        let asked = rest.current_permissions.map(serde_json::from_value).transpose()?;
        let asked: Vec<String> = asked.unwrap_or_default();
        let breaking = breaking.get(&row.extension_id).map_or(&[][..], Vec::as_slice);
        update_available = current.cmp_precedence(&running).is_gt();
        update_requires_consent = update_available
            && consent_needed(&running, &current, breaking, &asked, &row.granted_permissions);
    }
    let standing = Standing {
        extension_id: row.extension_id,
        extension_status: &rest.extension_status,
        version_status: &rest.version_status,
        enabled: row.enabled,
        is_killed: row.killed_at.is_some(),
    };
    let effective = InstallEffective::of(standing, features);
    let config = masked(row.config.as_object().cloned().unwrap_or_default());
    // A version with a manifest that cannot be read does not run and declares nothing.
    let schema = rest.config_schema.unwrap_or_else(|| Value::Object(Map::new()));
    let declared: ConfigSchema = serde_json::from_value(schema.clone()).unwrap_or_default();
    Ok(ExtensionInstall {
        id: row.id,
        account_id: row.account_id,
        extension_id: row.extension_id,
        extension_slug: rest.extension_slug,
        extension_name: rest.extension_name,
        category: rest.category,
        version: rest.version,
        pinned_version: row.pinned_version,
        enabled: row.enabled && row.killed_at.is_none(),
        effective,
        effective_config: Json(Value::Object(with_defaults(&declared, &config))),
        config: Json(Value::Object(config)),
        config_schema: Json(schema),
        granted_permissions: row.granted_permissions,
        update_available,
        update_requires_consent,
        installed_by: row.installed_by,
        created_at: row.created_at,
        updated_at: row.updated_at,
    })
}

/// The settings with the defaults of the schema. A masked secret stays: the mask need not be what the schema allows of
/// the text behind it.
fn with_defaults(schema: &ConfigSchema, config: &Map<String, Value>) -> Map<String, Value> {
    let is_secret = |(key, _): &(&String, &Value)| schema.is_secret(key);
    let secrets = config.iter().filter(is_secret).map(|(key, value)| (key.clone(), value.clone()));
    let mut effective = schema.with_defaults(config.clone());
    effective.extend(secrets);
    effective
}

pub(super) fn parse(version: &str) -> Result<Version> {
    Version::parse(version).map_err(ApiError::internal)
}
