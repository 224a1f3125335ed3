//! Configuration of billing.

use super::{Environment, Reader};
use crate::{
    catalogue::{FREE_PLAN, PLANS},
    secret::Secret,
};

/// Configuration of billing (reference/billing.md#payments). The service never calls a payment provider.
#[derive(Debug, Clone)]
pub struct BillingConfig {
    /// Slug of the plan that new accounts start on.
    pub default_plan: String,
    /// True when owners may move to paid plans without a payment. Development only.
    pub manual_plan_change: bool,
    /// Key of the signatures on `/v1/webhooks/payouts`, with which the payment provider reports payouts.
    /// Every delivery is refused when it is absent (reference/billing.md#payout-webhook).
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
