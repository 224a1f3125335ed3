//! `traceparent` and `tracestate` of callers (reference/conventions.md#traces): a trace is continued exactly when the
//! standard calls its header valid, and what is passed on is valid.

use std::sync::LazyLock;

use regex::Regex;
use trace_context::Trace;

/// Limits of `tracestate`.
const MAX_STATE_BYTES: usize = 512;
const MAX_STATE_MEMBERS: usize = 32;
/// Longest key, and longest value, of a member of `tracestate`.
const MAX_MEMBER_PART: usize = 256;

/// `traceparent` of any version.
static PARENT: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        "(?s)^(?<version>[0-9a-f]{2})-(?<trace>[0-9a-f]{32})-(?<span>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})\
         (?<further>(?:-.*)?)$",
    )
});
/// Member of `tracestate` with a simple key, which level 1 of the standard calls valid.
static SIMPLE_MEMBER: LazyLock<Regex> = LazyLock::new(|| member("[a-z][a-z0-9_*/-]*"));
/// Member of `tracestate`, also with the key of a tenant, as any level of the standard allows it.
static MEMBER: LazyLock<Regex> = LazyLock::new(|| member("[a-z0-9][a-z0-9_*/@-]*"));

/// The first line is `traceparent`, the rest `tracestate`; without a second line there is none.
pub fn check(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let (parent, state) = text.split_once('\n').map_or((text, None), |(parent, state)| (parent, Some(state)));
    match (Trace::parse(parent, state), place(parent)) {
        (Some(trace), Some(place)) => {
            assert_eq!(trace.traceparent(), place, "{parent:?}");
            is_state(state.unwrap_or_default(), trace.tracestate().as_deref());
            is_read_again(&trace);
        }
        (None, None) => {}
        (trace, place) => panic!("{parent:?}: {trace:?}, not {place:?}"),
    }
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern")
}

fn member(key: &str) -> Regex {
    // Printable characters without comma and equals sign, the last of them no space.
    regex(&format!(r"^({key})=([\x20-\x2b\x2d-\x3c\x3e-\x7e]*[\x21-\x2b\x2d-\x3c\x3e-\x7e])$"))
}

/// The header of version 00 that names the same place with the flag of sampling alone; `None` for an invalid one.
fn place(parent: &str) -> Option<String> {
    let parts = PARENT.captures(parent)?;
    let is_version = match &parts["version"] {
        "00" => parts["further"].is_empty(),
        version => version != "ff",
    };
    let (trace, span) = (&parts["trace"], &parts["span"]);
    let is_zero = |id: &str| id.bytes().all(|digit| digit == b'0');
    if !is_version || is_zero(trace) || is_zero(span) {
        return None;
    }
    let flags = u8::from_str_radix(&parts["flags"], 16).expect("two digits");
    Some(format!("00-{trace}-{span}-{:02x}", flags & 1))
}

/// Passed on are the members that were given, in their order and within the limits, or none of them.
fn is_state(given: &str, written: Option<&str>) {
    let members: Vec<&str> =
        given.split(',').map(|member| member.trim_matches([' ', '\t'])).filter(|m| !m.is_empty()).collect();
    let is_in_bounds = given.len() <= MAX_STATE_BYTES && (1..=MAX_STATE_MEMBERS).contains(&members.len());
    let Some(written) = written else {
        let are_simple = members.iter().all(|member| fits(&SIMPLE_MEMBER, member));
        assert!(!is_in_bounds || !are_simple, "{given:?} is dropped");
        return;
    };
    assert!(is_in_bounds, "{given:?} exceeds a limit");
    assert!(members.iter().all(|member| fits(&MEMBER, member)), "{given:?} is not valid");
    assert_eq!(written, members.join(","), "{given:?}");
    assert!(written.len() <= MAX_STATE_BYTES, "{} bytes", written.len());
}

fn fits(pattern: &Regex, member: &str) -> bool {
    let parts = pattern.captures(member);
    parts.is_some_and(|parts| parts[1].len() <= MAX_MEMBER_PART && parts[2].len() <= MAX_MEMBER_PART)
}

/// The next service reads the same place and state, sampled or not.
fn is_read_again(trace: &Trace) {
    let state = trace.tracestate();
    assert_eq!(Trace::parse(&trace.traceparent(), state.as_deref()).as_ref(), Some(trace));
    let (sampled, parent) = (trace.clone().sampled(), trace.traceparent());
    assert_eq!(sampled.traceparent(), format!("{}01", &parent[..parent.len() - 2]));
    assert_eq!((sampled.tracestate(), sampled.trace_id()), (state, trace.trace_id()));
}
