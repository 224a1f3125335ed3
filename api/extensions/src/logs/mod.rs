//! Logs of an install's handlers (reference/extensions.md#logs).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    page::{checked_limit, offset_or_before},
};
use diesel::QueryableByName;
use juniper::{GraphQLEnum, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::{catalogue::AccountPermission, schema::timeseries::extension_logs};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::installs;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&EXTENSION_INSTALL_LOGS];

/// Lines in a response without a limit.
const DEFAULT_LIMIT: i64 = 50;
/// Highest number of lines in a response.
const MAX_LIMIT: i64 = 200;

/// Importance of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum InstallLogLevel {
    /// Information.
    Info,
    /// Warning.
    Warn,
    /// `error`. The derived code does not accept a variant with the name of a trait's associated type.
    #[serde(rename = "error")]
    #[graphql(name = "ERROR", description = "Something failed.")]
    Failure,
}

/// A line that a handler logged.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct InstallLog {
    /// Id.
    pub id: Uuid,
    /// Importance.
    pub level: InstallLogLevel,
    /// Text, at most 4 KiB.
    pub message: String,
    /// Trigger that ran the handler, for example `command`; null when unknown.
    pub trigger_type: Option<String>,
    /// Duration of the invocation in milliseconds, or null.
    pub execution_ms: Option<i32>,
    /// Time of the line.
    pub created_at: Timestamp,
}

/// A stored line.
#[derive(Debug, Clone, QueryableByName)]
#[diesel(table_name = extension_logs)]
struct LogRow {
    id: Uuid,
    level: String,
    message: String,
    trigger_type: Option<String>,
    execution_ms: Option<i32>,
    created_at: Timestamp,
}

/// Filter and page of the lines.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LogsQuery {
    /// 1 to 200; 50 when absent.
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<i64>,
    /// 0 or more.
    #[param(minimum = 0, maximum = 2_147_483_647)]
    pub offset: Option<i64>,
    /// Importance of the lines; all when absent.
    pub level: Option<InstallLogLevel>,
    /// Id of a line: only those before it. Not with `offset`.
    pub before: Option<Uuid>,
}

pub static EXTENSION_INSTALL_LOGS: Operation<AccountCaller> =
    Operation::account("extensionInstallLogs", AccountPermission::BotModulesRead, Grants::Nothing).polled();

/// Lists the lines that the handlers of an install logged, newest first.
///
/// Lines are kept for 30 days. Nothing is before a line that the install does not have.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for a limit or offset out of bounds, both `offset` and `before`, or an unknown level.
/// - 404 when the account has no such install.
#[api_core::operation]
pub async fn extension_install_logs(
    cx: &Cx,
    id: Input<Uuid>,
    query: Input<LogsQuery>,
) -> Result<Vec<InstallLog>> {
    let caller = cx.authorize(&EXTENSION_INSTALL_LOGS).await?;
    let (id, query) = (id?, query?);
    let limit = checked_limit(query.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let offset = offset_or_before(query.offset, query.before)?;
    if !installs::db::exists(&mut *caller.db().await?, caller.account, id).await? {
        return Err(installs::not_found());
    }
    let selection = db::Selection {
        account: caller.account,
        install: id,
        level: query.level.map(InstallLogLevel::as_str),
        before: query.before,
        limit,
        offset,
    };
    let rows = db::list(&mut *caller.timeseries().await?, &selection).await?;
    Ok(rows.into_iter().map(InstallLog::from).collect())
}

impl InstallLogLevel {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Failure => "error",
        }
    }
}

impl From<LogRow> for InstallLog {
    fn from(row: LogRow) -> Self {
        Self {
            id: row.id,
            level: match row.level.as_str() {
                "error" => InstallLogLevel::Failure,
                "warn" => InstallLogLevel::Warn,
                _ => InstallLogLevel::Info,
            },
            message: row.message,
            trigger_type: row.trigger_type,
            execution_ms: row.execution_ms,
            created_at: row.created_at,
        }
    }
}
