//! Batches that fail as a whole: halves, down to the keys that are at fault.

use diesel::sql_query;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::{Error, Result};

/// Number of failures without a success after which the database counts as the cause.
const MAX_FAILURES: usize = 50;

/// Parts of a batch of keys that are still to be made.
pub(super) struct Parts<'a, K> {
    waiting: Vec<&'a [K]>,
    failed: Vec<(K, Error)>,
    is_some_made: bool,
    failures: usize,
}

impl<'a, K: Copy> Parts<'a, K> {
    /// Batch as one part.
    pub fn of(keys: &'a [K]) -> Self {
        let waiting = if keys.is_empty() { Vec::new() } else { vec![keys] };
        Self { waiting, failed: Vec::new(), is_some_made: keys.is_empty(), failures: 0 }
    }

    /// Next part.
    pub fn next(&mut self) -> Option<&'a [K]> {
        self.waiting.pop()
    }

    /// Returns what was made of a part. One that failed is halved, or its only key is set aside. Returns the error when
    /// the key is not at fault: another transaction was in the way, the primary database does not answer, or no part can
    /// be made.
    pub async fn record<T>(
        &mut self,
        part: &'a [K],
        made: Result<T>,
        postgres: &mut AsyncPgConnection,
    ) -> Result<Option<T>> {
        match made {
            Ok(made) => {
                self.is_some_made = true;
                Ok(Some(made))
            }
            Err(error) => self.divide(part, error, postgres).await.map(|()| None),
        }
    }

    async fn divide(&mut self, part: &'a [K], error: Error, postgres: &mut AsyncPgConnection) -> Result<()> {
        if error.is_conflict() {
            return Err(error);
        }
        sql_query("SELECT 1").prepared().execute(postgres).await?;
        self.failures += 1;
        let is_last = self.waiting.is_empty() && part.len() == 1;
        if !self.is_some_made && (is_last || self.failures >= MAX_FAILURES) {
            return Err(error);
        }
        if let [key] = part {
            self.failed.push((*key, error));
        } else {
            let (older, newer) = part.split_at(part.len() / 2);
            self.waiting.extend([older, newer]);
        }
        Ok(())
    }

    /// Keys that were set aside, each with its error, when no part is left.
    pub fn set_aside(self) -> Vec<(K, Error)> {
        self.failed
    }
}
