//! Samples of sessions (reference/history.md#samples), read in pages.

use std::sync::Arc;

use api_core::{
    ApiError, Cx, Result,
    access::{DatabaseAccess, read_on_replica},
    http::ListPages,
};
use chrono::{DateTime, Utc};
use foundation::db::{ReadPools, ReplicaRead, Request};
use futures::{StreamExt, stream};
use history_model::{report::Sample, samples::samples};
use shared::platform::Platform;

use super::db::{self, Span};
use crate::StreamSample;

/// Samples of one statement.
const PAGE_SIZE: i64 = 2000;
/// Samples of a list that is in memory as a whole: more than one for each minute of the longest session and each of
/// its platforms.
const MAX_LISTED: usize = 70_000;

/// Samples of a session, by time, which are read when they are needed. A session is at most seven days long, which
/// bounds them.
#[derive(Clone)]
pub struct Samples<A> {
    /// Share of the databases of the request, which has ended when its response is written.
    request: Arc<Request>,
    access: A,
    span: Span,
    platform: Option<Platform>,
    /// Answer when the session is deleted while its samples are read.
    gone: fn() -> ApiError,
}

/// Place after which the samples continue: minute and platform.
type Cursor = (DateTime<Utc>, String);

struct Reader<A> {
    samples: Samples<A>,
    after: Option<Cursor>,
    is_done: bool,
}

impl<A: DatabaseAccess + Send + 'static> Samples<A> {
    /// Samples of all platforms.
    pub(crate) fn new(cx: &Cx, access: A, span: Span, gone: fn() -> ApiError) -> Self {
        Self { request: Arc::clone(cx.connections()), access, span, platform: None, gone }
    }

    /// Samples of one platform, or of all.
    pub(crate) fn on(self, platform: Option<Platform>) -> Self {
        Self { platform, ..self }
    }

    /// Reads page after page, each when it is needed, within the share of the request's caller.
    pub(crate) fn pages(self) -> ListPages<Sample> {
        let reader = Reader { samples: self, after: None, is_done: false };
        stream::try_unfold(reader, |mut reader| async move {
            if reader.is_done {
                return Ok(None);
            }
            let page = reader.next().await?;
            Ok((!page.is_empty()).then_some((page, reader)))
        })
        .boxed()
    }

    /// The same pages in the form of both protocols.
    pub(crate) fn listed(self) -> ListPages<StreamSample> {
        self.pages().map(|page| Ok(page?.into_iter().map(StreamSample::from).collect())).boxed()
    }

    /// Reads the whole list into memory, which admits few requests at a time.
    ///
    /// # Errors
    /// 429 when others hold such lists for too long; `DATABASE_ERROR` when a database fails; the answer to a deleted
    /// session when it was deleted meanwhile.
    pub async fn all(self, cx: &Cx) -> Result<Vec<StreamSample>> {
        cx.admit_long_list().await?;
        let (mut all, mut pages) = (Vec::new(), self.listed());
        while let Some(page) = pages.next().await {
            all.extend(page?);
            if all.len() > MAX_LISTED {
                return Err(ApiError::internal("a session has more samples than minutes and platforms"));
            }
        }
        Ok(all)
    }

    /// Page, and the place after which the next one begins. A page that is not full is the last one only while the
    /// session exists: samples are deleted after their session.
    async fn page_and_next(&self, after: Option<Cursor>) -> Result<(Vec<Sample>, Option<Cursor>)> {
        let page = self.page(after).await?;
        let next = next(&page);
        if next.is_none() && !self.session_exists().await? {
            return Err((self.gone)());
        }
        Ok((page, next))
    }

    async fn page(&self, after: Option<Cursor>) -> Result<Vec<Sample>> {
        let read = ReplicaRead::ReportSamples;
        let (span, platform) = (self.span.clone(), self.platform);
        let page = move |pools| page_of(pools, span.clone(), platform, after.clone());
        read_on_replica(&self.access, read, None, page).await
    }

    async fn session_exists(&self) -> Result<bool> {
        db::exists(&mut *self.access.db().await?, self.span.account, self.span.session).await
    }
}

impl<A: DatabaseAccess + Send + 'static> Reader<A> {
    async fn next(&mut self) -> Result<Vec<Sample>> {
        let after = self.after.take();
        let request = Arc::clone(&self.samples.request);
        let (page, after) = request.run(self.samples.page_and_next(after)).await?;
        self.is_done = after.is_none();
        self.after = after;
        Ok(page)
    }
}

async fn page_of(
    pools: ReadPools<'_>,
    span: Span,
    platform: Option<Platform>,
    after: Option<Cursor>,
) -> Result<Vec<Sample>> {
    let (from, to, platform) = (span.from, span.to, platform.map(Platform::slug));
    let mut connection = pools.timeseries().await?;
    let reader = &mut connection.reader();
    Ok(samples(reader, span.account.uuid(), from, to, platform, after, PAGE_SIZE).await?)
}

/// Place after which the samples continue; `None` after the last page.
fn next(page: &[Sample]) -> Option<Cursor> {
    let is_full = usize::try_from(PAGE_SIZE).is_ok_and(|size| page.len() >= size);
    page.last().filter(|_| is_full).map(|last| (last.at, last.platform.clone()))
}
