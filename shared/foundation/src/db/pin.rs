//! Connection that a request keeps in one transaction from its first use to its end
//! (reference/conventions.md#idempotency).

use std::sync::Arc;

use tokio::sync::Mutex;

use super::{Connection, Source};
use shared::{Error, Result};

/// Connection that the parts of a request borrow one after the other. Cheap to clone.
#[derive(Clone)]
pub struct PinnedConnection(Arc<Mutex<Connection<'static>>>);

impl PinnedConnection {
    /// Keeps a connection until the last clone and the last borrower are gone.
    pub(super) fn new(connection: Connection<'static>) -> Self {
        Self(Arc::new(Mutex::new(connection)))
    }

    /// Borrows the connection. It does not wait: the borrower may be part of the caller itself.
    ///
    /// # Errors
    /// An internal error while it is borrowed.
    pub fn borrow<'a>(&self) -> Result<Connection<'a>> {
        let guard = Arc::clone(&self.0).try_lock_owned();
        let guard = guard.map_err(|_in_use| Error::Internal("a pinned connection is in use".to_owned()))?;
        Ok(Connection(Source::Pinned(guard)))
    }
}
