//! Jobs that are added on a schedule.

use std::{
    fmt,
    str::FromStr,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use apalis_core::{
    backend::{Backend, BackendConfig, finalize::Ephemeral},
    error::BoxDynError,
    layers::Identity,
    task::{Task, builder::TaskBuilder, task_id::TaskId},
    worker::{Worker, builder::WorkerBuilder, context::WorkerContext},
};
use apalis_cron::{CronScheduler, Tick};
use futures::{FutureExt, future::BoxFuture};
use serde::Serialize;
use tower::Service;

use crate::{EnqueueOptions, Error, Producer, Result, keys::check_name};

/// Time for which adding the job of a tick is tried when Redis does not reply.
const ENQUEUE_TIMEOUT: Duration = Duration::from_mins(1);
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Adds a job at the times of a schedule, once for all processes that run it.
///
/// Every process ticks and adds the job with an idempotency key of name and tick, so one of them succeeds and
/// no leader is needed. Ticks during which no process runs are skipped.
pub struct CronJob<T> {
    name: Arc<str>,
    schedule: cron::Schedule,
    producer: Producer<T>,
    payload: Arc<dyn Fn(Tick) -> T + Send + Sync>,
}

impl<T: Serialize + Send + Sync + 'static> CronJob<T> {
    /// `schedule` has six or seven fields, seconds first, in UTC: `0 30 3 * * *` is every night at half past
    /// three. `payload` creates the job of a tick.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a malformed schedule, or a name with other characters than
    /// `A-Z a-z 0-9 _ - . :`.
    pub fn new(
        name: &str,
        schedule: &str,
        producer: Producer<T>,
        payload: impl Fn(Tick) -> T + Send + Sync + 'static,
    ) -> Result<Self> {
        check_name("cron name", name)?;
        let schedule = cron::Schedule::from_str(schedule)
            .map_err(|error| Error::invalid("schedule", format!("{schedule:?} cannot be read: {error}")))?;
        Ok(Self { name: name.into(), schedule, producer, payload: Arc::new(payload) })
    }

    /// Worker that adds the jobs.
    pub fn worker(&self) -> Worker<Tick, CronTicks, EnqueueTick<T>, Identity> {
        let ticks = CronTicks(CronScheduler::new(self.schedule.clone()));
        WorkerBuilder::new(format!("cron:{}", self.name)).backend(ticks).build(EnqueueTick(self.clone()))
    }

    async fn enqueue(&self, tick: Tick) -> Result<()> {
        let (job, options) = ((self.payload)(tick), EnqueueOptions::new().key(self.key(tick)));
        let give_up = tokio::time::Instant::now() + ENQUEUE_TIMEOUT;
        loop {
            match self.producer.enqueue(&job, options.clone()).await {
                Ok(added) => {
                    tracing::debug!(cron = &*self.name, tick = tick.get_timestamp(), added, "cron tick");
                    return Ok(());
                }
                Err(error) if tokio::time::Instant::now() >= give_up => return Err(error),
                Err(error) => {
                    tracing::warn!(cron = &*self.name, tick = tick.get_timestamp(), %error, "cron job not added yet");
                }
            }
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
    }

    fn key(&self, tick: Tick) -> String {
        format!("cron:{}:{}", self.name, tick.get_timestamp())
    }
}

impl<T> Clone for CronJob<T> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            schedule: self.schedule.clone(),
            producer: self.producer.clone(),
            payload: self.payload.clone(),
        }
    }
}

impl<T> fmt::Debug for CronJob<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CronJob").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Handler of a [`CronJob`].
#[derive(Debug, Clone)]
pub struct EnqueueTick<T>(CronJob<T>);

impl<T: Serialize + Send + Sync + 'static> Service<Task<Tick>> for EnqueueTick<T> {
    type Response = ();
    type Error = BoxDynError;
    type Future = BoxFuture<'static, Result<(), BoxDynError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxDynError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, task: Task<Tick>) -> Self::Future {
        let cron = self.0.clone();
        async move {
            cron.enqueue(task.args).await.map_err(|error| {
                tracing::error!(cron = &*cron.name, tick = task.args.get_timestamp(), %error, "cron job lost");
                error.into()
            })
        }
        .boxed()
    }
}

/// Ticks of a schedule.
///
/// `CronScheduler` fails for good, and its worker with it, when a tick has passed before it could wait for
/// it: after the machine slept, or under extreme load. Here that tick is delivered late instead.
#[derive(Debug)]
pub struct CronTicks(CronScheduler<cron::Schedule>);

impl Backend for CronTicks {
    type Task = Task<Tick>;
    type Error = apalis_cron::Error;

    fn poll_ready(&mut self, cx: &mut Context<'_>, worker: &WorkerContext) -> Poll<Result<(), Self::Error>> {
        self.0.poll_ready(cx, worker)
    }

    fn poll_next(
        &mut self,
        cx: &mut Context<'_>,
        worker: &WorkerContext,
    ) -> Poll<Option<Result<Self::Task, Self::Error>>> {
        match self.0.poll_next(cx, worker) {
            Poll::Ready(Some(Err(apalis_cron::Error::OutOfRange { tick, .. }))) => {
                // A clone starts with the next tick from now.
                self.0 = self.0.clone();
                let task_id = TaskId::from_string(format!("late-{tick}"));
                Poll::Ready(Some(Ok(TaskBuilder::new(Tick::new(tick)).task_id(task_id).build())))
            }
            polled => polled,
        }
    }

    fn poll_close(&mut self, cx: &mut Context<'_>, worker: &WorkerContext) -> Poll<Result<(), Self::Error>> {
        self.0.poll_close(cx, worker)
    }
}

impl BackendConfig for CronTicks {
    type Args = Tick;
    type Id = String;
    type Kind = Ephemeral;
    type Config = apalis_cron::Config<cron::Schedule, apalis_cron::timezone::Utc>;
    type Layer = Identity;

    fn config(&self) -> &Self::Config {
        self.0.config()
    }

    fn middleware(&mut self, _: &mut WorkerContext) -> Identity {
        Identity::new()
    }
}
