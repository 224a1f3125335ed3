//! Admission of exports (reference/history.md#pdf).

use api_core::{
    ApiError, Code, Result, State,
    http::{Permit, SharedPermits},
};
use foundation::db::Holder;
use report_export::Format;

/// Documents of a process that are made or wait (reference/history.md#pdf).
const MAX_DOCUMENTS: usize = 10;
/// Documents of one account or address that are made or wait (reference/history.md#pdf).
const MAX_DOCUMENTS_OF_HOLDER: usize = 2;
/// Seconds after which a refused document may be requested again.
const BUSY_RETRY_SECS: u64 = 5;

/// Permits for the documents of a process.
struct Documents(SharedPermits<Holder>);

/// Admission of an export. A PDF takes a permit of its caller; other formats need none.
pub struct Admission {
    _permit: Option<Permit>,
}

impl Admission {
    /// Admits an export, before anything is read for it.
    ///
    /// # Errors
    /// 429 when the holder, or the process, makes too many documents.
    pub(crate) fn of(state: &State, format: Format, holder: Holder) -> Result<Self> {
        if format != Format::Pdf {
            return Ok(Self { _permit: None });
        }
        let new = || SharedPermits::new(MAX_DOCUMENTS, MAX_DOCUMENTS_OF_HOLDER);
        let permit = state.component(|_| Documents(new())).0.try_acquire(holder).ok_or_else(busy)?;
        Ok(Self { _permit: Some(permit) })
    }
}

/// Refusal of a document.
pub(crate) fn busy() -> ApiError {
    ApiError::new(Code::RateLimitExceeded, "Too many documents at once").with_retry_after(BUSY_RETRY_SECS)
}
