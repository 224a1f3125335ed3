//! Export of a report that [`export`](crate::export) writes as a response (reference/history.md#exports).

use std::sync::Arc;

use api_core::Result;
use futures::{future::BoxFuture, stream::BoxStream};
use history_model::report::{Report, Sample};
use report_export::Format;

/// Report to write in a format. The rule of the operation was checked, and the session has ended.
pub struct Download {
    /// Format of the file.
    pub format: Format,
    /// Report. Of a shared one the platforms' ids of chatters are removed.
    pub report: Arc<Report>,
    /// Samples by time, in pages. A page is read when the response needs it, so that a slow reader holds
    /// neither a connection nor the whole list.
    pub samples: BoxStream<'static, Result<Vec<Sample>>>,
    /// Completes when the right to read the report ends before the download does: the response is then cut off
    /// with an error. It never completes for members of the account.
    pub ended: BoxFuture<'static, ()>,
}
