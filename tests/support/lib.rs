//! Support of the integration tests: real databases, a real Redis, a real server, and callers of every kind.
//!
//! Each test has its own databases (cloned from a migrated template), its own Redis prefix and its own server on a free
//! port, so that all of them run at once.

mod app;
mod belongings;
mod callers;
mod database;
pub mod extensions;
pub mod mail;
mod network;
mod objects;
mod people;
mod pooler;
mod postgres_server;
mod programs;
mod protocols;
mod redis_server;
mod rows;
mod socket;
mod statements;
mod switches;
mod waiting;
pub mod world;

pub use app::{PUBLIC_URL, TestApp, TestAppBuilder};
pub use belongings::Belongings;
pub use callers::{Answer, Caller};
pub use database::{TestDatabase, database_server, on_cluster, redis_server_url, redis_url};
pub use network::{Network, Weather};
pub use people::{Person, sign_in_with};
pub use pooler::PgBouncer;
pub use postgres_server::PostgresServer;
pub use programs::{Ended, Program, command, free_address, run};
pub use protocols::both_refused;
pub use redis_server::RedisServer;
pub use rows::Rows;
pub use socket::{Heard, RefusedUpgrade, Socket, SocketRequest};
pub use stack::{RedisCluster, browser};
pub use statements::Statements;
pub use switches::AuditEntry;
pub use waiting::{DEADLINE, arrives, eventually, eventually_none, eventually_within};

/// True when tests may take their full time: `LUMIO_TEST_SLOW=1`, as `scripts/test` sets it.
#[must_use]
pub fn is_slow() -> bool {
    std::env::var("LUMIO_TEST_SLOW").as_deref() == Ok("1")
}
