//! Usage by hour, and its totals (reference/usage.md#hours).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Page, PageRequest, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::Int64,
    page::Window,
    validate,
};
use chrono::{DateTime, TimeDelta, Utc};
use juniper::GraphQLObject;
use serde::{Deserialize, Serialize};
use shared::{catalogue::AccountPermission, id::AccountId};
use usage_model::{Period, SubjectKind};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::UsageSubject;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&USAGE_HOURS, &USAGE_TOTALS];

/// Span without `from`, in days (reference/usage.md#hours).
const DEFAULT_SPAN_DAYS: i64 = 1;
/// Longest span of a list, in days (reference/usage.md#hours).
const MAX_SPAN_DAYS: i64 = 31;

/// Usage of a subject in one hour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct UsageHour {
    /// Begin of the hour.
    pub hour: Timestamp,
    /// Kind of the subject.
    pub subject: UsageSubject,
    /// Account, extension or key.
    pub subject_id: Uuid,
    /// Requests to the API.
    pub requests: Int64,
    /// Time of handlers, in milliseconds.
    pub handler_ms: Int64,
    /// Requests of handlers to other hosts.
    pub fetches: Int64,
    /// Chat messages that were sent.
    pub messages: Int64,
    /// Bytes that were stored at the last measurement of the hour.
    pub stored_bytes: Int64,
}

/// Usage of a subject in a span.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct UsageTotal {
    /// Kind of the subject.
    pub subject: UsageSubject,
    /// Account, extension or key.
    pub subject_id: Uuid,
    /// Requests to the API.
    pub requests: Int64,
    /// Time of handlers, in milliseconds.
    pub handler_ms: Int64,
    /// Requests of handlers to other hosts.
    pub fetches: Int64,
    /// Chat messages that were sent.
    pub messages: Int64,
    /// Bytes that were stored at the last measurement of the last of these hours.
    pub stored_bytes: Int64,
}

/// Subject and span of a list.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct UsageQuery {
    /// Kind of the subjects; `account` when absent.
    #[param(inline)]
    pub subject: Option<UsageSubject>,
    /// Only this extension or key.
    pub subject_id: Option<Uuid>,
    /// Begin, whose hour is the first one; a day before the end when absent.
    pub from: Option<String>,
    /// End, which is not part of the span; now when absent.
    pub to: Option<String>,
    /// Page number, from 1; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// Entries a page, 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

/// Checked query of an account.
struct Selection {
    account: AccountId,
    subject: SubjectKind,
    subject_id: Option<Uuid>,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
    window: Window,
}

pub static USAGE_HOURS: Operation<AccountCaller> =
    Operation::account("usageHours", AccountPermission::PlanRead, Grants::Nothing).polled();

/// Lists the usage of the account, its extensions or its keys by hour, newest first.
///
/// An hour without use has no entry. Counts arrive within about half a minute. The list ends after 10,000 entries.
///
/// (reference/usage.md#hours)
///
/// # Errors
/// Refusals of the access rule; 400 for an unknown subject, a malformed time, a begin after the end, a span above 31
/// days, or a page out of bounds.
#[api_core::operation]
pub async fn usage_hours(cx: &Cx, query: Input<UsageQuery>) -> Result<Page<UsageHour>> {
    let caller = cx.authorize(&USAGE_HOURS).await?;
    let selection = Selection::of(cx, caller.account, query?)?;
    let (items, total) = db::hours(&mut *caller.db().await?, &selection).await?;
    Ok(Page { items, total, window: selection.window })
}

pub static USAGE_TOTALS: Operation<AccountCaller> =
    Operation::account("usageTotals", AccountPermission::PlanRead, Grants::Nothing).polled();

/// Lists the sums of the usage of the account, its extensions or its keys in a span, most time of handlers and then
/// most requests first.
///
/// A subject without use has no entry. The list ends after 10,000 entries.
///
/// (reference/usage.md#hours)
///
/// # Errors
/// Refusals of the access rule; 400 for an unknown subject, a malformed time, a begin after the end, a span above 31
/// days, or a page out of bounds.
#[api_core::operation]
pub async fn usage_totals(cx: &Cx, query: Input<UsageQuery>) -> Result<Page<UsageTotal>> {
    let caller = cx.authorize(&USAGE_TOTALS).await?;
    let selection = Selection::of(cx, caller.account, query?)?;
    let (items, total) = db::totals(&mut *caller.db().await?, &selection).await?;
    Ok(Page { items, total, window: selection.window })
}

impl Selection {
    fn of(cx: &Cx, account: AccountId, query: UsageQuery) -> Result<Self> {
        let window = PageRequest { page: query.page, limit: query.limit }.check()?;
        let to = query.to.map(|text| validate::timestamp("to", &text)).transpose()?;
        let to = to.unwrap_or_else(|| cx.state().clock.now());
        let from = query.from.map(|text| validate::timestamp("from", &text)).transpose()?;
        let from = from.unwrap_or(to - TimeDelta::days(DEFAULT_SPAN_DAYS));
        if from > to {
            return Err(ApiError::invalid("from must not be after to"));
        }
        if to - from > TimeDelta::days(MAX_SPAN_DAYS) {
            return Err(ApiError::invalid(format!("from must be at most {MAX_SPAN_DAYS} days before to")));
        }
        Ok(Self {
            account,
            subject: query.subject.unwrap_or(UsageSubject::Account).into(),
            subject_id: query.subject_id,
            from: Period::Hour.begin(from),
            to,
            window,
        })
    }
}
