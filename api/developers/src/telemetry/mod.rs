//! Telemetry of a developer's extensions (reference/developers.md#telemetry-for-developers).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants, SignedIn, read_on_replica},
    graphql::Int64,
    page::{checked_limit, offset_or_before},
};
use chrono::{DateTime, Utc};
use developer_access::{credentials::carries, extensions};
use diesel::QueryableByName;
use foundation::db::{ReadPools, ReplicaRead};
use juniper::GraphQLObject;
use serde::{Deserialize, Serialize};
use shared::{
    catalogue::{AccountPermission, Feature, TeamPermission},
    schema::timeseries::extension_errors,
};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&EXTENSION_ERRORS, &EXTENSION_METRICS];

/// Errors in a response without a limit.
const DEFAULT_LIMIT: i64 = 50;
/// Highest number of errors in a response.
const MAX_LIMIT: i64 = 200;

/// A failed invocation.
#[derive(Debug, Clone, Serialize, QueryableByName, GraphQLObject, ToSchema)]
#[diesel(table_name = extension_errors)]
pub struct ExtensionError {
    /// Id.
    pub id: Uuid,
    /// Type of the JavaScript error, or the exceeded limit.
    pub error_type: String,
    /// Message, at most 4 KiB.
    pub message: String,
    /// Stack trace, or null.
    pub stack_trace: Option<String>,
    /// Time of the failure.
    pub occurred_at: Timestamp,
    /// Install whose handler failed.
    pub install_id: Uuid,
    /// Account of the install.
    pub account_id: Uuid,
}

/// Invocations of an extension's handlers.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ExtensionMetrics {
    /// Number of invocations.
    pub total_invocations: Int64,
    /// Number of failed invocations.
    pub total_errors: Int64,
    /// Average duration in milliseconds; 0 without invocations.
    pub avg_execution_ms: f64,
    /// 99th percentile of the duration in milliseconds, exact to about an eighth.
    pub p99_execution_ms: f64,
    /// Sums by handler, the most used first; at most 100.
    pub by_handler: Vec<HandlerMetrics>,
    /// Sums by hour, oldest first; at most 1,000, the newest ones.
    pub time_series: Vec<MetricsBucket>,
}

/// Invocations of one handler.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct HandlerMetrics {
    /// Name of the export.
    pub handler: String,
    /// Number of invocations.
    pub total_invocations: Int64,
    /// Number of failed invocations.
    pub total_errors: Int64,
    /// Average duration in milliseconds; 0 without invocations.
    pub avg_execution_ms: f64,
    /// 99th percentile of the duration in milliseconds, exact to about an eighth.
    pub p99_execution_ms: f64,
}

/// Invocations within one hour.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct MetricsBucket {
    /// Start of the hour.
    pub bucket: Timestamp,
    /// Number of invocations.
    pub total_invocations: Int64,
    /// Number of failed invocations.
    pub total_errors: Int64,
    /// Average duration in milliseconds; 0 without invocations.
    pub avg_execution_ms: f64,
}

/// Filter and page of the errors.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ErrorsQuery {
    /// 1 to 200; 50 when absent.
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<i64>,
    /// 0 or more.
    #[param(minimum = 0, maximum = 2_147_483_647)]
    pub offset: Option<i64>,
    /// RFC 3339: earliest time of the errors; all when absent.
    pub since: Option<Timestamp>,
    /// Id of an error: only those before it. Not with `offset`.
    pub before: Option<Uuid>,
}

/// Filter of the invocations.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct MetricsQuery {
    /// RFC 3339: earliest time of the invocations; all when absent.
    pub since: Option<Timestamp>,
}

pub static EXTENSION_ERRORS: Operation<SignedIn> = Operation::first_party("extensionErrors", Grants::Nothing)
    .in_team(&[TeamPermission::TeamExtensionsAnalytics])
    .polled();

/// Lists the runtime errors of one of the caller's extensions, newest first.
///
/// Errors are kept for 90 days. Nothing is before an error that the extension does not have. Only a person's session
/// and personal keys reach them.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for a limit or offset out of bounds, and for both `offset` and `before`.
/// - 403 for a key that does not carry `extension-dev:read`.
/// - 403 for a member of the extension's team without `team-extensions:analytics`.
/// - 404 when the caller has no such extension.
#[api_core::operation]
pub async fn extension_errors(
    cx: &Cx,
    id: Input<Uuid>,
    query: Input<ErrorsQuery>,
) -> Result<Vec<ExtensionError>> {
    let caller = cx.authorize(&EXTENSION_ERRORS).await?;
    carries(cx, AccountPermission::ExtensionDevRead)?;
    let (id, query) = (id?, query?);
    let selection = db::ErrorSelection {
        extension: id,
        since: query.since.map(Into::into),
        before: query.before,
        limit: checked_limit(query.limit, DEFAULT_LIMIT, MAX_LIMIT)?,
        offset: offset_or_before(query.offset, query.before)?,
    };
    extensions::owner(&mut *caller.db().await?, &EXTENSION_ERRORS, Some(caller.user), id).await?;
    db::errors(&mut *caller.timeseries().await?, &selection).await
}

pub static EXTENSION_METRICS: Operation<AccountCaller> =
    Operation::account("extensionMetrics", AccountPermission::ExtensionDevRead, Grants::Nothing)
        .feature(Feature::ExtensionDevelopment)
        .in_team(&[TeamPermission::TeamExtensionsAnalytics])
        .polled();

/// Returns the invocations of one of the caller's extensions, summed in total, by handler and by hour.
///
/// Invocations are kept for 180 days.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a member of the extension's team without `team-extensions:analytics`.
/// - 404 when the caller has no such extension.
#[api_core::operation]
pub async fn extension_metrics(
    cx: &Cx,
    id: Input<Uuid>,
    query: Input<MetricsQuery>,
) -> Result<ExtensionMetrics> {
    let caller = cx.authorize(&EXTENSION_METRICS).await?;
    let (id, query) = (id?, query?);
    extensions::owner(&mut *caller.db().await?, &EXTENSION_METRICS, cx.person()?, id).await?;
    let since = query.since.map(Into::into);
    read_on_replica(&caller, ReplicaRead::ExtensionMetrics, None, |pools| metrics(pools, id, since)).await
}

async fn metrics(pools: ReadPools<'_>, id: Uuid, since: Option<DateTime<Utc>>) -> Result<ExtensionMetrics> {
    let mut connection = pools.timeseries().await?;
    db::metrics(&mut connection.reader(), id, since).await
}
