//! CSV files in a ZIP archive (reference/history.md#csv).
//!
//! The archive is written from front to back: sizes and checksums follow each file, and nothing is read back.

mod cells;
mod files;

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};

use history_model::report::{Report, Sample};
use zip::{
    ZipWriter,
    write::{SimpleFileOptions, StreamWriter},
};

use self::files::{Rows, sample_row, samples_head};
use crate::{Failure, driver::Write};

/// Writer of the archive.
pub(crate) struct Archive {
    /// `None` after the end.
    zip: Option<ZipWriter<StreamWriter<Sink>>>,
    sink: Sink,
}

/// Bytes of the archive that no part has yet.
#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Archive {
    /// Begins an empty archive.
    pub fn new() -> Self {
        let sink = Sink::default();
        Self { zip: Some(ZipWriter::new_stream(sink.clone())), sink }
    }

    /// Begins a file with its rows.
    fn file(&mut self, name: &str, rows: Rows) -> Result<(), Failure> {
        let zip = self.zip.as_mut().ok_or("the archive has ended")?;
        zip.start_file(name, SimpleFileOptions::default()).map_err(|error| error.to_string())?;
        self.append(rows)
    }

    fn append(&mut self, rows: Rows) -> Result<(), Failure> {
        let zip = self.zip.as_mut().ok_or("the archive has ended")?;
        io::Write::write_all(zip, &rows.into_bytes()?).map_err(|error| error.to_string())
    }
}

impl Write for Archive {
    fn begin(&mut self, report: &Report, out: &mut Vec<u8>) -> Result<(), Failure> {
        self.file("summary.csv", files::summary(report)?)?;
        self.file("streams.csv", files::streams(report)?)?;
        self.file("samples.csv", samples_head()?)?;
        out.append(&mut self.sink.take());
        Ok(())
    }

    fn samples(&mut self, page: &[Sample], out: &mut Vec<u8>) -> Result<(), Failure> {
        let mut rows = Rows::default();
        for sample in page {
            rows.push(sample_row(sample))?;
        }
        self.append(rows)?;
        out.append(&mut self.sink.take());
        Ok(())
    }

    fn end(&mut self, report: &Report, out: &mut Vec<u8>) -> Result<(), Failure> {
        self.file("top_chatters.csv", files::chatters(report)?)?;
        self.file("emotes.csv", files::emotes(report)?)?;
        self.file("events.csv", files::events(report)?)?;
        let zip = self.zip.take().ok_or("the archive has ended")?;
        zip.finish().map_err(|error| error.to_string())?;
        out.append(&mut self.sink.take());
        Ok(())
    }
}
