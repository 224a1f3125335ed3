//! What measuring and soaking share: a stack of real processes, figures of rounds, deliveries as Twitch makes them.

pub mod hostile;
pub mod measure;
mod processes;
pub mod twitch;

pub use processes::{Stack, free_port, text};
