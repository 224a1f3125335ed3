//! How an account comes to be, and how many a person may own (specification A §5.3; C §3, §8.1). Signing in for the
//! first time and creating an account share it.

use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use rand::RngExt;
use uuid::Uuid;

use crate::{
    Error, Result, catalogue,
    db::schema::{account_roles, accounts, memberships, plans, users},
    extensions::system,
    id::{self, AccountId, UserId},
};

/// Longest name of an account, in characters (C §3).
pub const MAX_NAME_LENGTH: usize = 100;

const MAX_SLUG_LENGTH: usize = 40;
/// Tries for a free slug: the name's own, then with a random end.
const MAX_SLUG_ATTEMPTS: usize = 5;
const SLUG_ENDING_BYTES: usize = 4;
/// Nobody owns more; the query is bounded all the same.
const MAX_OWNED: i64 = 1000;

/// An account to be made.
#[derive(Debug, Clone, Copy)]
pub struct NewAccount<'a> {
    /// 1 to [`MAX_NAME_LENGTH`] characters.
    pub name: &'a str,
    pub description: Option<&'a str>,
    pub owner: UserId,
    /// One of the owner's login connections.
    pub primary_login_connection: Option<Uuid>,
    /// The slug of its plan: what the configuration says.
    pub plan: &'a str,
}

/// What a person owns and may own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ownership {
    pub owned: usize,
    pub max_accounts: i32,
    /// The owned account whose plan allows the most.
    pub best: Option<AccountId>,
}

/// Inserts an account, its four default roles in order, the owner's membership, and the built-in
/// extensions that every account has. Call it in a transaction: it is several statements.
///
/// # Errors
/// When the database fails or is not seeded.
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
    system::install(connection, Some(account_id.0)).await?;
    Ok(account_id)
}

/// How many accounts a person owns and may own: an operator's override, else the most that a plan of an owned
/// account allows, else one.
///
/// # Errors
/// When the database fails.
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

/// The id of the Owner role.
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
    fn a_slug_is_made_of_the_name() {
        assert_eq!(slug_of("  The Näme & Co. "), "the-n-me-co");
        assert_eq!(slug_of("日本"), "account");
        assert_eq!(slug_of(&"ab ".repeat(40)).len(), MAX_SLUG_LENGTH);
        assert!(with_random_ending("x").starts_with("x-"));
        assert_ne!(with_random_ending("x"), with_random_ending("x"));
    }
}
