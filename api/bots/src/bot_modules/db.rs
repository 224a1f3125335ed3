//! Queries over the installs that are bot modules. Each is limited to one account.

use api_core::{ApiError, Result, graphql::Json};
use chrono::{DateTime, Utc};
use diesel::{dsl::sql, prelude::*, sql_types::Bool};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_model::{
    masked,
    system::{self, SystemModule},
};
use serde_json::Value;
use shared::{
    id::AccountId,
    schema::{
        extension_installs::{self, dsl},
        extension_versions, extensions,
    },
};
use uuid::Uuid;

use super::{BotModule, BotModuleSource, ExemptRoles, settings};

/// Upper bound of the list. An account has fewer installs.
const MAX_ROWS: i64 = 1000;
const IS_BOT_MODULE: &str = "jsonb_typeof(extension_versions.manifest -> 'bot_module') = 'object'";

/// Install that is a bot module.
#[derive(Debug, Clone, Queryable)]
pub(super) struct Row {
    /// Identifier of the install.
    pub id: Uuid,
    /// Identifier of the extension.
    pub extension_id: Uuid,
    extension_name: String,
    enabled: bool,
    killed_at: Option<DateTime<Utc>>,
    config: Value,
    exempt_roles: Vec<String>,
}

/// New state of a module.
#[derive(Debug, AsChangeset)]
#[diesel(table_name = extension_installs)]
pub(super) struct Settings {
    /// True switches the module on.
    pub enabled: bool,
    /// Settings.
    pub config: Value,
    /// Names of the roles that are skipped.
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

/// Lists the account's modules in the order of their installation.
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

/// Returns the account's install of an extension that can be installed once.
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

/// Locks the account's install of a built-in module until the end of the transaction, and installs it where
/// it is missing.
pub(super) async fn locked(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    extension: Uuid,
) -> Result<Row> {
    system::install(connection, Some(account.uuid())).await?;
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

/// Stops an install. False when the account has none.
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

/// Returns a built-in module of the account, with its defaults when it was never installed.
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
    /// Returns the module of an installed extension.
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
