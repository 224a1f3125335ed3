//! Layer around a worker's handler. It runs each job in a separate task within its time, and settles it.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use apalis_core::{error::BoxDynError, task::Task};
use futures::{FutureExt, future::BoxFuture};
use tokio_util::task::AbortOnDropHandle;
use tower::{Layer, Service};
use trace_context::Trace;
use tracing::{Instrument, Span};

use crate::{
    connection::Core,
    consumer::Consumer,
    metric::Metric,
    outcome::{Outcome, Settlement, error_text, panic_error},
    reader::Ticket,
};

/// Wraps the handler outside of all other layers, so that it sees the final result.
///
/// All steps around a handler are here and in this order, because other orders fail in ways that are hard to
/// see. With the timeout outside of the spawned task, a handler that timed out would continue beside its own
/// retry.
#[derive(Debug, Clone)]
pub struct SettleLayer {
    core: Arc<Core>,
    consumer: Arc<Consumer>,
}

impl SettleLayer {
    pub(crate) fn new(core: Arc<Core>, consumer: Arc<Consumer>) -> Self {
        Self { core, consumer }
    }
}

impl<S> Layer<S> for SettleLayer {
    type Service = SettleService<S>;

    fn layer(&self, inner: S) -> SettleService<S> {
        SettleService { inner, layer: self.clone() }
    }
}

/// Handler with [`SettleLayer`] around it.
#[derive(Debug, Clone)]
pub struct SettleService<S> {
    inner: S,
    layer: SettleLayer,
}

impl<S, T, R> Service<Task<T>> for SettleService<S>
where
    S: Service<Task<T>, Response = R>,
    S::Error: Into<BoxDynError>,
    S::Future: Send + 'static,
    R: Send + 'static,
{
    type Response = R;
    type Error = BoxDynError;
    type Future = BoxFuture<'static, Result<R, BoxDynError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxDynError>> {
        self.inner.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, task: Task<T>) -> Self::Future {
        let Some(ticket) = task.data().get::<Arc<Ticket>>().cloned() else {
            return async { Err("the task does not come from this queue".into()) }.boxed();
        };
        let run = Run::begin(self.layer.clone(), ticket);
        // A handler may panic before its future exists. That must not end the worker either.
        let called = catch_unwind(AssertUnwindSafe(|| self.inner.call(task)));
        async move {
            let result = match called {
                Ok(future) => run.until_drained(future).await,
                Err(panic) => Some(Err(panic_error(&*panic))),
            };
            match result {
                Some(result) => {
                    run.settle(&result);
                    result
                }
                None => {
                    run.put_back();
                    Err("put back, because the worker stops".into())
                }
            }
        }
        .boxed()
    }
}

/// One run of one job.
struct Run {
    layer: SettleLayer,
    ticket: Arc<Ticket>,
    span: Span,
    trace: Trace,
    began: Instant,
}

impl Run {
    fn begin(layer: SettleLayer, ticket: Arc<Ticket>) -> Self {
        let config = &layer.core.config;
        // Beyond its timeout a handler can only be blocking a thread. A lease on top allows for a slow
        // machine.
        layer.consumer.held.start(&ticket.entry_id, config.timeout + config.lease);
        let attempt = ticket.envelope.failed_attempts + 1;
        let span = tracing::info_span!(
            "job",
            queue = config.queue,
            job_id = ticket.envelope.id,
            attempt,
            trace_id = tracing::field::Empty
        );
        let added_by = ticket.envelope.trace.as_deref().and_then(|trace| Trace::parse(trace, None));
        let trace = Trace::of_span(&span, added_by.as_ref());
        span.record("trace_id", trace.trace_id());
        Self { layer, ticket, span, trace, began: Instant::now() }
    }

    /// Returns the result; `None` when the worker stops and the handler had to be stopped with it.
    async fn until_drained<F, R, E>(&self, future: F) -> Option<Result<R, BoxDynError>>
    where
        F: Future<Output = Result<R, E>> + Send + 'static,
        R: Send + 'static,
        E: Into<BoxDynError>,
    {
        let timeout = self.layer.core.config.timeout;
        let handler = async move {
            match tokio::time::timeout(timeout, future).await {
                Ok(result) => result.map_err(Into::into),
                Err(_) => Err(timed_out(timeout)),
            }
        };
        let handler = trace_context::within(Some(self.trace.clone()), handler.instrument(self.span.clone()));
        let mut handler = AbortOnDropHandle::new(tokio::spawn(handler));
        let drained = self.layer.consumer.drained.clone();
        let ended = match drained.run_until_cancelled(&mut handler).await {
            Some(ended) => ended,
            None => {
                handler.abort();
                // Another worker may start only after the handler has released everything.
                handler.await
            }
        };
        match ended {
            Ok(result) => Some(result),
            Err(ended) if ended.is_cancelled() && drained.is_cancelled() => None,
            Err(ended) => Some(Err(match ended.try_into_panic() {
                Ok(panic) => panic_error(&*panic),
                Err(cancelled) => cancelled.into(),
            })),
        }
    }

    /// Puts the job back as if it had never started, for another worker to take at once.
    fn put_back(&self) {
        let Self { layer: SettleLayer { core, consumer }, ticket, span, .. } = self;
        span.in_scope(|| tracing::warn!("job put back, because the worker stops"));
        core.report(&Metric::PutBack { jobs: 1 });
        let outcome = Outcome::PutBack { envelope: ticket.envelope.to_string() };
        consumer.settle(Settlement { entry_id: ticket.entry_id.clone(), outcome });
    }

    fn settle<R>(&self, result: &Result<R, BoxDynError>) {
        let took = self.began.elapsed();
        let outcome = match result {
            Ok(_) => Outcome::Done { key: self.ticket.envelope.key.clone() },
            Err(error) => Outcome::of_failure(&self.layer.core.config, &self.ticket.envelope, error),
        };
        self.report(&outcome, result.as_ref().err(), took);
        self.layer.consumer.settle(Settlement { entry_id: self.ticket.entry_id.clone(), outcome });
    }

    fn report(&self, outcome: &Outcome, error: Option<&BoxDynError>, took: Duration) {
        let core = &self.layer.core;
        let attempt = self.ticket.envelope.failed_attempts + 1;
        match outcome {
            Outcome::Done { .. } => core.report(&Metric::Done { took }),
            Outcome::Retry { delay, .. } => {
                let (error, delay_ms) = (error.map(error_text).unwrap_or_default(), delay.as_millis());
                self.span.in_scope(|| tracing::warn!(error, delay_ms, "job failed, will run again"));
                core.report(&Metric::Retried { attempt, delay: *delay, took });
            }
            Outcome::Bury { error, reason, .. } => {
                self.span.in_scope(|| tracing::error!(error, %reason, "job buried"));
                core.report(&Metric::Buried { reason: *reason, error });
            }
            Outcome::Later { .. } => core.report(&Metric::PutBack { jobs: 1 }),
            Outcome::PutBack { .. } => {}
        }
    }
}

fn timed_out(timeout: Duration) -> BoxDynError {
    format!("timed out after {timeout:?}").into()
}
