//! Queries over `login_assignments`. Each one carries the account.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{self, AccountId, UserId},
    schema::{
        login_assignments::{self, dsl},
        login_connections,
    },
};
use uuid::Uuid;

use super::GqlLoginAssignment;

/// Maximum number of listed assignments, far above members times platforms of an account.
const MAX_ROWS: i64 = 50_000;

/// Assignments of all members or of one.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: Option<UserId>,
) -> Result<Vec<GqlLoginAssignment>> {
    let mut query = dsl::login_assignments
        .filter(dsl::account_id.eq(account))
        .order((dsl::created_at.asc(), dsl::id.asc()))
        .limit(MAX_ROWS)
        .select(columns())
        .into_boxed();
    if let Some(user) = user {
        query = query.filter(dsl::user_id.eq(user));
    }
    Ok(query.load(connection).await?)
}

/// Platform of a login connection of the person.
pub(super) async fn platform_of(
    connection: &mut AsyncPgConnection,
    user: UserId,
    login_connection: Uuid,
) -> Result<Option<String>> {
    Ok(login_connections::table
        .filter(login_connections::id.eq(login_connection).and(login_connections::user_id.eq(user)))
        .select(login_connections::platform)
        // The login connection cannot be deleted before it is assigned.
        .for_key_share()
        .first(connection)
        .await
        .optional()?)
}

/// Assigns a login connection. It replaces that of the same platform.
pub(super) async fn assign(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
    login_connection: Uuid,
    platform: &str,
    now: DateTime<Utc>,
) -> Result<GqlLoginAssignment> {
    let assigned = (dsl::login_connection_id.eq(login_connection), dsl::created_at.eq(now));
    Ok(insert_into(dsl::login_assignments)
        .values((
            dsl::id.eq(id::new()),
            dsl::account_id.eq(account),
            dsl::user_id.eq(user),
            dsl::platform.eq(platform),
            assigned,
        ))
        .on_conflict((dsl::account_id, dsl::user_id, dsl::platform))
        .do_update()
        .set(assigned)
        .returning(columns())
        .get_result(connection)
        .await?)
}

/// Removes an assignment and returns its id, if it existed.
pub(super) async fn remove(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
    platform: &str,
) -> Result<Option<Uuid>> {
    Ok(diesel::delete(dsl::login_assignments)
        .filter(dsl::account_id.eq(account).and(dsl::user_id.eq(user)).and(dsl::platform.eq(platform)))
        .returning(dsl::id)
        .get_result(connection)
        .await
        .optional()?)
}

type Columns = (
    login_assignments::id,
    login_assignments::account_id,
    login_assignments::user_id,
    login_assignments::login_connection_id,
    login_assignments::platform,
    login_assignments::created_at,
);

const fn columns() -> Columns {
    (dsl::id, dsl::account_id, dsl::user_id, dsl::login_connection_id, dsl::platform, dsl::created_at)
}
