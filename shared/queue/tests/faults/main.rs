//! The faults that the job queue must survive, against a real Redis.
//!
//! Tests that only use Redis share the one at `LUMIO_TEST_REDIS_URL`, each under its own key prefix, or one
//! that is started for them. Tests that kill or freeze Redis start their own; `redis-server` must be on the
//! `PATH`. Workers that are killed are processes of their own: this executable again, see [`child`].
//!
//! Times in here are either lower bounds that the queue guarantees, or deadlines so late that only a hang
//! reaches them.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "in tests a failed expectation is the result"
)]

mod attempts;
mod child;
mod delivery;
mod journal;
mod leases;
mod outages;
mod poison;
mod schedules;
mod server;
mod shutdown;
mod work;
