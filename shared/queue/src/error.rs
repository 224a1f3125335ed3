//! Errors of adding, reading or managing jobs.

/// Result with [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the job queue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting or argument is out of range. Nothing was done.
    #[error("invalid {field}: {problem}")]
    Invalid {
        /// Name of the setting or argument in this crate.
        field: &'static str,
        /// Problem and allowed range.
        problem: String,
    },

    /// Redis did not reply, or replied with an error.
    ///
    /// After a lost reply the command may have taken effect. Adding a job again is safe when it has an
    /// idempotency key.
    #[error("redis: {0}")]
    Redis(#[from] redis::RedisError),

    /// The payload could not be written as JSON. Nothing was added.
    #[error("the job payload cannot be written as JSON: {0}")]
    Payload(#[source] serde_json::Error),

    /// The queue already holds its highest number of jobs. Nothing of the refused batch was added.
    #[error("queue {queue} is full: it may hold {limit} jobs")]
    Full {
        /// Name of the queue.
        queue: String,
        /// The limit, [`Config::max_backlog`](crate::Config::max_backlog).
        limit: u64,
    },

    /// A dead letter whose envelope is damaged cannot be requeued.
    #[error("dead letter {entry} of queue {queue} is not readable as a job")]
    Unreadable {
        /// Name of the queue.
        queue: String,
        /// Entry id of the dead letter.
        entry: String,
    },

    /// A background task of a worker has panicked. The worker ends with this error and must be started again,
    /// as [`monitor`](crate::monitor) does.
    #[error("the {task} of queue {queue} has ended unexpectedly")]
    TaskEnded {
        /// Name of the queue.
        queue: String,
        /// Name of the background task.
        task: &'static str,
    },
}

impl Error {
    pub(crate) fn invalid(field: &'static str, problem: impl Into<String>) -> Self {
        Self::Invalid { field, problem: problem.into() }
    }
}
