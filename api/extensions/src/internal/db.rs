//! Queries of the feeds, across all accounts.

use std::collections::HashSet;

use account_model::features;
use api_core::Result;
use diesel::{
    QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{Array, BigInt, Bool, Jsonb, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_model::system::WIDGETS;
use extension_model::system::needed_features;
use serde_json::Value;
use shared::{catalogue::Feature, schema::extension_versions};
use uuid::Uuid;

use super::{
    HandlersQuery,
    version::{Version, VersionRow, Versions},
};

/// Part of the manifest that a feed holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    BotModule,
    AutomationNode,
}

#[derive(Debug, Clone, QueryableByName)]
pub(super) struct InstallRow {
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    pub extension_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    pub version_id: Uuid,
    #[diesel(sql_type = Text)]
    pub extension_name: String,
    #[diesel(sql_type = Jsonb)]
    pub config: Value,
    #[diesel(sql_type = Array<Text>)]
    pub granted_permissions: Vec<String>,
    #[diesel(sql_type = Bool)]
    pub enabled: bool,
    #[diesel(sql_type = Bool)]
    pub is_killed: bool,
    #[diesel(sql_type = Bool)]
    pub is_suspended: bool,
    #[diesel(sql_type = Array<Text>)]
    pub exempt_roles: Vec<String>,
    /// True when a feature that it needs is off for the account.
    #[diesel(sql_type = Bool)]
    pub is_switched_off: bool,
}

/// Installs whose version has the part, in the order of their installation, which is the order in which
/// modules run (reference/handlers.md#scheduling).
pub(super) async fn installs(
    connection: &mut AsyncPgConnection,
    part: Part,
    query: HandlersQuery,
) -> Result<Vec<InstallRow>> {
    let (part, feature) = match part {
        Part::BotModule => ("bot_module", None),
        Part::AutomationNode => ("automation_node", Some(Feature::Automations.key().to_owned())),
    };
    let needed = |extension| needed_features(extension).into_iter().chain(feature.clone());
    let mut installs: Vec<InstallRow> = sql_query(
        "SELECT installs.id, installs.account_id, installs.extension_id, installs.version_id,
                extensions.name AS extension_name, installs.config, installs.granted_permissions, installs.enabled,
                installs.killed_at IS NOT NULL AS is_killed, extensions.status = 'suspended' AS is_suspended,
                installs.exempt_roles, false AS is_switched_off
         FROM extension_installs AS installs
         JOIN extensions ON extensions.id = installs.extension_id
         JOIN extension_versions AS versions ON versions.id = installs.version_id
         WHERE jsonb_typeof(versions.manifest -> $1) = 'object'
           AND ($2::uuid IS NULL OR installs.account_id = $2) AND ($3::uuid IS NULL OR installs.id = $3)
         ORDER BY installs.account_id, installs.created_at, installs.id",
    )
    .bind::<Text, _>(part)
    .bind::<Nullable<SqlUuid>, _>(query.account_id)
    .bind::<Nullable<SqlUuid>, _>(query.install_id)
    .load(connection)
    .await?;
    let mut accounts: Vec<Uuid> = installs.iter().map(|install| install.account_id).collect();
    accounts.dedup();
    let keys: HashSet<String> = installs.iter().flat_map(|install| needed(install.extension_id)).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let off = features::switched_off(connection, &accounts, &keys).await?;
    for install in &mut installs {
        let is_off = |key: String| off.contains(&(install.account_id, key));
        install.is_switched_off = needed(install.extension_id).any(is_off);
    }
    Ok(installs)
}

/// Versions of the installs, each once.
pub(super) async fn versions(
    connection: &mut AsyncPgConnection,
    installs: &[InstallRow],
) -> Result<Versions> {
    let mut ids: Vec<Uuid> = installs.iter().map(|install| install.version_id).collect();
    ids.sort_unstable();
    ids.dedup();
    let rows: Vec<VersionRow> = extension_versions::table
        .filter(extension_versions::id.eq_any(ids))
        .select(VersionRow::as_select())
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(Version::read).collect())
}

#[derive(QueryableByName)]
struct Account {
    #[diesel(sql_type = SqlUuid)]
    account_id: Uuid,
}

pub(super) async fn active_accounts(
    connection: &mut AsyncPgConnection,
    after: Option<Uuid>,
    limit: i64,
) -> Result<Vec<Uuid>> {
    // Built-in widgets have nothing for a worker to run, and every account has some.
    let idle: Vec<Uuid> = WIDGETS.iter().map(|widget| widget.extension_id).collect();
    let rows: Vec<Account> = sql_query(
        "SELECT account_id FROM channel_connections WHERE bot_enabled AND ($1::uuid IS NULL OR account_id > $1)
         UNION
         SELECT account_id FROM extension_installs
         WHERE enabled AND killed_at IS NULL AND extension_id <> ALL($3) AND ($1::uuid IS NULL OR account_id > $1)
         ORDER BY account_id LIMIT $2",
    )
    .bind::<Nullable<SqlUuid>, _>(after)
    .bind::<BigInt, _>(limit)
    .bind::<Array<SqlUuid>, _>(idle)
    .load(connection)
    .await?;
    Ok(rows.into_iter().map(|row| row.account_id).collect())
}
