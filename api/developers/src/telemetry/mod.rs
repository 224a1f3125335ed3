//! What developers see of their extensions at work (specification B §2.6, §4.2).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants, SignedIn},
    graphql::Int64,
    page::{checked_limit, checked_offset},
};
use diesel::{Queryable, Selectable};
use juniper::GraphQLObject;
use serde::{Deserialize, Serialize};
use shared::{
    catalogue::{AccountPermission, Feature},
    db::schema::timeseries::extension_errors,
};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::{extensions::carries, profile};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&EXTENSION_ERRORS, &EXTENSION_METRICS];

/// A failed invocation.
#[derive(Debug, Clone, Serialize, Queryable, Selectable, GraphQLObject, ToSchema)]
#[diesel(table_name = extension_errors)]
pub struct ExtensionError {
    pub id: Uuid,
    /// Type of the JavaScript error, or the limit that was crossed.
    pub error_type: String,
    pub message: String,
    pub stack_trace: Option<String>,
    pub occurred_at: Timestamp,
    pub install_id: Uuid,
    pub account_id: Uuid,
}

/// Invocations of an extension's handlers.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ExtensionMetrics {
    pub total_invocations: Int64,
    pub total_errors: Int64,
    /// Milliseconds; 0 without invocations.
    pub avg_execution_ms: f64,
    /// Milliseconds, exact to about an eighth.
    pub p99_execution_ms: f64,
    /// The most used first; at most 100.
    pub by_handler: Vec<HandlerMetrics>,
    /// Hourly, oldest first; at most 1,000, the newest ones.
    pub time_series: Vec<MetricsBucket>,
}

/// Invocations of one handler.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct HandlerMetrics {
    pub handler: String,
    pub total_invocations: Int64,
    pub total_errors: Int64,
    pub avg_execution_ms: f64,
    pub p99_execution_ms: f64,
}

/// Invocations within one hour.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct MetricsBucket {
    /// Start of the hour.
    pub bucket: Timestamp,
    pub total_invocations: Int64,
    pub total_errors: Int64,
    pub avg_execution_ms: f64,
}

/// Which errors are listed.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ErrorsQuery {
    /// 1 to 200; 50 when absent.
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<i64>,
    /// 0 or more.
    #[param(minimum = 0, maximum = 2_147_483_647)]
    pub offset: Option<i64>,
    /// RFC 3339: errors from then on.
    pub since: Option<Timestamp>,
}

/// Which invocations are counted.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct MetricsQuery {
    /// RFC 3339: invocations from then on.
    pub since: Option<Timestamp>,
}

/// The runtime errors of an extension.
pub static EXTENSION_ERRORS: Operation<SignedIn> = Operation::first_party("extensionErrors", Grants::Nothing);

/// Lists the runtime errors of an extension of the caller's own, newest first. Ownership is a person's, so that keys
/// and tokens of an account do not reach it, and a key of the person's only as far as it carries `extension-dev:read`.
///
/// # Errors
/// As the rule; 403 for a key that does not carry that permission; 400 for a limit or offset out of bounds; 404 when
/// the caller has no such extension.
pub async fn extension_errors(
    cx: &Cx,
    id: Input<Uuid>,
    query: Input<ErrorsQuery>,
) -> Result<Vec<ExtensionError>> {
    let caller = cx.authorize(&EXTENSION_ERRORS).await?;
    carries(cx, AccountPermission::ExtensionDevRead)?;
    let (id, query) = (id?, query?);
    let (limit, offset) = (checked_limit(query.limit, 50, 200)?, checked_offset(query.offset)?);
    profile::owns(&mut *caller.db().await?, Some(caller.user), id).await?;
    db::errors(&mut *caller.timeseries().await?, id, query.since.map(Into::into), limit, offset).await
}

/// The invocations of an extension.
pub static EXTENSION_METRICS: Operation<AccountCaller> =
    Operation::account("extensionMetrics", AccountPermission::ExtensionDevRead, Grants::Nothing)
        .feature(Feature::ExtensionDevelopment);

/// Sums the invocations of an extension of the caller's own.
///
/// # Errors
/// As the rule; 404 when the caller has no such extension.
pub async fn extension_metrics(
    cx: &Cx,
    id: Input<Uuid>,
    query: Input<MetricsQuery>,
) -> Result<ExtensionMetrics> {
    let caller = cx.authorize(&EXTENSION_METRICS).await?;
    let (id, query) = (id?, query?);
    profile::owns(&mut *caller.db().await?, cx.person()?, id).await?;
    db::metrics(&mut *caller.timeseries().await?, id, query.since.map(Into::into)).await
}
