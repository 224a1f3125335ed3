//! The one error of this crate. The API turns it into its public form, a worker logs it or retries.

/// Result with [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure below the operations. Its text may hold internals: it is logged, never answered to a caller.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A query failed.
    #[error("database: {0}")]
    Database(#[from] diesel::result::Error),
    /// No database connection could be had in time.
    #[error("database pool: {0}")]
    Pool(String),
    /// The caller's own requests hold all connections that it may have.
    #[error("the caller's share of the database connections is in use")]
    Busy,
    /// A Redis command failed or no connection could be had.
    #[error("redis: {0}")]
    Redis(String),
    /// Object storage refused or is away.
    #[error("storage: {0}")]
    Storage(#[from] object_store::Error),
    /// A value could not be written as or read from JSON.
    #[error("json: {0}")]
    Json(#[from] serde_json::Error),
    /// A stored secret cannot be read with the configured keys.
    #[error("a stored secret cannot be decrypted: {0}")]
    Decryption(String),
    /// The job queue takes no job now.
    #[error("queue: {0}")]
    Queue(String),
    /// The job queue never takes this job.
    #[error("queue: {0}")]
    InvalidJob(String),
    /// Something that must not happen did.
    #[error("{0}")]
    Internal(String),
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
