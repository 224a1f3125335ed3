//! Queries over `accounts`. Lists hold accounts of which the caller is a member.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{self, AccountId, UserId},
    schema::{accounts, login_assignments, login_connections, memberships, plans, users},
};
use uuid::Uuid;

use super::{Account, AccountPlan};

/// Maximum number of listed accounts. No person has as many memberships; the query is bounded nevertheless.
const MAX_ROWS: i64 = 500;

#[derive(Queryable)]
struct Row {
    id: Uuid,
    name: String,
    description: Option<String>,
    slug: String,
    primary_avatar: Option<String>,
    owner_avatar: Option<String>,
    owner_id: Uuid,
    plan: (Uuid, String, String),
    primary_login_connection_id: Option<Uuid>,
    member_count: Option<i64>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// Name, slug and owner of an account.
#[derive(Queryable, Selectable)]
#[diesel(table_name = accounts)]
pub(super) struct Identity {
    pub name: String,
    pub slug: String,
    #[diesel(column_name = owner_id)]
    pub owner: UserId,
}

/// Membership of a person in an account.
#[derive(Queryable)]
pub(super) struct Membership {
    pub id: Uuid,
    pub account: AccountId,
    pub role_id: Uuid,
    pub is_owner: bool,
}

/// New values of columns; `None` leaves a column as it is.
#[derive(Debug, PartialEq, Eq, AsChangeset)]
#[diesel(table_name = accounts)]
pub(super) struct Changes {
    pub name: Option<String>,
    pub description: Option<Option<String>>,
}

impl Changes {
    /// True when no column changes.
    pub const fn is_empty(&self) -> bool {
        self.name.is_none() && self.description.is_none()
    }

    /// Columns that change.
    pub fn names(&self) -> Vec<&'static str> {
        let names = [("name", self.name.is_some()), ("description", self.description.is_some())];
        names.into_iter().filter_map(|(name, changes)| changes.then_some(name)).collect()
    }
}

/// Accounts of which a person is a member, oldest membership first.
pub(super) async fn ids_of_member(
    connection: &mut AsyncPgConnection,
    user: UserId,
) -> Result<Vec<AccountId>> {
    Ok(memberships::table
        .filter(memberships::user_id.eq(user))
        .order((memberships::joined_at.asc(), memberships::id.asc()))
        .limit(MAX_ROWS)
        .select(memberships::account_id)
        .load(connection)
        .await?)
}

/// Accounts in the order of their ids. Unknown ids are left out.
pub(super) async fn load(connection: &mut AsyncPgConnection, ids: &[AccountId]) -> Result<Vec<Account>> {
    let members = memberships::table.filter(memberships::account_id.eq(accounts::id)).count().single_value();
    let rows: Vec<Row> = accounts::table
        .inner_join(plans::table.on(plans::id.eq(accounts::plan_id)))
        .inner_join(users::table.on(users::id.eq(accounts::owner_id)))
        .left_join(
            login_connections::table
                .on(login_connections::id.nullable().eq(accounts::primary_login_connection_id)),
        )
        .filter(accounts::id.eq_any(ids))
        .select((
            accounts::id,
            accounts::name,
            accounts::description,
            accounts::slug,
            login_connections::avatar_url.nullable(),
            users::avatar_url,
            accounts::owner_id,
            (plans::id, plans::slug, plans::name),
            accounts::primary_login_connection_id,
            members,
            accounts::created_at,
            accounts::updated_at,
        ))
        .load(connection)
        .await?;
    let mut found: Vec<Account> = rows.into_iter().map(account).collect();
    found.sort_by_key(|account| ids.iter().position(|id| id.uuid() == account.id));
    Ok(found)
}

/// Account with an id.
pub(super) async fn find(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Option<Account>> {
    Ok(load(connection, &[account]).await?.pop())
}

/// Name, slug and owner of an account. Its row is locked until the transaction ends.
pub(super) async fn lock(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Option<Identity>> {
    Ok(accounts::table
        .find(account)
        .select(Identity::as_select())
        .for_update()
        .first(connection)
        .await
        .optional()?)
}

/// Membership of a person in an account.
pub(super) async fn membership(
    connection: &mut AsyncPgConnection,
    named: Uuid,
    user: UserId,
) -> Result<Option<Membership>> {
    Ok(memberships::table
        .inner_join(accounts::table)
        .filter(memberships::account_id.eq(named))
        .filter(memberships::user_id.eq(user))
        .select((
            memberships::id,
            memberships::account_id,
            memberships::role_id,
            accounts::owner_id.eq(memberships::user_id),
        ))
        .first(connection)
        .await
        .optional()?)
}

pub(super) async fn update(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    changes: &Changes,
    now: DateTime<Utc>,
) -> Result<()> {
    diesel::update(accounts::table.find(account))
        .set((changes, accounts::updated_at.eq(now)))
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn set_primary(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    login_connection: Option<Uuid>,
    now: DateTime<Utc>,
) -> Result<()> {
    diesel::update(accounts::table.find(account))
        .set((accounts::primary_login_connection_id.eq(login_connection), accounts::updated_at.eq(now)))
        .execute(connection)
        .await?;
    Ok(())
}

/// Locks a person until the transaction ends, so that the accounts that they own do not change.
pub(super) async fn lock_user(connection: &mut AsyncPgConnection, user: UserId) -> Result<()> {
    users::table.find(user).select(users::id).for_update().first::<UserId>(connection).await?;
    Ok(())
}

/// Those of the login connections that belong to the person, each with its platform.
pub(super) async fn own_login_connections(
    connection: &mut AsyncPgConnection,
    user: UserId,
    ids: Vec<Uuid>,
) -> Result<Vec<(Uuid, String)>> {
    Ok(login_connections::table
        .filter(login_connections::user_id.eq(user).and(login_connections::id.eq_any(ids)))
        .order(login_connections::created_at.asc())
        .select((login_connections::id, login_connections::platform))
        .load(connection)
        .await?)
}

pub(super) async fn assign_login_connections(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
    connections: &[(Uuid, String)],
    now: DateTime<Utc>,
) -> Result<()> {
    if connections.is_empty() {
        return Ok(());
    }
    let rows: Vec<_> = connections
        .iter()
        .map(|(login_connection, platform)| {
            (
                login_assignments::id.eq(id::new()),
                login_assignments::account_id.eq(account),
                login_assignments::user_id.eq(user),
                login_assignments::login_connection_id.eq(login_connection),
                login_assignments::platform.eq(platform),
                login_assignments::created_at.eq(now),
            )
        })
        .collect();
    insert_into(login_assignments::table).values(rows).execute(connection).await?;
    Ok(())
}

fn account(row: Row) -> Account {
    let (id, slug, name) = row.plan;
    Account {
        id: row.id,
        name: row.name,
        description: row.description,
        slug: row.slug,
        avatar_url: row.primary_avatar.or(row.owner_avatar),
        owner_id: row.owner_id,
        plan: AccountPlan { id, slug, name },
        primary_login_connection_id: row.primary_login_connection_id,
        member_count: i32::try_from(row.member_count.unwrap_or(0)).unwrap_or(i32::MAX),
        created_at: row.created_at,
        updated_at: row.updated_at,
    }
}
