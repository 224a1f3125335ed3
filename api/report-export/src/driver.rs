//! Stream of a file that is written while its samples arrive.

use std::sync::Arc;

use bytes::Bytes;
use futures::stream::{self, BoxStream, StreamExt};
use history_model::report::{Report, Sample};

use crate::{Error, Failure};

/// Writer of a format. Each step appends to `out` what is ready.
pub(crate) trait Write: Send + 'static {
    /// Writes what stands before the samples.
    fn begin(&mut self, report: &Report, out: &mut Vec<u8>) -> Result<(), Failure>;

    /// Writes a page of samples.
    fn samples(&mut self, page: &[Sample], out: &mut Vec<u8>) -> Result<(), Failure>;

    /// Writes the rest.
    fn end(&mut self, report: &Report, out: &mut Vec<u8>) -> Result<(), Failure>;
}

type Pages<E> = BoxStream<'static, Result<Vec<Sample>, E>>;

/// Next thing to write.
enum Step {
    Begin,
    Samples,
    End,
}

struct State<W, E> {
    writer: W,
    report: Arc<Report>,
    pages: Pages<E>,
    step: Step,
}

/// Parts of the file. A page of samples is read when its part is needed, so one page and its part are in memory.
pub(crate) fn parts<W: Write, E: Send + 'static>(
    writer: W,
    report: Arc<Report>,
    pages: Pages<E>,
) -> BoxStream<'static, Result<Bytes, Error<E>>> {
    let state = State { writer, report, pages, step: Step::Begin };
    stream::try_unfold(state, |mut state| async move {
        let part = state.next().await?;
        Ok(part.map(|part| (part, state)))
    })
    .boxed()
}

impl<W: Write, E> State<W, E> {
    /// The next part that is not empty; `None` after the last one.
    async fn next(&mut self) -> Result<Option<Bytes>, Error<E>> {
        let mut out = Vec::new();
        while out.is_empty() {
            match self.step {
                Step::Begin => {
                    self.writer.begin(&self.report, &mut out).map_err(Error::Failed)?;
                    self.step = Step::Samples;
                }
                Step::Samples => match self.pages.next().await {
                    Some(page) => {
                        let page = page.map_err(Error::Samples)?;
                        self.writer.samples(&page, &mut out).map_err(Error::Failed)?;
                    }
                    None => {
                        self.writer.end(&self.report, &mut out).map_err(Error::Failed)?;
                        self.step = Step::End;
                    }
                },
                Step::End => return Ok(None),
            }
        }
        Ok(Some(out.into()))
    }
}
