use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::clock::{Clock, SystemClock};
use crate::delta::Delta;
use crate::engine::{Engine, unusable};
use crate::guest::{Guest, conclude};
use crate::host::Host;
use crate::limits::Limits;
use crate::meter::metered;
use crate::operations::report_dropped_lines;
use crate::outcome::{Failure, FailureCode, Metrics, Outcome};
use crate::recording::{Player, Recorder, Recording};
use crate::state::{Access, Exhausted, State};

/// A loaded handler module. Cheap to clone; holds no data of any tenant.
#[derive(Clone)]
pub struct Handler {
    engine: Engine,
    loaded: Arc<Loaded>,
}

struct Loaded {
    delta: Delta,
    exports: Vec<Export>,
}

/// A named export of a handler module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    pub name: String,
    #[serde(rename = "type")]
    pub export_type: ExportType,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExportType {
    /// A plain function; callable as any kind.
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

/// As what a handler is called. It decides what `ctx` offers (C §B3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FunctionKind {
    Query,
    Mutation,
    /// Also bot handlers and automation nodes.
    #[default]
    Action,
}

impl FunctionKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Mutation => "mutation",
            Self::Action => "action",
        }
    }
}

/// The data members of `ctx`, as handler code sees them (keys in camel case, C §B3.3).
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Context {
    /// `userId`, `accountId`, `role`, `surface`, `platformUserId`, `platformUserName`, `installId`.
    pub auth: Value,
    /// The install's configuration with defaults applied.
    pub config: Value,
    /// The chatter who triggered a bot handler; `ctx` has no `user` when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<Value>,
}

/// One call of a handler. Everything it depends on is in here or comes from the [`Host`], so that the same call
/// with the same answers gives the same result.
#[derive(Clone)]
pub struct Invocation {
    /// Name of the export.
    pub handler: String,
    pub kind: FunctionKind,
    pub context: Context,
    /// Second argument of the handler.
    pub input: Value,
    pub limits: Limits,
    pub clock: Arc<dyn Clock>,
    /// Start of `Math.random`.
    pub seed: u64,
    /// Values that are blanked out of what the handler writes, beside the secrets it reads: its `context` has them.
    pub secrets: Vec<String>,
    /// Whether [`Outcome::recording`] is wanted.
    pub record: bool,
}

impl Invocation {
    /// An action with an empty context, the default limits, the machine's clock and a random seed.
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

/// The input may be private and is left out.
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

/// What `invoke` of `engine/runtime.js` reads.
#[derive(Serialize)]
struct Request<'a> {
    handler: &'a str,
    kind: FunctionKind,
    context: &'a Context,
    input: &'a Value,
}

impl Handler {
    pub(crate) fn new(engine: Engine, delta: Delta, exports: Vec<Export>) -> Self {
        Self { engine, loaded: Arc::new(Loaded { delta, exports }) }
    }

    /// The named exports, in the order of their names.
    pub fn exports(&self) -> &[Export] {
        &self.loaded.exports
    }

    /// Whether the module exports something callable under `name`.
    pub fn has_handler(&self, name: &str) -> bool {
        self.exports().iter().any(|export| export.name == name && export.export_type != ExportType::Value)
    }

    /// Memory this value holds, for whoever keeps a bounded cache of them.
    pub fn size_bytes(&self) -> usize {
        self.loaded.delta.changed_bytes()
    }

    /// Runs one handler in an instance of its own, within its limits. Needs a tokio runtime with time enabled.
    ///
    /// Dropping the future stops the handler and the host operations it has under way.
    pub async fn invoke(&self, invocation: Invocation, host: Arc<dyn Host>) -> Outcome {
        self.start(invocation, host, None).await
    }

    /// Runs a recorded invocation again: everything that the host told then is told now, and only log lines reach the
    /// host. Ends as the recorded run did, unless a limit of time ended it, which depends on the machine.
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
        let limits = invocation.limits.clone().bounded(self.engine.max_memory_bytes());
        let _permit = match self.engine.instance((started + limits.wall).into()).await {
            Ok(permit) => permit,
            Err(failure) => return refused(started, failure),
        };
        let (state, call) = match ready(invocation, limits, host, replayed) {
            Ok(ready) => ready,
            Err(failure) => return refused(started, failure),
        };
        match Guest::from_delta(self.engine.template(), state, &self.loaded.delta).await {
            Ok(guest) => run(guest, call, started).await,
            Err(error) => refused(started, unusable(error)),
        }
    }
}

/// What the guest is called with.
struct Call {
    /// JSON.
    request: Vec<u8>,
    seed: u64,
}

/// Ends the invocation: what the guest is told is in its own memory while it runs, and need not be in the host's too.
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
        // The host has the result already.
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

/// Reads JSON that the guest wrote.
pub(crate) fn parse_json(mut json: Vec<u8>) -> serde_json::Result<Value> {
    replace_lone_surrogates(&mut json);
    serde_json::from_slice(&json)
}

/// Half a character, as from a string cut in an emoji, becomes U+FFFD. Whole characters never come as escapes of
/// surrogates: the guest writes them as they are.
fn replace_lone_surrogates(json: &mut [u8]) {
    let mut at = 0;
    while let Some(found) = json[at..].iter().position(|byte| *byte == b'\\') {
        at += found;
        if let Some(escape @ [_, b'u', b'd', b'8'..=b'f', _, _]) = json.get_mut(at..at + 6) {
            escape.copy_from_slice(br"\ufffd");
        }
        // The escaped character may be a backslash itself.
        at = (at + 2).min(json.len());
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_become_the_replacement_character() {
        for (json, text) in [
            (r#""a\ud83d""#, "a\u{fffd}"),
            (r#""\udc00\udbff""#, "\u{fffd}\u{fffd}"),
            (r#""\\ud800""#, r"\ud800"),
            (r#""\\\ud800""#, "\\\u{fffd}"),
            (r#""\u0007\n""#, "\u{7}\n"),
            (r#""\\""#, "\\"),
        ] {
            assert_eq!(parse_result(json.into()).unwrap(), text, "{json}");
        }
    }
}
