//! Feature flags as operators see them (specification C §7.1, §7.3).

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

/// What a flag switches; the order is the display order (C §7.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FeatureCategory {
    System,
    Platform,
    Widget,
    Feature,
    Integration,
    BotModule,
    Automation,
    CopyrightProvider,
    Event,
}

/// A flag.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct FeatureFlag {
    pub id: Uuid,
    /// `category:name`.
    pub key: String,
    pub label: String,
    pub description: String,
    pub category: FeatureCategory,
    /// Off: off for everybody, whatever plans and overrides say.
    pub globally_enabled: bool,
    /// What operators mean new plans to have; decides nothing by itself.
    pub default_for_accounts: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Which flags are listed.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FeatureFlagQuery {
    #[param(inline)]
    pub category: Option<FeatureCategory>,
    /// Part of the key or the label, in any case; at most 100 characters.
    pub search: Option<String>,
}

/// What is to change.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct AdminUpdateFeatureFlagInput {
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub globally_enabled: Patch<bool>,
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub default_for_accounts: Patch<bool>,
    /// 1 to 100 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_LABEL_LENGTH))))]
    pub label: Patch<String>,
    /// At most 1,000 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_DESCRIPTION_LENGTH))))]
    pub description: Patch<String>,
}

/// Every flag.
pub static ADMIN_FEATURE_FLAGS: Operation<Admin> =
    Operation::admin("adminFeatureFlags", AdminPermission::FeatureFlagsRead, Grants::Nothing);

/// Lists flags in order of category and key.
///
/// # Errors
/// As the rule; 400 for an unknown category or a search that is too long.
pub async fn admin_feature_flags(cx: &Cx, query: Input<FeatureFlagQuery>) -> Result<Vec<FeatureFlag>> {
    let admin = cx.authorize(&ADMIN_FEATURE_FLAGS).await?;
    let query = query?;
    let search =
        query.search.map(|text| validate::text("search", &text, 0, MAX_SEARCH_LENGTH)).transpose()?;
    db::list(&mut *admin.db().await?, query.category, search.as_deref().filter(|text| !text.is_empty())).await
}

/// Changes a flag.
pub static ADMIN_UPDATE_FEATURE_FLAG: Operation<Admin> =
    Operation::admin("adminUpdateFeatureFlag", AdminPermission::FeatureFlagsEdit, Grants::Nothing);

/// Changes a flag. Switching it takes effect in every process at once.
///
/// # Errors
/// As the rule; 400 for a wrong input; 404 when there is no such flag.
pub async fn admin_update_feature_flag(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<AdminUpdateFeatureFlagInput>,
) -> Result<FeatureFlag> {
    let admin = cx.authorize(&ADMIN_UPDATE_FEATURE_FLAG).await?;
    let (id, input) = (id?, input?);
    let changes = changes(input)?;
    let metadata = changes.told();
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
            shared::audit::record(connection, entry).await?;
            Ok::<_, ApiError>(flag)
        })
        .await?;
    drop(connection);
    // Labels and descriptions are cached nowhere.
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
    /// What the trail tells of them.
    fn told(&self) -> Map<String, Value> {
        let told = [
            ("globally_enabled", self.globally_enabled.map(Value::from)),
            ("default_for_accounts", self.default_for_accounts.map(Value::from)),
            ("label", self.label.clone().map(Value::from)),
            ("description", self.description.clone().map(Value::from)),
        ];
        told.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }
}

impl FeatureCategory {
    /// The stored text.
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
