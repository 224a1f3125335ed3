//! Answers that a process keeps for a minute (reference/public-stats.md#answers).

use std::{
    any::Any,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{self, HeaderValue},
};
use api_core::{
    ApiError, Cx, Result, State,
    access::{Visitor, read_on_replica},
    http::{Linked, SharedPermits, rate_key_of},
};
use foundation::db::{ReadPools, ReplicaRead, Request};
use moka::future::Cache;
use serde::Serialize;

/// Time for which an answer is kept.
const ANSWER_TTL: Duration = Duration::from_secs(60);
/// Size of all kept answers, in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Memory of an answer for each byte of its JSON, roughly.
const MEMORY_FACTOR: usize = 2;

/// Answers that a process reads at a time.
const MAX_READS: usize = 8;
/// Answers that one caller reads or waits for at a time.
const MAX_READS_PER_CALLER: usize = 3;
/// Longest wait for a permit to read.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(10);

/// Number of the changes before the answer, and the query in one form.
type Key = (u64, String);

/// Answers of the process, and permits to read new ones.
struct Responses {
    answers: Cache<Key, Kept>,
    /// The holder is the key that a caller's requests are counted by.
    reads: SharedPermits<String>,
    /// Present number of changes, and the time at which it was first seen.
    epoch: Mutex<(u64, Instant)>,
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
        Self {
            answers: answers.build(),
            reads: SharedPermits::new(MAX_READS, MAX_READS_PER_CALLER),
            epoch: Mutex::new((0, Instant::now())),
        }
    }

    /// Time at which every change of this number was made. While changes may be missed, it is the present.
    fn changed_by(&self, epoch: Option<u64>) -> Instant {
        let now = Instant::now();
        let Some(epoch) = epoch else { return now };
        let mut seen = self.epoch.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.0 != epoch {
            *seen = (epoch, now);
        }
        seen.1
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
/// one, which may be a second old. `query` names the operation and holds every input. Errors are not kept.
///
/// A caller with too many reads waits here, before another one can wait for its read. The read then uses no share
/// of the caller: it is for all.
///
/// A channel that is hidden or shown changes the key of every answer, and a replica without that change is not read.
/// While changes may be missed, nothing is kept.
///
/// # Errors
/// Errors of `read`; 429 when the reads of the caller, or those of all, take too long.
pub(crate) async fn answer<'a, T, Fut>(
    cx: &Cx,
    visitor: &'a Visitor,
    query: String,
    read: impl Fn(ReadPools<'a>) -> Fut,
) -> Result<Arc<T>>
where
    T: Serialize + Send + Sync + 'static,
    Fut: Future<Output = Result<T>>,
{
    let (responses, caches) = (cx.state().component(Responses::open), &cx.state().caches);
    if let Some(epoch) = caches.public_stats_epoch()
        && let Some(kept) = responses.answers.get(&(epoch, query.clone())).await
    {
        return kept.data();
    }
    let caller = rate_key_of(cx.principal(), cx.request().ip);
    let _permit = responses.reads.acquire_share(caller, PERMIT_TIMEOUT).await.ok_or_else(busy)?;
    // Read before the data: an answer that began before a change is kept under the former number.
    let epoch = caches.public_stats_epoch();
    let changed_by = responses.changed_by(epoch);
    let load = async {
        let _permit = responses.reads.acquire_of_all(PERMIT_TIMEOUT).await.ok_or_else(busy)?;
        let reading = read_on_replica(visitor, ReplicaRead::PublicStats, Some(changed_by), read);
        Request::new(None).run(reading).await
    };
    let Some(epoch) = epoch else { return Ok(Arc::new(load.await?)) };
    let loading = async { Kept::of(load.await?) };
    let kept = responses.answers.try_get_with((epoch, query), loading).await;
    kept.map_err(|error| ApiError::clone(&error))?.data()
}

/// Refusal of a read that waited too long.
fn busy() -> ApiError {
    shared::Error::Busy.into()
}

/// 200 with a body and its `ETag`, which every cache may keep and must revalidate; 304 when the caller has
/// this body already.
///
/// # Errors
/// 500 when the body has no JSON form.
pub(crate) fn tagged(request: &HttpRequest, body: &impl Serialize) -> Result<HttpResponse> {
    Ok(for_every_cache(api_core::http::tagged(request, body)?))
}

/// As [`tagged`], for a part of a list, with its `Link`.
///
/// # Errors
/// As [`tagged`].
pub(crate) fn tagged_part<T: Serialize>(request: &HttpRequest, part: &Linked<T>) -> Result<HttpResponse> {
    Ok(for_every_cache(api_core::http::tagged_part(request, part)?))
}

fn for_every_cache(mut response: HttpResponse) -> HttpResponse {
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
