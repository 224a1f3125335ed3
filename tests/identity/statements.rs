//! Which statements a request sends: counted where they are sent, by the ids they carry, so that other tests of the
//! process do not count.

use std::sync::{Mutex, PoisonError};

use diesel::connection::{Instrumentation, InstrumentationEvent, set_default_instrumentation};
use uuid::Uuid;

static WATCHED: Mutex<Vec<String>> = Mutex::new(Vec::new());
static SENT: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Statements that carry one of some ids.
pub struct Statements;

struct Recorder;

impl Instrumentation for Recorder {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        let InstrumentationEvent::StartQuery { query, .. } = event else { return };
        let text = query.to_string();
        let watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
        if watched.iter().any(|id| text.contains(id)) {
            SENT.lock().unwrap_or_else(PoisonError::into_inner).push(text);
        }
    }
}

impl Statements {
    /// Watches connections that are opened from now on: call it before the server starts.
    pub fn watch() -> Self {
        set_default_instrumentation(|| Some(Box::new(Recorder))).expect("instrumentation can be set");
        Self
    }

    /// Also counts statements with this id.
    pub fn with(&self, id: Uuid) {
        WATCHED.lock().unwrap_or_else(PoisonError::into_inner).push(id.to_string());
    }

    /// The statements since the last call.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut SENT.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
