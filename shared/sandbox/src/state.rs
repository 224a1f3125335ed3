use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use wasmtime::{ResourceLimiter, StoreContextMut, UpdateDeadline};

use crate::clock::Clock;
use crate::function_kind::FunctionKind;
use crate::host::Host;
use crate::limits::Limits;
use crate::meter::Meter;
use crate::recording::{Player, Recorder};
use crate::reply::Completion;
use crate::secrets::SecretsRead;

/// Host-side state of one instance.
pub(crate) struct State {
    pub(crate) limits: Limits,
    pub(crate) heap: HeapLimiter,
    pub(crate) meter: Arc<Meter>,
    pub(crate) clock: Arc<dyn Clock>,
    /// `None` while a module loads: its top level cannot reach the host.
    pub(crate) access: Option<Access>,
    pub(crate) time: Arc<Time>,
    /// Set when the instance was stopped for its time.
    pub(crate) exhausted: Option<Exhausted>,
    /// Bytes that wait for the guest to take them.
    pub(crate) reply: Vec<u8>,
    pub(crate) operations: FuturesUnordered<BoxFuture<'static, Completion>>,
    pub(crate) next_ticket: i32,
    pub(crate) fetches: u32,
    pub(crate) host_requests: u32,
    pub(crate) log_lines: u32,
    pub(crate) log_lines_dropped: u32,
    pub(crate) secrets_read: SecretsRead,
    /// True when the result was passed to the host before the end.
    pub(crate) has_replied: bool,
    /// True when the result has reached its caller.
    pub(crate) is_delivered: bool,
    pub(crate) recorder: Option<Recorder>,
    /// Source of answers in a replay, in place of the host.
    pub(crate) player: Option<Player>,
    /// True when a replayed run was not the recorded one.
    pub(crate) diverged: bool,
}

/// Deadline of an invocation; later once it has replied.
pub(crate) struct Time {
    started: Instant,
    wall: Duration,
    /// Extension after the reply, with its time and the processor time until then.
    after_reply: OnceLock<(Instant, Duration)>,
    /// Time when the result reached its caller; the time of deferred functions counts from there.
    delivered: OnceLock<Instant>,
}

/// Host of an invocation, and the kind that it is called as.
pub(crate) struct Access {
    pub(crate) host: Arc<dyn Host>,
    pub(crate) kind: FunctionKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exhausted {
    Wall,
    Cpu,
}

impl State {
    pub(crate) fn new(limits: Limits, clock: Arc<dyn Clock>, access: Option<Access>) -> Self {
        let wall = limits.wall;
        Self {
            heap: HeapLimiter { max_bytes: limits.memory_bytes, largest_bytes: 0, refused: false },
            limits,
            meter: Arc::default(),
            clock,
            access,
            time: Arc::new(Time {
                started: Instant::now(),
                wall,
                after_reply: OnceLock::new(),
                delivered: OnceLock::new(),
            }),
            exhausted: None,
            reply: Vec::new(),
            operations: FuturesUnordered::new(),
            next_ticket: 0,
            fetches: 0,
            host_requests: 0,
            log_lines: 0,
            log_lines_dropped: 0,
            secrets_read: SecretsRead::default(),
            has_replied: false,
            is_delivered: false,
            recorder: None,
            player: None,
            diverged: false,
        }
    }

    /// Records that the result is out: deferred functions have their own limits
    /// (reference/handlers.md#deferred-functions).
    pub(crate) fn replied(&mut self) {
        self.has_replied = true;
        // Set once: a second reply is refused.
        self.time.after_reply.get_or_init(|| (Instant::now(), self.meter.spent()));
        self.limits.wall = Limits::DEFERRED_WALL;
        self.limits.cpu = self.limits.cpu.max(Limits::default().cpu);
    }

    /// Lets deferred functions run; their time counts from here.
    pub(crate) fn delivered(&mut self) {
        self.is_delivered = true;
        self.time.delivered.get_or_init(Instant::now);
    }

    pub(crate) fn read_clock(&mut self) -> i64 {
        let micros = match &mut self.player {
            Some(player) => player.reading(),
            None => self.clock.unix_micros(),
        };
        if let Some(recorder) = &mut self.recorder {
            recorder.reading(micros);
        }
        micros
    }

    pub(crate) fn take_ticket(&mut self) -> i32 {
        let ticket = self.next_ticket;
        self.next_ticket = self.next_ticket.wrapping_add(1) & i32::MAX;
        ticket
    }

    /// Ends a replayed run that is not the recorded one.
    pub(crate) fn diverge(&mut self) -> wasmtime::Error {
        self.diverged = true;
        wasmtime::Error::msg(crate::recording::DIVERGED)
    }

    /// Replaces the secrets that handler code has read. It gets them to use them, not to write them down.
    pub(crate) fn without_secrets(&self, text: String) -> String {
        self.secrets_read.removed_from(text)
    }
}

impl Time {
    pub(crate) fn deadline(&self) -> Instant {
        match (self.delivered.get(), self.after_reply.get()) {
            (Some(since), _) | (None, Some((since, _))) => *since + Limits::DEFERRED_WALL,
            (None, None) => self.started + self.wall,
        }
    }

    /// Returns the processor time that counts before the reply.
    fn spent_before(&self) -> Duration {
        self.after_reply.get().map_or(Duration::ZERO, |(_, spent)| *spent)
    }

    /// Waits until the time is over, also when it is extended meanwhile.
    pub(crate) async fn over(&self) {
        loop {
            let deadline = self.deadline();
            tokio::time::sleep_until(deadline.into()).await;
            if self.deadline() <= deadline {
                return;
            }
        }
    }
}

/// Called when the epoch has advanced: lets others run, or stops an instance whose time is over.
pub(crate) fn on_epoch(mut store: StoreContextMut<'_, State>) -> wasmtime::Result<UpdateDeadline> {
    let state = store.data_mut();
    let spent = state.meter.spent_while_running().saturating_sub(state.time.spent_before());
    if spent >= state.limits.cpu {
        state.exhausted = Some(Exhausted::Cpu);
    } else if Instant::now() >= state.time.deadline() {
        state.exhausted = Some(Exhausted::Wall);
    }
    match state.exhausted {
        Some(_) => Err(wasmtime::Error::msg("time limit")),
        None => Ok(UpdateDeadline::Yield(1)),
    }
}

/// Keeps the linear memory below its limit and records attempts to exceed it.
pub(crate) struct HeapLimiter {
    max_bytes: usize,
    pub(crate) largest_bytes: usize,
    pub(crate) refused: bool,
}

impl ResourceLimiter for HeapLimiter {
    /// Refuses growth beyond the limit: the guest's allocation fails, which is an error that JavaScript can
    /// catch.
    fn memory_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        let allowed = desired <= self.max_bytes;
        if allowed {
            self.largest_bytes = self.largest_bytes.max(desired);
        } else {
            self.refused = true;
        }
        Ok(allowed)
    }

    fn table_growing(&mut self, _: usize, _: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        Ok(true)
    }
}

/// Describes the limit that ended an instance, with its value.
pub(crate) fn exhausted_message(exhausted: Exhausted, limits: &Limits) -> String {
    match exhausted {
        Exhausted::Wall => format!("stopped after {}: the time limit", readable(limits.wall)),
        Exhausted::Cpu => format!("stopped after {} of processor time: the limit", readable(limits.cpu)),
    }
}

fn readable(duration: Duration) -> String {
    if duration.subsec_millis() == 0 {
        format!("{} s", duration.as_secs())
    } else {
        format!("{} ms", duration.as_millis())
    }
}
