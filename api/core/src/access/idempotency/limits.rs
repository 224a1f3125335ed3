//! Bounds of stored requests (reference/limits.md#idempotency-keys).

use crate::{
    ApiError, Cx, Result,
    http::rate_key_of,
    limits::{Holder, WindowLimit},
};

/// Keys of a caller in an hour.
const MAX_KEYS_PER_HOUR: u32 = 6_000;
/// Stored answers of a caller in an hour, in KiB. Beyond them answers are not repeatable.
const MAX_ANSWER_KIB_PER_HOUR: u32 = 8 * 1024;
const HOUR_SECS: i64 = 3600;

crate::limits::submit! {
    WindowLimit {
        name: "idempotency_keys",
        limit: MAX_KEYS_PER_HOUR,
        seconds: HOUR_SECS,
        holder: Holder::Credential,
    }
}

/// Counts a key.
///
/// # Errors
/// 429 beyond the limit.
pub(super) async fn take_key(cx: &Cx) -> Result<()> {
    let limiter = &cx.state().limiter;
    let verdict = limiter.count("idempotency_keys", &caller(cx), MAX_KEYS_PER_HOUR, HOUR_SECS).await;
    cx.refuse_over(&verdict)
        .map_err(|refusal| ApiError { message: "Too many idempotency keys".into(), ..refusal })
}

/// Reads the count of answers into this process, so that [`take_answer`], which runs in the open transaction of a request,
/// waits for Redis at the change of the hour at most.
pub(super) async fn prepare_answer(cx: &Cx) {
    take_answer(cx, 0).await;
}

/// Counts the text of an answer; false beyond the limit. Only the end of a request knows the length, and the answer is
/// committed with the effects, so that this cannot follow the transaction.
pub(super) async fn take_answer(cx: &Cx, bytes: usize) -> bool {
    let kib = u64::try_from(bytes.div_ceil(1024)).unwrap_or(u64::MAX);
    let limiter = &cx.state().limiter;
    let verdict =
        limiter.count_many("idempotency_answers", &caller(cx), MAX_ANSWER_KIB_PER_HOUR, HOUR_SECS, kib).await;
    verdict.retry_after.is_none()
}

fn caller(cx: &Cx) -> String {
    rate_key_of(cx.principal(), cx.request().ip)
}
