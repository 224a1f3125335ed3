//! Outbound webhooks: operations, queue and delivery.

mod endpoints;
mod killed;
mod log;
mod order;
mod privacy;
mod queue;
mod receiver;
mod requests;
mod retries;
mod secrets;
mod shares;
mod stage;
mod tests_and_replays;
mod traces;
