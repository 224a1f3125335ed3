//! Background task of a worker that reads jobs from Redis: new ones, and those that dead workers have left
//! behind.

use std::{
    sync::{Arc, LazyLock},
    time::{Duration, Instant},
};

use apalis_core::{
    backend::queue::Queue,
    task::{Task, builder::TaskBuilder, task_id::TaskId},
    worker::context::WorkerContext,
};
use redis::{RedisResult, Script, aio::MultiplexedConnection};
use serde::de::DeserializeOwned;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use crate::{
    Config, Error,
    connection::{BATCH_SIZE, Core, run_on},
    consumer::Consumer,
    envelope::{Entry, Envelope, Fields},
    keys::GROUP,
    metric::{BuryReason, Metric},
    outcome::{Outcome, Settlement},
    pause::Pause,
};

static CLAIM: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lua/claim.lua")));

/// Losses from which a job is run beside no other such job (see `claim.lua`).
const SUSPECT_AFTER: u32 = 2;
/// Longest time between two searches for jobs of dead workers. Such a job runs again within its lease plus
/// this.
const CLAIM_INTERVAL: Duration = Duration::from_secs(4);
/// Pause before the next search for suspects that had to wait for another one.
const SUSPECT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Origin of a task. It travels with the task through apalis to the layer that settles it.
#[derive(Debug)]
pub(crate) struct Ticket {
    /// Id of the stream entry.
    pub entry_id: String,
    /// Envelope of the job.
    pub envelope: Envelope,
}

/// Start of the list, in the notation of XPENDING.
const FIRST_ENTRY: &str = "-";

pub(crate) type Delivery<T> = Result<Task<T>, Error>;

pub(crate) struct Reader<T> {
    core: Arc<Core>,
    consumer: Arc<Consumer>,
    worker: WorkerContext,
    /// Unbounded, but never longer than the number of permits.
    deliveries: mpsc::UnboundedSender<Delivery<T>>,
    queue: Queue,
    redis_was_away: bool,
    next_claim: Instant,
    claim_from: String,
}

impl<T: DeserializeOwned> Reader<T> {
    /// Creates the reader of a worker.
    pub fn new(
        core: Arc<Core>,
        consumer: Arc<Consumer>,
        worker: WorkerContext,
        deliveries: mpsc::UnboundedSender<Delivery<T>>,
    ) -> Self {
        let queue = Queue::from(core.config.queue.as_str());
        let (next_claim, claim_from) = (Instant::now(), FIRST_ENTRY.into());
        Self { core, consumer, worker, deliveries, queue, redis_was_away: false, next_claim, claim_from }
    }

    /// Reads until the worker stops. After any failure of Redis it starts again with a new connection,
    /// because an error from here would end the worker.
    pub async fn run(mut self) {
        let mut pause = Pause::new();
        while !self.is_stopping() {
            if let Err(error) = self.read(&mut pause).await {
                self.core.redis_failed("reader", &error);
                self.redis_was_away = true;
                pause.wait(&self.consumer.stop).await;
            }
        }
    }

    async fn read(&mut self, pause: &mut Pause) -> RedisResult<()> {
        let mut connection =
            self.core.connection.blocking(&self.core.keys.stream, self.core.config.block).await?;
        self.create_group(&mut connection).await?;
        self.postpone_claim();
        while !self.is_stopping() {
            let stop = self.consumer.stop.clone();
            let permits = stop.run_until_cancelled(self.consumer.held.free_permits()).await;
            let Some(Some(permits)) = permits else { break };
            let entries = self.next_entries(&mut connection, permits.num_permits()).await?;
            pause.reset();
            self.deliver(entries, permits);
        }
        Ok(())
    }

    /// True when the worker is stopping. It may have long jobs to finish, and jobs that it read
    /// meanwhile would wait for them, although other workers are idle.
    fn is_stopping(&self) -> bool {
        self.consumer.stop.is_cancelled() || self.worker.is_shutting_down()
    }

    /// Creates the consumer group. This also repairs a Redis that has lost its data: reading fails then,
    /// which leads here again.
    async fn create_group(&self, connection: &mut MultiplexedConnection) -> RedisResult<()> {
        let mut create = redis::cmd("XGROUP");
        create.arg("CREATE").arg(&self.core.keys.stream).arg(GROUP).arg("0").arg("MKSTREAM");
        match create.query_async::<()>(connection).await {
            Err(error) if error.code() == Some("BUSYGROUP") => Ok(()),
            created => created,
        }
    }

    async fn next_entries(
        &mut self,
        connection: &mut MultiplexedConnection,
        limit: usize,
    ) -> RedisResult<Vec<Entry>> {
        if Instant::now() >= self.next_claim {
            let claimed = self.claim(connection, limit).await?;
            if !claimed.is_empty() {
                return Ok(claimed);
            }
        }
        self.read_new(connection, limit).await
    }

    async fn claim(
        &mut self,
        connection: &mut MultiplexedConnection,
        limit: usize,
    ) -> RedisResult<Vec<Entry>> {
        let config = &self.core.config;
        let mut args =
            vec![GROUP.to_owned(), self.consumer.name.clone(), config.lease.as_millis().to_string()];
        let suspects_allowed = u32::from(!self.consumer.held.has_suspect());
        args.extend([self.claim_from.clone(), limit.min(BATCH_SIZE).to_string(), BATCH_SIZE.to_string()]);
        args.extend(
            [config.max_lost, suspect_after(config), suspects_allowed].map(|number| number.to_string()),
        );
        args.extend(self.consumer.held.entry_ids());
        let (next, suspects_left, rows): (String, u32, Vec<(String, u32, Fields)>) =
            run_on(connection, &CLAIM, &[&self.core.keys.stream], &args).await?;
        self.claim_from = next;
        if rows.is_empty() && self.claim_from == FIRST_ENTRY {
            let regular = (config.lease / 2).min(CLAIM_INTERVAL).mul_f64(rand::random_range(0.8..1.2));
            self.next_claim = Instant::now() + if suspects_left > 0 { SUSPECT_RETRY_DELAY } else { regular };
        }
        if !rows.is_empty() {
            tracing::warn!(queue = config.queue, jobs = rows.len(), "took over jobs of lost workers");
            self.core.report(&Metric::Reclaimed { jobs: rows.len() });
        }
        Ok(rows.into_iter().map(|(id, lost, fields)| Entry::new(id, lost, &fields)).collect())
    }

    async fn read_new(
        &self,
        connection: &mut MultiplexedConnection,
        limit: usize,
    ) -> RedisResult<Vec<Entry>> {
        type Streams = Option<Vec<(String, Vec<(String, Fields)>)>>;
        let until_claim = self.next_claim.saturating_duration_since(Instant::now());
        let block = self.core.config.block.min(until_claim).as_millis().max(1);
        let mut read = redis::cmd("XREADGROUP");
        read.arg("GROUP").arg(GROUP).arg(&self.consumer.name).arg("COUNT").arg(limit);
        read.arg("BLOCK").arg(block.to_string()).arg("STREAMS").arg(&self.core.keys.stream).arg(">");
        let streams: Streams = read.query_async(connection).await?;
        let entries = streams.into_iter().flatten().flat_map(|(_, entries)| entries);
        Ok(entries.map(|(id, fields)| Entry::new(id, 0, &fields)).collect())
    }

    fn deliver(&self, entries: Vec<Entry>, mut permits: OwnedSemaphorePermit) {
        for entry in entries {
            // There is a permit for each, because no more were requested.
            let Some(permit) = permits.split(1) else { break };
            let suspect = entry.lost >= suspect_after(&self.core.config);
            if !self.consumer.held.add(&entry.id, suspect, permit) {
                continue;
            }
            if self.is_stopping() {
                self.put_back(entry);
                continue;
            }
            match self.open(&entry) {
                Ok(task) => self.dispatch(task, &entry),
                Err((error, reason)) => self.bury(entry, &error, reason),
            }
        }
    }

    /// Decodes the payload here and not in apalis, where one undecodable payload would end the whole worker.
    fn open(&self, entry: &Entry) -> Result<Task<T>, (String, BuryReason)> {
        if entry.lost > self.core.config.max_lost {
            return Err((format!("lost by {} workers", entry.lost), BuryReason::Lost));
        }
        let undecodable = |error| (format!("undecodable: {error}"), BuryReason::Undecodable);
        let envelope = Envelope::parse(&entry.envelope).map_err(undecodable)?;
        let payload = serde_json::from_str(envelope.payload.get()).map_err(undecodable)?;
        let task = TaskBuilder::new(payload)
            .task_id(TaskId::from_string(envelope.id.clone()))
            .attempt(envelope.failed_attempts as usize)
            .max_attempts(envelope.max_attempts as usize)
            .queue(self.queue.clone());
        Ok(task.data(Arc::new(Ticket { entry_id: entry.id.clone(), envelope })).build())
    }

    fn dispatch(&self, task: Task<T>, entry: &Entry) {
        self.core.report(&Metric::Picked { wait: entry.wait() });
        if self.deliveries.send(Ok(task)).is_err() {
            // The worker was dropped without being closed. The lease expires and the job runs elsewhere.
            self.consumer.held.remove([entry.id.as_str()]);
        }
    }

    /// Puts back a job that was read while the worker was stopping, for another worker to take at once.
    fn put_back(&self, entry: Entry) {
        self.core.report(&Metric::PutBack { jobs: 1 });
        let outcome = Outcome::PutBack { envelope: entry.envelope };
        self.consumer.settle(Settlement { entry_id: entry.id, outcome });
    }

    fn bury(&self, entry: Entry, error: &str, reason: BuryReason) {
        // The log omits the error, which may quote the payload. It is with the dead letter.
        let (queue, lost) = (&self.core.config.queue, entry.lost);
        tracing::error!(queue, entry = entry.id, %reason, lost, "job buried without a run");
        self.core.report(&Metric::Buried { reason, error });
        let outcome = Outcome::bury(entry.envelope, error, reason);
        self.consumer.settle(Settlement { entry_id: entry.id, outcome });
    }

    /// Delays the next takeover. While Redis was away no lease could be renewed, so jobs of healthy workers
    /// look lost. Those workers get the time to renew first.
    fn postpone_claim(&mut self) {
        if std::mem::take(&mut self.redis_was_away) {
            self.next_claim = self.next_claim.max(Instant::now() + self.core.config.lease / 2);
            self.claim_from = FIRST_ENTRY.into();
        }
    }
}

/// With a low limit, the last permitted run must be one alone.
fn suspect_after(config: &Config) -> u32 {
    SUSPECT_AFTER.min(config.max_lost)
}
