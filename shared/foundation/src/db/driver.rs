//! Result of an attempt to connect.

use std::{error::Error as _, fmt, io, pin::Pin};

/// Reader and writer of a connection. It ends when its client is dropped, or the server is gone.
pub(crate) type Driver = Pin<Box<dyn Future<Output = Result<(), tokio_postgres::Error>> + Send>>;

/// Reason why no host could be connected to.
#[derive(Debug)]
pub(crate) enum ConnectError {
    /// The URL is malformed.
    Url(String),
    /// A server refuses, or its connection failed.
    Postgres(tokio_postgres::Error),
    /// No connection to a host.
    Network(io::Error),
    /// A server has the other role than that of the URL.
    Role(&'static str),
    /// A host did not answer in time.
    Silent,
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(reason) => f.write_str(reason),
            Self::Postgres(error) => match error.source() {
                Some(cause) => write!(f, "{error}: {cause}"),
                None => error.fmt(f),
            },
            Self::Network(error) => write!(f, "error connecting to server: {error}"),
            Self::Role(reason) => f.write_str(reason),
            Self::Silent => f.write_str("the server does not answer"),
        }
    }
}
