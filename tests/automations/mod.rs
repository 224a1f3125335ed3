//! Automations: operations, graphs, execution, starts and effects.

mod common;
mod dry_run;
mod effects;
mod engine;
mod graphs;
mod operations;
mod starts;
mod templates;
mod types;
mod wire;
