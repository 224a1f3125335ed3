//! Search for people to invite (reference/accounts.md#member-search).

use api_core::{
    Cx, Input, Operation, Result,
    access::{AccountCaller, Grants, global_features},
    page::checked_limit,
    validate,
};
use serde::Deserialize;
use shared::catalogue::AccountPermission;
use utoipa::IntoParams;

use super::{FoundUser, db};

/// Minimum length of a search text. Shorter ones give an empty list.
const MIN_LENGTH: usize = 3;
const MAX_LENGTH: usize = 100;
const MAX_ROWS: i64 = 10;

/// Query of a search for people.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SearchUsersQuery {
    /// Beginning of a name. Fewer than 3 characters give an empty list.
    #[serde(default)]
    pub q: String,
    /// Maximum number of results, 1 to 10; absent: 10.
    #[param(minimum = 1, maximum = 10)]
    pub limit: Option<i32>,
}

pub static SEARCH_USERS: Operation<AccountCaller> =
    Operation::account("searchUsers", AccountPermission::MembersCreate, Grants::Nothing);

/// Finds people who are not members by the beginning of a name.
///
/// The text is compared in any case with user name and display name, and with the user names of login
/// connections. Fewer than 3 characters give an empty list.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: the limit is out of bounds, or the text has more than 100 characters.
#[api_core::operation]
pub async fn search_users(cx: &Cx, query: Input<SearchUsersQuery>) -> Result<Vec<FoundUser>> {
    let caller = cx.authorize(&SEARCH_USERS).await?;
    let query = query?;
    let limit = checked_limit(query.limit.map(i64::from), MAX_ROWS, MAX_ROWS)?;
    let prefix = validate::text("q", &query.q, 0, MAX_LENGTH)?;
    if prefix.chars().count() < MIN_LENGTH {
        return Ok(Vec::new());
    }
    let features = global_features(cx.state()).await?;
    let mut found = db::search(&mut *caller.db().await?, caller.account, &prefix, limit).await?;
    for person in &mut found {
        person.connections.retain(|connection| features.platform_allows(&connection.platform, "login"));
    }
    Ok(found)
}
