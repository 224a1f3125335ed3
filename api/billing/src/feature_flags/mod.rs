//! Feature flags, as staff manages them (reference/features.md#flags).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{Admin, AnyOperation, FeaturesOf, Grants},
    validate,
};
use diesel_async::AsyncConnection;
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use shared::catalogue::{self, AdminPermission};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&ADMIN_FEATURE_FLAGS, &ADMIN_UPDATE_FEATURE_FLAG];

const MAX_LABEL_LENGTH: usize = 100;
const MAX_DESCRIPTION_LENGTH: usize = 1000;
const MAX_SEARCH_LENGTH: usize = 100;

/// Category of a flag, in display order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FeatureCategory {
    /// Parts of the deployment.
    System,
    /// Platforms and their uses.
    Platform,
    /// Built-in widgets.
    Widget,
    /// Parts of the product.
    Feature,
    /// Integrations with other services.
    Integration,
    /// Built-in bot modules.
    BotModule,
    /// Built-in action nodes of automations.
    Automation,
    /// Providers of copyright data.
    CopyrightProvider,
    /// Types of events.
    Event,
}

/// A feature flag.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct FeatureFlag {
    /// Id of the flag.
    pub id: Uuid,
    /// Key as `category:name`.
    pub key: String,
    /// Name of the flag.
    pub label: String,
    /// Description of what the flag switches.
    pub description: String,
    /// Category of the flag.
    pub category: FeatureCategory,
    /// False: the flag is off for every account, independent of plans and overrides.
    pub globally_enabled: bool,
    /// Intention of staff for new plans. It has no effect by itself.
    pub default_for_accounts: bool,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Filter of the flags.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FeatureFlagQuery {
    /// Category of the flags; absent: all.
    #[param(inline)]
    pub category: Option<FeatureCategory>,
    /// Part of the key or the label, in any case; at most 100 characters.
    pub search: Option<String>,
}

/// Changes of a flag. Absent fields stay as they are.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct AdminUpdateFeatureFlagInput {
    /// False: the flag is off for every account.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub globally_enabled: Patch<bool>,
    /// Intention of staff for new plans.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub default_for_accounts: Patch<bool>,
    /// Name of the flag, 1 to 100 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_LABEL_LENGTH))))]
    pub label: Patch<String>,
    /// Description, at most 1,000 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_DESCRIPTION_LENGTH))))]
    pub description: Patch<String>,
}

pub static ADMIN_FEATURE_FLAGS: Operation<Admin> =
    Operation::admin("adminFeatureFlags", AdminPermission::FeatureFlagsRead, Grants::Nothing);

/// Lists the feature flags of the deployment.
///
/// The list is ordered by category and key. Flags cannot be created or deleted.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: the category is unknown, or the search text is too long.
#[api_core::operation]
pub async fn admin_feature_flags(cx: &Cx, query: Input<FeatureFlagQuery>) -> Result<Vec<FeatureFlag>> {
    let admin = cx.authorize(&ADMIN_FEATURE_FLAGS).await?;
    let query = query?;
    let search =
        query.search.map(|text| validate::text("search", &text, 0, MAX_SEARCH_LENGTH)).transpose()?;
    db::list(&mut *admin.db().await?, query.category, search.as_deref().filter(|text| !text.is_empty())).await
}

pub static ADMIN_UPDATE_FEATURE_FLAG: Operation<Admin> =
    Operation::admin("adminUpdateFeatureFlag", AdminPermission::FeatureFlagsEdit, Grants::Nothing);

/// Updates a feature flag.
///
/// Absent fields stay as they are. A change of `globally_enabled` takes effect in every process at once and
/// is published to the accounts as `features:updated`.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: a field is malformed.
/// - 404: no such flag exists.
#[api_core::operation]
pub async fn admin_update_feature_flag(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<AdminUpdateFeatureFlagInput>,
) -> Result<FeatureFlag> {
    let admin = cx.authorize(&ADMIN_UPDATE_FEATURE_FLAG).await?;
    let (id, input) = (id?, input?);
    let changes = changes(input)?;
    let metadata = changes.audit_metadata();
    let mut connection = admin.db().await?;
    if metadata.is_empty() {
        return db::find(&mut connection, id).await?.ok_or_else(not_found);
    }
    let now = cx.state().clock.now();
    let flag = connection
        .transaction(async |connection| {
            let flag = db::update(connection, id, &changes, now).await?.ok_or_else(not_found)?;
            let mut entry = cx.audit_system("feature_flag:updated", "feature_flag", id);
            entry.metadata = json!({ "key": flag.key, "changes": metadata });
            foundation::audit::record(connection, entry).await?;
            Ok::<_, ApiError>(flag)
        })
        .await?;
    drop(connection);
    // Only `globally_enabled` is cached.
    if changes.globally_enabled.is_some() {
        cx.features_changed(FeaturesOf::All).await;
    }
    Ok(flag)
}

fn changes(input: AdminUpdateFeatureFlagInput) -> Result<db::Changes> {
    let label = input.label.not_null("label")?;
    let description = input.description.not_null("description")?;
    Ok(db::Changes {
        globally_enabled: input.globally_enabled.not_null("globally_enabled")?,
        default_for_accounts: input.default_for_accounts.not_null("default_for_accounts")?,
        label: label.map(|text| validate::text("label", &text, 1, MAX_LABEL_LENGTH)).transpose()?,
        description: description
            .map(|text| validate::long_text("description", &text, 0, MAX_DESCRIPTION_LENGTH))
            .transpose()?,
    })
}

impl db::Changes {
    /// Changes as they are written to the audit log.
    fn audit_metadata(&self) -> Map<String, Value> {
        let changes = [
            ("globally_enabled", self.globally_enabled.map(Value::from)),
            ("default_for_accounts", self.default_for_accounts.map(Value::from)),
            ("label", self.label.clone().map(Value::from)),
            ("description", self.description.clone().map(Value::from)),
        ];
        changes.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }
}

impl FeatureCategory {
    /// Text of the category in the database and in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        use catalogue::FeatureCategory as C;
        match self {
            Self::System => C::System,
            Self::Platform => C::Platform,
            Self::Widget => C::Widget,
            Self::Feature => C::Feature,
            Self::Integration => C::Integration,
            Self::BotModule => C::BotModule,
            Self::Automation => C::Automation,
            Self::CopyrightProvider => C::CopyrightProvider,
            Self::Event => C::Event,
        }
        .as_str()
    }
}

impl From<catalogue::FeatureCategory> for FeatureCategory {
    fn from(category: catalogue::FeatureCategory) -> Self {
        use catalogue::FeatureCategory as C;
        match category {
            C::System => Self::System,
            C::Platform => Self::Platform,
            C::Widget => Self::Widget,
            C::Feature => Self::Feature,
            C::Integration => Self::Integration,
            C::BotModule => Self::BotModule,
            C::Automation => Self::Automation,
            C::CopyrightProvider => Self::CopyrightProvider,
            C::Event => Self::Event,
        }
    }
}

fn not_found() -> ApiError {
    ApiError::not_found("Feature flag not found")
}
