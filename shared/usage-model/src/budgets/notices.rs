//! Notifications and audit entries of budgets (reference/usage.md#warnings).

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::audit::{self, Actor, Entry, Scope};
use notices::notify::{self, Notice};
use serde_json::json;
use shared::{
    Result,
    catalogue::{AccountPermission, Permission},
    clock::rfc3339,
    id::UserId,
};
use uuid::Uuid;

use super::row::{Reached, Row};

/// Members who are notified (reference/usage.md#warnings).
const MAX_NOTIFIED_MEMBERS: i64 = 1000;

#[derive(QueryableByName)]
struct Member {
    #[diesel(sql_type = SqlUuid)]
    user_id: UserId,
}

/// Members who hold the permission $2, or all of its resource by $3. An override of the account decides before the role
/// (reference/permissions.md#resolution).
const MEMBERS: &str = "
    SELECT m.user_id FROM memberships m
    JOIN account_roles r ON r.id = m.role_id
    LEFT JOIN account_permission_overrides o ON o.account_id = m.account_id AND o.permission = $2
    WHERE m.account_id = $1 AND coalesce(o.granted, r.permissions && ARRAY[$2, $3])
    ORDER BY m.user_id LIMIT $4";

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
    let people = members(connection, budget.account_id).await?;
    notify::notify(connection, &people, &notice, now).await
}

async fn members(connection: &mut AsyncPgConnection, account_id: Uuid) -> Result<Vec<UserId>> {
    let permission = AccountPermission::PlanRead;
    let found: Vec<Member> = sql_query(MEMBERS)
        .bind::<SqlUuid, _>(account_id)
        .bind::<Text, _>(permission.as_str())
        .bind::<Text, _>(format!("{}:*", permission.resource()))
        .bind::<BigInt, _>(MAX_NOTIFIED_MEMBERS)
        .load(connection)
        .await?;
    Ok(found.into_iter().map(|member| member.user_id).collect())
}
