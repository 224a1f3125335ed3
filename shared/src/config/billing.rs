//! What accounts pay for.

use super::{Environment, Reader};
use crate::{
    catalogue::{FREE_PLAN, PLANS},
    secret::Secret,
};

/// What accounts pay for (specification C §8.2). The service never calls a payment provider.
#[derive(Debug, Clone)]
pub struct BillingConfig {
    /// The slug of the plan that new accounts start on.
    pub default_plan: String,
    /// Whether owners may move to plans that cost something without paying. Development only.
    pub manual_plan_change: bool,
    /// Signs what the payment provider tells of payouts at `/v1/webhooks/payouts`; without it all is refused.
    pub payouts_webhook_secret: Option<Secret>,
}

pub(super) fn read(reader: &mut Reader, environment: Environment) -> BillingConfig {
    const NAME: &str = "LUMIO_BILLING_MANUAL_PLAN_CHANGE";
    let manual_plan_change = reader.flag(NAME, false);
    if manual_plan_change && environment.is_deployment() {
        reader.mistake(NAME, "must not be set outside development");
    }
    BillingConfig {
        default_plan: default_plan(reader),
        manual_plan_change,
        payouts_webhook_secret: payouts_secret(reader),
    }
}

fn default_plan(reader: &mut Reader) -> String {
    const NAME: &str = "LUMIO_DEFAULT_PLAN";
    let slug = reader.text(NAME, FREE_PLAN);
    if PLANS.iter().all(|plan| plan.slug != slug) {
        reader.mistake(NAME, format_args!("must be one of {}", PLANS.map(|plan| plan.slug).join(", ")));
    }
    slug
}

fn payouts_secret(reader: &mut Reader) -> Option<Secret> {
    const NAME: &str = "LUMIO_PAYOUTS_WEBHOOK_SECRET";
    const MIN_LENGTH: usize = 16;
    let secret = reader.secret(NAME)?;
    if secret.expose().len() >= MIN_LENGTH {
        return Some(secret);
    }
    reader.mistake(NAME, format_args!("must have at least {MIN_LENGTH} characters"));
    None
}
