//! Samples of sessions (reference/history.md#samples), read in pages.

use std::sync::Arc;

use api_core::{Cx, Result, access::DatabaseAccess};
use chrono::{DateTime, Utc};
use foundation::db::Request;
use futures::{
    StreamExt,
    stream::{self, BoxStream},
};
use history_model::{report::Sample, samples::samples};
use shared::{id::AccountId, platform::Platform};

use crate::StreamSample;

/// Samples of one statement.
const PAGE_SIZE: i64 = 2000;

/// Minutes of an account.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    /// Account.
    pub account: AccountId,
    /// First minute.
    pub from: DateTime<Utc>,
    /// Minute after the last one.
    pub to: DateTime<Utc>,
}

/// Place after which the samples continue: minute and platform.
type Cursor = (DateTime<Utc>, String);

/// All samples, by time. A session is at most seven days long, which bounds them.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub(crate) async fn all(
    access: &impl DatabaseAccess,
    span: &Span,
    platform: Option<Platform>,
) -> Result<Vec<StreamSample>> {
    let mut samples = Vec::new();
    let mut after = None;
    loop {
        let page = page(access, span, platform, after).await?;
        after = next(&page);
        samples.extend(page.into_iter().map(StreamSample::from));
        if after.is_none() {
            return Ok(samples);
        }
    }
}

/// Reader of the samples of a download.
struct Reader<A> {
    /// Share of the databases of the request, which has ended when its response is written.
    request: Arc<Request>,
    access: A,
    span: Span,
    after: Option<Cursor>,
    is_done: bool,
}

/// All samples in pages, each read when it is needed, within the share of the request's caller.
pub(crate) fn pages<A>(cx: &Cx, access: A, span: Span) -> BoxStream<'static, Result<Vec<Sample>>>
where
    A: DatabaseAccess + Send + 'static,
{
    let request = Arc::clone(cx.connections());
    let reader = Reader { request, access, span, after: None, is_done: false };
    stream::try_unfold(reader, |mut reader| async move {
        if reader.is_done {
            return Ok(None);
        }
        let page = reader.next().await?;
        Ok((!page.is_empty()).then_some((page, reader)))
    })
    .boxed()
}

impl<A: DatabaseAccess> Reader<A> {
    async fn next(&mut self) -> Result<Vec<Sample>> {
        let reading = page(&self.access, &self.span, None, self.after.take());
        let page = Arc::clone(&self.request).run(reading).await?;
        self.after = next(&page);
        self.is_done = self.after.is_none();
        Ok(page)
    }
}

async fn page(
    access: &impl DatabaseAccess,
    span: &Span,
    platform: Option<Platform>,
    after: Option<Cursor>,
) -> Result<Vec<Sample>> {
    let Span { account, from, to } = span;
    let platform = platform.map(Platform::slug);
    let connection = &mut *access.timeseries().await?;
    Ok(samples(connection, account.uuid(), *from, *to, platform, after, PAGE_SIZE).await?)
}

/// Place after which the samples continue; `None` after the last page.
fn next(page: &[Sample]) -> Option<Cursor> {
    let is_full = usize::try_from(PAGE_SIZE).is_ok_and(|size| page.len() >= size);
    page.last().filter(|_| is_full).map(|last| (last.at, last.platform.clone()))
}
