//! The job queue: an [apalis](apalis_core) backend over Redis Streams.
//!
//! Every job runs at least once. One worker at a time holds it under a lease that the worker renews. It is
//! tried again after failures, and becomes a dead letter when it keeps failing. A handler whose effect must
//! not happen twice guards the effect itself, for example with a unique key of the job in the database: a
//! worker can die between the effect and the report to Redis.
//!
//! # Use
//!
//! ```no_run
//! # use serde::{Deserialize, Serialize};
//! use apalis::prelude::{BoxDynError, Data};
//! use queue::{Config, Connection, CronJob, EnqueueOptions, Producer, StreamQueue};
//!
//! #[derive(Serialize, Deserialize)]
//! struct SendMail { user: u64 }
//! # #[derive(Clone)] struct Mailer;
//! # impl Mailer { async fn send(&self, user: u64) -> Result<(), BoxDynError> { Ok(()) } }
//!
//! async fn send_mail(job: SendMail, mailer: Data<Mailer>) -> Result<(), BoxDynError> {
//!     mailer.send(job.user).await
//! }
//!
//! # async fn run(mailer: Mailer, signal: impl Future<Output = std::io::Result<()>> + Send) -> Result<(), BoxDynError> {
//! let redis = Connection::open("redis://127.0.0.1", "lumio")?;
//!
//! let producer = Producer::new(&redis, Config::new("mail"))?;
//! producer.enqueue(&SendMail { user: 7 }, EnqueueOptions::new().key("welcome-7")).await?;
//!
//! let mails = StreamQueue::<SendMail>::new(&redis, Config::new("mail"))?;
//! let nightly = CronJob::new("digest", "0 0 4 * * *", producer, |_| SendMail { user: 0 })?;
//! queue::monitor()
//!     .register(move |_| mails.worker().data(mailer.clone()).build(send_mail))
//!     .register(move |_| nightly.worker())
//!     .run_with_signal(signal)
//!     .await?;
//! # Ok(())
//! # }
//! ```
//!
//! # How it works
//!
//! A queue is a stream with the consumer group `workers`, a sorted set of delayed jobs, and a stream of dead
//! letters. A running worker has four background tasks:
//!
//! - the **reader** takes as many jobs as the worker has room for: new ones, and every few seconds those
//!   whose lease has expired;
//! - the **settler** reports the outcomes of jobs to Redis in batches, and repeats a batch until Redis
//!   accepts it;
//! - the **renewer** renews the leases of jobs that the worker still owns;
//! - the **promoter** makes delayed jobs ready when they are due.
//!
//! None of them ends when Redis fails: they report it ([`Metric::RedisFailed`]) and go on trying.
//!
//! Attempts count failures. Deliveries that were lost with their worker count separately
//! ([`Config::max_lost`]), so a job that kills its process becomes a dead letter, while those that shared the
//! process run on.
//!
//! A failed handler decides about its next attempt by its error: `AbortError` buries the job at once,
//! `RetryAfterError` sets the delay, any other error, a panic or a timeout waits for
//! [`Backoff`](Config::backoff).
//!
//! # Requirements on Redis
//!
//! Redis 7 with `appendonly yes` and `maxmemory-policy noeviction`. With `appendfsync everysec` a crash of
//! the machine loses up to a second of jobs. Jobs that must not be lost are kept in the database too and
//! added again.

mod backend;
mod config;
mod connection;
mod consumer;
mod cron;
mod envelope;
mod error;
mod keys;
mod layer;
mod metric;
mod oldest;
mod operator;
mod outcome;
mod pause;
mod producer;
mod promoter;
mod reader;
mod removal;
mod renewer;
mod settler;

pub use apalis_cron::Tick;

pub use crate::{
    backend::StreamQueue,
    config::{Backoff, Config},
    connection::Connection,
    cron::{CronJob, CronTicks, EnqueueTick},
    error::{Error, Result},
    layer::{SettleLayer, SettleService},
    metric::{BuryReason, Metric, MetricHook},
    oldest::Oldest,
    operator::{DeadJob, DeadLetter, Stats},
    outcome::Later,
    producer::{EnqueueOptions, Producer},
};

/// Monitor that starts workers again when they fail. A worker fails only when one of its background tasks has
/// panicked.
#[must_use]
pub fn monitor() -> apalis_core::monitor::Monitor {
    apalis_core::monitor::Monitor::new().should_restart(|worker, error| {
        tracing::error!(worker = worker.name(), %error, "worker failed, starting it again");
        true
    })
}
