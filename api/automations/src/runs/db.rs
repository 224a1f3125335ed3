//! Queries over `automation_runs` and `automation_steps`. Each carries the account.

use api_core::{ApiError, CursorPage, Position, Result, Timestamp, cursor::Part, graphql::Json};
use chrono::{DateTime, Utc};
use diesel::{Queryable, Selectable, prelude::*, update};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::{Value, json};
use shared::{
    id::AccountId,
    schema::{automation_runs as runs, automation_steps as steps},
};
use uuid::Uuid;

use super::{
    AutomationRun, AutomationRunStatus, AutomationRunSummary, AutomationStep, AutomationStepStatus,
    MAX_LISTED_STEPS,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = runs)]
struct Row {
    id: Uuid,
    automation_id: Uuid,
    status: String,
    trigger: Value,
    is_test: bool,
    parent_run_id: Option<Uuid>,
    error: Option<String>,
    created_at: DateTime<Utc>,
    started_at: Option<Timestamp>,
    finished_at: Option<Timestamp>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = steps)]
struct StepRow {
    position: i32,
    node_id: Uuid,
    status: String,
    input: Value,
    output: Option<Value>,
    branch: Option<String>,
    error: Option<String>,
    started_at: Timestamp,
    duration_ms: Option<i64>,
}

/// State of a locked run.
#[derive(Queryable)]
pub(super) struct Locked {
    pub automation_id: Uuid,
    pub status: String,
    pub is_requested: bool,
}

/// Part of the runs of an automation, newest first.
pub(super) async fn page(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    (automation, status): (Uuid, Option<AutomationRunStatus>),
    part: Part,
) -> Result<CursorPage<AutomationRunSummary>> {
    let selected = || {
        let own = runs::account_id.eq(account).and(runs::automation_id.eq(automation));
        let is_any = status.is_none().into_sql::<diesel::sql_types::Bool>();
        let wanted = status.map(AutomationRunStatus::as_str).unwrap_or_default();
        runs::table.filter(own).filter(is_any.or(runs::status.eq(wanted)))
    };
    let total = match part.total() {
        Some(total) => total,
        None => selected().count().get_result(connection).await?,
    };
    let mut following = selected().into_boxed();
    if let Some(Position { at, id }) = part.after() {
        following = following.filter(runs::created_at.le(at));
        following = following.filter(runs::created_at.lt(at).or(runs::id.lt(id)));
    }
    let rows: Vec<Row> = following
        .order((runs::created_at.desc(), runs::id.desc()))
        .limit(part.limit())
        .offset(part.offset())
        .select(Row::as_select())
        .load(connection)
        .await?;
    let position = |row: &Row| Position { at: row.created_at, id: row.id };
    let rows = rows.into_iter().map(|row| (position(&row), row)).collect();
    part.page(rows, total).try_map(Row::into_summary)
}

/// Finds a run of the account with its last steps.
pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<AutomationRun> {
    let row: Option<Row> = runs::table
        .filter(runs::account_id.eq(account).and(runs::id.eq(id)))
        .select(Row::as_select())
        .first(connection)
        .await
        .optional()?;
    let row = row.ok_or_else(not_found)?;
    let own = steps::account_id.eq(account).and(steps::run_id.eq(id));
    let count: i64 = steps::table.filter(own).count().get_result(connection).await?;
    let last: Vec<StepRow> = steps::table
        .filter(own)
        .order(steps::position.desc())
        .limit(MAX_LISTED_STEPS)
        .select(StepRow::as_select())
        .load(connection)
        .await?;
    let listed = last.into_iter().rev().map(StepRow::into_step).collect::<Result<_>>()?;
    row.into_run(count, listed)
}

/// Locks a run of the account until the transaction ends.
pub(super) async fn lock(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<Locked> {
    runs::table
        .filter(runs::account_id.eq(account).and(runs::id.eq(id)))
        .select((runs::automation_id, runs::status, runs::cancel_requested_at.is_not_null()))
        .for_no_key_update()
        .first(connection)
        .await
        .optional()?
        .ok_or_else(not_found)
}

/// Ends a locked run that has not begun.
pub(super) async fn end_queued(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<()> {
    update(runs::table.filter(runs::account_id.eq(account).and(runs::id.eq(id))))
        .set((
            runs::status.eq(AutomationRunStatus::Cancelled.as_str()),
            runs::cancel_requested_at.eq(now),
            runs::finished_at.eq(now),
            runs::context.eq(json!({})),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

/// Asks the engine to end a locked run.
pub(super) async fn request_end(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<()> {
    update(runs::table.filter(runs::account_id.eq(account).and(runs::id.eq(id))))
        .set(runs::cancel_requested_at.eq(now))
        .execute(connection)
        .await?;
    Ok(())
}

fn not_found() -> ApiError {
    ApiError::not_found("Run not found")
}

fn status_of(text: &str) -> Result<AutomationRunStatus> {
    AutomationRunStatus::parse(text)
        .ok_or_else(|| ApiError::internal(format!("the status {text} of a run is unknown")))
}

impl Row {
    fn into_summary(self) -> Result<AutomationRunSummary> {
        Ok(AutomationRunSummary {
            id: self.id,
            automation_id: self.automation_id,
            status: status_of(&self.status)?,
            trigger: Json(self.trigger),
            is_test: self.is_test,
            parent_run_id: self.parent_run_id,
            error: self.error,
            created_at: self.created_at.into(),
            started_at: self.started_at,
            finished_at: self.finished_at,
        })
    }

    fn into_run(self, count: i64, steps: Vec<AutomationStep>) -> Result<AutomationRun> {
        Ok(AutomationRun {
            id: self.id,
            automation_id: self.automation_id,
            status: status_of(&self.status)?,
            trigger: Json(self.trigger),
            is_test: self.is_test,
            parent_run_id: self.parent_run_id,
            error: self.error,
            created_at: self.created_at.into(),
            started_at: self.started_at,
            finished_at: self.finished_at,
            step_count: i32::try_from(count).unwrap_or(i32::MAX),
            steps,
        })
    }
}

impl StepRow {
    fn into_step(self) -> Result<AutomationStep> {
        let status = AutomationStepStatus::parse(&self.status)
            .ok_or_else(|| ApiError::internal(format!("the status {} of a step is unknown", self.status)))?;
        Ok(AutomationStep {
            position: self.position,
            node_id: self.node_id,
            status,
            input: Json(self.input),
            output: self.output.filter(|output| !output.is_null()).map(Json),
            branch: self.branch,
            error: self.error,
            started_at: self.started_at,
            duration_ms: self.duration_ms.map(|length| i32::try_from(length).unwrap_or(i32::MAX)),
        })
    }
}
