//! Automations, their runs and node types (reference/automations.md#automations).

mod automations;
mod limits;
mod lists;
mod live;
mod node_types;
mod runs;
