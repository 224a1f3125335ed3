//! Queries over `users` and dependent tables.

use api_core::{
    Page, Result, Timestamp,
    access::{AccountCreationOverride, AccountScopes},
};
use chrono::{DateTime, Utc};
use diesel::{Queryable, Selectable, dsl::exists, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    catalogue::PermissionSet,
    id::{AccountId, UserId},
    schema::{
        account_roles, accounts, developer_profiles, developer_teams, extensions, idempotent_requests,
        login_connections, memberships, sessions, users,
    },
};
use uuid::Uuid;

use super::{AdminUser, AdminUserLogin, AdminUserMembership, AdminUserSummary};
use crate::search::Search;

/// Upper bound of the lists. The number of memberships, owned accounts and login connections of a person is
/// lower.
const MAX_ROWS: i64 = 500;
/// Number of sessions that one deletion ends at once in every process. Further sessions are deleted from the
/// database only.
const MAX_SESSIONS: usize = 1000;

#[derive(Queryable, Selectable)]
#[diesel(table_name = users)]
struct Row {
    id: Uuid,
    display_name: String,
    username: String,
    email: Option<String>,
    avatar_url: Option<String>,
    created_at: Timestamp,
    last_login_at: Option<Timestamp>,
    account_creation_override: String,
    max_accounts_override: Option<i32>,
}

/// Checked change; `None`: unchanged.
#[derive(Debug, Default)]
pub(super) struct UserChange {
    /// New display name.
    pub display_name: Option<String>,
    /// New e-mail address; `Some(None)` clears.
    pub email: Option<Option<String>>,
    /// New override of account creation.
    pub account_creation_override: Option<AccountCreationOverride>,
    /// New limit of owned accounts; `Some(None)` clears.
    pub max_accounts_override: Option<Option<i32>>,
}

type Counted = (Row, Option<i64>, Option<i64>, bool);

#[derive(AsChangeset)]
#[diesel(table_name = users)]
struct Changes<'a> {
    display_name: Option<&'a str>,
    email: Option<Option<&'a str>>,
    account_creation_override: Option<&'static str>,
    max_accounts_override: Option<Option<i32>>,
    updated_at: DateTime<Utc>,
}

/// Returns one page of people, newest first.
pub(super) async fn page(
    connection: &mut AsyncPgConnection,
    search: &Search,
) -> Result<Page<AdminUserSummary>> {
    let pattern = search.pattern.as_str();
    let total = users::table
        .filter(users::display_name.ilike(pattern).or(users::username.ilike(pattern)))
        .or_filter(users::email.ilike(pattern))
        .or_filter(users::id.eq(search.id))
        .count()
        .get_result(connection)
        .await?;
    let owned = accounts::table.filter(accounts::owner_id.eq(users::id)).count().single_value();
    let belongs = memberships::table.filter(memberships::user_id.eq(users::id)).count().single_value();
    let develops = exists(developer_profiles::table.filter(developer_profiles::user_id.eq(users::id)));
    let rows: Vec<Counted> = users::table
        .filter(users::display_name.ilike(pattern).or(users::username.ilike(pattern)))
        .or_filter(users::email.ilike(pattern))
        .or_filter(users::id.eq(search.id))
        .order((users::created_at.desc(), users::id.desc()))
        .limit(search.window.limit)
        .offset(search.window.offset())
        .select((Row::as_select(), owned, belongs, develops))
        .load(connection)
        .await?;
    Ok(Page { items: rows.into_iter().map(summary).collect(), total, window: search.window })
}

fn summary((row, owned, belongs, is_developer): Counted) -> AdminUserSummary {
    AdminUserSummary {
        id: row.id,
        display_name: row.display_name,
        username: row.username,
        email: row.email,
        avatar_url: row.avatar_url,
        created_at: row.created_at,
        last_login_at: row.last_login_at,
        account_creation_override: AccountCreationOverride::parse(&row.account_creation_override),
        max_accounts_override: row.max_accounts_override,
        owned_account_count: count(owned),
        membership_count: count(belongs),
        is_developer,
    }
}

fn count(counted: Option<i64>) -> i32 {
    i32::try_from(counted.unwrap_or_default()).unwrap_or(i32::MAX)
}

/// Returns a person with memberships and login connections.
pub(super) async fn find(connection: &mut AsyncPgConnection, user: UserId) -> Result<Option<AdminUser>> {
    let develops = exists(developer_profiles::table.filter(developer_profiles::user_id.eq(users::id)));
    let found: Option<(Row, bool)> =
        users::table.find(user).select((Row::as_select(), develops)).first(connection).await.optional()?;
    let Some((row, is_developer)) = found else { return Ok(None) };
    let memberships = memberships_of(connection, user, None).await?;
    let owned = memberships.iter().filter(|membership| membership.is_owner).count();
    Ok(Some(AdminUser {
        id: row.id,
        display_name: row.display_name,
        username: row.username,
        email: row.email,
        avatar_url: row.avatar_url,
        created_at: row.created_at,
        last_login_at: row.last_login_at,
        account_creation_override: AccountCreationOverride::parse(&row.account_creation_override),
        max_accounts_override: row.max_accounts_override,
        owned_account_count: i32::try_from(owned).unwrap_or(i32::MAX),
        is_developer,
        memberships,
        login_connections: logins_of(connection, user).await?,
    }))
}

/// Lists the memberships of a person, oldest first, or the one with the identifier.
pub(super) async fn memberships_of(
    connection: &mut AsyncPgConnection,
    user: UserId,
    only: Option<Uuid>,
) -> Result<Vec<AdminUserMembership>> {
    let mut query = memberships::table
        .inner_join(accounts::table)
        .inner_join(account_roles::table.on(account_roles::id.eq(memberships::role_id)))
        .filter(memberships::user_id.eq(user))
        .order((memberships::joined_at.asc(), memberships::id.asc()))
        .limit(MAX_ROWS)
        .select((
            memberships::id,
            memberships::account_id,
            accounts::name,
            memberships::role_id,
            account_roles::name,
            accounts::owner_id.eq(memberships::user_id),
            memberships::joined_at,
        ))
        .into_boxed();
    if let Some(id) = only {
        query = query.filter(memberships::id.eq(id));
    }
    Ok(query.load(connection).await?)
}

async fn logins_of(connection: &mut AsyncPgConnection, user: UserId) -> Result<Vec<AdminUserLogin>> {
    use login_connections::dsl as t;
    Ok(t::login_connections
        .filter(t::user_id.eq(user))
        .order((t::created_at.asc(), t::id.asc()))
        .limit(MAX_ROWS)
        .select((
            t::id,
            t::platform,
            t::provider_user_id,
            t::username,
            t::display_name,
            t::reconnect_required,
            t::created_at,
        ))
        .load(connection)
        .await?)
}

/// Changes a person. False when there is no such person.
pub(super) async fn update(
    connection: &mut AsyncPgConnection,
    user: UserId,
    change: &UserChange,
    now: DateTime<Utc>,
) -> Result<bool> {
    let changes = Changes {
        display_name: change.display_name.as_deref(),
        email: change.email.as_ref().map(Option::as_deref),
        account_creation_override: change.account_creation_override.map(AccountCreationOverride::as_str),
        max_accounts_override: change.max_accounts_override,
        updated_at: now,
    };
    Ok(diesel::update(users::table.find(user)).set(changes).execute(connection).await? > 0)
}

/// Locks a person against changes until the transaction ends. False when there is no such person.
pub(super) async fn lock(connection: &mut AsyncPgConnection, user: UserId) -> Result<bool> {
    let person = users::table.find(user).select(users::id).for_update();
    Ok(person.first::<UserId>(connection).await.optional()?.is_some())
}

/// Returns the number of extensions that the person owns as a developer or as the owner of a team.
pub(super) async fn extensions_owned(connection: &mut AsyncPgConnection, user: UserId) -> Result<i64> {
    let profiles = developer_profiles::table
        .filter(developer_profiles::user_id.eq(user))
        .select(developer_profiles::id.nullable());
    let teams = developer_teams::table
        .filter(developer_teams::owner_id.eq(user))
        .select(developer_teams::id.nullable());
    let owned = extensions::table
        .filter(extensions::owner_developer_id.eq_any(profiles).or(extensions::owner_team_id.eq_any(teams)));
    Ok(owned.count().get_result(connection).await?)
}

/// Lists the accounts that a person owns, with their names.
pub(super) async fn accounts_owned(
    connection: &mut AsyncPgConnection,
    user: UserId,
) -> Result<Vec<(AccountId, String)>> {
    Ok(accounts::table
        .filter(accounts::owner_id.eq(user))
        .order(accounts::id)
        .limit(MAX_ROWS)
        .select((accounts::id, accounts::name))
        .load(connection)
        .await?)
}

/// Deletes a person with all dependent rows and returns the sessions that ended.
pub(super) async fn delete(connection: &mut AsyncPgConnection, user: UserId) -> Result<Vec<Uuid>> {
    let own = sessions::table.filter(sessions::user_id.eq(user));
    let mut ended: Vec<Uuid> = diesel::delete(own).returning(sessions::id).get_results(connection).await?;
    ended.truncate(MAX_SESSIONS);
    // They have no foreign key.
    let stored = idempotent_requests::table.filter(idempotent_requests::user_id.eq(user));
    diesel::delete(stored).execute(connection).await?;
    diesel::delete(users::table.find(user)).execute(connection).await?;
    Ok(ended)
}

/// Role of an account, as memberships need it.
pub(super) struct Role {
    /// True for the owner's role.
    pub is_owners: bool,
    /// Permissions of the role, including those that overrides of the account deny at present.
    pub permissions: AccountScopes,
}

/// Returns a role of an account and keeps the row until the transaction ends.
pub(super) async fn role(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    role: Uuid,
) -> Result<Option<Role>> {
    let held: Option<(bool, Vec<String>)> = account_roles::table
        .filter(account_roles::account_id.eq(account).and(account_roles::id.eq(role)))
        .select((account_roles::is_system, account_roles::permissions))
        .for_key_share()
        .first(connection)
        .await
        .optional()?;
    Ok(held.map(|(is_owners, texts)| Role { is_owners, permissions: PermissionSet::from_strings(&texts) }))
}
