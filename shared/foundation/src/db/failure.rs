//! Reason why a pool has no connection.

use std::sync::{Arc, Mutex, PoisonError};

use diesel::ConnectionResult;
use diesel_async::pooled_connection::bb8::RunError;

use shared::Error;

/// Error of the last attempt to connect, or `None` when it succeeded. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct LastFailure(Arc<Mutex<Option<String>>>);

impl LastFailure {
    /// Records the outcome of an attempt and returns it.
    pub fn outcome<T>(&self, attempt: ConnectionResult<T>) -> ConnectionResult<T> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) =
            attempt.as_ref().err().map(ToString::to_string);
        attempt
    }

    /// Error of a caller who got no connection. The pool itself reports only a timeout.
    pub fn explain(&self, error: RunError) -> Error {
        match error {
            RunError::User(error) => Error::from(RunError::User(error)),
            RunError::TimedOut => {
                let cause = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
                Error::Pool(cause.unwrap_or_else(|| "no connection was free in time".to_owned()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use diesel::ConnectionError;

    use super::*;

    #[test]
    fn last_failure_explains_a_timeout() {
        let failure = LastFailure::default();
        let explained = || failure.explain(RunError::TimedOut).to_string();
        assert_eq!(explained(), "database pool: no connection was free in time");
        let refused = ConnectionError::BadConnection("connection refused".to_owned());
        assert!(failure.outcome(Err::<(), _>(refused)).is_err());
        assert_eq!(explained(), "database pool: connection refused");
        assert!(failure.outcome(Ok(())).is_ok());
        assert_eq!(explained(), "database pool: no connection was free in time");
    }
}
