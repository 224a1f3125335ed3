//! Queries over the installs that are bot modules. Each carries the account.

use api_core::{ApiError, Result, graphql::Json};
use chrono::{DateTime, Utc};
use diesel::{dsl::sql, prelude::*, sql_types::Bool};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use shared::{
    db::schema::{
        extension_installs::{self, dsl},
        extension_versions, extensions,
    },
    extensions::{
        masked,
        system::{self, SystemModule},
    },
    id::AccountId,
};
use uuid::Uuid;

use super::{BotModule, BotModuleSource, ExemptRoles, settings};

/// More than an account may have.
const MAX_ROWS: i64 = 1000;
const IS_BOT_MODULE: &str = "jsonb_typeof(extension_versions.manifest -> 'bot_module') = 'object'";

/// An install that is a bot module.
#[derive(Debug, Clone, Queryable)]
pub(super) struct Row {
    pub id: Uuid,
    pub extension_id: Uuid,
    extension_name: String,
    enabled: bool,
    killed_at: Option<DateTime<Utc>>,
    config: Value,
    exempt_roles: Vec<String>,
}

/// How a module is to be.
#[derive(Debug, AsChangeset)]
#[diesel(table_name = extension_installs)]
pub(super) struct Settings {
    pub enabled: bool,
    pub config: Value,
    pub exempt_roles: Vec<String>,
}

type Columns = (
    dsl::id,
    dsl::extension_id,
    extensions::name,
    dsl::enabled,
    dsl::killed_at,
    dsl::config,
    dsl::exempt_roles,
);

const COLUMNS: Columns = (
    dsl::id,
    dsl::extension_id,
    extensions::name,
    dsl::enabled,
    dsl::killed_at,
    dsl::config,
    dsl::exempt_roles,
);

/// The account's modules in the order of their installation.
pub(super) async fn list(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Vec<Row>> {
    Ok(dsl::extension_installs
        .inner_join(extensions::table)
        .inner_join(extension_versions::table.on(extension_versions::id.eq(dsl::version_id)))
        .filter(dsl::account_id.eq(account))
        .filter(sql::<Bool>(IS_BOT_MODULE))
        .order((dsl::created_at, dsl::id))
        .limit(MAX_ROWS)
        .select(COLUMNS)
        .load(connection)
        .await?)
}

/// The account's install of an extension that is installed once.
pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    extension: Uuid,
) -> Result<Option<Row>> {
    Ok(dsl::extension_installs
        .inner_join(extensions::table)
        .filter(dsl::account_id.eq(account).and(dsl::extension_id.eq(extension)))
        .order((dsl::created_at, dsl::id))
        .select(COLUMNS)
        .first(connection)
        .await
        .optional()?)
}

/// Holds the account's install of a built-in module until the end of the transaction; installs it where it is missing.
pub(super) async fn locked(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    extension: Uuid,
) -> Result<Row> {
    system::install(connection, Some(account.0)).await?;
    let row = find(connection, account, extension).await?;
    let row = row.ok_or_else(|| ApiError::internal("the built-in modules are not seeded"))?;
    let own = dsl::extension_installs.filter(dsl::account_id.eq(account).and(dsl::id.eq(row.id)));
    own.select(dsl::id).for_update().first::<Uuid>(connection).await?;
    Ok(row)
}

pub(super) async fn set(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    settings: Settings,
    now: DateTime<Utc>,
) -> Result<Row> {
    let own = || dsl::extension_installs.filter(dsl::account_id.eq(account).and(dsl::id.eq(id)));
    diesel::update(own()).set((settings, dsl::updated_at.eq(now))).execute(connection).await?;
    Ok(own().inner_join(extensions::table).select(COLUMNS).first(connection).await?)
}

/// Stops an install; false when the account has none.
pub(super) async fn kill(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<bool> {
    let own = dsl::extension_installs.filter(dsl::account_id.eq(account).and(dsl::id.eq(id)));
    let set = (dsl::killed_at.eq(now), dsl::updated_at.eq(now));
    Ok(diesel::update(own).set(set).execute(connection).await? > 0)
}

/// A built-in module as the account has it; with its defaults when it was never installed.
pub(super) fn built_in(module: &SystemModule, row: Option<&Row>) -> Result<BotModule> {
    let stored = row.and_then(|row| row.config.as_object().cloned()).unwrap_or_default();
    let config = module.manifest()?.config_schema.with_defaults(stored);
    let at_start = settings::exempt(None);
    let killed = row.is_some_and(|row| row.killed_at.is_some());
    Ok(BotModule {
        source: BotModuleSource::Builtin,
        name: module.name.to_owned(),
        install_id: row.map(|row| row.id),
        enabled: row.is_some_and(|row| row.enabled) && !killed,
        config: Json(config.into()),
        exempt_roles: ExemptRoles::of(row.map_or(&at_start, |row| &row.exempt_roles)),
        killed,
    })
}

impl Row {
    /// A module of an installed extension.
    pub fn into_module(self) -> Result<BotModule> {
        let config = masked(self.config.as_object().cloned().unwrap_or_default());
        Ok(BotModule {
            source: BotModuleSource::Extension,
            name: self.extension_name,
            install_id: Some(self.id),
            enabled: self.enabled && self.killed_at.is_none(),
            config: Json(config.into()),
            exempt_roles: ExemptRoles::of(&self.exempt_roles),
            killed: self.killed_at.is_some(),
        })
    }
}
