//! Creation of invites (reference/accounts.md#invites).

use api_core::token;
use api_core::{
    ApiError, Code, Cx, Input, Operation, Patch, Result,
    access::{AccountCaller, Grants},
    validate,
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::audit;
use juniper::GraphQLInputObject;
use notices::{
    mail::{self, Mail, Recipient},
    notify::{self, Notice},
};
use rand::RngExt;
use serde::Deserialize;
use serde_json::json;
use shared::{catalogue::AccountPermission, id::UserId};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Invite, InviteMethod, db};
use crate::members::{self, Role};

/// Lifetimes of an invite in seconds: an hour, a day, a week, thirty days.
const LIFETIMES_SECS: [i32; 4] = [3600, 86_400, 604_800, 2_592_000];
const DEFAULT_LIFETIME_SECS: i32 = 604_800;
const DEFAULT_USES: i32 = 1;
const MIN_USES: i32 = 1;
const MAX_USES: i32 = 100;
const CODE_BYTES: usize = 16;
/// Maximum number of invites of an account an hour that send a notification or mail. Mails to strangers must
/// have a cost.
const MAX_NOTIFICATIONS_PER_HOUR: u32 = 60;

api_core::limits::submit! {
    api_core::limits::WindowLimit {
        name: "invite_notifications",
        limit: MAX_NOTIFICATIONS_PER_HOUR,
        seconds: 3600,
        holder: api_core::limits::Holder::Account,
    }
}

/// Maximum number of invites a day to one recipient, over all accounts, because accounts are free.
const MAX_TO_RECIPIENT_PER_DAY: u32 = 20;

/// An invite to create.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
pub struct CreateInviteInput {
    /// Role that a new member receives. Not the Owner role, and none with a permission that the caller lacks.
    pub role_id: Uuid,
    /// Method of delivery.
    pub method: InviteMethod,
    /// Lifetime in seconds: 3600, 86400, 604800 or 2592000. Null: no expiry. Absent: 604800.
    #[serde(default)]
    #[schema(value_type = Option<i32>, extensions(("enum" = json!(LIFETIMES_SECS))))]
    pub expires_in: Patch<i32>,
    /// Maximum number of uses, 1 to 100. Null: no maximum. Absent: 1.
    #[serde(default)]
    #[schema(value_type = Option<i32>, extensions(("minimum" = json!(MIN_USES)), ("maximum" = json!(MAX_USES))))]
    pub max_uses: Patch<i32>,
    /// Person that the invite is for. Required for the method `person`, not allowed for others.
    pub target_user_id: Option<Uuid>,
    /// Address to mail the invite to. Not allowed for the method `person`.
    #[schema(extensions(("maxLength" = json!(validate::MAX_EMAIL_LENGTH))))]
    pub email: Option<String>,
}

pub static CREATE_INVITE: Operation<AccountCaller> =
    Operation::account("createInvite", AccountPermission::MembersCreate, Grants::AccountPermissions)
        .idempotent()
        .secret_answer();

/// Creates an invite to the account.
///
/// The method `person` sends a notification to that person. The other methods return a code for every
/// holder; with `email` the code is also mailed. The invite is valid only while its creator could still
/// create it.
///
/// (reference/accounts.md#invites)
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: an input is malformed, or the role is the Owner role.
/// - 403: the role has a permission that the caller lacks, or the caller is a popout of another member.
/// - 403 `PLAN_LIMIT_REACHED`: the account has the maximum number of invites.
/// - 404: the role or the person does not exist.
/// - 409: the person is a member or has an active invite.
/// - 429: the account sent too many invites, or the recipient received too many.
#[api_core::operation]
pub async fn create_invite(cx: &Cx, input: Input<CreateInviteInput>) -> Result<Invite> {
    let caller = cx.authorize(&CREATE_INVITE).await?;
    // The validity of an invite depends on the rights of its creator, so the caller must act as itself.
    cx.person()?;
    let wanted = InviteRequest::checked(input?)?;
    if let Some(recipient) = wanted.recipient() {
        limit_mails(cx, &caller, &recipient).await?;
    }
    caller.db().await?.transaction(async |connection| wanted.create(cx, connection, &caller).await).await
}

/// Refuses more messages of an account, or to a recipient, than the limits allow.
async fn limit_mails(cx: &Cx, caller: &AccountCaller, recipient: &str) -> Result<()> {
    let (limiter, account) = (&cx.state().limiter, caller.account.to_string());
    cx.refuse_over(&limiter.count("invite_notifications", &account, MAX_NOTIFICATIONS_PER_HOUR, 3600).await)?;
    cx.refuse_over(&limiter.count("invites_to", recipient, MAX_TO_RECIPIENT_PER_DAY, 86_400).await)
}

/// Validated input.
#[derive(Debug, PartialEq, Eq)]
struct InviteRequest {
    role: Uuid,
    method: InviteMethod,
    expires_in: Option<Duration>,
    max_uses: Option<i32>,
    target: Option<UserId>,
    email: Option<String>,
}

impl InviteRequest {
    fn checked(input: CreateInviteInput) -> Result<Self> {
        let expires_in = input.expires_in.into_change().unwrap_or(Some(DEFAULT_LIFETIME_SECS));
        if expires_in.is_some_and(|seconds| !LIFETIMES_SECS.contains(&seconds)) {
            return Err(ApiError::invalid("expires_in must be 3600, 86400, 604800, 2592000 or null"));
        }
        let max_uses = input.max_uses.into_change().unwrap_or(Some(DEFAULT_USES));
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

    /// Key by which a recipient is counted: the id of the person, or a digest of the normalised mailbox.
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
        let role = members::grantable_role(connection, caller.account, &authority, self.role).await?;
        // Invites of an account are created one after the other, so that the checks stay true until the
        // insert.
        let account_name = db::lock_account(connection, caller.account).await?;
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
        self.notify_recipient(connection, &row, &account_name, &role, now).await?;
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

    /// Notifies the person or enqueues the mail.
    async fn notify_recipient(
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
                account_id: invite.account_id.uuid(),
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

/// Address in lower case without the part from a plus sign, which many mail servers ignore.
fn mailbox(email: &str) -> String {
    let email = email.to_lowercase();
    match email.rsplit_once('@') {
        Some((local, domain)) => format!("{}@{domain}", local.split('+').next().unwrap_or(local)),
        None => email,
    }
}

/// Random code of an invite (reference/accounts.md#invites).
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
    fn invite_defaults_to_a_week_and_one_use() {
        let usual = InviteRequest::checked(input(InviteMethod::Link)).unwrap();
        assert_eq!((usual.expires_in, usual.max_uses), (Some(Duration::days(7)), Some(1)));
        let open = CreateInviteInput {
            expires_in: Patch::Null,
            max_uses: Patch::Null,
            ..input(InviteMethod::Token)
        };
        let open = InviteRequest::checked(open).unwrap();
        assert_eq!((open.expires_in, open.max_uses), (None, None));
    }

    #[test]
    fn recipient_is_one_for_all_spellings_of_a_mailbox() {
        let recipient = |email: &str| {
            let email = Some(email.to_owned());
            InviteRequest::checked(CreateInviteInput { email, ..input(InviteMethod::Link) })
                .unwrap()
                .recipient()
        };
        assert_eq!(recipient("Ada@Example.org"), recipient("ada+news@example.org"));
        assert_ne!(recipient("ada@example.org"), recipient("ada@example.com"));
        assert_eq!(InviteRequest::checked(input(InviteMethod::Link)).unwrap().recipient(), None);
    }

    #[test]
    fn new_code_is_sixteen_random_bytes() {
        assert_eq!(BASE64_URL_SAFE_NO_PAD.decode(new_code()).unwrap().len(), CODE_BYTES);
        assert_ne!(new_code(), new_code());
    }
}
