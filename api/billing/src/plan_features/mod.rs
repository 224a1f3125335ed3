//! Features of plans, as staff manages them (reference/features.md#plan-features).

mod db;
pub mod graphql;
pub mod rest;

use std::collections::HashSet;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Admin, AnyOperation, FeaturesOf, Grants},
};
use diesel_async::AsyncConnection;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use shared::catalogue::{AdminPermission, FeatureCategory};
use utoipa::ToSchema;
use uuid::Uuid;

pub(crate) use db::{Included, of_plans};

use crate::plans;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&ADMIN_PLAN_FEATURES, &ADMIN_SET_PLAN_FEATURE];

/// Maximum number of flags in one call.
const MAX_FEATURES: usize = 500;

/// A feature of a plan.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AdminPlanFeature {
    /// Id of the flag.
    pub feature_id: Uuid,
    /// Key of the flag.
    pub feature_key: String,
    /// Name of the flag.
    pub label: String,
    /// True when the plan includes the feature.
    pub enabled: bool,
}

/// Features of a plan to set. Features that are not listed stay as they are.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct AdminSetPlanFeatureInput {
    /// At most 500 entries, each flag once.
    pub features: Vec<PlanFeatureInput>,
}

/// Decision of a plan about a feature.
#[derive(Debug, Clone, Copy, Deserialize, GraphQLInputObject, ToSchema)]
pub struct PlanFeatureInput {
    /// Id of the flag.
    pub feature_id: Uuid,
    /// True: the plan includes the feature.
    pub enabled: bool,
}

pub static ADMIN_PLAN_FEATURES: Operation<Admin> =
    Operation::admin("adminPlanFeatures", AdminPermission::FeaturesRead, Grants::Nothing);

/// Lists the features of a plan.
///
/// The list has every flag that plans decide about, ordered by category and key.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404: no such plan exists.
#[api_core::operation]
pub async fn admin_plan_features(cx: &Cx, plan: Input<Uuid>) -> Result<Vec<AdminPlanFeature>> {
    let admin = cx.authorize(&ADMIN_PLAN_FEATURES).await?;
    let plan = plan?;
    let mut connection = admin.db().await?;
    plans::slug(&mut connection, plan).await?;
    let included = db::of_plans(&mut connection, vec![plan]).await?;
    Ok(included.into_iter().map(Into::into).collect())
}

pub static ADMIN_SET_PLAN_FEATURE: Operation<Admin> =
    Operation::admin("adminSetPlanFeature", AdminPermission::FeaturesEdit, Grants::Nothing);

/// Sets features of a plan and returns all of them.
///
/// Features that are not listed stay as they are. The change takes effect at once for every account on the
/// plan.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: there are too many features, one is listed twice, or plans do not decide about it.
/// - 404: no such plan or flag exists.
#[api_core::operation]
pub async fn admin_set_plan_feature(
    cx: &Cx,
    plan: Input<Uuid>,
    input: Input<AdminSetPlanFeatureInput>,
) -> Result<Vec<AdminPlanFeature>> {
    let admin = cx.authorize(&ADMIN_SET_PLAN_FEATURE).await?;
    let (plan, wanted) = (plan?, each_once(input?.features)?);
    let included = admin
        .db()
        .await?
        .transaction(async |connection| {
            let slug = plans::slug(connection, plan).await?;
            let known = db::flags(connection, wanted.iter().map(|feature| feature.feature_id)).await?;
            let set = audit_features(&wanted, &known)?;
            db::set(connection, plan, &wanted).await?;
            let mut entry = cx.audit_system("plan:features_changed", "plan", plan);
            entry.metadata = json!({ "slug": slug, "features": set });
            foundation::audit::record(connection, entry).await?;
            db::of_plans(connection, vec![plan]).await
        })
        .await?;
    cx.features_changed(FeaturesOf::Plan(plan)).await;
    Ok(included.into_iter().map(Into::into).collect())
}

fn each_once(features: Vec<PlanFeatureInput>) -> Result<Vec<PlanFeatureInput>> {
    if features.len() > MAX_FEATURES {
        return Err(ApiError::invalid(format!("features must hold at most {MAX_FEATURES} entries")));
    }
    let distinct: HashSet<Uuid> = features.iter().map(|feature| feature.feature_id).collect();
    if distinct.len() < features.len() {
        return Err(ApiError::invalid("features must name each feature once"));
    }
    Ok(features)
}

/// Metadata of the audit entry: the keys and their new values. Refuses flags that plans do not decide about.
fn audit_features(wanted: &[PlanFeatureInput], known: &[db::Flag]) -> Result<Map<String, Value>> {
    let mut set = Map::new();
    for feature in wanted {
        let flag = known.iter().find(|flag| flag.id == feature.feature_id);
        let flag = flag.ok_or_else(|| ApiError::not_found("Feature flag not found"))?;
        if !FeatureCategory::parse(&flag.category).is_some_and(FeatureCategory::is_planned) {
            return Err(ApiError::invalid(format!("Plans do not decide about {}", flag.key)));
        }
        set.insert(flag.key.clone(), feature.enabled.into());
    }
    Ok(set)
}

impl From<Included> for AdminPlanFeature {
    fn from(included: Included) -> Self {
        Self {
            feature_id: included.feature_id,
            feature_key: included.feature_key,
            label: included.label,
            enabled: included.enabled,
        }
    }
}
