//! `lumio-ext`: makes, checks, tests, packs and uploads extensions (reference/extension-kit.md).
//!
//! The rules are those of the product: `extension_bundle` checks what an upload checks, and
//! `extension_runtime::local` runs handlers in the sandbox of the runtime.

pub mod check;
pub mod cli;
mod credentials;
pub mod declarations;
pub mod dev;
mod engine;
mod event_input;
pub mod fixture;
pub mod init;
mod line_input;
mod load;
mod matching;
mod output;
pub mod pack;
mod places;
pub mod remote;
pub mod replay;
pub mod test;
pub mod trigger_input;
mod watch;

pub use check::Finding;
pub use output::Outcome;
