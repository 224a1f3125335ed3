//! Both protocols say the same: names, shapes, access. Everything here is derived from the declared rules and the two
//! published documents, so that a new operation is covered by being declared.

mod access;
mod escalation;
mod foreign_inputs;
mod limits;
mod names;
pub(crate) mod published;
mod shapes;
mod snapshots;
mod timestamps;
mod walk;
