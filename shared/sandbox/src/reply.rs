use crate::host::HostError;

/// End of an asynchronous operation.
pub(crate) struct Completion {
    pub(crate) ticket: i32,
    pub(crate) result: Result<Reply, HostError>,
}

pub(crate) struct Reply {
    /// JSON text.
    pub(crate) text: String,
    pub(crate) body: Vec<u8>,
}
