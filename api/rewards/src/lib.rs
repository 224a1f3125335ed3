//! Rewards of channel points, and the actions of their redemptions (reference/rewards.md#rewards).

pub mod rewards;

use api_core::{access::AnyOperation, http::ServiceConfig};

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[rewards::OPERATIONS];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    rewards::rest::routes(config);
}
