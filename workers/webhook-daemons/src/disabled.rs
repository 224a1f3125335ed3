//! Endpoints that the service disables, with audit entry and notification (reference/webhooks.md#disabled-endpoints).

use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{BigInt, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::audit::{self, Actor, Entry, Scope};
use notices::notify::{self, Notice};
use serde_json::json;
use shared::{
    Result,
    catalogue::{AccountPermission, Permission},
    id::UserId,
};
use url::Url;

use crate::db::Claim;

/// Members who are notified (reference/webhooks.md#disabled-endpoints).
const MAX_NOTIFIED_MEMBERS: i64 = 1000;

/// Reason why the service disables an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DisabledReason {
    /// It has answered 410.
    Gone,
    /// It has accepted nothing for days.
    Failing,
}

#[derive(QueryableByName)]
struct Disabled {
    #[diesel(sql_type = Text)]
    url: String,
    #[diesel(sql_type = Text)]
    account_name: String,
}

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

impl DisabledReason {
    /// Text in columns and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Failing => "failing",
        }
    }
}

/// Disables a locked endpoint and notifies the members who may change it.
pub(crate) async fn disable(
    connection: &mut AsyncPgConnection,
    claim: &Claim,
    reason: DisabledReason,
    now: DateTime<Utc>,
) -> Result<()> {
    const DISABLE: &str = "
        UPDATE webhook_endpoints AS endpoint SET is_enabled = false, disabled_reason = $3, updated_at = $4
        FROM accounts AS account
        WHERE endpoint.account_id = $1 AND endpoint.id = $2 AND endpoint.is_enabled
            AND account.id = endpoint.account_id
        RETURNING endpoint.url, account.name AS account_name";
    let disabled: Option<Disabled> = sql_query(DISABLE)
        .bind::<SqlUuid, _>(claim.account_id)
        .bind::<SqlUuid, _>(claim.endpoint_id)
        .bind::<Text, _>(reason.as_str())
        .bind::<Timestamptz, _>(now)
        .get_result(connection)
        .await
        .optional()?;
    let Some(disabled) = disabled else { return Ok(()) };
    let host = host_of(&disabled.url);
    let entry = Entry {
        scope: Scope::Account(claim.account_id),
        actor: Actor::System,
        action: "webhook_endpoint:disabled",
        resource_type: "webhook_endpoint",
        resource_id: Some(claim.endpoint_id.to_string()),
        metadata: json!({ "host": host, "reason": reason.as_str() }),
        ip: None,
    };
    audit::record(connection, entry).await?;
    let notice = Notice::WebhookDisabled {
        account_id: claim.account_id,
        account_name: &disabled.account_name,
        endpoint_id: claim.endpoint_id,
        host: &host,
        reason: reason.as_str(),
    };
    let people = members(connection, claim).await?;
    notify::notify(connection, &people, &notice, now).await
}

async fn members(connection: &mut AsyncPgConnection, claim: &Claim) -> Result<Vec<UserId>> {
    let permission = AccountPermission::SettingsEdit;
    let found: Vec<Member> = sql_query(MEMBERS)
        .bind::<SqlUuid, _>(claim.account_id)
        .bind::<Text, _>(permission.as_str())
        .bind::<Text, _>(format!("{}:*", permission.resource()))
        .bind::<BigInt, _>(MAX_NOTIFIED_MEMBERS)
        .load(connection)
        .await?;
    Ok(found.into_iter().map(|member| member.user_id).collect())
}

/// Host of an address. The rest of it may hold a secret of the receiver.
fn host_of(url: &str) -> String {
    let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    host.unwrap_or_default()
}
