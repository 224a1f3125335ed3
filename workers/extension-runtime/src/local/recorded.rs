//! Records of failed runs in files.

use sandbox::{Engine, Failure, Recording};

use crate::{
    failed_runs::{
        StoredRun,
        replay::{Replayed, run_again},
    },
    run::Run,
};

/// Failed run with everything that determines it, in the form that the runtime stores.
#[derive(Debug, Clone)]
pub struct RecordedRun(StoredRun);

impl RecordedRun {
    /// Returns the record of a run, without the secret settings.
    pub(super) fn new(run: Run, secrets: &[String], failure: Failure, recording: Recording) -> Self {
        Self(StoredRun::new(run, secrets, failure, recording))
    }

    /// Reads a record.
    ///
    /// # Errors
    /// A text that is no record.
    pub fn from_json(text: &[u8]) -> serde_json::Result<Self> {
        serde_json::from_slice(text).map(Self)
    }

    /// Returns the record as a text.
    ///
    /// # Errors
    /// None in practice: every part has a JSON form.
    pub fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec_pretty(&self.0)
    }

    /// Runs it again with a code, without reaching anything outside.
    ///
    /// # Errors
    /// A record that was too large to be kept whole, or code that does not load.
    pub async fn replay(self, code: &str, engine: &Engine) -> anyhow::Result<Replayed> {
        run_again(self.0, code, engine).await
    }
}
