//! Detection of a server that does not take writes any more, because another one was made the primary
//! (reference/storage.md#several-hosts).

use diesel::{
    connection::{Instrumentation, InstrumentationEvent, get_default_instrumentation},
    result::{DatabaseErrorKind, Error},
};

/// Instrumentation of a connection that notices when the server refuses a write because it only reads.
pub(super) struct DemotionWatch {
    refused: Box<dyn Fn() + Send>,
    next: Option<Box<dyn Instrumentation>>,
}

impl DemotionWatch {
    /// Calls `refused` for each such refusal. The instrumentation of the process gets all events too.
    pub fn new(refused: impl Fn() + Send + 'static) -> Self {
        Self { refused: Box::new(refused), next: get_default_instrumentation() }
    }
}

impl Instrumentation for DemotionWatch {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        if let InstrumentationEvent::FinishQuery { error: Some(error), .. } = &event
            && matches!(error, Error::DatabaseError(DatabaseErrorKind::ReadOnlyTransaction, _))
        {
            (self.refused)();
        }
        self.next.on_connection_event(event);
    }
}
