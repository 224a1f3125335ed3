//! Subjects, units and periods as callers see them.

use juniper::GraphQLEnum;
use serde::{Deserialize, Serialize};
use usage_model::{Period, SubjectKind, Unit};
use utoipa::ToSchema;

/// Subject of a count or a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UsageSubject {
    /// The account with everything in it.
    Account,
    /// An extension in the account.
    Extension,
    /// A key of the account, or of a person in it.
    Key,
}

/// Unit of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UsageUnit {
    /// Requests to the API.
    Requests,
    /// Time of handlers, in milliseconds.
    HandlerMs,
    /// Requests of handlers to other hosts.
    Fetches,
    /// Chat messages that were sent.
    Messages,
    /// Bytes that are stored at present.
    StoredBytes,
}

/// Period of a budget, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UsagePeriod {
    /// Hour.
    Hour,
    /// Day.
    Day,
    /// Calendar month.
    Month,
}

impl From<SubjectKind> for UsageSubject {
    fn from(kind: SubjectKind) -> Self {
        match kind {
            SubjectKind::Account => Self::Account,
            SubjectKind::Extension => Self::Extension,
            SubjectKind::Key => Self::Key,
        }
    }
}

impl From<UsageSubject> for SubjectKind {
    fn from(subject: UsageSubject) -> Self {
        match subject {
            UsageSubject::Account => Self::Account,
            UsageSubject::Extension => Self::Extension,
            UsageSubject::Key => Self::Key,
        }
    }
}

impl From<Unit> for UsageUnit {
    fn from(unit: Unit) -> Self {
        match unit {
            Unit::Requests => Self::Requests,
            Unit::HandlerMs => Self::HandlerMs,
            Unit::Fetches => Self::Fetches,
            Unit::Messages => Self::Messages,
            Unit::StoredBytes => Self::StoredBytes,
        }
    }
}

impl From<UsageUnit> for Unit {
    fn from(unit: UsageUnit) -> Self {
        match unit {
            UsageUnit::Requests => Self::Requests,
            UsageUnit::HandlerMs => Self::HandlerMs,
            UsageUnit::Fetches => Self::Fetches,
            UsageUnit::Messages => Self::Messages,
            UsageUnit::StoredBytes => Self::StoredBytes,
        }
    }
}

impl From<Period> for UsagePeriod {
    fn from(period: Period) -> Self {
        match period {
            Period::Hour => Self::Hour,
            Period::Day => Self::Day,
            Period::Month => Self::Month,
        }
    }
}

impl From<UsagePeriod> for Period {
    fn from(period: UsagePeriod) -> Self {
        match period {
            UsagePeriod::Hour => Self::Hour,
            UsagePeriod::Day => Self::Day,
            UsagePeriod::Month => Self::Month,
        }
    }
}
