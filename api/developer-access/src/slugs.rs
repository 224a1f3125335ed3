//! Slugs of developers and teams, which share one namespace (reference/teams.md#slugs).

use api_core::{ApiError, Result};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Bool, Text},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

/// Minimum length of a slug in characters.
pub const MIN_LENGTH: usize = 3;
/// Maximum length of a slug in characters (reference/teams.md#slugs).
pub const MAX_LENGTH: usize = 50;

/// Checks the rule of slugs.
///
/// # Errors
/// 400 with the broken rule.
pub fn check(slug: &str) -> Result<()> {
    if !(MIN_LENGTH..=MAX_LENGTH).contains(&slug.chars().count()) {
        return Err(ApiError::invalid("Slug must be between 3 and 50 characters"));
    }
    if !slug.starts_with(|first: char| first.is_ascii_lowercase()) {
        return Err(ApiError::invalid("Slug must start with a lowercase letter"));
    }
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !slug.bytes().all(is_plain) {
        return Err(ApiError::invalid("Slug must contain only lowercase letters, digits, and hyphens"));
    }
    Ok(())
}

#[derive(QueryableByName)]
struct Taken {
    #[diesel(sql_type = Bool)]
    taken: bool,
}

/// True when a developer, a team or a pending application has the slug. In a transaction it locks the slug
/// until the end, so that of two callers the second sees the slug of the first.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn is_taken(connection: &mut AsyncPgConnection, slug: &str) -> Result<bool> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended('developer_slugs:' || $1, 0))")
        .bind::<Text, _>(slug)
        .execute(connection)
        .await?;
    let found: Taken = sql_query(
        "SELECT EXISTS (SELECT 1 FROM developer_profiles WHERE slug = $1)
             OR EXISTS (SELECT 1 FROM developer_teams WHERE slug = $1)
             OR EXISTS (SELECT 1 FROM developer_applications WHERE slug = $1 AND status = 'pending') AS taken",
    )
    .bind::<Text, _>(slug)
    .get_result(connection)
    .await?;
    Ok(found.taken)
}

/// 409 for a slug that another one has.
#[must_use]
pub fn taken() -> ApiError {
    ApiError::conflict("Slug is already taken")
}
