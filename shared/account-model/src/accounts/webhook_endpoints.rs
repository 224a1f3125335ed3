//! Webhook endpoints that the service disables, with audit entry and notification
//! (reference/webhooks.md#disabled-endpoints).

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{Array, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::{
    audit::{self, Actor, Entry, Scope},
    db::Prepare,
};
use notices::notify::{self, Notice};
use serde_json::json;
use shared::{
    Result,
    catalogue::AccountPermission,
    id::{AccountId, UserId},
    schema::webhook_endpoints,
};
use url::Url;
use uuid::Uuid;

use super::permission_holders::permission_holders;

/// Members who are notified of a disabled webhook endpoint (reference/webhooks.md#disabled-endpoints).
const MAX_NOTIFIED_MEMBERS: i64 = 1000;

/// Reason why the service disables an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisabledReason {
    /// It has answered 410.
    Gone,
    /// It has accepted nothing for days.
    Failing,
    /// The membership of the person who created it has ended.
    MemberLeft,
}

#[derive(QueryableByName)]
struct Disabled {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    url: String,
    #[diesel(sql_type = Text)]
    account_name: String,
}

impl DisabledReason {
    /// Text in columns, notifications and metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Failing => "failing",
            Self::MemberLeft => "member_left",
        }
    }
}

/// Disables endpoints that the caller has locked, and notifies the members who may change them. Those that are disabled
/// already stay as they are.
///
/// # Errors
/// Database failure.
pub async fn disable_webhook_endpoints(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    endpoints: &[Uuid],
    reason: DisabledReason,
    now: DateTime<Utc>,
) -> Result<()> {
    const DISABLE: &str = "
        UPDATE webhook_endpoints AS endpoint SET is_enabled = false, disabled_reason = $3, updated_at = $4
        FROM accounts AS account
        WHERE endpoint.account_id = $1 AND endpoint.id = ANY ($2) AND endpoint.is_enabled
            AND account.id = endpoint.account_id
        RETURNING endpoint.id, endpoint.url, account.name AS account_name";
    let disabled: Vec<Disabled> = sql_query(DISABLE)
        .bind::<SqlUuid, _>(account)
        .bind::<Array<SqlUuid>, _>(endpoints)
        .bind::<Text, _>(reason.as_str())
        .bind::<Timestamptz, _>(now)
        .prepared()
        .load(connection)
        .await?;
    if disabled.is_empty() {
        return Ok(());
    }
    let people =
        permission_holders(connection, account, AccountPermission::SettingsEdit, MAX_NOTIFIED_MEMBERS)
            .await?;
    for endpoint in &disabled {
        announce(connection, account, endpoint, reason, &people, now).await?;
    }
    Ok(())
}

/// Disables the endpoints that a person created: a member who has left would get the events of the account further on.
/// The caller announces the end of the membership, which drops what processes know of the endpoints.
pub(super) async fn disable_webhook_endpoints_of(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<()> {
    // In the order in which additions of deliveries lock them.
    let created: Vec<Uuid> = webhook_endpoints::table
        .filter(webhook_endpoints::account_id.eq(account).and(webhook_endpoints::created_by.eq(user)))
        .filter(webhook_endpoints::is_enabled)
        .order(webhook_endpoints::id)
        .select(webhook_endpoints::id)
        .for_no_key_update()
        .load(connection)
        .await?;
    if created.is_empty() {
        return Ok(());
    }
    disable_webhook_endpoints(connection, account, &created, DisabledReason::MemberLeft, now).await
}

async fn announce(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    endpoint: &Disabled,
    reason: DisabledReason,
    people: &[UserId],
    now: DateTime<Utc>,
) -> Result<()> {
    let host = host_of(&endpoint.url);
    let entry = Entry {
        scope: Scope::Account(account.uuid()),
        actor: Actor::System,
        action: "webhook_endpoint:disabled",
        resource_type: "webhook_endpoint",
        resource_id: Some(endpoint.id.to_string()),
        metadata: json!({ "host": host, "reason": reason.as_str() }),
        ip: None,
    };
    audit::record(connection, entry).await?;
    let notice = Notice::WebhookDisabled {
        account_id: account.uuid(),
        account_name: &endpoint.account_name,
        endpoint_id: endpoint.id,
        host: &host,
        reason: reason.as_str(),
    };
    notify::notify(connection, people, &notice, now).await
}

/// Host of an address. The rest of it may hold a secret of the receiver.
fn host_of(url: &str) -> String {
    let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    host.unwrap_or_default()
}
