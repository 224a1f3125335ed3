//! Exports of stream reports: CSV files in a ZIP archive, text, JSON and PDF (reference/history.md#exports).
//!
//! [`export`] reads the samples page by page and returns the file in parts. Of CSV, text and JSON it holds one page
//! at a time. A PDF needs the samples for its charts only, so it keeps sums of them.

mod archive;
mod content;
mod driver;
mod fonts;
mod format;
mod json;
mod pdf;
mod text;
mod visible;

use std::sync::Arc;

use bytes::Bytes;
use futures::{
    Stream,
    stream::{BoxStream, StreamExt},
};
use history_model::report::{Report, Sample};

pub use fonts::Fonts;
pub use format::Format;

/// Failure of an export; `E` is the error of the samples.
#[derive(Debug)]
pub enum Error<E> {
    /// The samples could not be read.
    Samples(E),
    /// The document waited too long for others.
    Busy,
    /// The folder of fonts has none that can be used.
    Fonts(String),
    /// The file could not be made.
    Failed(String),
}

/// Failure of a writer, as a text for the log.
type Failure = String;

/// Writes a report in a format. The parts together are the file; an error ends it before its end.
///
/// `samples` are in the order of their times. `fonts` are read for PDF only. `place` is the place of the caller among
/// those who make documents: a PDF keeps it until the document is made.
pub fn export<S, E, P>(
    format: Format,
    report: Arc<Report>,
    samples: S,
    fonts: &Fonts,
    place: P,
) -> BoxStream<'static, Result<Bytes, Error<E>>>
where
    S: Stream<Item = Result<Vec<Sample>, E>> + Send + 'static,
    E: Send + 'static,
    P: Send + 'static,
{
    let samples = samples.boxed();
    match format {
        Format::Csv => driver::parts(archive::Archive::new(), report, samples),
        Format::Txt => driver::parts(text::Text, report, samples),
        Format::Json => driver::parts(json::Json::default(), report, samples),
        Format::Pdf => pdf::parts(report, samples, fonts.clone(), place),
    }
}

/// Name of the file: `report-` and the date of the start in UTC.
#[must_use]
pub fn file_name(report: &Report, format: Format) -> String {
    format!("report-{}.{}", report.session.started_at.format("%Y-%m-%d"), format.extension())
}

#[cfg(test)]
mod tests;
