//! Queries over `invites`. Each one except that by code carries the account.

use std::collections::HashMap;

use api_core::{Result, Timestamp, access::AccountScopes};
use chrono::{DateTime, Utc};
use diesel::{dsl::exists, insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use membership::invites::{Backing, MemberRole};
use shared::{
    catalogue::PermissionSet,
    id::{AccountId, UserId},
    schema::{account_roles, accounts, invites, login_connections, users},
};
use uuid::Uuid;

use super::{Invite, InviteMethod, InvitePreview, InviteStatus};

/// Maximum number of invites of an account. The list shows as many.
const MAX_INVITES: i64 = 500;

api_core::limits::submit! {
    // At the limit, invites that can no longer be taken are deleted.
    api_core::limits::CountLimit::of_account(
        "invites",
        MAX_INVITES,
        "SELECT count(*) FROM invites WHERE account_id = $1
            AND NOT coalesce(expires_at <= $3, false) AND NOT coalesce(use_count >= max_uses, false)",
    )
}

/// An invite to insert.
#[derive(Insertable)]
#[diesel(table_name = invites)]
pub(super) struct NewInvite<'a> {
    pub id: Uuid,
    pub account_id: AccountId,
    pub code: String,
    pub role_id: Uuid,
    pub method: &'a str,
    pub target_user_id: Option<UserId>,
    pub email: Option<&'a str>,
    pub max_uses: Option<i32>,
    pub expires_at: Option<DateTime<Utc>>,
    pub created_by: Option<UserId>,
    /// Service key that created the invite; `None` for a person.
    pub created_by_key: Option<Uuid>,
    pub created_at: DateTime<Utc>,
}

#[derive(Queryable)]
struct Row {
    id: Uuid,
    account_id: Uuid,
    code: String,
    role: (Uuid, String, String, Option<String>),
    method: String,
    target_user_id: Option<Uuid>,
    email: Option<String>,
    max_uses: Option<i32>,
    use_count: i32,
    expires_at: Option<Timestamp>,
    created_by: Option<Uuid>,
    created_at: Timestamp,
}

/// Text of a method in its column.
pub(super) const fn method_text(method: InviteMethod) -> &'static str {
    match method {
        InviteMethod::Link => "link",
        InviteMethod::Token => "token",
        InviteMethod::Person => "person",
    }
}

pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    now: DateTime<Utc>,
) -> Result<Vec<Invite>> {
    let rows = selected()
        .filter(invites::account_id.eq(account))
        .order((invites::created_at.desc(), invites::id.desc()))
        .limit(MAX_INVITES)
        .load::<Row>(connection)
        .await?;
    Ok(rows.into_iter().map(|row| invite(row, now)).collect())
}

/// Permissions of each role of the account.
pub(super) async fn roles(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<HashMap<Uuid, AccountScopes>> {
    let rows: Vec<(Uuid, Vec<String>)> = account_roles::table
        .filter(account_roles::account_id.eq(account))
        .select((account_roles::id, account_roles::permissions))
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(|(id, held)| (id, PermissionSet::from_strings(&held))).collect())
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<Invite>> {
    let own = invites::account_id.eq(account).and(invites::id.eq(id));
    let row = selected().filter(own).first::<Row>(connection).await.optional()?;
    Ok(row.map(|row| invite(row, now)))
}

pub(super) async fn insert(connection: &mut AsyncPgConnection, invite: &NewInvite<'_>) -> Result<()> {
    insert_into(invites::table).values(invite).execute(connection).await?;
    Ok(())
}

/// Returns true when the invite existed.
pub(super) async fn delete(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<bool> {
    let own = invites::table.filter(invites::account_id.eq(account).and(invites::id.eq(id)));
    Ok(diesel::delete(own).execute(connection).await? > 0)
}

/// Name of the account. Its row is locked until the transaction ends, which blocks other invites and joins.
pub(super) async fn lock_account(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<Option<String>> {
    Ok(accounts::table
        .find(account)
        .select(accounts::name)
        .for_no_key_update()
        .first(connection)
        .await
        .optional()?)
}

/// True when the account may have one more invite. At the limit, invites that can no longer be taken are
/// deleted first.
pub(super) async fn make_room(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    now: DateTime<Utc>,
) -> Result<bool> {
    let own = invites::table.filter(invites::account_id.eq(account));
    let there: i64 = own.count().get_result(connection).await?;
    if there < MAX_INVITES {
        return Ok(true);
    }
    let is_over = invites::expires_at.le(now).or(invites::use_count.nullable().ge(invites::max_uses));
    Ok(diesel::delete(own.filter(is_over)).execute(connection).await? > 0)
}

/// Display name of a person.
pub(super) async fn name_of(connection: &mut AsyncPgConnection, user: UserId) -> Result<Option<String>> {
    Ok(users::table.find(user).select(users::display_name).first(connection).await.optional()?)
}

/// True when a person has an invite that can be taken.
pub(super) async fn is_invited(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<bool> {
    let own = invites::table
        .filter(invites::account_id.eq(account).and(invites::target_user_id.eq(user)))
        .filter(invites::expires_at.is_null().or(invites::expires_at.gt(now)))
        .filter(invites::max_uses.is_null().or(invites::use_count.nullable().lt(invites::max_uses)));
    Ok(diesel::select(exists(own)).get_result(connection).await?)
}

/// Preview of the invite with a code.
pub(super) async fn preview(
    connection: &mut AsyncPgConnection,
    code: &str,
    now: DateTime<Utc>,
) -> Result<Option<InvitePreview>> {
    type Found =
        (String, Option<String>, Option<String>, String, Option<Timestamp>, Option<i32>, i32, Backing);
    let found: Option<Found> = invites::table
        .inner_join(accounts::table)
        .inner_join(account_roles::table.on(account_roles::id.eq(invites::role_id)))
        .inner_join(users::table.on(users::id.eq(accounts::owner_id)))
        .left_join(
            login_connections::table
                .on(login_connections::id.nullable().eq(accounts::primary_login_connection_id)),
        )
        .filter(invites::code.eq(code))
        .select((
            accounts::name,
            login_connections::avatar_url.nullable(),
            users::avatar_url,
            account_roles::name,
            invites::expires_at,
            invites::max_uses,
            invites::use_count,
            (invites::account_id, invites::created_by, invites::created_by_key, account_roles::permissions),
        ))
        .first(connection)
        .await
        .optional()?;
    let Some((name, primary_avatar, owner_avatar, role_name, expires_at, max_uses, use_count, backing)) =
        found
    else {
        return Ok(None);
    };
    let is_active = status(expires_at, max_uses, use_count, now) == InviteStatus::Active;
    Ok(Some(InvitePreview {
        account_name: name,
        account_avatar_url: primary_avatar.or(owner_avatar),
        role_name,
        expires_at,
        is_valid: is_active && backing.is_valid(connection, now).await?,
    }))
}

#[diesel::dsl::auto_type]
fn selected() -> _ {
    invites::table.inner_join(account_roles::table.on(account_roles::id.eq(invites::role_id))).select((
        invites::id,
        invites::account_id,
        invites::code,
        (account_roles::id, account_roles::slug, account_roles::name, account_roles::color),
        invites::method,
        invites::target_user_id,
        invites::email,
        invites::max_uses,
        invites::use_count,
        invites::expires_at,
        invites::created_by,
        invites::created_at,
    ))
}

fn invite(row: Row, now: DateTime<Utc>) -> Invite {
    let (id, slug, name, color) = row.role;
    Invite {
        status: status(row.expires_at, row.max_uses, row.use_count, now),
        id: row.id,
        account_id: row.account_id,
        code: Some(row.code),
        role: MemberRole { id, slug, name, color },
        method: match row.method.as_str() {
            "link" => InviteMethod::Link,
            "token" => InviteMethod::Token,
            // The column has no other value.
            _ => InviteMethod::Person,
        },
        target_user_id: row.target_user_id,
        email: row.email,
        max_uses: row.max_uses,
        use_count: row.use_count,
        expires_at: row.expires_at,
        created_by: row.created_by,
        created_at: row.created_at,
    }
}

fn status(
    expires_at: Option<Timestamp>,
    max_uses: Option<i32>,
    use_count: i32,
    now: DateTime<Utc>,
) -> InviteStatus {
    if max_uses.is_some_and(|max| use_count >= max) {
        return InviteStatus::UsedUp;
    }
    if expires_at.is_some_and(|at| *at <= now) {
        return InviteStatus::Expired;
    }
    InviteStatus::Active
}
