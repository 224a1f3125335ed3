//! Creation of an account and the number of accounts a person may own, shared by first sign-in and account
//! creation (reference/accounts.md#creation).

use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use rand::RngExt;
use uuid::Uuid;

use extension_model::system;
use shared::{
    Error, Result, catalogue,
    id::{self, AccountId, UserId},
    schema::{account_roles, accounts, memberships, plans, users},
};

/// Maximum length of an account's name, in characters.
pub const MAX_NAME_LENGTH: usize = 100;

const MAX_SLUG_LENGTH: usize = 40;
/// Attempts to find a free slug: the name's own first, then with a random ending.
const MAX_SLUG_ATTEMPTS: usize = 5;
const SLUG_ENDING_BYTES: usize = 4;
/// Bound of the query. No person owns as many accounts.
const MAX_OWNED: i64 = 1000;

/// An account to create.
#[derive(Debug, Clone, Copy)]
pub struct NewAccount<'a> {
    /// 1 to [`MAX_NAME_LENGTH`] characters.
    pub name: &'a str,
    /// Description, or `None`.
    pub description: Option<&'a str>,
    /// Person who owns the account.
    pub owner: UserId,
    /// One of the owner's login connections.
    pub primary_login_connection: Option<Uuid>,
    /// Slug of its plan, from the configuration.
    pub plan: &'a str,
}

/// Number of accounts that a person owns and may own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ownership {
    /// Accounts owned now.
    pub owned: usize,
    /// Accounts allowed.
    pub max_accounts: i32,
    /// Owned account whose plan allows the most.
    pub best: Option<AccountId>,
}

/// Inserts an account, its four default roles in order, the owner's membership, and the built-in extensions
/// of every account. Call it in a transaction: it runs several statements.
///
/// # Errors
/// Database failure, or a database without seeded plans.
pub async fn create_with_default_roles(
    connection: &mut AsyncPgConnection,
    account: &NewAccount<'_>,
    now: DateTime<Utc>,
) -> Result<AccountId> {
    let account_id = insert_account(connection, account, now).await?;
    let owner_role = insert_default_roles(connection, account_id, now).await?;
    insert_into(memberships::table)
        .values((
            memberships::id.eq(id::new()),
            memberships::account_id.eq(account_id),
            memberships::user_id.eq(account.owner),
            memberships::role_id.eq(owner_role),
            memberships::joined_at.eq(now),
        ))
        .execute(connection)
        .await?;
    system::install(connection, Some(account_id.uuid())).await?;
    Ok(account_id)
}

/// Number of accounts that a person owns and may own. The limit is an override by staff, else the maximum of
/// the plans of the owned accounts, else one (reference/accounts.md#ownership-limit).
///
/// # Errors
/// Database failure.
pub async fn ownership(connection: &mut AsyncPgConnection, user: UserId) -> Result<Ownership> {
    type Row = (Option<i32>, Option<AccountId>, Option<i32>);
    let rows: Vec<Row> = users::table
        .left_join(accounts::table.on(accounts::owner_id.eq(users::id)))
        .left_join(plans::table.on(plans::id.eq(accounts::plan_id)))
        .filter(users::id.eq(user))
        .order((plans::max_accounts.desc().nulls_last(), accounts::created_at.asc()))
        .limit(MAX_OWNED)
        .select((users::max_accounts_override, accounts::id.nullable(), plans::max_accounts.nullable()))
        .load(connection)
        .await?;
    let (own_limit, best, plan_limit) = rows.iter().copied().next().unwrap_or_default();
    Ok(Ownership {
        owned: rows.iter().filter(|(_, account, _)| account.is_some()).count(),
        max_accounts: own_limit.or(plan_limit).unwrap_or(1),
        best,
    })
}

async fn insert_account(
    connection: &mut AsyncPgConnection,
    account: &NewAccount<'_>,
    now: DateTime<Utc>,
) -> Result<AccountId> {
    let plan: Uuid =
        plans::table.filter(plans::slug.eq(account.plan)).select(plans::id).first(connection).await?;
    let plain = slug_of(account.name);
    for attempt in 0..MAX_SLUG_ATTEMPTS {
        let slug = if attempt == 0 { plain.clone() } else { with_random_ending(&plain) };
        let inserted: Option<AccountId> = insert_into(accounts::table)
            .values((
                accounts::id.eq(id::new()),
                accounts::name.eq(account.name),
                accounts::slug.eq(slug),
                accounts::description.eq(account.description),
                accounts::owner_id.eq(account.owner),
                accounts::plan_id.eq(plan),
                accounts::primary_login_connection_id.eq(account.primary_login_connection),
                accounts::created_at.eq(now),
                accounts::updated_at.eq(now),
            ))
            .on_conflict(accounts::slug)
            .do_nothing()
            .returning(accounts::id)
            .get_result(connection)
            .await
            .optional()?;
        if let Some(account_id) = inserted {
            return Ok(account_id);
        }
    }
    Err(Error::Internal(format!("no free slug for an account was found in {MAX_SLUG_ATTEMPTS} tries")))
}

/// Returns the id of the Owner role.
async fn insert_default_roles(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    now: DateTime<Utc>,
) -> Result<Uuid> {
    let seeds = catalogue::account_roles();
    let owner_role = id::new();
    let rows: Vec<_> = (0..)
        .zip(&seeds)
        .map(|(position, seed)| {
            (
                account_roles::id.eq(if position == 0 { owner_role } else { id::new() }),
                account_roles::account_id.eq(account),
                account_roles::slug.eq(seed.slug),
                account_roles::name.eq(seed.name),
                account_roles::is_system.eq(seed.is_system),
                account_roles::position.eq(position),
                account_roles::permissions.eq(seed.permissions.to_strings()),
                account_roles::created_at.eq(now),
                account_roles::updated_at.eq(now),
            )
        })
        .collect();
    insert_into(account_roles::table).values(rows).execute(connection).await?;
    Ok(owner_role)
}

/// The name in lower-case ASCII letters and digits, with single hyphens between.
fn slug_of(name: &str) -> String {
    let mut slug = String::new();
    for character in name.chars().flat_map(char::to_lowercase) {
        if slug.len() == MAX_SLUG_LENGTH {
            break;
        }
        if character.is_ascii_alphanumeric() {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "account".to_owned() } else { slug.to_owned() }
}

fn with_random_ending(slug: &str) -> String {
    let ending: [u8; SLUG_ENDING_BYTES] = rand::rng().random();
    format!("{slug}-{}", hex::encode(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slug_of_derives_the_slug_from_the_name() {
        assert_eq!(slug_of("  The Näme & Co. "), "the-n-me-co");
        assert_eq!(slug_of("日本"), "account");
        assert_eq!(slug_of(&"ab ".repeat(40)).len(), MAX_SLUG_LENGTH);
        assert!(with_random_ending("x").starts_with("x-"));
        assert_ne!(with_random_ending("x"), with_random_ending("x"));
    }
}
