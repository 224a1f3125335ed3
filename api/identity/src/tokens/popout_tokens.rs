//! Popout tokens: `lm_pop_`, a part of a member's permissions for a page beside the dashboard
//! (reference/credentials.md#popout-tokens).

use api_core::token::{NewToken, TokenKind};
use api_core::{
    ApiError, Code, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{AccountCaller, AccountScopes, Grants, Member, MemberAccess, member_access},
    validate,
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::{audit, invalidation::Invalidation};
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Permission, PermissionSet},
    id::{AccountId, UserId},
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{PopoutToken, db};
use crate::api_keys::expiry;

/// A new popout token with its text.
#[derive(Clone, Serialize, GraphQLObject, ToSchema)]
pub struct CreatePopoutTokenResult {
    /// Text of the token. This answer alone contains it.
    pub token: String,
    /// The token as it is listed.
    pub popout_token: PopoutToken,
}

/// A popout token to create.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "permissions": ["chat:read", "chat:write"], "label": "Second monitor" }))]
pub struct CreatePopoutTokenInput {
    /// Permissions: 1 to 123 of the account, each by name.
    #[schema(extensions(("maxLength" = json!(AccountPermission::max_length()))))]
    pub permissions: Vec<String>,
    /// Name of the token, at most 100 characters.
    #[schema(extensions(("maxLength" = json!(crate::MAX_LABEL_LENGTH))))]
    pub label: Option<String>,
    /// Member that the token acts for. Null or absent: the caller.
    pub user_id: Option<Uuid>,
    /// Time of expiry in RFC 3339, in the future. Null or absent: the token does not expire.
    #[schema(value_type = Option<Timestamp>)]
    pub expires_at: Option<String>,
}

/// Changes of a popout token. Absent fields stay as they are.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({ "label": "Second monitor", "expires_at": "2026-01-01T00:00:00.000Z" }))]
pub struct PopoutTokenChanges {
    /// New label, at most 100 characters; null removes it.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(crate::MAX_LABEL_LENGTH))))]
    pub label: Patch<String>,
    /// New permissions: 1 to 123 of the account, each by name.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>, extensions(("maxLength" = json!(AccountPermission::max_length()))))]
    pub permissions: Patch<Vec<String>>,
    /// Member that the token acts for.
    #[serde(default)]
    #[schema(value_type = Option<Uuid>)]
    pub user_id: Patch<Uuid>,
    /// Time of expiry in RFC 3339. A time in the past revokes the token; null: it does not expire.
    #[serde(default)]
    #[schema(value_type = Option<Timestamp>)]
    pub expires_at: Patch<String>,
}

pub static POPOUT_TOKENS: Operation<AccountCaller> =
    Operation::account("popoutTokens", AccountPermission::TokensRead, Grants::Nothing);

/// Lists the popout tokens of the account.
///
/// The newest token comes first. Expired ones are included, the texts of the tokens are not.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn popout_tokens(cx: &Cx) -> Result<Vec<PopoutToken>> {
    let caller = cx.authorize(&POPOUT_TOKENS).await?;
    db::list(&mut *caller.db().await?, caller.account).await
}

pub static POPOUT_TOKEN: Operation<AccountCaller> =
    Operation::account("popoutToken", AccountPermission::TokensRead, Grants::Nothing);

/// Returns a popout token of the account.
///
/// The text of the token is not included.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404: the account has no such token.
#[api_core::operation]
pub async fn popout_token(cx: &Cx, id: Input<Uuid>) -> Result<PopoutToken> {
    let caller = cx.authorize(&POPOUT_TOKEN).await?;
    let id = id?;
    db::find(&mut *caller.db().await?, caller.account, id).await?.ok_or_else(not_found)
}

pub static CREATE_POPOUT_TOKEN: Operation<Member> =
    Operation::member("createPopoutToken", AccountPermission::TokensCreate, Grants::AccountPermissions)
        .idempotent()
        .secret_answer();

/// Creates a popout token.
///
/// The text of the token is returned by this call only. At any time the token may do only what it carries,
/// its member holds and its creator holds. A token for another member acts as no person.
///
/// (reference/credentials.md#popout-permissions)
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 `Invalid permission: …`: a permission is unknown or not allowed for popouts.
/// - 400: the label is too long, or the expiry is not in the future.
/// - 403 `Missing permission: …`: the creator does not hold a permission, or not every permission of the
///   other member.
/// - 403 `PLAN_LIMIT_REACHED`: the account has the maximum number of tokens.
/// - 404: the person is not a member of the account.
#[api_core::operation]
pub async fn create_popout_token(
    cx: &Cx,
    input: Input<CreatePopoutTokenInput>,
) -> Result<CreatePopoutTokenResult> {
    let member = cx.authorize(&CREATE_POPOUT_TOKEN).await?;
    let input = input?;
    let permissions = checked_permissions(&input.permissions)?;
    let label = input.label.as_deref().map(checked_label).transpose()?;
    let now = cx.state().clock.now();
    let expires_at = expiry(input.expires_at.as_deref(), now)?;
    let user = input.user_id.map_or(member.user, UserId);
    member.must_hold(&permissions)?;
    if user != member.user
        && let Some(holder) = member_access(cx.state(), member.account, user).await?
    {
        // The token acts for the other member, so the creator must hold every permission of that member.
        member.must_hold(&holder.permissions)?;
    }

    let token = NewToken::generate(TokenKind::Popout);
    let new = db::NewPopoutToken {
        id: shared::id::new(),
        account_id: member.account,
        user_id: user,
        created_by: member.user,
        token_hash: &token.hash,
        token_prefix: &token.prefix,
        label: label.as_deref(),
        permissions: permissions.to_strings(),
        created_at: now,
        expires_at,
    };
    let popout_token = member
        .db()
        .await?
        .transaction(async |connection| {
            check_member(connection, member.account, user).await?;
            if db::lock_and_count(connection, member.account).await? >= db::MAX_TOKENS {
                return Err(ApiError::new(Code::PlanLimitReached, "Popout token limit reached"));
            }
            let popout_token = db::insert(connection, &new).await?;
            audit::record(connection, entry(cx, "popout_token:created", &popout_token)).await?;
            Ok(popout_token)
        })
        .await?;
    Ok(CreatePopoutTokenResult { token: token.text.expose().to_owned(), popout_token })
}

pub static UPDATE_POPOUT_TOKEN: Operation<AccountCaller> =
    Operation::account("updatePopoutToken", AccountPermission::TokensEdit, Grants::AccountPermissions);

/// Changes a popout token.
///
/// The change takes effect in every process at once, also for the sessions of the token. An expiry in the
/// past revokes the token without deleting it. The text of the token does not change.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: a value is malformed.
/// - 403 `Missing permission: …`: the change gives a permission that the caller does not hold.
/// - 403 `A popout token cannot change itself`.
/// - 404: the account has no such token, or the person is not a member.
#[api_core::operation]
pub async fn update_popout_token(
    cx: &Cx,
    id: Input<Uuid>,
    changes: Input<PopoutTokenChanges>,
) -> Result<PopoutToken> {
    let caller = cx.authorize(&UPDATE_POPOUT_TOKEN).await?;
    let (id, changes) = (id?, Changes::checked(changes?)?);
    let mut connection = caller.db().await?;
    if changes.is_empty() {
        return db::find(&mut connection, caller.account, id).await?.ok_or_else(not_found);
    }
    if cx.principal().credential_id() == Some(id) {
        return Err(ApiError::forbidden("A popout token cannot change itself"));
    }
    let holder = match changes.set.user_id {
        Some(user) => member_access(cx.state(), caller.account, user).await?,
        None => None,
    };
    let changed = connection
        .transaction(async |connection| {
            let before = db::find_for_update(connection, caller.account, id).await?.ok_or_else(not_found)?;
            changes.check_against(connection, &caller, &before, holder.as_deref()).await?;
            let after = db::update(connection, caller.account, id, &changes.set).await?;
            audit::record(connection, entry(cx, "popout_token:updated", &after)).await?;
            Ok::<_, ApiError>(after)
        })
        .await;
    drop(connection);
    let popout_token = changed?;
    cx.changed(Invalidation::Credential { id }).await;
    Ok(popout_token)
}

pub static DELETE_POPOUT_TOKEN: Operation<AccountCaller> =
    Operation::account("deletePopoutToken", AccountPermission::TokensDelete, Grants::AccountPermissions);

/// Deletes a popout token.
///
/// The token and its sessions stop in every process at once. It cannot be restored.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404: the account has no such token.
#[api_core::operation]
pub async fn delete_popout_token(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_POPOUT_TOKEN).await?;
    let id = id?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let gone = db::delete(connection, caller.account, id).await?.ok_or_else(not_found)?;
            Ok::<_, ApiError>(audit::record(connection, entry(cx, "popout_token:revoked", &gone)).await?)
        })
        .await?;
    cx.changed(Invalidation::Credential { id }).await;
    Ok(())
}

/// Validated changes.
struct Changes {
    set: db::Changes,
    permissions: Option<AccountScopes>,
}

impl Changes {
    fn checked(asked: PopoutTokenChanges) -> Result<Self> {
        let permissions = asked.permissions.not_null("permissions")?;
        let permissions = permissions.map(|asked| checked_permissions(&asked)).transpose()?;
        let timestamp = |text: String| validate::timestamp("expires_at", &text);
        let set = db::Changes {
            label: asked.label.try_map(|label| checked_label(&label))?.into_change(),
            permissions: permissions.map(|permissions| permissions.to_strings()),
            user_id: asked.user_id.not_null("user_id")?.map(UserId),
            expires_at: asked.expires_at.try_map(timestamp)?.into_change(),
        };
        Ok(Self { set, permissions })
    }

    const fn is_empty(&self) -> bool {
        let db::Changes { label, permissions, user_id, expires_at } = &self.set;
        label.is_none() && permissions.is_none() && user_id.is_none() && expires_at.is_none()
    }

    /// Checks that the caller holds what the change gives: permissions that are added, and every permission
    /// when the token gets another member or a later end. For another member, the caller must hold every
    /// permission of that member.
    async fn check_against(
        &self,
        connection: &mut AsyncPgConnection,
        caller: &AccountCaller,
        before: &PopoutToken,
        holder: Option<&MemberAccess>,
    ) -> Result<()> {
        let had = PermissionSet::from_strings(&before.permissions);
        let new_holder = self.set.user_id.filter(|user| user.0 != before.user_id);
        if let Some(user) = new_holder {
            check_member(connection, caller.account, user).await?;
        }
        let after = self.permissions.unwrap_or(had);
        let is_new = new_holder.is_some() || self.prolongs(before);
        let given = after.iter().filter(|permission| is_new || !had.contains(*permission));
        caller.must_hold(&given.collect())?;
        match (new_holder, holder) {
            (Some(_), Some(holder)) => caller.must_hold(&holder.permissions),
            _ => Ok(()),
        }
    }

    fn prolongs(&self, before: &PopoutToken) -> bool {
        match (self.set.expires_at, before.expires_at) {
            (None, _) | (Some(_), None) => false,
            (Some(None), Some(_)) => true,
            (Some(Some(until)), Some(was)) => until > *was,
        }
    }
}

/// Permissions that a popout may carry: of the account, without wildcards and `tokens:create`
/// (reference/credentials.md#popout-permissions).
fn checked_permissions(asked: &[String]) -> Result<AccountScopes> {
    let max = AccountPermission::ALL.len();
    if asked.is_empty() || asked.len() > max {
        return Err(ApiError::invalid(format!("permissions must hold between 1 and {max} permissions")));
    }
    asked
        .iter()
        .map(|text| {
            AccountPermission::parse(text)
                .filter(|permission| *permission != AccountPermission::TokensCreate)
                .ok_or_else(|| ApiError::invalid(format!("Invalid permission: {text}")))
        })
        .collect()
}

fn checked_label(label: &str) -> Result<String> {
    validate::text("label", label, 0, crate::MAX_LABEL_LENGTH)
}

async fn check_member(connection: &mut AsyncPgConnection, account: AccountId, user: UserId) -> Result<()> {
    if db::is_member(connection, account, user).await? {
        return Ok(());
    }
    Err(ApiError::not_found("Member not found"))
}

fn entry<'a>(cx: &Cx, action: &'a str, token: &PopoutToken) -> audit::Entry<'a> {
    let metadata = json!({
        "label": token.label,
        "user_id": token.user_id,
        "permissions": token.permissions,
        "expires_at": token.expires_at,
    });
    audit::Entry { metadata, ..cx.audit(action, "popout_token", token.id) }
}

fn not_found() -> ApiError {
    ApiError::not_found("Popout token not found")
}
