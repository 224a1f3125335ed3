//! Budgets as callers see them.

use api_core::{Timestamp, graphql::Int64};
use juniper::GraphQLObject;
use serde::Serialize;
use usage_model::budgets::Budget;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{UsagePeriod, UsageSubject, UsageUnit};

/// Budget with its present use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct UsageBudget {
    /// Identifier.
    pub id: Uuid,
    /// Kind of the subject.
    pub subject: UsageSubject,
    /// Account, extension or key.
    pub subject_id: Uuid,
    /// Unit.
    pub unit: UsageUnit,
    /// Period.
    pub period: UsagePeriod,
    /// Maximum in a period.
    pub maximum: Int64,
    /// Share of the maximum at which members are notified, in percent. Null: at none.
    pub warn_percent: Option<i32>,
    /// True when use is refused from the maximum on.
    pub is_stopping: bool,
    /// Use in the present period; of stored bytes the present number.
    pub used: Int64,
    /// Rest of the maximum, 0 at least.
    pub remaining: Int64,
    /// End of the present period.
    pub resets_at: Timestamp,
    /// Time until which use is refused. Null while it is not.
    pub stopped_until: Option<Timestamp>,
    /// Person who made it. Null: a service key, or the person is gone.
    pub created_by: Option<Uuid>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

impl From<Budget> for UsageBudget {
    fn from(budget: Budget) -> Self {
        Self {
            id: budget.id,
            subject: budget.subject_kind.into(),
            subject_id: budget.subject_id,
            unit: budget.unit.into(),
            period: budget.period.into(),
            maximum: Int64(budget.maximum),
            warn_percent: budget.warn_percent.map(i32::from),
            is_stopping: budget.is_stopping,
            used: Int64(budget.used),
            remaining: Int64(budget.maximum.saturating_sub(budget.used).max(0)),
            resets_at: budget.resets_at.into(),
            stopped_until: budget.stopped_until.map(Timestamp::from),
            created_by: budget.created_by,
            created_at: budget.created_at.into(),
            updated_at: budget.updated_at.into(),
        }
    }
}
