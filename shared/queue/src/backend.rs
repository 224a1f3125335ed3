//! Queue as an apalis backend: it yields tasks, and shuts down in order.

use std::{
    panic::AssertUnwindSafe,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use apalis_core::{
    backend::{Backend, BackendConfig, finalize::Ephemeral, future::BoxSyncFuture},
    layers::Identity,
    task::Task,
    worker::{builder::WorkerBuilder, context::WorkerContext},
};
use futures::FutureExt;
use serde::{Serialize, de::DeserializeOwned};
use tokio::{sync::mpsc, task::JoinHandle};

use crate::{
    Config, Connection, DeadLetter, Error, Producer, Result, Stats,
    connection::Core,
    consumer::Consumer,
    layer::SettleLayer,
    metric::Metric,
    outcome::{Outcome, Settlement},
    promoter::{promote_jobs, sweep},
    reader::{Delivery, Reader, Ticket},
    renewer::renew_leases,
    settler::settle_jobs,
};

/// Pause before a failed worker is started again, so that one that always fails does not keep a processor
/// busy.
const RESTART_DELAY: Duration = Duration::from_secs(1);
/// Interval of the checks for a request to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Longest wait of a stopping worker for the removal of its consumer in Redis.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// Queue of jobs with payloads of type `T`: the backend of an apalis worker.
///
/// A clone shares the connection. When it is run, it is another worker.
pub struct StreamQueue<T> {
    core: Arc<Core>,
    consumer: Arc<Consumer>,
    /// `Some` until the worker starts.
    settlements: Option<mpsc::UnboundedReceiver<Settlement>>,
    /// `Some` while the worker runs.
    deliveries: Option<mpsc::UnboundedReceiver<Delivery<T>>>,
    reader: Option<JoinHandle<()>>,
    closing: Option<BoxSyncFuture<()>>,
}

impl<T> StreamQueue<T> {
    /// Creates the queue of `config`.
    ///
    /// # Errors
    /// [`Error::Invalid`] for settings out of range.
    pub fn new(connection: &Connection, config: Config) -> Result<Self> {
        Ok(Self::with_core(Core::new(connection, config)?))
    }

    fn with_core(core: Arc<Core>) -> Self {
        let (consumer, settlements) = Consumer::new(core.config.concurrency);
        Self { core, consumer, settlements: Some(settlements), deliveries: None, reader: None, closing: None }
    }

    /// Creates a producer for this queue.
    #[must_use]
    pub fn producer(&self) -> Producer<T>
    where
        T: Serialize,
    {
        Producer::with_core(self.core.clone())
    }

    /// Numbers of jobs in the queue.
    ///
    /// # Errors
    /// [`Error::Redis`].
    pub async fn stats(&self) -> Result<Stats> {
        self.core.connection.stats(&self.core.config.queue).await
    }

    /// Newest dead letters, newest first, at most 1,000.
    ///
    /// # Errors
    /// [`Error::Redis`].
    pub async fn dead_letters(&self, count: usize) -> Result<Vec<DeadLetter>> {
        self.core.connection.dead_letters(&self.core.config.queue, count).await
    }

    /// Turns a dead letter into a job again, see [`Connection::requeue`].
    ///
    /// # Errors
    /// Those of [`Connection::requeue`].
    pub async fn requeue(&self, entry: &str) -> Result<bool> {
        self.core.connection.requeue(&self.core.config.queue, entry).await
    }
}

impl<T: DeserializeOwned + Send + Sync + 'static> StreamQueue<T> {
    /// Creates a worker of this queue, which still needs its data and handler:
    /// `queue.worker().data(state).build(handler)`.
    ///
    /// Concurrency, timeout, tracing, a separate task for each job, retries and panics are handled already
    /// (see [`Config`]), so add no layers for them. In particular `parallelize` would keep the timeout from
    /// stopping a handler, `retry` would run jobs more often than allowed, and `catch_panic` would bury a job
    /// at its first panic.
    #[must_use]
    pub fn worker(&self) -> WorkerBuilder<T, Self, Identity> {
        WorkerBuilder::new(self.core.config.queue.as_str()).backend(self.clone())
    }

    /// Starts the background tasks. Not in `middleware`, which may be called outside of a runtime.
    fn start(&mut self, worker: &WorkerContext) {
        let Some(settlements) = self.settlements.take() else { return };
        let (sender, deliveries) = mpsc::unbounded_channel();
        let (core, consumer) = (self.core.clone(), self.consumer.clone());
        let reader = Reader::new(core.clone(), consumer.clone(), worker.clone(), sender.clone());
        let after = if worker.restarts() > 0 { RESTART_DELAY } else { Duration::ZERO };
        let run = Background { core: core.clone(), consumer: consumer.clone(), after, deliveries: sender };
        self.reader = Some(run.spawn("reader", reader.run()));
        run.spawn("settler", settle_jobs(core.clone(), consumer.clone(), settlements));
        run.spawn("renewer", renew_leases(core.clone(), consumer.clone()));
        run.spawn("promoter", promote_jobs(core.clone(), consumer.clone()));
        if let Some(drain) = core.config.drain {
            run.spawn("drain", end_drain(drain, worker.clone(), consumer));
        }
        self.deliveries = Some(deliveries);
    }
}

impl<T: DeserializeOwned + Send + Sync + 'static> Backend for StreamQueue<T> {
    type Task = Task<T>;
    type Error = Error;

    fn poll_ready(&mut self, _: &mut Context<'_>, worker: &WorkerContext) -> Poll<Result<()>> {
        self.start(worker);
        Poll::Ready(Ok(()))
    }

    fn poll_next(&mut self, cx: &mut Context<'_>, _: &WorkerContext) -> Poll<Option<Result<Task<T>>>> {
        match &mut self.deliveries {
            Some(deliveries) => deliveries.poll_recv(cx),
            None => Poll::Ready(None),
        }
    }

    /// Called after the last handler has ended.
    fn poll_close(&mut self, cx: &mut Context<'_>, _: &WorkerContext) -> Poll<Result<()>> {
        let closing = self.closing.get_or_insert_with(|| {
            let (core, consumer) = (self.core.clone(), self.consumer.clone());
            close(core, consumer, self.reader.take(), self.deliveries.take()).boxed().into()
        });
        closing.poll_unpin(cx).map(Ok)
    }
}

impl<T> BackendConfig for StreamQueue<T> {
    type Args = T;
    type Id = String;
    /// Tasks carry `T`; apalis adds no codec.
    type Kind = Ephemeral;
    type Config = Config;
    type Layer = SettleLayer;

    fn config(&self) -> &Config {
        &self.core.config
    }

    fn middleware(&mut self, _: &mut WorkerContext) -> SettleLayer {
        SettleLayer::new(self.core.clone(), self.consumer.clone())
    }
}

impl<T> Clone for StreamQueue<T> {
    fn clone(&self) -> Self {
        Self::with_core(self.core.clone())
    }
}

/// A worker that is dropped without being closed, like one beyond its shutdown timeout, releases its jobs:
/// they run elsewhere after their leases have expired.
impl<T> Drop for StreamQueue<T> {
    fn drop(&mut self) {
        self.consumer.gone.cancel();
    }
}

impl<T> std::fmt::Debug for StreamQueue<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StreamQueue").field("queue", &self.core.config.queue).finish_non_exhaustive()
    }
}

/// Starts background tasks that end with the worker, and end the worker if they panic.
struct Background<T> {
    core: Arc<Core>,
    consumer: Arc<Consumer>,
    after: Duration,
    deliveries: mpsc::UnboundedSender<Delivery<T>>,
}

impl<T: Send + 'static> Background<T> {
    fn spawn(&self, task: &'static str, future: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
        let (gone, deliveries) = (self.consumer.gone.clone(), self.deliveries.clone());
        let (queue, after) = (self.core.config.queue.clone(), self.after);
        let future = async move {
            tokio::time::sleep(after).await;
            future.await;
        };
        tokio::spawn(async move {
            let ended = gone.run_until_cancelled(AssertUnwindSafe(future).catch_unwind()).await;
            if let Some(Err(_)) = ended {
                tracing::error!(queue, task, "background task panicked, the worker ends");
                // The receiver is gone if the worker is closing already.
                deliveries.send(Err(Error::TaskEnded { queue, task })).ok();
            }
        })
    }
}

/// Signals the handlers of a stopping worker that their time is over.
async fn end_drain(drain: Duration, worker: WorkerContext, consumer: Arc<Consumer>) {
    while !worker.is_shutting_down() {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    tokio::time::sleep(drain).await;
    consumer.drained.cancel();
}

/// Stops reading, puts back jobs that never started, waits until outcomes have reached Redis, and removes the
/// consumer.
async fn close<T>(
    core: Arc<Core>,
    consumer: Arc<Consumer>,
    reader: Option<JoinHandle<()>>,
    deliveries: Option<mpsc::UnboundedReceiver<Delivery<T>>>,
) {
    consumer.stop.cancel();
    if let Some(reader) = reader
        && let Err(error) = reader.await
    {
        tracing::error!(queue = core.config.queue, %error, "reader did not end");
    }
    if let Some(deliveries) = deliveries {
        put_back(&core, &consumer, deliveries);
    }
    if tokio::time::timeout(core.config.settle_timeout, consumer.held.emptied()).await.is_err() {
        let jobs = consumer.held.len();
        tracing::error!(
            queue = core.config.queue,
            jobs,
            "redis does not take outcomes, the jobs will run again"
        );
    }
    match tokio::time::timeout(SHUTDOWN_TIMEOUT, sweep(&core, &consumer.name)).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => tracing::debug!(queue = core.config.queue, %error, "consumer left for the sweep"),
        Err(_) => tracing::debug!(queue = core.config.queue, "consumer left for the sweep: redis is silent"),
    }
    consumer.gone.cancel();
}

fn put_back<T>(core: &Core, consumer: &Consumer, mut deliveries: mpsc::UnboundedReceiver<Delivery<T>>) {
    let mut jobs = 0;
    while let Ok(delivery) = deliveries.try_recv() {
        let task = delivery.ok();
        if let Some(ticket) = task.as_ref().and_then(|task| task.data().get::<Arc<Ticket>>()) {
            jobs += 1;
            let outcome = Outcome::PutBack { envelope: ticket.envelope.to_string() };
            consumer.settle(Settlement { entry_id: ticket.entry_id.clone(), outcome });
        }
    }
    if jobs > 0 {
        core.report(&Metric::PutBack { jobs });
    }
}
