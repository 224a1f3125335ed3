//! Both protocols agree in names, shapes and access (reference/graphql.md#parity). Everything here is derived from the
//! declared rules and the two published documents, so that a new operation is covered by its declaration.

mod access;
mod audited;
mod deprecations;
mod descriptions;
mod escalation;
mod foreign_inputs;
mod idempotency;
mod limits;
mod lists;
mod names;
mod polled;
pub(crate) mod published;
mod shapes;
mod snapshots;
mod timestamps;
mod walk;
