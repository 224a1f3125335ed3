//! Common infrastructure of every process: databases, Redis, jobs, the event log, the outbox, encryption at
//! rest, object storage, headers of images, permits, readiness and telemetry. It knows no domain.

pub mod audit;
pub mod breaker;
pub mod bundle_tokens;
pub mod crypto;
pub mod daemons;
pub mod db;
pub mod egress;
pub mod events;
pub mod http;
pub mod images;
pub mod invalidation;
pub mod jobs;
pub mod lease;
pub mod limits;
pub mod media_links;
pub mod outbox;
pub mod permits;
pub mod readiness;
pub mod redis;
pub mod storage;
pub mod telemetry;
pub mod unclaimed;

pub use trace_context as trace;
