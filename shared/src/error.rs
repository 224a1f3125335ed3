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
