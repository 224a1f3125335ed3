//! Inviting (specification C §4).

use api_core::{
    ApiError, Code, Cx, Input, Operation, Patch, Result,
    access::{AccountCaller, Grants},
    validate,
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use juniper::GraphQLInputObject;
use rand::RngExt;
use serde::Deserialize;
use serde_json::json;
use shared::{
    audit,
    catalogue::AccountPermission,
    id::UserId,
    mail::{self, Mail, Recipient},
    notify::{self, Notice},
    token,
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Invite, InviteMethod, db};
use crate::members::{self, Role};

/// Seconds until an invite expires: an hour, a day, a week, thirty days.
const LIFETIMES: [i32; 4] = [3600, 86_400, 604_800, 2_592_000];
const USUAL_LIFETIME: i32 = 604_800;
const USUAL_USES: i32 = 1;
const MIN_USES: i32 = 1;
const MAX_USES: i32 = 100;
const CODE_BYTES: usize = 16;
/// Invites of an account that write to somebody, an hour: mails to strangers must not be free.
const MAX_NOTIFICATIONS_PER_HOUR: u32 = 60;
/// Invites of all accounts together that write to the same recipient, a day: accounts are free.
const MAX_TO_RECIPIENT_PER_DAY: u32 = 20;

/// What a new invite is to be.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct CreateInviteInput {
    /// What whoever takes it becomes; not the Owner role, and none that holds more than the caller.
    pub role_id: Uuid,
    pub method: InviteMethod,
    /// 3600, 86400, 604800 or 2592000 seconds, null for never; 604800 when absent.
    #[serde(default)]
    #[schema(value_type = Option<i32>, extensions(("enum" = json!(LIFETIMES))))]
    pub expires_in: Patch<i32>,
    /// 1 to 100, null for as often as wanted; 1 when absent.
    #[serde(default)]
    #[schema(value_type = Option<i32>, extensions(("minimum" = json!(MIN_USES)), ("maximum" = json!(MAX_USES))))]
    pub max_uses: Patch<i32>,
    /// Whom the invite is for; only and always with the method `person`.
    pub target_user_id: Option<Uuid>,
    /// Where to mail the invite to; not with the method `person`.
    #[schema(extensions(("maxLength" = json!(validate::MAX_EMAIL_LENGTH))))]
    pub email: Option<String>,
}

/// Invites somebody.
pub static CREATE_INVITE: Operation<AccountCaller> =
    Operation::account("createInvite", AccountPermission::MembersCreate, Grants::AccountPermissions);

/// Invites somebody: by a code to hand on, by mail, or by a notification.
///
/// # Errors
/// As the rule; 400 for a wrong input and for the Owner role; 404 for another role or an unknown person; 403 for a role
/// that holds more than the caller, and for a popout of another member; 409 for somebody who is a member or invited
/// already; 403 `PLAN_LIMIT_REACHED` for one invite too many; 429 for too many that write to somebody.
pub async fn create_invite(cx: &Cx, input: Input<CreateInviteInput>) -> Result<Invite> {
    let caller = cx.authorize(&CREATE_INVITE).await?;
    // The invite is the word of whoever makes it.
    cx.person()?;
    let wanted = Wanted::checked(input?)?;
    if let Some(recipient) = wanted.recipient() {
        limit_mails(cx, &caller, &recipient).await?;
    }
    caller.db().await?.transaction(async |connection| wanted.create(cx, connection, &caller).await).await
}

/// Refuses what an account writes to people, and what is written to one, beyond a bound.
async fn limit_mails(cx: &Cx, caller: &AccountCaller, recipient: &str) -> Result<()> {
    let (limiter, account) = (&cx.state().limiter, caller.account.to_string());
    cx.refuse_over(&limiter.count("invite_notifications", &account, MAX_NOTIFICATIONS_PER_HOUR, 3600).await)?;
    cx.refuse_over(&limiter.count("invites_to", recipient, MAX_TO_RECIPIENT_PER_DAY, 86_400).await)
}

/// A checked input.
#[derive(Debug, PartialEq, Eq)]
struct Wanted {
    role: Uuid,
    method: InviteMethod,
    expires_in: Option<Duration>,
    max_uses: Option<i32>,
    target: Option<UserId>,
    email: Option<String>,
}

impl Wanted {
    fn checked(input: CreateInviteInput) -> Result<Self> {
        let expires_in = input.expires_in.into_change().unwrap_or(Some(USUAL_LIFETIME));
        if expires_in.is_some_and(|seconds| !LIFETIMES.contains(&seconds)) {
            return Err(ApiError::invalid("expires_in must be 3600, 86400, 604800, 2592000 or null"));
        }
        let max_uses = input.max_uses.into_change().unwrap_or(Some(USUAL_USES));
        if max_uses.is_some_and(|uses| !(MIN_USES..=MAX_USES).contains(&uses)) {
            return Err(ApiError::invalid(format!(
                "max_uses must be between {MIN_USES} and {MAX_USES}, or null"
            )));
        }
        match (input.method, input.target_user_id, &input.email) {
            (InviteMethod::Person, None, _) => {
                return Err(ApiError::invalid("target_user_id is required for the method person"));
            }
            (InviteMethod::Person, Some(_), Some(_)) => {
                return Err(ApiError::invalid("email is only for the methods link and token"));
            }
            (InviteMethod::Link | InviteMethod::Token, Some(_), _) => {
                return Err(ApiError::invalid("target_user_id is only for the method person"));
            }
            _ => {}
        }
        Ok(Self {
            role: input.role_id,
            method: input.method,
            expires_in: expires_in.map(|seconds| Duration::seconds(seconds.into())),
            max_uses,
            target: input.target_user_id.map(UserId),
            email: input.email.map(|email| validate::email("email", &email)).transpose()?,
        })
    }

    /// What whoever is written to is counted by: the person, or a digest of the mailbox, however it is spelled.
    fn recipient(&self) -> Option<String> {
        let mailbox = |email: &String| BASE64_URL_SAFE_NO_PAD.encode(token::hash(&mailbox(email)));
        self.target.map(|person| person.to_string()).or_else(|| self.email.as_ref().map(mailbox))
    }

    async fn create(
        &self,
        cx: &Cx,
        connection: &mut AsyncPgConnection,
        caller: &AccountCaller,
    ) -> Result<Invite> {
        let now = cx.state().clock.now();
        let authority = caller.authority(connection).await?;
        let role = members::role_to_hand_on(connection, caller.account, &authority, self.role).await?;
        // One after the other, so that the checks stay true until the insert.
        let account_name = db::hold_account(connection, caller.account).await?;
        let account_name = account_name.ok_or_else(crate::named::not_found)?;
        self.check_target(connection, caller, now).await?;
        if !db::make_room(connection, caller.account, now).await? {
            return Err(ApiError::new(Code::PlanLimitReached, "Invite limit reached"));
        }
        let row = db::NewInvite {
            id: shared::id::new(),
            account_id: caller.account,
            code: new_code(),
            role_id: role.id,
            method: db::method_text(self.method),
            target_user_id: self.target,
            email: self.email.as_deref(),
            max_uses: self.max_uses,
            expires_at: self.expires_in.map(|lifetime| now + lifetime),
            created_by: caller.user,
            created_by_key: if caller.user.is_none() { cx.principal().credential_id() } else { None },
            created_at: now,
        };
        db::insert(connection, &row).await?;
        self.tell(connection, &row, &account_name, &role, now).await?;
        let entry = audit::Entry {
            metadata: json!({ "role_id": role.id, "method": row.method, "target_user_id": self.target }),
            ..cx.audit("member:invited", "invite", row.id)
        };
        audit::record(connection, entry).await?;
        let invite = db::find(connection, caller.account, row.id, now).await?;
        invite.ok_or_else(|| ApiError::internal("a new invite is not there"))
    }

    async fn check_target(
        &self,
        connection: &mut AsyncPgConnection,
        caller: &AccountCaller,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let Some(target) = self.target else { return Ok(()) };
        if db::name_of(connection, target).await?.is_none() {
            return Err(ApiError::not_found("User not found"));
        }
        if members::is_member(connection, caller.account, target).await? {
            return Err(ApiError::conflict("User is already a member"));
        }
        if db::is_invited(connection, caller.account, target, now).await? {
            return Err(ApiError::conflict("User is already invited"));
        }
        Ok(())
    }

    /// Writes to whom the invite is for.
    async fn tell(
        &self,
        connection: &mut AsyncPgConnection,
        invite: &db::NewInvite<'_>,
        account_name: &str,
        role: &Role,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let inviter = match invite.created_by {
            Some(user) => db::name_of(connection, user).await?,
            None => None,
        };
        if let Some(target) = self.target {
            let notice = Notice::Invite {
                invite_id: invite.id,
                account_id: invite.account_id.0,
                account_name,
                role_name: &role.name,
                invited_by: inviter.as_deref(),
                expires_at: invite.expires_at,
            };
            notify::notify(connection, &[target], &notice, now).await?;
        }
        if let Some(email) = &self.email {
            let mail = Mail::Invite {
                account_name: account_name.to_owned(),
                role_name: role.name.clone(),
                invited_by: inviter,
                code: invite.code.clone(),
                expires_at: invite.expires_at,
            };
            mail::enqueue(connection, Recipient::Address(email.clone()), &mail, now).await?;
        }
        Ok(())
    }
}

/// An address without what many servers leave out of account: case, and what follows a plus sign.
fn mailbox(email: &str) -> String {
    let email = email.to_lowercase();
    match email.rsplit_once('@') {
        Some((local, domain)) => format!("{}@{domain}", local.split('+').next().unwrap_or(local)),
        None => email,
    }
}

/// 16 random bytes (C §4).
fn new_code() -> String {
    let code: [u8; CODE_BYTES] = rand::rng().random();
    BASE64_URL_SAFE_NO_PAD.encode(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(method: InviteMethod) -> CreateInviteInput {
        CreateInviteInput {
            role_id: Uuid::nil(),
            method,
            expires_in: Patch::Absent,
            max_uses: Patch::Absent,
            target_user_id: None,
            email: None,
        }
    }

    #[test]
    fn an_invite_is_for_a_week_and_one_use_unless_it_says_otherwise() {
        let usual = Wanted::checked(input(InviteMethod::Link)).unwrap();
        assert_eq!((usual.expires_in, usual.max_uses), (Some(Duration::days(7)), Some(1)));
        let open = CreateInviteInput {
            expires_in: Patch::Null,
            max_uses: Patch::Null,
            ..input(InviteMethod::Token)
        };
        let open = Wanted::checked(open).unwrap();
        assert_eq!((open.expires_in, open.max_uses), (None, None));
    }

    #[test]
    fn spellings_of_a_mailbox_are_counted_together() {
        let recipient = |email: &str| {
            let email = Some(email.to_owned());
            Wanted::checked(CreateInviteInput { email, ..input(InviteMethod::Link) }).unwrap().recipient()
        };
        assert_eq!(recipient("Ada@Example.org"), recipient("ada+news@example.org"));
        assert_ne!(recipient("ada@example.org"), recipient("ada@example.com"));
        assert_eq!(Wanted::checked(input(InviteMethod::Link)).unwrap().recipient(), None);
    }

    #[test]
    fn a_code_is_sixteen_random_bytes() {
        assert_eq!(BASE64_URL_SAFE_NO_PAD.decode(new_code()).unwrap().len(), CODE_BYTES);
        assert_ne!(new_code(), new_code());
    }
}
