//! Marks of a batch. They are named by the places of their rows, which stay while the transaction that has claimed
//! them has them locked.

use std::{collections::HashSet, fmt::Debug};

use chrono::{DateTime, NaiveDate, Utc};
use diesel::{
    sql_query,
    sql_types::{Array, Text},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::{Error, Result};

use crate::samples::MAX_AGE;

/// Mark that a transaction has claimed.
pub(super) trait Mark: Debug {
    /// Place of its row.
    fn place(&self) -> &str;
}

/// Table of marks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marks {
    /// Name in the log of what a mark names.
    pub subject: &'static str,
    /// Statement that deletes marks by their places.
    pub delete: &'static str,
    /// Statement that lets marks wait for ten minutes, by their places.
    pub set_aside: &'static str,
}

impl Marks {
    /// Deletes those of the claimed marks that neither failed nor are to stay, and sets those aside that failed.
    pub async fn settle<M: Mark>(
        &self,
        connection: &mut AsyncPgConnection,
        claimed: &[M],
        failed: &[(&M, Error)],
        staying: &HashSet<&str>,
    ) -> Result<()> {
        for (mark, error) in failed {
            tracing::warn!(subject = self.subject, ?mark, %error, "a marked roll-up cannot be made at present");
        }
        let failed: Vec<&str> = failed.iter().map(|(mark, _)| mark.place()).collect();
        let done: Vec<&str> = claimed
            .iter()
            .map(Mark::place)
            .filter(|place| !failed.contains(place) && !staying.contains(place))
            .collect();
        change(connection, self.delete, &done).await?;
        change(connection, self.set_aside, &failed).await
    }
}

/// Marks of days whose samples are there. What others name stays as it is.
pub(super) fn with_samples<M>(claimed: &[M], day: impl Fn(&M) -> NaiveDate, now: DateTime<Utc>) -> Vec<&M> {
    let first = (now - MAX_AGE).date_naive();
    claimed.iter().filter(|mark| day(mark) >= first).collect()
}

async fn change(connection: &mut AsyncPgConnection, statement: &'static str, places: &[&str]) -> Result<()> {
    if !places.is_empty() {
        sql_query(statement).bind::<Array<Text>, _>(places).prepared().execute(connection).await?;
    }
    Ok(())
}
