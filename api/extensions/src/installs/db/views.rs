//! Installs as their account sees them. Each query carries the account.

use std::collections::HashMap;

use api_core::{Result, Timestamp, access::AccountFeatures, graphql::Json};
use diesel::{
    dsl::sql,
    prelude::*,
    sql_types::{Jsonb, Nullable, Text},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_model::{ConfigSchema, consent_needed, masked};
use semver::Version;
use serde_json::{Map, Value};
use shared::{
    id::AccountId,
    schema::{
        extension_installs::{self, dsl},
        extension_versions, extensions,
    },
};
use uuid::Uuid;

use super::versions::{breaking, parse};
use crate::installs::{
    ExtensionInstall,
    effective::{InstallEffective, InstallState},
};

/// Bound of the list; an account has fewer installs.
const MAX_ROWS: i64 = 1000;

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

/// Further data of an install: the extension, the running version, and the current one.
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

/// Settings that the running version declares.
const CONFIG_SCHEMA: &str = "(extension_versions.manifest -> 'config_schema')";

/// Current version of an extension; archived extensions still have one.
const CURRENT_VERSION: &str = "(SELECT current.version FROM extension_versions AS current
    WHERE current.id = extensions.current_version_id)";
const CURRENT_PERMISSIONS: &str =
    "(SELECT current.manifest -> 'permissions' FROM extension_versions AS current
    WHERE current.id = extensions.current_version_id)";

pub(in crate::installs) async fn list(
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

pub(in crate::installs) async fn find(
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
    let state = InstallState {
        extension_id: row.extension_id,
        extension_status: &rest.extension_status,
        version_status: &rest.version_status,
        enabled: row.enabled,
        is_killed: row.killed_at.is_some(),
    };
    let effective = InstallEffective::of(state, features);
    let config = masked(row.config.as_object().cloned().unwrap_or_default());
    // A version with an unreadable manifest does not run and declares nothing.
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

/// Settings with the defaults of the schema. A masked secret stays, because the mask need not fit the schema
/// of the secret itself.
fn with_defaults(schema: &ConfigSchema, config: &Map<String, Value>) -> Map<String, Value> {
    let is_secret = |(key, _): &(&String, &Value)| schema.is_secret(key);
    let secrets = config.iter().filter(is_secret).map(|(key, value)| (key.clone(), value.clone()));
    let mut effective = schema.with_defaults(config.clone());
    effective.extend(secrets);
    effective
}
