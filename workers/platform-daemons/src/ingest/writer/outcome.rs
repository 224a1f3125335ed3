//! Outcome of a batch. A row that the database refuses must not block the others, and a database that is away
//! must not make rows look refused.

use std::time::Duration;

use diesel::result::{DatabaseErrorKind as Kind, Error};
use diesel_async::AsyncPgConnection;
use uuid::Uuid;

use super::{Stored, insert};

/// Maximum wait for one statement: longer than the server's own timeout.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(15);

/// Rows of a batch by outcome, as ascending indices.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub stored: Vec<usize>,
    /// Ids of rows that were not stored before.
    pub new: Vec<Uuid>,
    /// Rows that no repetition will store.
    pub refused: Vec<usize>,
    /// Rows to try again.
    pub left: Vec<usize>,
    pub error: Option<String>,
}

/// Meaning of an error for the rows of its statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blame {
    /// None: the database was unavailable.
    Database,
    /// One of the rows breaks a rule of the table, for instance no partition for its time.
    Row,
    /// Possibly one of the rows.
    Unclear,
}

impl Outcome {
    /// Returns the outcome of a batch that was not tried.
    pub fn away(rows: usize, error: String) -> Self {
        Self { left: (0..rows).collect(), error: Some(error), ..Self::default() }
    }

    /// Marks stored rows to be written again, because a step after the write failed.
    pub fn unsettle(&mut self, error: String) {
        self.left.append(&mut self.stored);
        self.left.sort_unstable();
        self.error = Some(error);
    }
}

/// Writes rows. When a batch is refused, its halves are tried, down to the refused rows.
pub(super) async fn write_all<R: Stored>(connection: &mut AsyncPgConnection, rows: &[&R]) -> Outcome {
    let (mut outcome, mut suspects) = (Outcome::default(), Vec::new());
    let mut parts = vec![(0, rows.len())];
    while let Some((start, end)) = parts.pop() {
        let range = start..end;
        let error = match insert_in_time(connection, &rows[range.clone()]).await {
            Ok(new) => {
                outcome.new.extend(new);
                outcome.stored.extend(range);
                continue;
            }
            Err(error) => error,
        };
        outcome.error = Some(error.to_string());
        match (blame(&error), range.len()) {
            (Blame::Database, _) => {
                outcome.left.extend(range);
                outcome.left.extend(parts.drain(..).flat_map(|(start, end)| start..end));
            }
            (Blame::Row, 1) => outcome.refused.extend(range),
            (Blame::Unclear, 1) => suspects.extend(range),
            _ => {
                let middle = start.midpoint(end);
                parts.push((middle, end));
                parts.push((start, middle));
            }
        }
    }
    // A single row is refused only when the database accepts others.
    if outcome.stored.is_empty() {
        outcome.left.extend(suspects)
    } else {
        outcome.refused.extend(suspects)
    }
    for indices in [&mut outcome.stored, &mut outcome.refused, &mut outcome.left] {
        indices.sort_unstable();
    }
    outcome
}

async fn insert_in_time<R: Stored>(
    connection: &mut AsyncPgConnection,
    rows: &[&R],
) -> diesel::QueryResult<Vec<Uuid>> {
    tokio::time::timeout(STATEMENT_TIMEOUT, insert(connection, rows)).await.unwrap_or_else(|_elapsed| {
        Err(Error::DatabaseError(
            Kind::UnableToSendCommand,
            Box::new("the database does not answer".to_owned()),
        ))
    })
}

/// True when the database could not be reached, took too long or is unavailable at this moment.
pub(in crate::ingest) fn is_away(error: &Error) -> bool {
    let Error::DatabaseError(kind, information) = error else { return false };
    matches!(
        kind,
        Kind::ClosedConnection
            | Kind::UnableToSendCommand
            | Kind::SerializationFailure
            | Kind::ReadOnlyTransaction
    ) || information.message().starts_with("canceling statement")
}

fn blame(error: &Error) -> Blame {
    match error {
        error if is_away(error) => Blame::Database,
        Error::DatabaseError(Kind::CheckViolation | Kind::NotNullViolation, _) => Blame::Row,
        Error::DatabaseError(..) | Error::SerializationError(_) => Blame::Unclear,
        _ => Blame::Database,
    }
}
