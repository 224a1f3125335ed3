//! Signed outbound webhooks that the API, the processes that store events, and the daemon share
//! (reference/webhooks.md).

mod chosen;
pub mod event_types;
pub mod features;
pub mod index;
pub mod queue;
pub mod secrets;
pub mod signature;
pub mod target;
