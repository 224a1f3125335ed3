//! Report as a PDF document: cards with figures, charts and tables (reference/history.md#pdf).

mod cards;
mod chart;
mod document;
mod paper;
mod permits;
mod series;
mod shape;
mod table;
mod theme;
mod writer;

use std::sync::Arc;

use bytes::Bytes;
use futures::stream::{self, BoxStream, StreamExt};
use history_model::report::{Report, Sample};

use self::series::Series;
use crate::{Error, Fonts};

/// Size of a part of the finished document.
const PART_BYTES: usize = 64 * 1024;

type Samples<E> = BoxStream<'static, Result<Vec<Sample>, E>>;

/// Parts of the document, which is made before the first part. Until then it keeps `place`.
pub(crate) fn parts<E: Send + 'static>(
    report: Arc<Report>,
    samples: Samples<E>,
    fonts: Fonts,
    place: impl Send + 'static,
) -> BoxStream<'static, Result<Bytes, Error<E>>> {
    let document = async move {
        let series = sum_up(&report, samples).await?;
        make(report, series, fonts, place).await
    };
    stream::once(document).flat_map(|made| stream::iter(split(made))).boxed()
}

async fn sum_up<E>(report: &Report, mut samples: Samples<E>) -> Result<Series, Error<E>> {
    let mut series = Series::new(report);
    while let Some(page) = samples.next().await {
        for sample in &page.map_err(Error::Samples)? {
            series.add(sample);
        }
    }
    Ok(series)
}

/// Makes the document on a thread for such work.
async fn make<E: Send + 'static>(
    report: Arc<Report>,
    series: Series,
    fonts: Fonts,
    place: impl Send + 'static,
) -> Result<Bytes, Error<E>> {
    let permit = permits::permit().await.ok_or(Error::Busy)?;
    let work = move || {
        // Kept also when the reader has gone.
        let _held = (place, permit);
        let library = fonts.library().map_err(Error::Fonts)?;
        document::render(&report, &series, library).map(Bytes::from).map_err(Error::Failed)
    };
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|panic| Err(Error::Failed(panic.to_string())))
}

fn split<E>(made: Result<Bytes, Error<E>>) -> Vec<Result<Bytes, Error<E>>> {
    match made {
        Ok(document) => {
            let starts = (0..document.len()).step_by(PART_BYTES);
            starts.map(|start| Ok(document.slice(start..document.len().min(start + PART_BYTES)))).collect()
        }
        Err(error) => vec![Err(error)],
    }
}
