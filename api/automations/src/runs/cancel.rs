//! Cancellation of runs (reference/automations.md#cancellation).

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, Grants},
};
use automation_model::live::RunOf;
use diesel_async::AsyncConnection;
use foundation::{
    audit::{self, Entry},
    jobs::PublishEvent,
    outbox,
};
use serde_json::json;
use shared::catalogue::{AccountPermission, Feature};
use uuid::Uuid;

use super::{AutomationRun, AutomationRunStatus, db};

pub static CANCEL_AUTOMATION_RUN: Operation<AccountCaller> =
    Operation::account("cancelAutomationRun", AccountPermission::AutomationsExecute, Grants::Nothing)
        .feature(Feature::Automations)
        .idempotent();

/// Cancels a run.
///
/// A queued run is cancelled immediately. A run that has begun stops before its next step or within its delay,
/// usually within a second; effects that have begun are completed. A repetition changes nothing.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such run; 409 when the run has ended.
#[api_core::operation]
pub async fn cancel_automation_run(cx: &Cx, run_id: Input<Uuid>) -> Result<AutomationRun> {
    let caller = cx.authorize(&CANCEL_AUTOMATION_RUN).await?;
    let (run, account, now) = (run_id?, caller.account, cx.state().clock.now());
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let locked = db::lock(connection, account, run).await?;
            match AutomationRunStatus::parse(&locked.status) {
                Some(AutomationRunStatus::Queued) => {
                    db::end_queued(connection, account, run, now).await?;
                    let of = RunOf {
                        account_id: account.uuid(),
                        automation_id: locked.automation_id,
                        run_id: run,
                    };
                    let event = of.finished("cancelled", None, now);
                    let key = event.id.to_string();
                    outbox::add(connection, &PublishEvent { event }, &key).await?;
                }
                Some(AutomationRunStatus::Running) if locked.is_requested => {
                    return db::find(connection, account, run).await;
                }
                Some(AutomationRunStatus::Running) => {
                    db::request_end(connection, account, run, now).await?;
                }
                _ => return Err(ApiError::conflict("Run has ended")),
            }
            let metadata = json!({ "automation_id": locked.automation_id });
            let entry = Entry { metadata, ..cx.audit("automation:run_cancelled", "automation_run", run) };
            audit::record(connection, entry).await?;
            db::find(connection, account, run).await
        })
        .await
}
