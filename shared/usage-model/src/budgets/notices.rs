//! Notifications and audit entries of budgets (reference/usage.md#warnings).

use account_model::accounts::permission_holders;
use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use foundation::audit::{self, Actor, Entry, Scope};
use notices::notify::{self, Notice};
use serde_json::json;
use shared::{
    Result,
    catalogue::AccountPermission,
    clock::rfc3339,
    id::{AccountId, Trust},
};

use super::row::{Reached, Row};

/// Members who are notified (reference/usage.md#warnings).
const MAX_NOTIFIED_MEMBERS: i64 = 1000;

/// Notifies the members who read the plan. A maximum gets an audit entry too, because it may stop the use.
pub(super) async fn notify(
    connection: &mut AsyncPgConnection,
    budget: &Row,
    reached: Reached,
    resets_at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<()> {
    let is_stopped = reached == Reached::Maximum && budget.is_stopping;
    if reached == Reached::Maximum {
        let entry = Entry {
            scope: Scope::Account(budget.account_id),
            actor: Actor::System,
            action: "usage_budget:reached",
            resource_type: "usage_budget",
            resource_id: Some(budget.id.to_string()),
            metadata: json!({
                "subject": budget.subject_kind, "subject_id": budget.subject_id, "unit": budget.unit,
                "period": budget.period, "maximum": budget.maximum, "used": budget.used(),
                "is_stopped": is_stopped, "resets_at": rfc3339(resets_at),
            }),
            ip: None,
        };
        audit::record(connection, entry).await?;
    }
    let notice = Notice::UsageBudget {
        account_id: budget.account_id,
        account_name: &budget.account_name,
        budget_id: budget.id,
        subject: &budget.subject_kind,
        subject_id: budget.subject_id,
        unit: &budget.unit,
        period: &budget.period,
        used: budget.used(),
        maximum: budget.maximum,
        is_reached: reached == Reached::Maximum,
        is_stopped,
        resets_at,
    };
    let account = AccountId::trusted(budget.account_id, Trust::Task);
    let people =
        permission_holders(connection, account, AccountPermission::PlanRead, MAX_NOTIFIED_MEMBERS).await?;
    notify::notify(connection, &people, &notice, now).await
}
