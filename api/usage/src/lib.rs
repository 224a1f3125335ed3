//! Usage of an account by hour, and its budgets (reference/usage.md).

pub mod budgets;
pub mod hours;
mod kinds;

use api_core::{access::AnyOperation, http::ServiceConfig};

pub use kinds::{UsagePeriod, UsageSubject, UsageUnit};

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[hours::OPERATIONS, budgets::OPERATIONS];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    hours::rest::routes(config);
    budgets::rest::routes(config);
}
