//! What plans include (specification A §2.5, C §7.3).

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

/// Flags that one call may set.
const MAX_FEATURES: usize = 500;

/// Whether a plan includes a feature.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AdminPlanFeature {
    pub feature_id: Uuid,
    pub feature_key: String,
    pub label: String,
    pub enabled: bool,
}

/// What a plan is to include; features that are not listed stay as they are.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct AdminSetPlanFeatureInput {
    /// At most 500, each feature once.
    pub features: Vec<PlanFeatureInput>,
}

/// Whether a plan is to include a feature.
#[derive(Debug, Clone, Copy, Deserialize, GraphQLInputObject, ToSchema)]
pub struct PlanFeatureInput {
    pub feature_id: Uuid,
    pub enabled: bool,
}

/// What a plan includes.
pub static ADMIN_PLAN_FEATURES: Operation<Admin> =
    Operation::admin("adminPlanFeatures", AdminPermission::FeaturesRead, Grants::Nothing);

/// Lists every feature that plans decide about, and whether the plan includes it.
///
/// # Errors
/// As the rule; 404 `Plan not found`.
pub async fn admin_plan_features(cx: &Cx, plan: Input<Uuid>) -> Result<Vec<AdminPlanFeature>> {
    let admin = cx.authorize(&ADMIN_PLAN_FEATURES).await?;
    let plan = plan?;
    let mut connection = admin.db().await?;
    db::plan_slug(&mut connection, plan).await?.ok_or_else(plans::not_found)?;
    let included = db::of_plans(&mut connection, vec![plan]).await?;
    Ok(included.into_iter().map(Into::into).collect())
}

/// Sets what a plan includes.
pub static ADMIN_SET_PLAN_FEATURE: Operation<Admin> =
    Operation::admin("adminSetPlanFeature", AdminPermission::FeaturesEdit, Grants::Nothing);

/// Sets the listed features of a plan and answers all of them. It takes effect for every account on the plan at once.
///
/// # Errors
/// As the rule; 400 for too many features, one twice, or one that plans do not decide about; 404 `Plan not found` or
/// `Feature flag not found`.
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
            let slug = db::plan_slug(connection, plan).await?.ok_or_else(plans::not_found)?;
            let known = db::flags(connection, wanted.iter().map(|feature| feature.feature_id)).await?;
            let told = told(&wanted, &known)?;
            db::set(connection, plan, &wanted).await?;
            let mut entry = cx.audit_system("plan:features_changed", "plan", plan);
            entry.metadata = json!({ "slug": slug, "features": told });
            shared::audit::record(connection, entry).await?;
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

/// What the trail tells: the keys and what they were set to. Refuses what no plan can include.
fn told(wanted: &[PlanFeatureInput], known: &[db::Flag]) -> Result<Map<String, Value>> {
    let mut told = Map::new();
    for feature in wanted {
        let flag = known.iter().find(|flag| flag.id == feature.feature_id);
        let flag = flag.ok_or_else(|| ApiError::not_found("Feature flag not found"))?;
        if !FeatureCategory::parse(&flag.category).is_some_and(FeatureCategory::is_planned) {
            return Err(ApiError::invalid(format!("Plans do not decide about {}", flag.key)));
        }
        told.insert(flag.key.clone(), feature.enabled.into());
    }
    Ok(told)
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
