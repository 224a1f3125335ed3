//! The error of the layers below the operations. The API maps it to a public error; a worker logs it or
//! retries.

/// Result with [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Failure below the operations. Its text may contain internals: it is logged and never returned to a caller.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Failed query.
    #[error("database: {0}")]
    Database(#[from] diesel::result::Error),
    /// No database connection within the allowed time.
    #[error("database pool: {0}")]
    Pool(String),
    /// The caller's own requests hold all connections of its share.
    #[error("the caller's share of the database connections is in use")]
    Busy,
    /// Failed Redis command, or no connection to Redis.
    #[error("redis: {0}")]
    Redis(String),
    /// Object storage failed or refused the request.
    #[error("storage: {0}")]
    Storage(#[from] object_store::Error),
    /// A value could not be written as or read from JSON.
    #[error("json: {0}")]
    Json(#[from] serde_json::Error),
    /// A stored secret cannot be decrypted with the configured keys.
    #[error("a stored secret cannot be decrypted: {0}")]
    Decryption(String),
    /// The job queue takes no jobs at present.
    #[error("queue: {0}")]
    Queue(String),
    /// The job queue never takes this job.
    #[error("queue: {0}")]
    InvalidJob(String),
    /// Broken invariant.
    #[error("{0}")]
    Internal(String),
}

impl Error {
    /// True when the database has replied to the statement and refused it, so that a smaller one may succeed.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        use diesel::result::{DatabaseErrorKind, Error::DatabaseError};
        matches!(self, Self::Database(DatabaseError(kind, _))
            if !matches!(kind, DatabaseErrorKind::ClosedConnection))
    }

    /// True when another transaction was in the way: a deadlock, a failed serialization, or a lock that did not come in
    /// time. The same statement may succeed later.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        use diesel::result::{DatabaseErrorKind, Error::DatabaseError};
        let Self::Database(DatabaseError(kind, information)) = self else { return false };
        // These have no kind of their own.
        let texts = ["deadlock detected", "due to lock timeout"];
        matches!(kind, DatabaseErrorKind::SerializationFailure)
            || texts.iter().any(|text| information.message().contains(text))
    }
}

impl From<redis::RedisError> for Error {
    fn from(error: redis::RedisError) -> Self {
        Self::Redis(error.to_string())
    }
}

impl<E: std::error::Error + 'static> From<bb8::RunError<E>> for Error {
    fn from(error: bb8::RunError<E>) -> Self {
        Self::Pool(error.to_string())
    }
}

impl From<queue::Error> for Error {
    fn from(error: queue::Error) -> Self {
        match error {
            queue::Error::Redis(error) => error.into(),
            queue::Error::Invalid { .. } | queue::Error::Payload(_) => Self::InvalidJob(error.to_string()),
            _ => Self::Queue(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use diesel::result::{DatabaseErrorKind, Error as DatabaseError};

    use super::*;

    #[test]
    fn is_refusal_of_a_statement_to_which_the_database_has_replied() {
        let replied = |kind| Error::from(DatabaseError::DatabaseError(kind, Box::new("timeout".to_owned())));
        assert!(replied(DatabaseErrorKind::Unknown).is_refusal());
        assert!(replied(DatabaseErrorKind::CheckViolation).is_refusal());
        assert!(!replied(DatabaseErrorKind::ClosedConnection).is_refusal());
        assert!(!Error::from(DatabaseError::NotFound).is_refusal());
        assert!(!Error::Pool("none is free".to_owned()).is_refusal());
    }

    #[test]
    fn is_conflict_of_a_statement_that_another_transaction_has_stopped() {
        let failed =
            |kind, text: &str| Error::from(DatabaseError::DatabaseError(kind, Box::new(text.to_owned())));
        assert!(failed(DatabaseErrorKind::Unknown, "deadlock detected").is_conflict());
        assert!(failed(DatabaseErrorKind::Unknown, "canceling statement due to lock timeout").is_conflict());
        assert!(failed(DatabaseErrorKind::SerializationFailure, "could not serialize access").is_conflict());
        assert!(
            !failed(DatabaseErrorKind::Unknown, "canceling statement due to statement timeout").is_conflict()
        );
        assert!(!failed(DatabaseErrorKind::CheckViolation, "violates a check").is_conflict());
        assert!(!Error::Busy.is_conflict());
    }
}
