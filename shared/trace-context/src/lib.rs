//! Place of the present work in a distributed trace: W3C Trace Context, level 1 (reference/telemetry.md#traces).
//!
//! A request continues the trace of its caller, or begins one. Jobs that it adds, and calls of our own services, carry
//! the trace on. Spans are exported only where a collector is configured; ids are kept in any case, so that log lines of
//! several processes can be found by one id.

use std::fmt;

use opentelemetry::{
    Context,
    trace::{SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState},
};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// Name of the header with the place in the trace.
pub const TRACEPARENT: &str = "traceparent";
/// Name of the header with values of the systems that the trace has passed.
pub const TRACESTATE: &str = "tracestate";

/// Length of `traceparent` of version 00.
const TRACEPARENT_CHARS: usize = 55;
/// Longest `tracestate` that is passed on, in bytes. A longer one is dropped as a whole.
const MAX_STATE_BYTES: usize = 512;
/// Largest number of values in `tracestate`. The standard calls a longer list invalid.
const MAX_STATE_MEMBERS: usize = 32;

tokio::task_local! {
    static CURRENT: Trace;
}

/// Trace, and the span in it that is the parent of what follows.
#[derive(Clone, PartialEq, Eq)]
pub struct Trace(SpanContext);

impl Trace {
    /// Reads the headers of a caller. An invalid `tracestate` is dropped alone; an invalid `traceparent` makes both
    /// unusable.
    #[must_use]
    pub fn parse(traceparent: &str, tracestate: Option<&str>) -> Option<Self> {
        let (version, rest) = traceparent.split_once('-')?;
        let (trace, rest) = rest.split_once('-')?;
        let (span, rest) = rest.split_once('-')?;
        let version = u8::from_str_radix(hex(version, 2)?, 16).ok()?;
        // Later versions may append parts; 255 is none.
        let flags = if version == 0 { rest } else { rest.split('-').next()? };
        let is_complete =
            if version == 0 { traceparent.len() == TRACEPARENT_CHARS } else { version != u8::MAX };
        let flags = u8::from_str_radix(hex(flags, 2)?, 16).ok()?;
        let context = SpanContext::new(
            TraceId::from_hex(hex(trace, 32)?).ok()?,
            SpanId::from_hex(hex(span, 16)?).ok()?,
            TraceFlags::new(flags) & TraceFlags::SAMPLED,
            true,
            tracestate.and_then(state).unwrap_or_default(),
        );
        (is_complete && context.is_valid()).then_some(Self(context))
    }

    /// The same place, sampled. The flag of a caller outside of the deployment decides nothing.
    #[must_use]
    pub fn sampled(self) -> Self {
        let Self(given) = self;
        let flags = given.trace_flags().with_sampled(true);
        let (trace, span, state) = (given.trace_id(), given.span_id(), given.trace_state().clone());
        Self(SpanContext::new(trace, span, flags, given.is_remote(), state))
    }

    /// New trace.
    #[must_use]
    pub fn begin() -> Self {
        let trace = TraceId::from_bytes(rand::random());
        Self(SpanContext::new(trace, new_span(), TraceFlags::default(), false, TraceState::default()))
    }

    /// Root of a trace with an id that was chosen before, sampled.
    #[must_use]
    pub fn with_id(trace: [u8; 16]) -> Self {
        let (trace, flags) = (TraceId::from_bytes(trace), TraceFlags::SAMPLED);
        Self(SpanContext::new(trace, new_span(), flags, false, TraceState::default()))
    }

    /// Trace of a span that has not been entered yet: that of `parent`, or a new one. An exporter takes over the
    /// parent, and the trace then names the span as the exporter does.
    #[must_use]
    pub fn of_span(span: &Span, parent: Option<&Self>) -> Self {
        if let Some(Self(parent)) = parent {
            // Refused where nothing is exported.
            let _is_exported =
                span.set_parent(Context::new().with_remote_span_context(parent.clone())).is_ok();
        }
        let context = span.context();
        let exported = context.span().span_context().clone();
        if exported.is_valid() {
            return Self(exported);
        }
        parent.map_or_else(Self::begin, Self::child)
    }

    /// The same trace below a new span.
    fn child(&self) -> Self {
        let Self(parent) = self;
        let (trace, flags) = (parent.trace_id(), parent.trace_flags());
        Self(SpanContext::new(trace, new_span(), flags, false, parent.trace_state().clone()))
    }

    /// Id of the trace, 32 hexadecimal digits.
    #[must_use]
    pub fn trace_id(&self) -> String {
        self.0.trace_id().to_string()
    }

    /// Value of `traceparent`.
    #[must_use]
    pub fn traceparent(&self) -> String {
        let Self(context) = self;
        format!("00-{}-{}-{:02x}", context.trace_id(), context.span_id(), context.trace_flags())
    }

    /// Value of `tracestate`; `None` for an empty one.
    #[must_use]
    pub fn tracestate(&self) -> Option<String> {
        Some(self.0.trace_state().header()).filter(|state| !state.is_empty())
    }
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Trace").field(&self.traceparent()).finish()
    }
}

/// Trace of the present task; `None` outside of [`within`].
#[must_use]
pub fn current() -> Option<Trace> {
    CURRENT.try_with(Trace::clone).ok()
}

/// Values of `traceparent` and `tracestate` of the present task, for a row that carries its trace on.
#[must_use]
pub fn current_headers() -> (Option<String>, Option<String>) {
    let trace = current();
    (trace.as_ref().map(Trace::traceparent), trace.and_then(|trace| trace.tracestate()))
}

/// Runs work within a trace; as it is, without one.
pub async fn within<F: Future>(trace: Option<Trace>, work: F) -> F::Output {
    match trace {
        Some(trace) => CURRENT.scope(trace, work).await,
        None => work.await,
    }
}

/// Carries the present trace into work that another task will run.
pub fn carried<F: Future>(work: F) -> impl Future<Output = F::Output> {
    within(current(), work)
}

fn new_span() -> SpanId {
    SpanId::from_bytes(rand::random())
}

/// The text, when it is this many lower-case hexadecimal digits.
fn hex(text: &str, length: usize) -> Option<&str> {
    let is_hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (text.len() == length && is_hex).then_some(text)
}

fn state(text: &str) -> Option<TraceState> {
    if text.len() > MAX_STATE_BYTES {
        return None;
    }
    // Divided here: the parser counts empty places, and cuts a list that is too long with them.
    let members = text.split(',').map(|member| member.trim_matches([' ', '\t']));
    let members = members.filter(|member| !member.is_empty()).map(member).collect::<Option<Vec<_>>>()?;
    (members.len() <= MAX_STATE_MEMBERS).then(|| TraceState::from_key_value(members).ok())?
}

/// One key with one value of printable characters, neither of them empty.
fn member(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once('=')?;
    let is_key = !key.is_empty() && !key.ends_with('@');
    let is_value = !value.is_empty() && value.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    (is_key && is_value).then_some((key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const SPAN: &str = "00f067aa0ba902b7";

    #[test]
    fn parse_takes_every_version_and_keeps_the_sampled_flag_alone() {
        for (given, flags) in [
            (format!("00-{TRACE}-{SPAN}-01"), "01"),
            (format!("00-{TRACE}-{SPAN}-00"), "00"),
            (format!("00-{TRACE}-{SPAN}-03"), "01"),
            (format!("01-{TRACE}-{SPAN}-01"), "01"),
            (format!("cc-{TRACE}-{SPAN}-01-what-comes-later"), "01"),
        ] {
            let trace = Trace::parse(&given, Some("rojo=00f0,congo=t61")).expect("a valid header");
            assert_eq!(trace.traceparent(), format!("00-{TRACE}-{SPAN}-{flags}"), "{given}");
            assert_eq!(trace.tracestate().as_deref(), Some("rojo=00f0,congo=t61"));
            assert_eq!(trace.trace_id(), TRACE);
        }
    }

    #[test]
    fn sampled_changes_the_flag_alone() {
        for flags in ["00", "01"] {
            let given = Trace::parse(&format!("00-{TRACE}-{SPAN}-{flags}"), Some("a=1"));
            let sampled = given.expect("a valid header").sampled();
            assert_eq!(sampled.traceparent(), format!("00-{TRACE}-{SPAN}-01"));
            assert_eq!(sampled.tracestate().as_deref(), Some("a=1"));
        }
    }

    #[test]
    fn parse_refuses_what_the_standard_calls_invalid() {
        let (zeros, no_span) = ("0".repeat(32), "0".repeat(16));
        for wrong in [
            String::new(),
            "00".into(),
            format!("00-{TRACE}-{SPAN}"),
            format!("00-{TRACE}-{SPAN}-"),
            format!("00-{TRACE}-{SPAN}-01-"),
            format!("00-{TRACE}-{SPAN}-01-02"),
            format!("ff-{TRACE}-{SPAN}-01"),
            format!("0-{TRACE}-{SPAN}-01"),
            format!("00-{zeros}-{SPAN}-01"),
            format!("00-{TRACE}-{no_span}-01"),
            format!("00-{}-{SPAN}-01", TRACE.to_uppercase()),
            format!("00-{}-{SPAN}-01", &TRACE[1..]),
            format!("00-{TRACE}-{SPAN}0-01"),
            format!("00-{TRACE}-{SPAN}-0g"),
            format!(" 00-{TRACE}-{SPAN}-01"),
            format!("00-{TRACE}-{SPAN}-+1"),
        ] {
            assert_eq!(Trace::parse(&wrong, None), None, "{wrong}");
        }
    }

    #[test]
    fn parse_drops_an_invalid_state_alone() {
        let parent = format!("00-{TRACE}-{SPAN}-01");
        let long = format!("a={}", "x".repeat(MAX_STATE_BYTES));
        for wrong in ["", "a", "A=1", "=1", "a=", "a==1", "a=1,b", "a@=1", "a=1\t2", long.as_str()] {
            let trace = Trace::parse(&parent, Some(wrong)).expect("a valid header");
            assert_eq!(trace.tracestate(), None, "{wrong}");
        }
    }

    #[test]
    fn parse_takes_a_state_up_to_its_limits() {
        let parent = format!("00-{TRACE}-{SPAN}-01");
        let of = |state: &str| Trace::parse(&parent, Some(state)).expect("a valid header").tracestate();
        // Two values, because one has at most 256 characters.
        let bytes = |length: usize| format!("a={},b={}", "x".repeat(256), "y".repeat(length - 261));
        let longest = bytes(MAX_STATE_BYTES);
        assert_eq!((longest.len(), of(&longest)), (MAX_STATE_BYTES, Some(longest.clone())));
        assert_eq!(of(&bytes(MAX_STATE_BYTES + 1)), None);
        let members = |count: usize| (0..count).map(|n| format!("k{n}=1")).collect::<Vec<_>>().join(",");
        let all = members(MAX_STATE_MEMBERS);
        assert_eq!(of(&all), Some(all.clone()));
        assert_eq!(of(&members(MAX_STATE_MEMBERS + 1)), None);
        for (key, value, is_taken) in [(256, 1, true), (257, 1, false), (1, 256, true), (1, 257, false)] {
            let state = format!("{}={}", "k".repeat(key), "v".repeat(value));
            assert_eq!(of(&state).is_some(), is_taken, "{key} {value}");
        }
        // Empty places between commas are none.
        assert_eq!(of("a=1, ,\tb=2,"), Some("a=1,b=2".to_owned()));
        for spaced in [format!("{all},,"), format!(",,{all}"), all.replacen(',', ",,", 1)] {
            assert_eq!(of(&spaced), Some(all.clone()), "{spaced}");
        }
    }

    #[tokio::test]
    async fn trace_of_a_span_continues_and_reaches_the_work_within() {
        let parent = Trace::parse(&format!("00-{TRACE}-{SPAN}-01"), Some("a=1")).expect("a valid header");
        let own = Trace::of_span(&Span::none(), Some(&parent));
        assert_eq!((own.trace_id().as_str(), own.tracestate().as_deref()), (TRACE, Some("a=1")));
        assert_ne!(own.traceparent(), parent.traceparent(), "a span of its own");
        assert!(own.traceparent().ends_with("-01"));
        assert_ne!(Trace::of_span(&Span::none(), None).trace_id(), Trace::begin().trace_id());
        assert_eq!((current(), current_headers()), (None, (None, None)));
        let headers = within(Some(own.clone()), async { current_headers() }).await;
        assert_eq!(headers, (Some(own.traceparent()), Some("a=1".to_owned())));
        let chosen = Trace::with_id([7; 16]);
        assert_eq!((chosen.trace_id(), chosen.tracestate()), ("07".repeat(16), None));
        let read = Trace::parse(&chosen.traceparent(), None);
        assert_eq!(read.map(|trace| trace.trace_id()), Some("07".repeat(16)));
        let (seen, carried) = within(Some(own.clone()), async {
            let carried = tokio::spawn(carried(async { current() })).await.expect("the task ends");
            (current(), carried)
        })
        .await;
        assert_eq!((seen, carried), (Some(own.clone()), Some(own)));
        assert_eq!(within(None, async { current() }).await, None);
    }
}
