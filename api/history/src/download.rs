//! Export of a report that [`export`](crate::export) writes as a response (reference/history.md#exports).

use std::sync::Arc;

use api_core::http::ListPages;
use history_model::report::{Report, Sample};
use report_export::Format;

use crate::{admission::Admission, right::Right};

/// Report to write in a format. The rule of the operation was checked, and the session has ended.
pub struct Download {
    /// Format of the file.
    pub format: Format,
    /// Report. Of a shared one the platforms' ids and pictures of chatters are removed.
    pub report: Arc<Report>,
    /// Samples by time, in pages. A page is read when the response needs it, so that a slow reader holds
    /// neither a connection nor the whole list.
    pub samples: ListPages<Sample>,
    /// Right to read the report until the end of the download.
    pub right: Right,
    /// Admission of the caller. A document keeps it until it is made.
    pub admission: Admission,
}
