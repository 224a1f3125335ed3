//! Joining an account and leaving it.

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

use crate::{
    Result,
    db::schema::{accounts, memberships, sessions, surface_tokens, users},
    events::{Channel, Event},
    id::{self, AccountId, UserId},
    invalidation::Invalidation,
    jobs::PublishEvent,
    outbox,
};

/// Members that an account may have: as many as their list shows.
pub const MAX_MEMBERS: i64 = 5000;

/// What became of a wish to join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    Member {
        membership_id: Uuid,
    },
    AlreadyMember,
    /// The account has [`MAX_MEMBERS`].
    Full,
}

/// What happened to a member, as `members:updated` tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberChange {
    Joined,
    RoleChanged,
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
/// [`Invalidation::Member`] after the commit: that somebody is no member is remembered too.
///
/// # Errors
/// When the database fails, or the account or role does not exist.
pub async fn add_member(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
    role: Uuid,
    now: DateTime<Utc>,
) -> Result<Added> {
    // One after the other, so that the count stays true until the insert.
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
    tell_of_member(connection, account, user, membership_id, MemberChange::Joined, now).await?;
    Ok(Added::Member { membership_id })
}

/// Ends a membership with everything that the person has through it: popouts, personal keys, login assignments, invites
/// that would let others in on the person's word (foreign keys take these with it), tokens of surfaces, and the account
/// that sessions act in. Service keys stay and forget who made them (A §2.3). `None` when there is no such membership, or when it is the owner's,
/// which ends with the account only.
///
/// Call it in a transaction and announce the answer after the commit.
///
/// # Errors
/// When the database fails.
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
    take_places(connection, account, user).await?;
    tell_of_member(connection, account, user, membership_id, MemberChange::Removed, now).await?;
    Ok(Some(Invalidation::MembershipEnded { account_id: account.0, user_id: user.0 }))
}

/// Writes what sockets learn of a member: `members:updated` on the account's channel, `permissions:updated` on the
/// person's (C §11.5).
///
/// # Errors
/// When the database fails.
pub async fn tell_of_member(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
    membership_id: Uuid,
    change: MemberChange,
    now: DateTime<Utc>,
) -> Result<()> {
    let data = json!({ "membership_id": membership_id, "user_id": user, "change": change.as_str() });
    let events = [
        Event::new(Channel::Account(account.0), "members:updated", data, now),
        Event::new(Channel::User(user.0), "permissions:updated", json!({ "account_id": account }), now),
    ];
    let jobs = events.map(|event| {
        let key = format!("{}:{}", event.event_type, event.id);
        (PublishEvent { event }, key)
    });
    outbox::add_each(connection, &jobs).await
}

/// What the membership's foreign keys do not take with it: tokens of surfaces, and the account that is acted in.
async fn take_places(connection: &mut AsyncPgConnection, account: AccountId, user: UserId) -> Result<()> {
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
