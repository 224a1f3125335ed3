//! What went wrong: the handler's fault, or ours.

use sandbox::HostError;

/// Why the storage did not do what it was asked.
#[derive(Debug)]
pub enum Problem {
    /// The handler's own fault, in words for it.
    Refused(HostError),
    /// Ours; the handler learns only that.
    Failed(shared::Error),
}

impl Problem {
    /// The transaction is gone.
    pub fn lost() -> Self {
        Self::Refused(HostError::internal("ctx.db: the transaction is over"))
    }

    /// What the handler reads.
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

/// A lock or an end that did not come in time, or two that waited for one another.
fn is_busy(error: &shared::Error) -> bool {
    let text = error.to_string();
    ["lock timeout", "statement timeout", "deadlock detected"].iter().any(|why| text.contains(why))
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
