//! Budgets with their present use.

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Bool, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::{Error, Result, id::AccountId};
use uuid::Uuid;

use super::present_use;
use crate::units::{Period, SubjectKind, Unit};

/// Budget with its present use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// Id.
    pub id: Uuid,
    /// Kind of the subject.
    pub subject_kind: SubjectKind,
    /// Account, extension or key.
    pub subject_id: Uuid,
    /// Unit.
    pub unit: Unit,
    /// Period.
    pub period: Period,
    /// Maximum in a period.
    pub maximum: i64,
    /// Share of the maximum at which members are notified, in percent; `None` for none.
    pub warn_percent: Option<i16>,
    /// True when use is refused from the maximum on.
    pub is_stopping: bool,
    /// Use in the present period; of stored bytes the present number.
    pub used: i64,
    /// End of the present period.
    pub resets_at: DateTime<Utc>,
    /// Time until which use is refused; `None` while it is not.
    pub stopped_until: Option<DateTime<Utc>>,
    /// Person who made it; `None` for a service key or a person who is gone.
    pub created_by: Option<Uuid>,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
    /// Time of the last change.
    pub updated_at: DateTime<Utc>,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    subject_kind: String,
    #[diesel(sql_type = SqlUuid)]
    subject_id: Uuid,
    #[diesel(sql_type = Text)]
    unit: String,
    #[diesel(sql_type = Text)]
    period: String,
    #[diesel(sql_type = BigInt)]
    maximum: i64,
    #[diesel(sql_type = Nullable<SmallInt>)]
    warn_percent: Option<i16>,
    #[diesel(sql_type = Bool)]
    is_stopping: bool,
    #[diesel(sql_type = Nullable<BigInt>)]
    used: Option<i64>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    stopped_until: Option<DateTime<Utc>>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    created_by: Option<Uuid>,
    #[diesel(sql_type = Timestamptz)]
    created_at: DateTime<Utc>,
    #[diesel(sql_type = Timestamptz)]
    updated_at: DateTime<Utc>,
}

const LIST: &str = concat!(
    "SELECT budget.id, budget.subject_kind, budget.subject_id, budget.unit, budget.period, budget.maximum,
        budget.warn_percent, budget.is_stopping, ",
    present_use!("$3", "$4", "$5"),
    " AS used, budget.stopped_until, budget.created_by, budget.created_at, budget.updated_at
    FROM usage_budgets AS budget WHERE budget.account_id = $1
    ORDER BY budget.created_at, budget.id LIMIT $2"
);

/// Lists up to `limit` budgets of an account, oldest first.
///
/// # Errors
/// A failure of the database, or a row that no version writes.
pub async fn list(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<Budget>> {
    let rows: Vec<Row> = sql_query(LIST)
        .bind::<SqlUuid, _>(account)
        .bind::<BigInt, _>(limit)
        .bind::<Timestamptz, _>(Period::Hour.begin(now))
        .bind::<Timestamptz, _>(Period::Day.begin(now))
        .bind::<Timestamptz, _>(Period::Month.begin(now))
        .prepared()
        .load(connection)
        .await?;
    rows.into_iter().map(|row| row.into_budget(now)).collect()
}

impl Row {
    fn into_budget(self, now: DateTime<Utc>) -> Result<Budget> {
        let (kind, unit) = (SubjectKind::parse(&self.subject_kind), Unit::parse(&self.unit));
        let (Some(subject_kind), Some(unit), Some(period)) = (kind, unit, Period::parse(&self.period)) else {
            return Err(Error::Internal(format!("the budget {} cannot be read", self.id)));
        };
        Ok(Budget {
            id: self.id,
            subject_kind,
            subject_id: self.subject_id,
            unit,
            period,
            maximum: self.maximum,
            warn_percent: self.warn_percent,
            is_stopping: self.is_stopping,
            used: self.used.unwrap_or(0),
            resets_at: period.end(now),
            stopped_until: self.stopped_until.filter(|until| *until > now),
            created_by: self.created_by,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}
