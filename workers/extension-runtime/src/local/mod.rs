//! Runtime of one install on a developer's machine, for `lumio-ext` (reference/extension-kit.md#local-runtime).
//!
//! Matching of triggers, limits, checks of arguments, results and actions are those of the daemon. Storage and cache
//! are in memory, actions are recorded, and `ctx.fetch` passes the same gate or gets recorded answers. Handlers of one
//! event run one after the other, so that their effects have one order.

mod actions;
mod cache;
mod contents;
mod host;
mod install;
mod memory;
mod moment;
mod network;
mod recorded;
mod report;
mod runtime;
mod store;
mod trigger;

pub use contents::Contents;
pub use install::LocalInstall;
pub use memory::LocalMemory;
pub use moment::Moment;
pub use network::{FetchAnswer, Network};
pub use recorded::RecordedRun;
pub use report::{Effect, RefusedEffect, RunReport};
pub use runtime::LocalRuntime;
pub use trigger::{FunctionCaller, NodeInput, Trigger, Undeclared};
