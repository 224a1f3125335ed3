//! Joining and leaving an account.

use chrono::{DateTime, Utc};
use diesel::{
    delete,
    dsl::{exists, not},
    insert_into,
    prelude::*,
    update,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::json;
use uuid::Uuid;

use foundation::{
    events::{Channel, Event},
    invalidation::Invalidation,
    jobs::PublishEvent,
    outbox,
};
use shared::{
    Result,
    id::{self, AccountId, UserId},
    schema::{accounts, memberships, sessions, surface_tokens, users},
};

use super::webhook_endpoints::disable_webhook_endpoints_of;

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
    disable_webhook_endpoints_of(connection, account, user, now).await?;
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
