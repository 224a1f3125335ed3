//! Accepting and declining an invite, by its code or by its notification
//! (reference/accounts.md#taking-and-declining).

use account_model::accounts::{Added, MAX_MEMBERS, add_member};
use chrono::{DateTime, Utc};
use diesel::{delete, dsl::exists, prelude::*, update};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::{audit, invalidation::Invalidation};
use juniper::GraphQLObject;
use notices::notify::{self, Notice};
use serde::Serialize;
use serde_json::json;
use shared::{
    id::{AccountId, UserId},
    schema::{account_roles, accounts, invites, memberships, users},
};
use utoipa::ToSchema;
use uuid::Uuid;

pub use self::backing::Backing;
use api_core::{ApiError, Code, Cx, Result, access::SignedIn};

mod backing;

api_core::limits::submit! {
    api_core::limits::CountLimit::of_account(
        "members",
        MAX_MEMBERS,
        "SELECT count(*) FROM memberships WHERE account_id = $1",
    )
}

/// Key of an invite.
#[derive(Debug, Clone, Copy)]
pub enum InviteKey<'a> {
    /// Id of the invite.
    Id(Uuid),
    /// Code of the invite; a secret, because every holder may join.
    Code(&'a str),
}

/// Account that a person has joined.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct JoinedAccount {
    /// Id of the account.
    pub account_id: Uuid,
    /// Name of the account.
    pub account_name: String,
    /// Id of the new membership.
    pub membership_id: Uuid,
    /// Role of the new member.
    pub role: MemberRole,
}

/// Role of a member or of an invite.
#[derive(Debug, Clone, Serialize, Queryable, GraphQLObject, ToSchema)]
pub struct MemberRole {
    /// Id of the role.
    pub id: Uuid,
    /// Slug of the role, unique in the account.
    pub slug: String,
    /// Name of the role.
    pub name: String,
    /// Color `#rrggbb`; null without one.
    pub color: Option<String>,
}

#[derive(Queryable)]
struct Invite {
    id: Uuid,
    account: AccountId,
    is_personal: bool,
    created_by: Option<UserId>,
    max_uses: Option<i32>,
    use_count: i32,
    expires_at: Option<DateTime<Utc>>,
    backing: Backing,
    account_name: String,
    owner: UserId,
    role: MemberRole,
}

impl Invite {
    fn is_valid(&self, now: DateTime<Utc>) -> bool {
        self.expires_at.is_none_or(|at| at > now) && self.max_uses.is_none_or(|max| self.use_count < max)
    }
}

/// Makes the person a member with the invite's role. It takes effect in every process.
///
/// # Errors
/// 404 for an unknown invite or one of another person. 409 for a member, and for an invite that is expired,
/// used up, or exceeds the present rights of its maker. 403 `PLAN_LIMIT_REACHED` when the account is full.
pub async fn accept(cx: &Cx, person: &SignedIn, key: InviteKey<'_>) -> Result<JoinedAccount> {
    let user = person.user;
    let now = cx.state().clock.now();
    let mut connection = person.db().await?;
    let joined = connection
        .transaction(async |connection| {
            let invite = lock_invite(connection, user, key).await?;
            refuse_member(connection, invite.account, user).await?;
            if !invite.is_valid(now) || !invite.backing.is_valid(connection, now).await? {
                return Err(ApiError::conflict("Invite is no longer valid"));
            }
            let membership_id = join(connection, &invite, user, now).await?;
            let entry = audit::Entry {
                scope: audit::Scope::Account(invite.account.uuid()),
                metadata: json!({ "invite_id": invite.id, "role_id": invite.role.id }),
                ..cx.audit("member:joined", "membership", membership_id)
            };
            audit::record(connection, entry).await?;
            Ok(JoinedAccount {
                account_id: invite.account.uuid(),
                account_name: invite.account_name,
                membership_id,
                role: invite.role,
            })
        })
        .await;
    drop(connection);
    let joined: JoinedAccount = joined?;
    cx.changed(Invalidation::Member { account_id: joined.account_id, user_id: user.0 }).await;
    Ok(joined)
}

/// Declines an invite. A personal invite is deleted; one that others may use too is kept.
///
/// # Errors
/// 404 for an unknown invite or one of another person.
pub async fn decline(cx: &Cx, person: &SignedIn, key: InviteKey<'_>) -> Result<()> {
    let user = person.user;
    let mut connection = person.db().await?;
    connection
        .transaction(async |connection| {
            let invite = lock_invite(connection, user, key).await?;
            if !invite.is_personal {
                return Ok(());
            }
            delete(invites::table.find(invite.id)).execute(connection).await?;
            notify::withdraw_invite(connection, invite.id, None).await?;
            let entry = audit::Entry {
                scope: audit::Scope::Account(invite.account.uuid()),
                metadata: json!({ "role_id": invite.role.id }),
                ..cx.audit("invite:declined", "invite", invite.id)
            };
            Ok(audit::record(connection, entry).await?)
        })
        .await
}

/// Finds an invite that the person may see, and locks it until the transaction ends.
async fn lock_invite(connection: &mut AsyncPgConnection, user: UserId, key: InviteKey<'_>) -> Result<Invite> {
    let not_found = || ApiError::not_found("Invite not found");
    let (id, account) = find(connection, key).await?.ok_or_else(not_found)?;
    // Locks the account before the invite, as every end of an account and every joining does.
    let held = accounts::table.find(account).select(accounts::id).for_no_key_update();
    held.first::<AccountId>(connection).await.optional()?.ok_or_else(not_found)?;
    let held = invites::table.find(id).select(invites::target_user_id).for_update();
    let target: Option<UserId> = held.first(connection).await.optional()?.ok_or_else(not_found)?;
    if target.is_some_and(|target| target != user) {
        return Err(not_found());
    }
    invites::table
        .inner_join(accounts::table)
        .inner_join(account_roles::table.on(account_roles::id.eq(invites::role_id)))
        .filter(invites::id.eq(id))
        .select((
            invites::id,
            invites::account_id,
            invites::target_user_id.is_not_null(),
            invites::created_by,
            invites::max_uses,
            invites::use_count,
            invites::expires_at,
            (invites::account_id, invites::created_by, invites::created_by_key, account_roles::permissions),
            accounts::name,
            accounts::owner_id,
            (account_roles::id, account_roles::slug, account_roles::name, account_roles::color),
        ))
        .first(connection)
        .await
        .optional()?
        .ok_or_else(not_found)
}

async fn find(connection: &mut AsyncPgConnection, key: InviteKey<'_>) -> Result<Option<(Uuid, AccountId)>> {
    let found = invites::table.select((invites::id, invites::account_id));
    Ok(match key {
        InviteKey::Id(id) => found.filter(invites::id.eq(id)).first(connection).await.optional()?,
        InviteKey::Code(code) => found.filter(invites::code.eq(code)).first(connection).await.optional()?,
    })
}

async fn refuse_member(connection: &mut AsyncPgConnection, account: AccountId, user: UserId) -> Result<()> {
    let own =
        memberships::table.filter(memberships::account_id.eq(account)).filter(memberships::user_id.eq(user));
    if diesel::select(exists(own)).get_result(connection).await? {
        return Err(already_member());
    }
    Ok(())
}

fn already_member() -> ApiError {
    ApiError::conflict("Already a member of this account")
}

/// Adds the membership and returns its id.
async fn join(
    connection: &mut AsyncPgConnection,
    invite: &Invite,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<Uuid> {
    let membership_id = match add_member(connection, invite.account, user, invite.role.id, now).await? {
        Added::Member { membership_id } => membership_id,
        Added::AlreadyMember => return Err(already_member()),
        Added::Full => return Err(ApiError::new(Code::PlanLimitReached, "Member limit reached")),
    };
    update(invites::table.find(invite.id))
        .set(invites::use_count.eq(invites::use_count + 1))
        .execute(connection)
        .await?;
    notify::withdraw_invite(connection, invite.id, Some(user)).await?;
    notify_inviters(connection, invite, user, now).await?;
    Ok(membership_id)
}

/// Notifies the owner and the maker of the invite.
async fn notify_inviters(
    connection: &mut AsyncPgConnection,
    invite: &Invite,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<()> {
    let name: String = users::table.find(user).select(users::display_name).first(connection).await?;
    let notice = Notice::MemberJoined {
        account_id: invite.account.uuid(),
        account_name: &invite.account_name,
        user_id: user.0,
        user_name: &name,
        role_name: &invite.role.name,
    };
    let mut recipients = vec![invite.owner];
    recipients.extend(invite.created_by.filter(|creator| *creator != invite.owner));
    notify::notify(connection, &recipients, &notice, now).await?;
    Ok(())
}
