//! Limits of developers and extensions (reference/developer-limits.md#limits-of-a-developer).

pub(crate) mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Patch, Result,
    access::{Admin, AnyOperation, Grants, Member},
    graphql::Int64,
    http::Success,
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use extension_model::limits::{self, LimitKey, LimitSource, LimitSubject, ResolvedLimits};
use foundation::{
    audit::{self, Entry},
    invalidation::Invalidation,
};
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shared::catalogue::{AccountPermission, AdminPermission, Feature};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::developers;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&DEVELOPER_LIMITS, &EXTENSION_LIMITS, &ADMIN_UPDATE_EXTENSION_LIMITS];

/// Limits of a developer and of their extensions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct DeveloperLimits {
    /// Limits by category.
    pub categories: Vec<DeveloperLimitCategory>,
    /// Extensions of the developer, newest first; at most 500.
    pub extensions: Vec<LimitedExtension>,
}

/// Limits of one category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct DeveloperLimitCategory {
    /// `extensions`, `account`, `storage`, `functions`, `realtime` or `sounds`.
    pub category: String,
    /// Limits.
    pub limits: Vec<DeveloperLimit>,
}

/// Limit of a developer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct DeveloperLimit {
    /// Key, as a request for a higher limit names it.
    pub key: String,
    /// Text for people.
    pub label: String,
    /// Value in force, in bytes, milliseconds or pieces as the key says.
    pub value: Int64,
    /// Source of the value.
    pub source: DeveloperLimitSource,
    /// Value without an override.
    pub default_value: Int64,
    /// True when a request may raise it: false at the highest value of the platform.
    pub configurable: bool,
}

/// Source of the value of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeveloperLimitSource {
    /// Default of the platform.
    Default,
    /// Override of the developer.
    DeveloperOverride,
    /// Override of the extension.
    ExtensionOverride,
}

/// An extension of a developer with its limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct LimitedExtension {
    /// Identifier of the extension.
    pub extension_id: Uuid,
    /// Name of the extension.
    pub extension_name: String,
    /// Limits.
    pub limits: ExtensionLimits,
}

/// Limits of an extension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ExtensionLimits {
    /// Maximum number of sounds of a version.
    pub max_sounds: Int64,
    /// Source of `max_sounds`.
    pub max_sounds_source: DeveloperLimitSource,
}

/// Overrides of an extension. Absent fields stay; null removes the override.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "max_sounds": 100, "max_sound_file_size": null }))]
pub struct AdminUpdateExtensionLimitsInput {
    /// Number of sounds of a version, at most 200.
    #[serde(default)]
    #[graphql(default)]
    #[schema(value_type = Option<i64>, extensions(("minimum" = json!(0)),
        ("maximum" = json!(LimitKey::MaxSoundsPerExtension.definition().max))))]
    pub max_sounds: Patch<Int64>,
    /// Size of a sound in bytes, at most 100 MiB.
    #[serde(default)]
    #[graphql(default)]
    #[schema(value_type = Option<i64>, extensions(("minimum" = json!(0)),
        ("maximum" = json!(LimitKey::MaxSoundFileSize.definition().max))))]
    pub max_sound_file_size: Patch<Int64>,
    /// Size of all sounds of a version in bytes, at most 200 MiB.
    #[serde(default)]
    #[graphql(default)]
    #[schema(value_type = Option<i64>, extensions(("minimum" = json!(0)),
        ("maximum" = json!(LimitKey::MaxSoundStorageBytes.definition().max))))]
    pub max_sound_storage_bytes: Patch<Int64>,
}

pub static DEVELOPER_LIMITS: Operation<Member> =
    Operation::member("developerLimits", AccountPermission::ExtensionDevRead, Grants::Nothing)
        .feature(Feature::ExtensionDevelopment);

/// Returns the limits of the caller as a developer.
///
/// A limit is the override of the developer, else the default of the platform. Each extension names its own
/// number of sounds.
///
/// # Errors
/// Refusals of the access rule; 404 for a caller without a developer profile.
#[api_core::operation]
pub async fn developer_limits(cx: &Cx) -> Result<DeveloperLimits> {
    let member = cx.authorize(&DEVELOPER_LIMITS).await?;
    let mut connection = member.db().await?;
    let developer = developers::of_person(&mut connection, member.user).await?.id;
    let resolved = limits::for_developer(&mut connection, developer).await?;
    let extensions = db::extensions(&mut connection, developer).await?;
    Ok(DeveloperLimits {
        categories: categories(&resolved),
        extensions: extensions.into_iter().map(|row| row.with(&resolved)).collect(),
    })
}

pub static EXTENSION_LIMITS: Operation<Member> =
    Operation::member("extensionLimits", AccountPermission::ExtensionDevRead, Grants::Nothing)
        .feature(Feature::Extensions)
        .in_team(developer_access::extensions::READERS);

/// Returns the limits of one of the caller's extensions.
///
/// # Errors
/// Refusals of the access rule; 404 when the caller has no such extension.
#[api_core::operation]
pub async fn extension_limits(cx: &Cx, id: Input<Uuid>) -> Result<ExtensionLimits> {
    let member = cx.authorize(&EXTENSION_LIMITS).await?;
    let id = id?;
    let mut connection = member.db().await?;
    let user = Some(member.user);
    developer_access::extensions::owner(&mut connection, &EXTENSION_LIMITS, user, id).await?;
    let resolved = limits::for_extension(&mut connection, id).await?;
    let key = LimitKey::MaxSoundsPerExtension;
    Ok(ExtensionLimits {
        max_sounds: Int64(resolved.value(key)),
        max_sounds_source: resolved.source(key).into(),
    })
}

pub static ADMIN_UPDATE_EXTENSION_LIMITS: Operation<Admin> =
    Operation::admin("adminUpdateExtensionLimits", AdminPermission::DeveloperLimitsEdit, Grants::Nothing);

/// Sets the overrides of an extension for its sounds.
///
/// Absent fields stay. Null removes the override: the limit of the developer counts then, else the default.
/// The next upload of a version is checked against the new values. Versions that were uploaded stay.
///
/// # Errors
/// Refusals of the access rule; 400 for a value out of bounds; 404 when there is no such extension.
#[api_core::operation]
pub async fn admin_update_extension_limits(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<AdminUpdateExtensionLimitsInput>,
) -> Result<Success> {
    let admin = cx.authorize(&ADMIN_UPDATE_EXTENSION_LIMITS).await?;
    let (id, changes) = (id?, changes(input?)?);
    let mut connection = admin.db().await?;
    connection
        .transaction(async |connection| {
            db::lock_extension(connection, id).await?.ok_or_else(extension_not_found)?;
            apply(cx, connection, id, &changes).await
        })
        .await?;
    drop(connection);
    cx.changed(Invalidation::Limits).await;
    Ok(Success::DONE)
}

async fn apply(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    changes: &[(LimitKey, Option<i64>)],
) -> Result<()> {
    let (now, mut metadata) = (cx.state().clock.now(), Map::new());
    for (key, value) in changes {
        match value {
            Some(value) => {
                let subject = LimitSubject::Extension(extension);
                limits::set_override(connection, subject, *key, *value, now).await?;
            }
            None => limits::clear_override(connection, extension, *key).await?,
        }
        metadata.insert(key.to_string(), Value::from(*value));
    }
    if metadata.is_empty() {
        return Ok(());
    }
    let entry = cx.audit_system("extension:limits_updated", "extension", extension);
    Ok(audit::record(connection, Entry { metadata: Value::Object(metadata), ..entry }).await?)
}

/// Changes of an input, checked.
fn changes(input: AdminUpdateExtensionLimitsInput) -> Result<Vec<(LimitKey, Option<i64>)>> {
    let fields = [
        ("max_sounds", LimitKey::MaxSoundsPerExtension, input.max_sounds),
        ("max_sound_file_size", LimitKey::MaxSoundFileSize, input.max_sound_file_size),
        ("max_sound_storage_bytes", LimitKey::MaxSoundStorageBytes, input.max_sound_storage_bytes),
    ];
    let mut changes = Vec::new();
    for (field, key, patch) in fields {
        let Some(value) = patch.into_change() else { continue };
        let (value, max) = (value.map(|value| value.0), key.definition().max);
        if value.is_some_and(|value| !(0..=max).contains(&value)) {
            return Err(ApiError::invalid(format!("{field} must be between 0 and {max}")));
        }
        changes.push((key, value));
    }
    Ok(changes)
}

/// Limits by category, in the order of the catalogue.
fn categories(resolved: &ResolvedLimits) -> Vec<DeveloperLimitCategory> {
    let mut categories: Vec<DeveloperLimitCategory> = Vec::new();
    for key in LimitKey::ALL {
        let category = key.definition().category;
        let limit = limit(resolved, key);
        match categories.iter_mut().find(|known| known.category == category) {
            Some(known) => known.limits.push(limit),
            None => {
                categories.push(DeveloperLimitCategory { category: category.to_owned(), limits: vec![limit] })
            }
        }
    }
    categories
}

fn limit(resolved: &ResolvedLimits, key: LimitKey) -> DeveloperLimit {
    let (definition, value) = (key.definition(), resolved.value(key));
    DeveloperLimit {
        key: definition.key.to_owned(),
        label: definition.label.to_owned(),
        value: Int64(value),
        source: resolved.source(key).into(),
        default_value: Int64(definition.default),
        configurable: value < definition.max,
    }
}

/// 404 for an extension that does not exist, or that is not the caller's.
pub(crate) fn extension_not_found() -> ApiError {
    ApiError::not_found("Extension not found")
}

impl From<LimitSource> for DeveloperLimitSource {
    fn from(source: LimitSource) -> Self {
        match source {
            LimitSource::Default => Self::Default,
            LimitSource::Developer => Self::DeveloperOverride,
            LimitSource::Extension => Self::ExtensionOverride,
        }
    }
}
