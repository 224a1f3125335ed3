//! Trace of an attempt (reference/webhooks.md#traces).

use foundation::trace::Trace;
use tracing::Span;

use crate::db::Head;

/// Returns the span of an attempt with its trace: that of the request that caused the delivery, else one whose id is
/// that of the delivery.
pub(crate) fn of_attempt(head: &Head) -> (Span, Trace) {
    let given = head.traceparent.as_deref();
    let given = given.and_then(|parent| Trace::parse(parent, head.tracestate.as_deref()));
    let parent = given.unwrap_or_else(|| Trace::with_id(head.id.into_bytes()));
    let span = tracing::info_span!("webhook", delivery_id = %head.id, trace_id = tracing::field::Empty);
    let trace = Trace::of_span(&span, Some(&parent));
    span.record("trace_id", trace.trace_id());
    (span, trace)
}
