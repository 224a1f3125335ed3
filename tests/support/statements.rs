//! Statements of a server: counted where they are sent, by their database or by the ids that they carry, so that other
//! tests of the process do not count.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use diesel::connection::{Instrumentation, InstrumentationEvent, set_default_instrumentation};
use uuid::Uuid;

use crate::{Caller, TestApp};

/// Part of the statement that a server repeats without a request: it reads the stops of budgets.
const BACKGROUND: &str = "budget.stopped_until IS NOT NULL";

static WATCHES: Mutex<Vec<Arc<Watch>>> = Mutex::new(Vec::new());

/// Statements to one database, or with one of some ids.
pub struct Statements(Arc<Watch>);

#[derive(Default)]
struct Watch {
    ids: Mutex<Vec<String>>,
    databases: Mutex<Vec<String>>,
    sent: Mutex<Vec<String>>,
}

/// Records the statements of one connection.
#[derive(Default)]
struct Recorder {
    url: String,
}

impl Instrumentation for Recorder {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        match event {
            InstrumentationEvent::StartEstablishConnection { url, .. } => url.clone_into(&mut self.url),
            InstrumentationEvent::StartQuery { query, .. } => {
                let text = query.to_string();
                for watch in &*locked(&WATCHES) {
                    watch.see(&self.url, &text);
                }
            }
            _ => {}
        }
    }
}

impl Watch {
    fn see(&self, url: &str, text: &str) {
        if text.contains(BACKGROUND) {
            return;
        }
        let in_database = locked(&self.databases).iter().any(|name| url.contains(name.as_str()));
        if in_database || locked(&self.ids).iter().any(|id| text.contains(id.as_str())) {
            locked(&self.sent).push(text.to_owned());
        }
    }
}

impl Statements {
    /// Watches connections that are opened from now on: call it before the server starts.
    pub fn watch() -> Self {
        set_default_instrumentation(|| Some(Box::<Recorder>::default())).expect("instrumentation can be set");
        let watch = Arc::<Watch>::default();
        locked(&WATCHES).push(Arc::clone(&watch));
        Self(watch)
    }

    /// Also counts statements with this id.
    pub fn with(&self, id: Uuid) {
        locked(&self.0.ids).push(id.to_string());
    }

    /// Also counts every statement to the databases of a server.
    pub fn to(&self, app: &TestApp) {
        locked(&self.0.databases).push(app.database.name.clone());
    }

    /// The statements since the last call.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut locked(&self.0.sent))
    }

    /// Response to a request, with every statement that it takes besides those for the caller's identity: it is sent
    /// twice, and the first time leaves those in the caches.
    pub async fn of<T>(&self, request: impl AsyncFn() -> T) -> (T, Vec<String>) {
        request().await;
        self.take();
        let answer = request().await;
        (answer, self.take())
    }

    /// Asserts that the list at `path` shows a thousand rows of a table, which one statement finds.
    pub async fn list_a_thousand(&self, app: &TestApp, caller: &Caller, path: &str, table: &str) {
        self.to(app);
        let (listed, sent) = self.of(async || caller.get(path).await).await;
        assert_eq!(listed.data().as_array().map(Vec::len), Some(1000), "{path}");
        assert!(matches!(sent.as_slice(), [one] if one.contains(table)), "{path}: {sent:#?}");
    }

    /// The statements since the last call that name a table.
    pub fn take_of(&self, table: &str) -> Vec<String> {
        let named = format!("\"{table}\"");
        self.take().into_iter().filter(|statement| statement.contains(&named)).collect()
    }
}

impl Drop for Statements {
    fn drop(&mut self) {
        locked(&WATCHES).retain(|watch| !Arc::ptr_eq(watch, &self.0));
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
