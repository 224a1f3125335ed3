//! Invites into the account (specification B §7, C §4).

mod create;
mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants, SignedIn, Visitor},
    invites::{self, InviteKey, JoinedAccount, MemberRole},
};
use diesel_async::AsyncConnection;
use juniper::{GraphQLEnum, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::{audit, catalogue::AccountPermission, notify};
use utoipa::ToSchema;
use uuid::Uuid;

pub use create::{CREATE_INVITE, CreateInviteInput, create_invite};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&INVITES, &CREATE_INVITE, &DELETE_INVITE, &INVITE_BY_CODE, &ACCEPT_INVITE, &DECLINE_INVITE];

/// How an invite reaches whom it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum InviteMethod {
    /// An address to open.
    Link,
    /// A code to enter.
    Token,
    /// A notification; nobody else can take it.
    Person,
}

/// Whether an invite can be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum InviteStatus {
    Active,
    UsedUp,
    Expired,
}

/// An invite into the account.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct Invite {
    pub id: Uuid,
    pub account_id: Uuid,
    /// Admits whoever has it, so only callers with `members:create` see it.
    pub code: Option<String>,
    /// What whoever takes it becomes.
    pub role: MemberRole,
    pub method: InviteMethod,
    /// Whom an invite of the method `person` is for.
    pub target_user_id: Option<Uuid>,
    /// Where it was mailed to.
    pub email: Option<String>,
    /// Null: as often as wanted.
    pub max_uses: Option<i32>,
    pub use_count: i32,
    /// Null: never.
    pub expires_at: Option<Timestamp>,
    /// Null for an invite that a service key made.
    pub created_by: Option<Uuid>,
    pub created_at: Timestamp,
    pub status: InviteStatus,
}

/// What an invite leads to, for whoever has its code.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct InvitePreview {
    pub account_name: String,
    pub account_avatar_url: Option<String>,
    pub role_name: String,
    /// Null: never.
    pub expires_at: Option<Timestamp>,
    /// Whether it can be taken still.
    pub is_valid: bool,
}

/// The invites of the account.
pub static INVITES: Operation<AccountCaller> =
    Operation::account("invites", AccountPermission::MembersRead, Grants::Nothing);

/// Lists the invites of the account, newest first. A code is shown to those who could have made the invite: who holds
/// it can take the role.
///
/// # Errors
/// As the rule.
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

/// Takes an invite back.
pub static DELETE_INVITE: Operation<AccountCaller> =
    Operation::account("deleteInvite", AccountPermission::MembersDelete, Grants::AccountPermissions);

/// Takes an invite back: nobody joins by it any more.
///
/// # Errors
/// As the rule; 404 when the account has no such invite.
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

/// What an invite leads to.
pub static INVITE_BY_CODE: Operation<Visitor> = Operation::public("inviteByCode", Grants::Nothing);

/// Shows what an invite leads to, to whoever has its code.
///
/// # Errors
/// 404 for a code that no invite has.
pub async fn invite_by_code(cx: &Cx, code: &str) -> Result<InvitePreview> {
    let visitor = cx.authorize(&INVITE_BY_CODE).await?;
    let now = cx.state().clock.now();
    db::preview(&mut *visitor.db().await?, code, now).await?.ok_or_else(not_found)
}

/// Takes an invite.
pub static ACCEPT_INVITE: Operation<SignedIn> =
    Operation::first_party("acceptInvite", Grants::AccountPermissions);

/// Makes the caller a member with the invite's role.
///
/// # Errors
/// As the rule; 404 for a code that no invite has and for another person's invite; 409 for a member, and for an
/// invite that is expired, used up, or more than its maker could give by now; 403 `PLAN_LIMIT_REACHED` for one member too many.
pub async fn accept_invite(cx: &Cx, code: &str) -> Result<JoinedAccount> {
    let person = cx.authorize(&ACCEPT_INVITE).await?;
    invites::accept(cx, person.user, InviteKey::Code(code)).await
}

/// Turns an invite down.
pub static DECLINE_INVITE: Operation<SignedIn> =
    Operation::first_party("declineInvite", Grants::AccountPermissions);

/// Turns an invite down. One that is meant for the caller is deleted; one that others may take as well stays.
///
/// # Errors
/// As the rule; 404 for a code that no invite has and for another person's invite.
pub async fn decline_invite(cx: &Cx, code: &str) -> Result<()> {
    let person = cx.authorize(&DECLINE_INVITE).await?;
    invites::decline(cx, person.user, InviteKey::Code(code)).await
}

fn not_found() -> ApiError {
    ApiError::not_found("Invite not found")
}
