//! Queries about one person. Each one carries the person.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{dsl::exists, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::UserId,
    schema::{account_roles, accounts, developer_profiles, login_connections, memberships, plans, users},
};
use uuid::Uuid;

use super::{Membership, MembershipRole, changes::Changes};

/// Maximum number of listed memberships. No person has as many; the query is bounded nevertheless.
const MAX_ROWS: i64 = 500;

#[derive(Queryable)]
pub(super) struct Profile {
    pub display_name: String,
    pub username: String,
    pub email: Option<String>,
    pub pending_email: Option<String>,
    pub avatar_url: Option<String>,
    pub created_at: Timestamp,
    pub last_login_at: Option<Timestamp>,
    pub extension_dev_mode: bool,
    pub streamer_mode: bool,
    pub has_developer_profile: bool,
}

#[derive(Queryable)]
struct MembershipRow {
    account_id: Uuid,
    account_name: String,
    owner_id: UserId,
    primary_avatar: Option<String>,
    owner_avatar: Option<String>,
    role: (Uuid, String, String, Option<String>),
    plan_slug: String,
    joined_at: Timestamp,
}

pub(super) async fn profile(connection: &mut AsyncPgConnection, user: UserId) -> Result<Profile> {
    Ok(users::table
        .find(user)
        .select((
            users::display_name,
            users::username,
            users::email,
            users::pending_email,
            users::avatar_url,
            users::created_at,
            users::last_login_at,
            users::extension_dev_mode,
            users::streamer_mode,
            exists(developer_profiles::table.filter(developer_profiles::user_id.eq(user))),
        ))
        .first(connection)
        .await?)
}

/// Memberships of the person, oldest first.
pub(super) async fn memberships(connection: &mut AsyncPgConnection, user: UserId) -> Result<Vec<Membership>> {
    let rows: Vec<MembershipRow> = memberships::table
        .inner_join(accounts::table)
        .inner_join(account_roles::table.on(account_roles::id.eq(memberships::role_id)))
        .inner_join(plans::table.on(plans::id.eq(accounts::plan_id)))
        .inner_join(users::table.on(users::id.eq(accounts::owner_id)))
        .left_join(
            login_connections::table
                .on(login_connections::id.nullable().eq(accounts::primary_login_connection_id)),
        )
        .filter(memberships::user_id.eq(user))
        .order((memberships::joined_at.asc(), memberships::id.asc()))
        .limit(MAX_ROWS)
        .select((
            accounts::id,
            accounts::name,
            accounts::owner_id,
            login_connections::avatar_url.nullable(),
            users::avatar_url,
            (account_roles::id, account_roles::slug, account_roles::name, account_roles::color),
            plans::slug,
            memberships::joined_at,
        ))
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(|row| membership(row, user)).collect())
}

/// Locks the person until the transaction ends. Returns the e-mail address and the one that waits for
/// confirmation.
pub(super) async fn lock_emails(
    connection: &mut AsyncPgConnection,
    user: UserId,
) -> Result<(Option<String>, Option<String>)> {
    let person = users::table.find(user).select((users::email, users::pending_email)).for_no_key_update();
    Ok(person.first(connection).await?)
}

pub(super) async fn update(
    connection: &mut AsyncPgConnection,
    user: UserId,
    changes: &Changes,
    now: DateTime<Utc>,
) -> Result<()> {
    diesel::update(users::table.find(user))
        .set((changes, users::updated_at.eq(now)))
        .execute(connection)
        .await?;
    Ok(())
}

fn membership(row: MembershipRow, user: UserId) -> Membership {
    let (id, slug, name, color) = row.role;
    Membership {
        account_id: row.account_id,
        account_name: row.account_name,
        avatar_url: row.primary_avatar.or(row.owner_avatar),
        role: MembershipRole { id, slug, name, color },
        is_owner: row.owner_id == user,
        plan_slug: row.plan_slug,
        joined_at: row.joined_at,
    }
}
