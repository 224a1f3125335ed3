//! Starts of automations by chat lines and events (reference/automations.md#triggers): which nodes wait for
//! them, and the job that starts their runs.

mod awaited;
mod jobs;
mod nodes;
mod values;

pub use awaited::{Awaited, awaited, command_prefix};
pub use jobs::{Emitter, add_for_event, add_for_line, job};
pub use nodes::{TriggerNode, node_of_command, node_of_reward, trigger_nodes};
pub use values::{context, trigger_value, user};
