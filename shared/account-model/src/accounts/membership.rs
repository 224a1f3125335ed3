//! Joining and leaving an account.

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, delete,
    dsl::{exists, not},
    insert_into,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text, Timestamptz, Uuid as SqlUuid},
    update,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::json;
use uuid::Uuid;

use foundation::{
    audit::{self, Actor, Entry, Scope},
    events::{Channel, Event},
    invalidation::Invalidation,
    jobs::PublishEvent,
    outbox,
};
use notices::notify::{self, Notice};
use shared::{
    Result,
    catalogue::{AccountPermission, Permission},
    id::{self, AccountId, UserId},
    schema::{accounts, memberships, sessions, surface_tokens, users},
};

/// Maximum number of members of an account, equal to the bound of their list.
pub const MAX_MEMBERS: i64 = 5000;

/// Result of adding a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// The person is a member now.
    Member { membership_id: Uuid },
    /// The person was a member already.
    AlreadyMember,
    /// The account has [`MAX_MEMBERS`].
    Full,
}

/// Change of a member, as published in `members:updated`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberChange {
    /// Joined the account.
    Joined,
    /// Has another role.
    RoleChanged,
    /// Left or was removed.
    Removed,
}

impl MemberChange {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Joined => "joined",
            Self::RoleChanged => "role_changed",
            Self::Removed => "removed",
        }
    }
}

/// Makes a person a member in a role of the account. Call it in a transaction, and announce
/// [`Invalidation::Member`] after the commit: caches also hold that a person is not a member.
///
/// # Errors
/// Database failure, or an account or role that does not exist.
pub async fn add_member(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
    role: Uuid,
    now: DateTime<Utc>,
) -> Result<Added> {
    // Locked, so that the count holds until the insert.
    accounts::table
        .find(account)
        .select(accounts::id)
        .for_no_key_update()
        .first::<AccountId>(connection)
        .await?;
    let own = memberships::table.filter(memberships::account_id.eq(account));
    let is_member = diesel::select(exists(own.filter(memberships::user_id.eq(user))));
    if is_member.get_result(connection).await? {
        return Ok(Added::AlreadyMember);
    }
    if own.count().get_result::<i64>(connection).await? >= MAX_MEMBERS {
        return Ok(Added::Full);
    }
    let membership_id = id::new();
    insert_into(memberships::table)
        .values((
            memberships::id.eq(membership_id),
            memberships::account_id.eq(account),
            memberships::user_id.eq(user),
            memberships::role_id.eq(role),
            memberships::joined_at.eq(now),
        ))
        .execute(connection)
        .await?;
    publish_member_change(connection, account, user, membership_id, MemberChange::Joined, now).await?;
    Ok(Added::Member { membership_id })
}

/// Ends a membership and the person's access through it: popouts, personal keys, login assignments and
/// invites that the person made (by foreign keys), tokens of surfaces, and the active account of sessions.
/// Service keys stay and lose their maker (reference/credentials.md#ends-of-credentials). Webhook endpoints that the
/// person created are disabled (reference/webhooks.md#disabled-endpoints). `None` when there is no such membership, or
/// when it is the owner's, which ends with the account only.
///
/// Call it in a transaction and announce the result after the commit.
///
/// # Errors
/// Database failure.
pub async fn end_membership(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<Option<Invalidation>> {
    let is_owner =
        exists(accounts::table.filter(accounts::id.eq(account)).filter(accounts::owner_id.eq(user)));
    let ended: Option<Uuid> = delete(memberships::table)
        .filter(memberships::account_id.eq(account))
        .filter(memberships::user_id.eq(user))
        .filter(not(is_owner))
        .returning(memberships::id)
        .get_result(connection)
        .await
        .optional()?;
    let Some(membership_id) = ended else { return Ok(None) };
    remove_access(connection, account, user).await?;
    disable_webhooks(connection, account, user, now).await?;
    publish_member_change(connection, account, user, membership_id, MemberChange::Removed, now).await?;
    Ok(Some(Invalidation::MembershipEnded { account_id: account.uuid(), user_id: user.0 }))
}

/// Publishes a change of a member to sockets: `members:updated` on the account's channel,
/// `permissions:updated` on the person's (reference/realtime.md#channels).
///
/// # Errors
/// Database failure.
pub async fn publish_member_change(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
    membership_id: Uuid,
    change: MemberChange,
    now: DateTime<Utc>,
) -> Result<()> {
    let data = json!({ "membership_id": membership_id, "user_id": user, "change": change.as_str() });
    let events = [
        Event::new(Channel::Account(account.uuid()), "members:updated", data, now),
        Event::new(Channel::User(user.0), "permissions:updated", json!({ "account_id": account }), now),
    ];
    let jobs = events.map(|event| {
        let key = format!("{}:{}", event.event_type, event.id);
        (PublishEvent { event }, key)
    });
    outbox::add_each(connection, &jobs).await
}

/// Removes the access that the membership's foreign keys do not remove: tokens of surfaces, and the active
/// account.
async fn remove_access(connection: &mut AsyncPgConnection, account: AccountId, user: UserId) -> Result<()> {
    delete(surface_tokens::table)
        .filter(surface_tokens::account_id.eq(account).and(surface_tokens::user_id.eq(user)))
        .execute(connection)
        .await?;
    update(sessions::table)
        .filter(sessions::user_id.eq(user).and(sessions::active_account_id.eq(account)))
        .set(sessions::active_account_id.eq(None::<Uuid>))
        .execute(connection)
        .await?;
    update(users::table.find(user))
        .filter(users::active_account_id.eq(account))
        .set(users::active_account_id.eq(None::<Uuid>))
        .execute(connection)
        .await?;
    Ok(())
}

/// Members who are notified of a disabled webhook endpoint (reference/webhooks.md#disabled-endpoints).
const MAX_NOTIFIED_MEMBERS: i64 = 1000;

/// Reason of a webhook endpoint whose maker is no member any more.
const MEMBER_LEFT: &str = "member_left";

#[derive(QueryableByName)]
struct DisabledEndpoint {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    /// Host of the address. The rest of it may hold a secret of the receiver.
    #[diesel(sql_type = Text)]
    host: String,
    #[diesel(sql_type = Text)]
    account_name: String,
}

#[derive(QueryableByName)]
struct NotifiedMember {
    #[diesel(sql_type = SqlUuid)]
    user_id: UserId,
}

/// Disables the webhook endpoints that a person created, and notifies the members who may change them: a member who
/// left would get the events of the account further on. The caller announces the end of the membership, which drops
/// what processes know of the endpoints.
async fn disable_webhooks(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<()> {
    // Locked in the order in which additions of deliveries lock them.
    const DISABLE: &str = r"
        UPDATE webhook_endpoints AS endpoint SET is_enabled = false, disabled_reason = $3, updated_at = $4
        FROM accounts AS account
        WHERE account.id = $1 AND endpoint.account_id = $1 AND endpoint.id = ANY (ARRAY(
            SELECT id FROM webhook_endpoints WHERE account_id = $1 AND created_by = $2 AND is_enabled
            ORDER BY id FOR NO KEY UPDATE))
        RETURNING endpoint.id, account.name AS account_name,
            coalesce(substring(endpoint.url FROM '^[a-z]+://(\[[^]]*\]|[^/:?#]+)'), '') AS host";
    let disabled: Vec<DisabledEndpoint> = sql_query(DISABLE)
        .bind::<SqlUuid, _>(account)
        .bind::<SqlUuid, _>(user.0)
        .bind::<Text, _>(MEMBER_LEFT)
        .bind::<Timestamptz, _>(now)
        .load(connection)
        .await?;
    if disabled.is_empty() {
        return Ok(());
    }
    let entries = disabled.iter().map(|endpoint| disabled_entry(account, endpoint)).collect();
    audit::record_each(connection, entries).await?;
    let people = webhook_editors(connection, account).await?;
    for endpoint in &disabled {
        let notice = Notice::WebhookDisabled {
            account_id: account.uuid(),
            account_name: &endpoint.account_name,
            endpoint_id: endpoint.id,
            host: &endpoint.host,
            reason: MEMBER_LEFT,
        };
        notify::notify(connection, &people, &notice, now).await?;
    }
    Ok(())
}

fn disabled_entry(account: AccountId, endpoint: &DisabledEndpoint) -> Entry<'static> {
    Entry {
        scope: Scope::Account(account.uuid()),
        actor: Actor::System,
        action: "webhook_endpoint:disabled",
        resource_type: "webhook_endpoint",
        resource_id: Some(endpoint.id.to_string()),
        metadata: json!({ "host": endpoint.host, "reason": MEMBER_LEFT }),
        ip: None,
    }
}

/// Members who may change webhook endpoints. An override of the account decides before the role
/// (reference/permissions.md#resolution).
async fn webhook_editors(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Vec<UserId>> {
    const EDITORS: &str = "
        SELECT m.user_id FROM memberships m
        JOIN account_roles r ON r.id = m.role_id
        LEFT JOIN account_permission_overrides o ON o.account_id = m.account_id AND o.permission = $2
        WHERE m.account_id = $1 AND coalesce(o.granted, r.permissions && ARRAY[$2, $3])
        ORDER BY m.user_id LIMIT $4";
    let permission = AccountPermission::SettingsEdit;
    let found: Vec<NotifiedMember> = sql_query(EDITORS)
        .bind::<SqlUuid, _>(account)
        .bind::<Text, _>(permission.as_str())
        .bind::<Text, _>(format!("{}:*", permission.resource()))
        .bind::<BigInt, _>(MAX_NOTIFIED_MEMBERS)
        .load(connection)
        .await?;
    Ok(found.into_iter().map(|member| member.user_id).collect())
}
