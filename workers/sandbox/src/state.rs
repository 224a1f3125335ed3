use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use wasmtime::{ResourceLimiter, StoreContextMut, UpdateDeadline};

use crate::clock::Clock;
use crate::handler::FunctionKind;
use crate::host::{Host, HostError};
use crate::limits::Limits;
use crate::meter::Meter;
use crate::recording::{Player, Recorder};
use crate::secrets::SecretsRead;

/// What the host keeps for one instance.
pub(crate) struct State {
    pub(crate) limits: Limits,
    pub(crate) heap: HeapLimiter,
    pub(crate) meter: Arc<Meter>,
    pub(crate) clock: Arc<dyn Clock>,
    /// `None` while a module loads: its top level can reach nothing.
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
    /// Whether the result was handed over before the end.
    pub(crate) has_replied: bool,
    /// Whether the result has reached whoever waits for it.
    pub(crate) is_delivered: bool,
    pub(crate) recorder: Option<Recorder>,
    /// Answers in place of the host.
    pub(crate) player: Option<Player>,
    /// Set when a replayed run was not the recorded one.
    pub(crate) diverged: bool,
}

/// When an invocation has to be over; later once it has replied.
pub(crate) struct Time {
    started: Instant,
    wall: Duration,
    /// What was granted after the reply, with the moment and the processor time by then.
    after_reply: OnceLock<(Instant, Duration)>,
    /// When the result had reached whoever waits for it: time counts from there.
    delivered: OnceLock<Instant>,
}

/// Whom an invocation may call, and as what.
pub(crate) struct Access {
    pub(crate) host: Arc<dyn Host>,
    pub(crate) kind: FunctionKind,
}

/// The end of an asynchronous operation.
pub(crate) struct Completion {
    pub(crate) ticket: i32,
    pub(crate) result: Result<Reply, HostError>,
}

pub(crate) struct Reply {
    /// JSON text.
    pub(crate) text: String,
    pub(crate) body: Vec<u8>,
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

    /// The result is out: what was deferred has limits of its own (C §B3.3).
    pub(crate) fn replied(&mut self) {
        self.has_replied = true;
        // Set once: a second reply is refused.
        self.time.after_reply.get_or_init(|| (Instant::now(), self.meter.spent()));
        self.limits.wall = Limits::DEFERRED_WALL;
        self.limits.cpu = self.limits.cpu.max(Limits::default().cpu);
    }

    /// What was deferred may go on, and its time counts from here.
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

    /// Processor time that counts for what came before the reply.
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

/// Keeps the linear memory below its limit and remembers when it wanted more.
pub(crate) struct HeapLimiter {
    max_bytes: usize,
    pub(crate) largest_bytes: usize,
    pub(crate) refused: bool,
}

impl ResourceLimiter for HeapLimiter {
    /// Refusing makes the guest's allocation fail, which is an error that JavaScript can catch.
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

/// Says which limit ended an instance, with its value.
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
