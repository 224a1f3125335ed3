//! Finding people to invite (specification C §4).

use api_core::{
    Cx, Input, Operation, Result,
    access::{AccountCaller, Grants, global_features},
    page::checked_limit,
    validate,
};
use juniper::GraphQLObject;
use serde::{Deserialize, Serialize};
use shared::catalogue::AccountPermission;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::db;

/// A shorter text finds nobody.
const MIN_LENGTH: usize = 3;
const MAX_LENGTH: usize = 100;
const MAX_ROWS: i64 = 10;

/// Whom to look for.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SearchUsersQuery {
    /// How a name begins; nobody is found for less than 3 characters.
    #[serde(default)]
    pub q: String,
    /// 1 to 10; 10 when absent.
    #[param(minimum = 1, maximum = 10)]
    pub limit: Option<i32>,
}

/// Somebody who is not a member.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct FoundUser {
    pub user_id: Uuid,
    pub display_name: String,
    pub username: String,
    pub avatar_url: Option<String>,
    /// Without those of platforms that sign-in is switched off for.
    pub connections: Vec<FoundUserConnection>,
}

/// What somebody is called on a platform.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct FoundUserConnection {
    /// The platform's slug.
    pub platform: String,
    pub username: String,
    pub display_name: String,
    pub avatar_url: Option<String>,
}

/// Finds people who are not members.
pub static SEARCH_USERS: Operation<AccountCaller> =
    Operation::account("searchUsers", AccountPermission::MembersCreate, Grants::Nothing);

/// Finds people who are not members by how their name begins: on Lumio or on a platform that they sign in with.
///
/// # Errors
/// As the rule; 400 for a limit out of range or a text that is too long.
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
