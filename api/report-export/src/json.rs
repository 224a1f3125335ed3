//! Report and samples as one JSON document (reference/history.md#json).

use history_model::report::{Report, Sample};

use crate::{Failure, driver::Write};

/// Writer of `{ "report": …, "samples": […] }`.
#[derive(Debug, Default)]
pub(crate) struct Json {
    has_samples: bool,
}

impl Write for Json {
    fn begin(&mut self, report: &Report, out: &mut Vec<u8>) -> Result<(), Failure> {
        out.extend(b"{\"report\":");
        serde_json::to_writer(&mut *out, report).map_err(|error| error.to_string())?;
        out.extend(b",\"samples\":[");
        Ok(())
    }

    fn samples(&mut self, page: &[Sample], out: &mut Vec<u8>) -> Result<(), Failure> {
        for sample in page {
            if std::mem::replace(&mut self.has_samples, true) {
                out.push(b',');
            }
            out.push(b'\n');
            serde_json::to_writer(&mut *out, sample).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn end(&mut self, _report: &Report, out: &mut Vec<u8>) -> Result<(), Failure> {
        out.extend(b"\n]}\n");
        Ok(())
    }
}
