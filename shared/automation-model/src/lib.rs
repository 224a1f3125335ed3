//! Automations as API and workers share them (reference/automations.md): graphs and their validation, the
//! built-in nodes, triggers, schedules, templates, conditions, the interpreter of a run, and the start of
//! runs. Only `runs`, `starts`, `next_runs` and `index` use a database.

pub mod conditions;
mod config;
pub mod effects;
pub mod graph;
pub mod index;
pub mod live;
pub mod machine;
mod model;
pub mod next_runs;
pub mod node_types;
pub mod runs;
pub mod schedule;
pub mod starts;
pub mod template;
pub mod triggers;
mod validation;
