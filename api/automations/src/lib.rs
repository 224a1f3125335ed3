//! Automations of an account: their graphs, runs and dry runs (reference/automations.md#automations).

pub mod automations;
pub mod dry_run;
pub mod graphs;
mod installed;
pub mod node_types;
mod objects;
pub mod runs;
mod stored;

use api_core::{access::AnyOperation, http::ServiceConfig};

pub use objects::{Automation, AutomationEdge, AutomationNode, AutomationNodePosition, AutomationSummary};

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[
    automations::OPERATIONS,
    graphs::OPERATIONS,
    runs::OPERATIONS,
    node_types::OPERATIONS,
    dry_run::OPERATIONS,
];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    automations::rest::routes(config);
    graphs::rest::routes(config);
    runs::rest::routes(config);
    node_types::rest::routes(config);
    dry_run::rest::routes(config);
}
