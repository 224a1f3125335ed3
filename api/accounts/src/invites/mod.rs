//! Invites to the account (reference/accounts.md#invites).

mod create;
mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants, SignedIn, Visitor},
};
use diesel_async::AsyncConnection;
use foundation::audit;
use juniper::{GraphQLEnum, GraphQLObject};
use membership::invites::{self, InviteKey, JoinedAccount, MemberRole};
use notices::notify;
use serde::{Deserialize, Serialize};
use shared::catalogue::AccountPermission;
use utoipa::ToSchema;
use uuid::Uuid;

pub use create::{CREATE_INVITE, CreateInviteInput, create_invite};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&INVITES, &CREATE_INVITE, &DELETE_INVITE, &INVITE_BY_CODE, &ACCEPT_INVITE, &DECLINE_INVITE];

/// Method by which an invite is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum InviteMethod {
    /// Address to open, usable by every holder.
    Link,
    /// Code to enter, usable by every holder.
    Token,
    /// Notification of one person. No other person can take the invite.
    Person,
}

/// Status of an invite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum InviteStatus {
    /// The invite can be taken.
    Active,
    /// The maximum number of uses is reached.
    UsedUp,
    /// The time of expiry has passed.
    Expired,
}

/// An invite to the account.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct Invite {
    /// Id of the invite.
    pub id: Uuid,
    /// Account of the invite.
    pub account_id: Uuid,
    /// Code of the invite. Null for callers without `members:create` or without every permission of the role,
    /// because every holder of the code can take the role.
    pub code: Option<String>,
    /// Role that a new member receives.
    pub role: MemberRole,
    /// Method of delivery.
    pub method: InviteMethod,
    /// Person that an invite of the method `person` is for; null for others.
    pub target_user_id: Option<Uuid>,
    /// Address that the invite was mailed to; null when it was not mailed.
    pub email: Option<String>,
    /// Maximum number of uses; null when there is none.
    pub max_uses: Option<i32>,
    /// Number of uses.
    pub use_count: i32,
    /// Time of expiry; null when it does not expire.
    pub expires_at: Option<Timestamp>,
    /// Person who created the invite; null for one that a service key created.
    pub created_by: Option<Uuid>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Present status. The rights of the creator are not part of it.
    pub status: InviteStatus,
}

/// Preview of an invite for holders of its code.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct InvitePreview {
    /// Name of the account.
    pub account_name: String,
    /// Address of the account's avatar; null when there is none.
    pub account_avatar_url: Option<String>,
    /// Name of the role that a new member receives.
    pub role_name: String,
    /// Time of expiry; null when it does not expire.
    pub expires_at: Option<Timestamp>,
    /// True when the invite can be taken.
    pub is_valid: bool,
}

pub static INVITES: Operation<AccountCaller> =
    Operation::account("invites", AccountPermission::MembersRead, Grants::Nothing);

/// Lists the invites of the account.
///
/// The newest invite comes first. A code is shown only to callers with `members:create` who hold every
/// permission of the invite's role.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn invites(cx: &Cx) -> Result<Vec<Invite>> {
    let caller = cx.authorize(&INVITES).await?;
    let now = cx.state().clock.now();
    let mut connection = caller.db().await?;
    let mut invites = db::list(&mut connection, caller.account, now).await?;
    let roles = db::roles(&mut connection, caller.account).await?;
    let may_invite = caller.permissions.contains(AccountPermission::MembersCreate);
    for invite in &mut invites {
        let role = roles.get(&invite.role.id);
        if !may_invite || role.is_none_or(|role| caller.must_hold(role).is_err()) {
            invite.code = None;
        }
    }
    Ok(invites)
}

pub static DELETE_INVITE: Operation<AccountCaller> =
    Operation::account("deleteInvite", AccountPermission::MembersDelete, Grants::AccountPermissions);

/// Deletes an invite of the account.
///
/// Its code stops working, and the notification of the invited person is withdrawn. Members who joined by the
/// invite stay.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404: the account has no such invite.
#[api_core::operation]
pub async fn delete_invite(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_INVITE).await?;
    let id = id?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            if !db::delete(connection, caller.account, id).await? {
                return Err(not_found());
            }
            notify::withdraw_invite(connection, id, None).await?;
            Ok(audit::record(connection, cx.audit("invite:deleted", "invite", id)).await?)
        })
        .await
}

pub static INVITE_BY_CODE: Operation<Visitor> = Operation::public("inviteByCode", Grants::Nothing);

/// Returns the preview of the invite with a code.
///
/// Needs no credential. The preview names the account and the role; it does not show who created the invite.
///
/// # Errors
/// - 404: no invite has this code.
#[api_core::operation]
pub async fn invite_by_code(cx: &Cx, code: &str) -> Result<InvitePreview> {
    let visitor = cx.authorize(&INVITE_BY_CODE).await?;
    let now = cx.state().clock.now();
    db::preview(&mut *visitor.db().await?, code, now).await?.ok_or_else(not_found)
}

pub static ACCEPT_INVITE: Operation<SignedIn> =
    Operation::first_party("acceptInvite", Grants::AccountPermissions).idempotent();

/// Accepts an invite: the caller becomes a member of the account with the invite's role.
///
/// The owner of the account and the creator of the invite are notified. The active account of the caller does
/// not change.
///
/// (reference/accounts.md#taking-and-declining)
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 `PLAN_LIMIT_REACHED`: the account has the maximum number of members.
/// - 404: no invite has this code, or it is for another person.
/// - 409: the caller is a member, or the invite is expired, used up or beyond what its creator may give now.
#[api_core::operation]
pub async fn accept_invite(cx: &Cx, code: &str) -> Result<JoinedAccount> {
    let person = cx.authorize(&ACCEPT_INVITE).await?;
    invites::accept(cx, &person, InviteKey::Code(code)).await
}

pub static DECLINE_INVITE: Operation<SignedIn> =
    Operation::first_party("declineInvite", Grants::AccountPermissions).idempotent();

/// Declines an invite.
///
/// An invite for the caller alone is deleted. An invite that others may take as well stays.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404: no invite has this code, or it is for another person.
#[api_core::operation]
pub async fn decline_invite(cx: &Cx, code: &str) -> Result<()> {
    let person = cx.authorize(&DECLINE_INVITE).await?;
    invites::decline(cx, &person, InviteKey::Code(code)).await
}

fn not_found() -> ApiError {
    ApiError::not_found("Invite not found")
}
