//! Every operation, by domain.

use api_core::access::{AnyOperation, Rule};

/// The lists of every domain.
static DOMAINS: &[&[&[&dyn AnyOperation]]] = &[
    identity::OPERATIONS,
    accounts::OPERATIONS,
    account_archives::OPERATIONS,
    billing::OPERATIONS,
    connections::OPERATIONS,
    rbac::OPERATIONS,
    live::OPERATIONS,
    developers::OPERATIONS,
    developer_programme::OPERATIONS,
    developer_teams::OPERATIONS,
    extensions::OPERATIONS,
    community::OPERATIONS,
    bots::OPERATIONS,
    copyright::OPERATIONS,
    automations::OPERATIONS,
    overlays::OPERATIONS,
    media::OPERATIONS,
    rewards::OPERATIONS,
    integrations::OPERATIONS,
    history::OPERATIONS,
    public_stats::OPERATIONS,
    webhooks::OPERATIONS,
    usage::OPERATIONS,
    ideas::OPERATIONS,
];

/// Every rule.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    DOMAINS.iter().copied().flatten().copied().flatten().map(|operation| operation.rule())
}
