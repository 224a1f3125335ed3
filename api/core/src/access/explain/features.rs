//! Layers of a feature flag (reference/features.md#resolution).

use shared::catalogue::Feature;

use super::{
    AccessStepEffect::{Denies, Grants},
    AccessStepKind, Step,
};
use crate::{
    Result,
    access::{Cx, databases::DatabaseAccess, features::feature_layers},
};

/// Steps of the layers that decide about a flag for the caller, up to the first that no later one lifts.
pub(super) async fn layers(cx: &Cx, feature: Feature, databases: &impl DatabaseAccess) -> Result<Vec<Step>> {
    let (account, key) = (cx.active_account().await?, feature.key());
    let layers = feature_layers(&mut *databases.db().await?, account, key).await?;
    let Some(layers) = layers else { return Ok(Vec::new()) };
    if !layers.globally_enabled {
        let detail = format!("{key} is switched off for every account.");
        return Ok(vec![Step::new(AccessStepKind::Switch, key, Denies, detail)]);
    }
    let detail = format!("{key} is switched on for the deployment.");
    let mut steps = vec![Step::new(AccessStepKind::Switch, key, Grants, detail)];
    if let Some((plan, is_included)) = layers.plan {
        let includes = if is_included { "includes" } else { "does not include" };
        let detail = format!("The plan {plan} {includes} {key}.");
        steps.push(Step::held(AccessStepKind::Plan, plan, is_included, detail));
    }
    if let Some(is_on) = layers.own {
        let does = if is_on { "on" } else { "off" };
        let detail = format!("{key} is switched {does} for the account.");
        steps.push(Step::held(AccessStepKind::FeatureOverride, key, is_on, detail));
    }
    Ok(steps)
}
