//! Failures of the storage: the handler's fault, or the platform's.

use sandbox::HostError;

/// Reason why the storage did not perform a request.
#[derive(Debug)]
pub enum Problem {
    /// Fault of the handler, with a text for it.
    Refused(HostError),
    /// Fault of the platform; the handler learns only that.
    Failed(shared::Error),
}

impl Problem {
    /// Returns the failure of a lost transaction.
    pub fn lost() -> Self {
        Self::Refused(HostError::internal("ctx.db: the transaction is over"))
    }

    /// Returns the error for the handler.
    pub fn for_the_handler(self) -> HostError {
        match self {
            Self::Refused(error) => error,
            Self::Failed(error) if is_busy(&error) => {
                HostError::limit("ctx.db: the storage is busy with other calls of the extension; try again")
            }
            Self::Failed(error) => {
                tracing::error!(%error, "the storage of an extension cannot be reached");
                HostError::internal("ctx.db: the storage cannot be reached now")
            }
        }
    }
}

/// True for a lock or a commit that did not come in time, and for a deadlock.
fn is_busy(error: &shared::Error) -> bool {
    error.is_conflict() || error.to_string().contains("statement timeout")
}

impl From<HostError> for Problem {
    fn from(error: HostError) -> Self {
        Self::Refused(error)
    }
}

impl From<shared::Error> for Problem {
    fn from(error: shared::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<diesel::result::Error> for Problem {
    fn from(error: diesel::result::Error) -> Self {
        Self::Failed(error.into())
    }
}
