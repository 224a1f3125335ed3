use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::clock::{Clock, SystemClock};
use crate::delta::Delta;
use crate::failure::{Failure, FailureCode};
use crate::function_kind::FunctionKind;
use crate::guest::{Guest, conclude};
use crate::guest_json::parse_json;
use crate::host::Host;
use crate::instances::{Instances, unusable};
use crate::limits::Limits;
use crate::meter::metered;
use crate::operations::report_dropped_lines;
use crate::outcome::{Metrics, Outcome};
use crate::recording::{Player, Recorder, Recording};
use crate::state::{Access, Exhausted, State};

/// Loaded handler module. Cheap to clone; holds no data of any tenant.
#[derive(Clone)]
pub struct Handler {
    instances: Arc<Instances>,
    loaded: Arc<Loaded>,
}

struct Loaded {
    delta: Delta,
    exports: Vec<Export>,
}

/// Named export of a handler module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// Name of the export.
    pub name: String,
    /// Kind of the exported value.
    #[serde(rename = "type")]
    pub export_type: ExportType,
}

/// Kind of an exported value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExportType {
    /// Plain function; callable as any kind.
    Function,
    /// Made by `query()`.
    Query,
    /// Made by `mutation()`.
    Mutation,
    /// Made by `action()`.
    Action,
    /// Anything else; not callable.
    Value,
}

/// Data members of `ctx`, as handler code sees them (keys in camel case; reference/handlers.md#ctx).
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Context {
    /// `userId`, `accountId`, `role`, `surface`, `platformUserId`, `platformUserName`, `installId`.
    pub auth: Value,
    /// Configuration of the install with defaults applied.
    pub config: Value,
    /// Chatter who triggered a bot handler; `ctx` has no `user` when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<Value>,
}

/// Call of a handler. Everything that it depends on is a field or comes from the [`Host`], so that the same
/// call with the same answers gives the same result.
#[derive(Clone)]
pub struct Invocation {
    /// Name of the export.
    pub handler: String,
    /// Kind that the handler is called as.
    pub kind: FunctionKind,
    /// Data members of `ctx`.
    pub context: Context,
    /// Second argument of the handler.
    pub input: Value,
    /// Limits of the call.
    pub limits: Limits,
    /// Source of the time.
    pub clock: Arc<dyn Clock>,
    /// Seed of `Math.random`.
    pub seed: u64,
    /// Values that are replaced in everything the handler writes, besides the secrets that it reads: its
    /// `context` holds them.
    pub secrets: Vec<String>,
    /// True when [`Outcome::recording`] is wanted.
    pub record: bool,
}

impl Invocation {
    /// Returns an action with an empty context, the default limits, the machine's clock and a random seed.
    pub fn new(handler: impl Into<String>, input: Value) -> Self {
        Self {
            handler: handler.into(),
            kind: FunctionKind::default(),
            context: Context::default(),
            input,
            limits: Limits::default(),
            clock: Arc::new(SystemClock),
            seed: rand::random(),
            secrets: Vec::new(),
            record: false,
        }
    }
}

/// Omits the input, which may be private.
impl fmt::Debug for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Invocation")
            .field("handler", &self.handler)
            .field("kind", &self.kind)
            .field("limits", &self.limits)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

/// Request as `invoke` of `engine/runtime.js` reads it.
#[derive(Serialize)]
struct Request<'a> {
    handler: &'a str,
    kind: FunctionKind,
    context: &'a Context,
    input: &'a Value,
}

impl Handler {
    pub(crate) fn new(instances: Arc<Instances>, delta: Delta, exports: Vec<Export>) -> Self {
        Self { instances, loaded: Arc::new(Loaded { delta, exports }) }
    }

    /// Returns the named exports, in the order of their names.
    pub fn exports(&self) -> &[Export] {
        &self.loaded.exports
    }

    /// True when the module exports something callable under `name`.
    pub fn has_handler(&self, name: &str) -> bool {
        self.exports().iter().any(|export| export.name == name && export.export_type != ExportType::Value)
    }

    /// Returns the memory that this value holds in bytes, for bounded caches.
    pub fn size_bytes(&self) -> usize {
        self.loaded.delta.changed_bytes()
    }

    /// Runs one handler in an instance of its own, within its limits. Needs a tokio runtime with time
    /// enabled.
    ///
    /// Dropping the future stops the handler and the host operations it has under way.
    pub async fn invoke(&self, invocation: Invocation, host: Arc<dyn Host>) -> Outcome {
        self.start(invocation, host, None).await
    }

    /// Replays a recorded invocation: the host's recorded answers are returned in their order, and only log
    /// lines reach the host. Ends as the recorded run did, unless a limit of time ended it, which depends on
    /// the machine.
    pub async fn replay(&self, invocation: Invocation, recording: Recording, host: Arc<dyn Host>) -> Outcome {
        self.start(invocation, host, Some(recording)).await
    }

    async fn start(
        &self,
        invocation: Invocation,
        host: Arc<dyn Host>,
        replayed: Option<Recording>,
    ) -> Outcome {
        let started = Instant::now();
        let limits = invocation.limits.clone().bounded(self.instances.max_memory_bytes());
        let _permit = match self.instances.permit((started + limits.wall).into()).await {
            Ok(permit) => permit,
            Err(failure) => return refused(started, failure),
        };
        let (state, call) = match ready(invocation, limits, host, replayed) {
            Ok(ready) => ready,
            Err(failure) => return refused(started, failure),
        };
        match Guest::from_delta(self.instances.template(), state, &self.loaded.delta).await {
            Ok(guest) => run(guest, call, started).await,
            Err(error) => refused(started, unusable(error)),
        }
    }
}

/// Input of a call of the guest.
struct Call {
    /// Request as JSON.
    request: Vec<u8>,
    seed: u64,
}

/// Consumes the invocation: the guest holds its input in its own memory while it runs, so the host need not
/// hold it too.
fn ready(
    invocation: Invocation,
    limits: Limits,
    host: Arc<dyn Host>,
    replayed: Option<Recording>,
) -> Result<(State, Call), Failure> {
    let Invocation { handler, kind, context, input, clock, seed, secrets, record, .. } = invocation;
    let request = Request { handler: &handler, kind, context: &context, input: &input };
    let request = serde_json::to_vec(&request)
        .map_err(|error| Failure::internal(format!("the request is no JSON: {error}")))?;
    let mut state = State::new(limits, clock, Some(Access { host, kind }));
    state.secrets_read.know(&secrets);
    state.recorder = record.then(Recorder::default);
    state.player = replayed.map(Player::new);
    Ok((state, Call { request, seed }))
}

async fn run(mut guest: Guest<'_>, call: Call, started: Instant) -> Outcome {
    let (time, meter) = (guest.state().time.clone(), guest.state().meter.clone());
    let result = tokio::select! {
        biased;
        result = metered(meter, guest.invoke(call.request, call.seed)) => Some(result),
        () = time.over() => None,
    };
    let state = guest.state_mut();
    report_dropped_lines(state);
    let stopped = result.is_none() || state.exhausted == Some(Exhausted::Wall);
    let result = conclude(state, result).and_then(parse_result);
    let recording = state.recorder.take().map(|recorder| recorder.finish(&state.secrets_read, stopped));
    let metrics = metrics(state, started);
    match result {
        // The host already has the result.
        Err(failure) if state.has_replied => {
            Outcome { result: Ok(Value::Null), deferred: Some(failure), metrics, recording }
        }
        result => Outcome { result, deferred: None, metrics, recording },
    }
}

fn parse_result(json: Vec<u8>) -> Result<Value, Failure> {
    parse_json(json).map_err(|error| {
        Failure::new(FailureCode::HandlerError, "TypeError", format!("the result cannot be used: {error}"))
    })
}

fn metrics(state: &State, started: Instant) -> Metrics {
    Metrics {
        wall: started.elapsed(),
        cpu: state.meter.spent(),
        memory_bytes: state.heap.largest_bytes,
        fetches: state.fetches,
        log_lines: state.log_lines,
        log_lines_dropped: state.log_lines_dropped,
    }
}

fn refused(started: Instant, failure: Failure) -> Outcome {
    let metrics = Metrics { wall: started.elapsed(), ..Metrics::default() };
    Outcome { result: Err(failure), deferred: None, metrics, recording: None }
}
