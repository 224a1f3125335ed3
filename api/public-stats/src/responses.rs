//! Answers that a process keeps for a minute (reference/public-stats.md#answers).

use std::{
    any::Any,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{self, HeaderValue},
};
use api_core::{ApiError, Code, Cx, Result, State};
use moka::future::Cache;
use serde::Serialize;

/// Time for which an answer is kept.
const ANSWER_TTL: Duration = Duration::from_secs(60);
/// Size of all kept answers, in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Memory of an answer for each byte of its JSON, roughly.
const MEMORY_FACTOR: usize = 2;

/// Number of the changes before the answer, and the query in one form.
type Key = (u64, String);

/// Answers of the process.
struct Responses {
    answers: Cache<Key, Kept>,
}

#[derive(Clone)]
struct Kept {
    data: Arc<dyn Any + Send + Sync>,
    size: usize,
}

impl Responses {
    fn open(_: &State) -> Self {
        let weight =
            |(_, query): &Key, kept: &Kept| u32::try_from(query.len() + kept.size).unwrap_or(u32::MAX);
        let answers = Cache::builder().max_capacity(MAX_BYTES).weigher(weight).time_to_live(ANSWER_TTL);
        Self { answers: answers.build() }
    }
}

impl Kept {
    fn of<T: Serialize + Send + Sync + 'static>(data: T) -> Result<Self> {
        let size = serde_json::to_vec(&data)?.len().saturating_mul(MEMORY_FACTOR);
        Ok(Self { data: Arc::new(data), size })
    }

    fn data<T: Send + Sync + 'static>(self) -> Result<Arc<T>> {
        self.data.downcast().map_err(|_other| ApiError::internal("an answer has the type of another query"))
    }
}

/// Returns the answer to a query: a kept one, that of a caller who sends the same query at this time, or a new
/// one. `query` names the operation and holds every input. Errors are not kept.
///
/// A channel that is hidden or shown changes the key of every answer. While changes may be missed, nothing is
/// kept.
///
/// # Errors
/// Errors of `load`.
pub(crate) async fn answer<T, F>(cx: &Cx, query: String, load: impl Fn() -> F) -> Result<Arc<T>>
where
    T: Serialize + Send + Sync + 'static,
    F: Future<Output = Result<T>>,
{
    // Read before the data: an answer that began before a change is kept under the former number.
    let Some(epoch) = cx.state().caches.public_stats_epoch() else { return Ok(Arc::new(load().await?)) };
    let is_own = AtomicBool::new(false);
    let loading = async {
        is_own.store(true, Ordering::Relaxed);
        Kept::of(load().await?)
    };
    let responses = cx.state().component(Responses::open);
    match responses.answers.try_get_with((epoch, query), loading).await {
        Ok(kept) => kept.data(),
        // The share of another caller was used up, not that of this one.
        Err(error) if error.code == Code::RateLimitExceeded && !is_own.load(Ordering::Relaxed) => {
            Ok(Arc::new(load().await?))
        }
        Err(error) => Err(ApiError::clone(&error)),
    }
}

/// 200 with a body and its `ETag`, which every cache may keep and must revalidate; 304 when the caller has
/// this body already.
///
/// # Errors
/// 500 when the body has no JSON form.
pub(crate) fn tagged(request: &HttpRequest, body: &impl Serialize) -> Result<HttpResponse> {
    let mut response = api_core::http::tagged(request, body)?;
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    Ok(response)
}
