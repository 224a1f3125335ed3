//! Tokens of popouts (specification A §4.2; C §2.2): `lm_pop_`, a part of a member's permissions for a page that is
//! opened beside the dashboard.

use api_core::{
    ApiError, Code, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{AccountCaller, AccountScopes, Grants, Member, MemberAccess, member_access},
    validate,
};
use diesel::{Queryable, Selectable};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    audit,
    catalogue::{AccountPermission, Permission, PermissionSet},
    db::schema::popout_tokens,
    id::{AccountId, UserId},
    invalidation::Invalidation,
    token::{NewToken, TokenKind},
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::db;
use crate::api_keys::expiry;

/// A popout token. The token itself is not in it.
#[derive(Debug, Clone, Serialize, Queryable, Selectable, GraphQLObject, ToSchema)]
#[diesel(table_name = popout_tokens)]
pub struct PopoutToken {
    pub id: Uuid,
    pub account_id: Uuid,
    /// The member that it acts for: it never may more than this member may at the time.
    pub user_id: Uuid,
    /// The first characters, for display.
    pub token_prefix: String,
    pub label: Option<String>,
    pub permissions: Vec<String>,
    pub created_at: Timestamp,
    /// Null: never.
    pub expires_at: Option<Timestamp>,
    pub last_used_at: Option<Timestamp>,
}

/// A new popout token with its text.
#[derive(Clone, Serialize, GraphQLObject, ToSchema)]
pub struct CreatePopoutTokenResult {
    /// Shown this once.
    pub token: String,
    pub popout_token: PopoutToken,
}

/// What a new popout token is to be.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "permissions": ["chat:read", "chat:write"], "label": "Second monitor" }))]
pub struct CreatePopoutTokenInput {
    /// 1 to 123 permissions of the account, each by name.
    #[schema(extensions(("maxLength" = json!(AccountPermission::max_length()))))]
    pub permissions: Vec<String>,
    /// At most 100 characters.
    #[schema(extensions(("maxLength" = json!(crate::MAX_LABEL_LENGTH))))]
    pub label: Option<String>,
    /// The member that it acts for; absent or null means the caller.
    pub user_id: Option<Uuid>,
    /// RFC 3339; null or absent means that the token does not expire.
    #[schema(value_type = Option<Timestamp>)]
    pub expires_at: Option<String>,
}

/// What is to change of a popout token.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({ "label": "Second monitor", "expires_at": "2026-01-01T00:00:00.000Z" }))]
pub struct PopoutTokenChanges {
    /// At most 100 characters; null takes it away.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(crate::MAX_LABEL_LENGTH))))]
    pub label: Patch<String>,
    /// 1 to 123 permissions of the account, each by name.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>, extensions(("maxLength" = json!(AccountPermission::max_length()))))]
    pub permissions: Patch<Vec<String>>,
    /// The member that it acts for.
    #[serde(default)]
    #[schema(value_type = Option<Uuid>)]
    pub user_id: Patch<Uuid>,
    /// RFC 3339; a time in the past revokes the token, null means that it does not expire.
    #[serde(default)]
    #[schema(value_type = Option<Timestamp>)]
    pub expires_at: Patch<String>,
}

/// The popout tokens of the account.
pub static POPOUT_TOKENS: Operation<AccountCaller> =
    Operation::account("popoutTokens", AccountPermission::TokensRead, Grants::Nothing);

/// Lists the popout tokens of the account, newest first.
///
/// # Errors
/// As the rule.
pub async fn popout_tokens(cx: &Cx) -> Result<Vec<PopoutToken>> {
    let caller = cx.authorize(&POPOUT_TOKENS).await?;
    db::list(&mut *caller.db().await?, caller.account).await
}

/// One popout token of the account.
pub static POPOUT_TOKEN: Operation<AccountCaller> =
    Operation::account("popoutToken", AccountPermission::TokensRead, Grants::Nothing);

/// One popout token of the account.
///
/// # Errors
/// As the rule; 404 when the account has no such token.
pub async fn popout_token(cx: &Cx, id: Input<Uuid>) -> Result<PopoutToken> {
    let caller = cx.authorize(&POPOUT_TOKEN).await?;
    let id = id?;
    db::find(&mut *caller.db().await?, caller.account, id).await?.ok_or_else(not_found)
}

/// Creates a popout token.
pub static CREATE_POPOUT_TOKEN: Operation<Member> =
    Operation::member("createPopoutToken", AccountPermission::TokensCreate, Grants::AccountPermissions);

/// Creates a popout token.
///
/// # Errors
/// As the rule; 400 `Invalid permission: …` for what no popout may carry, 400 for a wrong label or an expiry in the
/// past, 403 for a permission that the creator lacks, 404 for somebody who is no member, 403 `PLAN_LIMIT_REACHED` for
/// one token too many.
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
        // What acts as somebody counts as theirs: nobody hands it to a member who may do more than they.
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

/// Changes a popout token.
pub static UPDATE_POPOUT_TOKEN: Operation<AccountCaller> =
    Operation::account("updatePopoutToken", AccountPermission::TokensEdit, Grants::AccountPermissions);

/// Changes a popout token, at once in every process. An expiry in the past revokes it without deleting it.
///
/// # Errors
/// As the rule; 400 for a wrong value, 404 when the account has no such token or the person is no member, 403 for a
/// permission that the change gives away and that the caller lacks.
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

/// Deletes a popout token.
pub static DELETE_POPOUT_TOKEN: Operation<AccountCaller> =
    Operation::account("deletePopoutToken", AccountPermission::TokensDelete, Grants::AccountPermissions);

/// Deletes a popout token: it and its sessions are gone at once, in every process.
///
/// # Errors
/// As the rule; 404 when the account has no such token.
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

/// Checked changes.
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

    /// What a change gives away must be the caller's own: permissions that are added, and every permission when the
    /// token is handed to another member or works for longer. Nobody hands it to a member who may do more than they.
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

/// Permissions that a popout may carry: of the account, no wildcard, and not the one to make popouts (C §2.2).
fn checked_permissions(asked: &[String]) -> Result<AccountScopes> {
    let most = AccountPermission::ALL.len();
    if asked.is_empty() || asked.len() > most {
        return Err(ApiError::invalid(format!("permissions must hold between 1 and {most} permissions")));
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
