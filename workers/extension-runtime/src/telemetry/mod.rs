//! Telemetry of handlers, sent to the API in batches (reference/telemetry.md#batches).

mod buffer;
mod leftover;
mod outgoing;

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use extension_model::feeds::{
    ErrorRecord, LogLevel, LogRecord, MAX_RECORD_MESSAGE_LENGTH, MAX_RECORD_NAME_LENGTH,
    MAX_RECORD_STACK_LENGTH,
};
use foundation::redis::Redis;
use sandbox::{Failure, LogLine};
use shared::clock::Clock;
use tokio::sync::Notify;
use uuid::Uuid;

use super::{api::Api, api_failure::ApiFailure, metrics::RuntimeMetrics, triggers::Call};
use buffer::{BATCH_RECORDS, Buffer};
use leftover::LeftoverBatches;
use outgoing::Outgoing;

/// Interval at which batches are sent.
const SEND_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum pause after a failed call.
const MAX_BACKOFF: Duration = Duration::from_secs(30);
/// Maximum time for which a stopping worker sends; then it leaves the rest to another.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(1500);

/// Handler that ran.
#[derive(Debug, Clone)]
pub struct HandlerRun {
    /// Install of the handler.
    pub install_id: Uuid,
    /// Name of the export.
    pub handler: Arc<str>,
    /// Name in logs: `command`, `event`, `function` …
    pub trigger: &'static str,
}

impl From<&Call> for HandlerRun {
    fn from(call: &Call) -> Self {
        Self { install_id: call.install_id, handler: call.handler.clone(), trigger: call.kind.as_str() }
    }
}

impl From<&Self> for HandlerRun {
    fn from(ran: &Self) -> Self {
        ran.clone()
    }
}

/// Collector of telemetry. Cheap to clone.
#[derive(Clone)]
pub struct Telemetry {
    shared: Arc<Shared>,
}

struct Shared {
    api: Api,
    clock: Clock,
    metrics: RuntimeMetrics,
    buffer: Mutex<Buffer>,
    full: Notify,
    unsent: tokio::sync::Mutex<Outgoing>,
    leftover: LeftoverBatches,
    /// Number of its records.
    unsent_records: AtomicUsize,
}

impl Telemetry {
    /// Returns an empty collector.
    pub fn new(api: Api, redis: Redis, clock: Clock, metrics: RuntimeMetrics) -> Self {
        let shared = Shared {
            api,
            clock,
            metrics,
            buffer: Mutex::default(),
            full: Notify::new(),
            unsent: tokio::sync::Mutex::default(),
            leftover: LeftoverBatches::new(redis),
            unsent_records: AtomicUsize::new(0),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Records an invocation that has ended: its count, its lines, and its failure, if it failed, under the
    /// given id.
    pub fn invoked(
        &self,
        ran: &HandlerRun,
        took: Duration,
        lines: Vec<LogLine>,
        failure: Option<(Uuid, &Failure)>,
    ) {
        let (now, handler) = (self.shared.clock.now(), cut(&ran.handler, MAX_RECORD_NAME_LENGTH));
        self.add(|buffer| {
            let minute = minute_of(now);
            let counted =
                buffer.count(ran.install_id, &handler, minute, failure.is_some(), took.as_secs_f64() * 1e3);
            usize::from(!counted)
        });
        self.tested(ran, took, lines, failure);
    }

    /// Records a test: its lines and failures, without counts.
    pub fn tested(
        &self,
        ran: &HandlerRun,
        took: Duration,
        lines: Vec<LogLine>,
        failure: Option<(Uuid, &Failure)>,
    ) {
        let now = self.shared.clock.now();
        let execution_ms = i32::try_from(took.as_millis()).unwrap_or(i32::MAX);
        let line = |level, message: String| LogRecord {
            id: shared::id::new(),
            install_id: ran.install_id,
            level,
            message: cut(&message, MAX_RECORD_MESSAGE_LENGTH),
            trigger_type: Some(ran.trigger.to_owned()),
            execution_ms: Some(execution_ms),
            created_at: now,
        };
        self.add(|buffer| {
            let lines = lines.into_iter().map(|logged| line(level(logged.level), logged.message));
            let dropped: usize = lines.map(|log| buffer.add_log(log)).sum();
            let failed =
                failure.map_or(0, |(_, failure)| buffer.add_log(line(LogLevel::Error, failure.to_string())));
            dropped + failed
        });
        if let Some((id, failure)) = failure {
            self.failed(id, ran, failure);
        }
    }

    /// Counts an invocation that failed for a reason that was recorded recently.
    pub fn failed_again(&self, ran: &HandlerRun, took: Duration) {
        let (minute, handler) =
            (minute_of(self.shared.clock.now()), cut(&ran.handler, MAX_RECORD_NAME_LENGTH));
        self.add(|buffer| {
            let counted = buffer.count(ran.install_id, &handler, minute, true, took.as_secs_f64() * 1e3);
            usize::from(!counted)
        });
    }

    /// Records a failure of a handler, of its module or of its requests.
    fn failed(&self, id: Uuid, ran: &HandlerRun, failure: &Failure) {
        // A limit is named by its code, an error of the code by its JavaScript type.
        let error_type = match failure.code {
            sandbox::FailureCode::HandlerError | sandbox::FailureCode::SyntaxError => failure.name.clone(),
            code => code.as_str().to_owned(),
        };
        self.error(id, ran, &error_type, &failure.message, failure.stack.clone());
    }

    /// Records a problem around a handler.
    pub fn problem(
        &self,
        ran: impl Into<HandlerRun>,
        error_type: &str,
        message: &str,
        stack_trace: Option<String>,
    ) {
        self.error(shared::id::new(), &ran.into(), error_type, message, stack_trace);
    }

    fn error(
        &self,
        id: Uuid,
        ran: &HandlerRun,
        error_type: &str,
        message: &str,
        stack_trace: Option<String>,
    ) {
        let error = ErrorRecord {
            id,
            install_id: ran.install_id,
            handler: cut(&ran.handler, MAX_RECORD_NAME_LENGTH),
            error_type: cut(error_type, MAX_RECORD_NAME_LENGTH),
            message: cut(message, MAX_RECORD_MESSAGE_LENGTH),
            stack_trace: stack_trace.map(|stack| cut(&stack, MAX_RECORD_STACK_LENGTH)),
            occurred_at: self.shared.clock.now(),
        };
        self.add(|buffer| buffer.add_error(error));
    }

    /// Sends collected records, every second or when a batch is full, and leftover batches of other workers;
    /// never returns.
    pub async fn run(&self) {
        let mut pause = SEND_INTERVAL;
        loop {
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                // A batch that could not be sent waits for its pause.
                () = self.shared.full.notified(), if pause == SEND_INTERVAL => {}
            }
            pause = match self.send_all().await {
                Ok(()) => SEND_INTERVAL,
                Err(error) => {
                    if !error.is_logged() {
                        tracing::warn!(%error, "telemetry waits for the API");
                    }
                    (pause * 2).min(MAX_BACKOFF)
                }
            };
            if pause == SEND_INTERVAL
                && let Err(error) = self.send_leftover().await
            {
                tracing::debug!(%error, "unsent telemetry of other workers waits for the API");
            }
        }
    }

    /// Sends the rest before the process ends. Batches that the API does not accept now are left to another
    /// worker.
    pub async fn finish(&self) {
        if let Ok(Ok(())) = tokio::time::timeout(SHUTDOWN_TIMEOUT, self.send_all()).await {
            return;
        }
        let mut batches = Vec::from(std::mem::take(&mut *self.shared.unsent.lock().await));
        let mut buffer =
            std::mem::take(&mut *self.shared.buffer.lock().unwrap_or_else(PoisonError::into_inner));
        batches.extend(std::iter::from_fn(|| buffer.take_batch()));
        if let Err(error) = self.shared.leftover.leave(&batches).await {
            tracing::warn!(%error, batches = batches.len(), "telemetry that could not be sent is lost");
        }
    }

    async fn send_leftover(&self) -> shared::Result<()> {
        while let Some(leftover) = self.shared.leftover.oldest().await? {
            let mut outgoing = Outgoing::default();
            outgoing.add(leftover.batch.clone());
            while let Some(batch) = outgoing.first() {
                let answer = self.shared.api.report(batch).await;
                let Ok(dropped) = outgoing.settle(answer) else { return Ok(()) };
                if dropped > 0 {
                    self.shared.metrics.telemetry_dropped(dropped);
                }
            }
            self.shared.leftover.remove(&leftover).await?;
        }
        Ok(())
    }

    async fn send_all(&self) -> Result<(), ApiFailure> {
        let mut unsent = self.shared.unsent.lock().await;
        loop {
            if unsent.first().is_none() {
                self.take_batch(&mut unsent);
            }
            let Some(batch) = unsent.first() else { return Ok(()) };
            let answer = self.shared.api.report(batch).await;
            let dropped = unsent.settle(answer)?;
            if dropped > 0 {
                self.shared.metrics.telemetry_dropped(dropped);
            }
            self.shared.unsent_records.store(unsent.records(), Ordering::Relaxed);
            self.measure(&self.shared.buffer.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    fn take_batch(&self, unsent: &mut Outgoing) {
        let mut buffer = self.shared.buffer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(batch) = buffer.take_batch() {
            unsent.add(batch);
        }
        self.shared.unsent_records.store(unsent.records(), Ordering::Relaxed);
    }

    fn measure(&self, buffer: &Buffer) {
        let unsent = self.shared.unsent_records.load(Ordering::Relaxed);
        self.shared.metrics.telemetry_buffered(buffer.len() + unsent);
    }

    fn add(&self, change: impl FnOnce(&mut Buffer) -> usize) {
        let mut buffer = self.shared.buffer.lock().unwrap_or_else(PoisonError::into_inner);
        let dropped = change(&mut buffer);
        self.measure(&buffer);
        if dropped > 0 {
            self.shared.metrics.telemetry_dropped(dropped);
        }
        if buffer.len() >= BATCH_RECORDS {
            self.shared.full.notify_one();
        }
    }
}

fn minute_of(now: DateTime<Utc>) -> DateTime<Utc> {
    now.duration_trunc(TimeDelta::minutes(1)).unwrap_or(now)
}

const fn level(level: sandbox::LogLevel) -> LogLevel {
    match level {
        sandbox::LogLevel::Info => LogLevel::Info,
        sandbox::LogLevel::Warn => LogLevel::Warn,
        sandbox::LogLevel::Error => LogLevel::Error,
    }
}

fn cut(text: &str, max_bytes: usize) -> String {
    text[..text.floor_char_boundary(max_bytes)].to_owned()
}
