//! Queries over `accounts` and dependent tables.

use api_core::{Page, Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::AccountId,
    schema::{accounts, bot_connections, channel_connections, memberships, plans, users},
};
use uuid::Uuid;

use super::{AdminAccount, AdminAccountConnection, AdminAccountOwner, AdminAccountPlan, AdminAccountSummary};
use crate::search::Search;

/// Upper bound of the lists. An account has one connection a platform and kind.
const MAX_ROWS: i64 = 100;

#[derive(Queryable)]
struct Row {
    id: Uuid,
    name: String,
    slug: String,
    description: Option<String>,
    owner: AdminAccountOwner,
    plan: AdminAccountPlan,
    member_count: Option<i64>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

#[derive(AsChangeset)]
#[diesel(table_name = accounts)]
struct Changes<'a> {
    name: Option<&'a str>,
    description: Option<Option<&'a str>>,
    updated_at: DateTime<Utc>,
}

/// Checked change; `None`: unchanged.
pub(super) struct AccountChange {
    /// New name.
    pub name: Option<String>,
    /// New description; `Some(None)` clears.
    pub description: Option<Option<String>>,
}

/// Selection of accounts.
enum Which<'a> {
    One(AccountId),
    Found(&'a Search),
}

/// Returns one page of accounts, newest first.
pub(super) async fn page(
    connection: &mut AsyncPgConnection,
    search: &Search,
) -> Result<Page<AdminAccountSummary>> {
    let pattern = search.pattern.as_str();
    let total = accounts::table
        .inner_join(users::table.on(users::id.eq(accounts::owner_id)))
        .filter(accounts::name.ilike(pattern).or(accounts::slug.ilike(pattern)))
        .or_filter(users::display_name.ilike(pattern))
        .or_filter(users::email.ilike(pattern))
        .or_filter(accounts::id.eq(search.id))
        .count()
        .get_result(connection)
        .await?;
    let rows = load(connection, &Which::Found(search)).await?;
    Ok(Page { items: rows.into_iter().map(summary).collect(), total, window: search.window })
}

/// Returns an account with its connections.
pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<Option<AdminAccount>> {
    let Some(row) = load(connection, &Which::One(account)).await?.pop() else { return Ok(None) };
    let member_count = count(row.member_count);
    Ok(Some(AdminAccount {
        id: row.id,
        name: row.name,
        slug: row.slug,
        description: row.description,
        owner: row.owner,
        plan: row.plan,
        member_count,
        created_at: row.created_at,
        updated_at: row.updated_at,
        channel_connections: channels(connection, account).await?,
        bot_connections: bots(connection, account).await?,
    }))
}

async fn load(connection: &mut AsyncPgConnection, which: &Which<'_>) -> Result<Vec<Row>> {
    let members = memberships::table.filter(memberships::account_id.eq(accounts::id)).count().single_value();
    let every = accounts::table
        .inner_join(users::table.on(users::id.eq(accounts::owner_id)))
        .inner_join(plans::table.on(plans::id.eq(accounts::plan_id)))
        .order((accounts::created_at.desc(), accounts::id.desc()))
        .select((
            accounts::id,
            accounts::name,
            accounts::slug,
            accounts::description,
            (users::id, users::display_name, users::email),
            (plans::id, plans::slug, plans::name),
            members,
            accounts::created_at,
            accounts::updated_at,
        ))
        .into_boxed();
    let wanted = match which {
        Which::One(account) => every.filter(accounts::id.eq(*account)).limit(1),
        Which::Found(search) => {
            let pattern = search.pattern.as_str();
            every
                .filter(accounts::name.ilike(pattern).or(accounts::slug.ilike(pattern)))
                .or_filter(users::display_name.ilike(pattern))
                .or_filter(users::email.ilike(pattern))
                .or_filter(accounts::id.eq(search.id))
                .limit(search.window.limit)
                .offset(search.window.offset())
        }
    };
    Ok(wanted.load(connection).await?)
}

fn summary(row: Row) -> AdminAccountSummary {
    AdminAccountSummary {
        id: row.id,
        name: row.name,
        slug: row.slug,
        owner: row.owner,
        plan: row.plan,
        member_count: count(row.member_count),
        created_at: row.created_at,
        updated_at: row.updated_at,
    }
}

fn count(counted: Option<i64>) -> i32 {
    i32::try_from(counted.unwrap_or_default()).unwrap_or(i32::MAX)
}

async fn channels(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<AdminAccountConnection>> {
    use channel_connections::dsl as t;
    Ok(t::channel_connections
        .filter(t::account_id.eq(account))
        .order(t::platform.asc())
        .limit(MAX_ROWS)
        .select((
            t::id,
            t::platform,
            t::channel_name,
            t::display_name,
            t::reconnect_required,
            t::connected_at,
        ))
        .load(connection)
        .await?)
}

async fn bots(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Vec<AdminAccountConnection>> {
    use bot_connections::dsl as t;
    Ok(t::bot_connections
        .filter(t::account_id.eq(account))
        .order(t::platform.asc())
        .limit(MAX_ROWS)
        .select((
            t::id,
            t::platform,
            t::bot_username,
            t::display_name,
            t::reconnect_required,
            t::connected_at,
        ))
        .load(connection)
        .await?)
}

/// Changes an account. False when there is no such account.
pub(super) async fn update(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    change: &AccountChange,
    now: DateTime<Utc>,
) -> Result<bool> {
    let changes = Changes {
        name: change.name.as_deref(),
        description: change.description.as_ref().map(Option::as_deref),
        updated_at: now,
    };
    Ok(diesel::update(accounts::table.find(account)).set(changes).execute(connection).await? > 0)
}
