//! Testers of an extension of one's own (specification C B1.4): people who may install its versions in testing.

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, SignedIn},
    validate,
};
use diesel_async::AsyncConnection;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    audit::Entry,
    catalogue::{AccountPermission, FREE_PLAN, Feature},
    id::UserId,
    notify::{self, Notice},
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{carries, rules};
use crate::profile;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&EXTENSION_TESTERS, &INVITE_EXTENSION_TESTER, &REMOVE_EXTENSION_TESTER];

/// Testers of an extension by the plan of its developer's account (C B1.4).
const MOST_ON_FREE: i64 = 5;
const MOST_ON_PRO: i64 = 20;
const LONGEST_USERNAME: usize = 100;

/// Somebody who tests an extension.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ExtensionTester {
    pub user_id: Uuid,
    pub username: String,
    pub display_name: String,
    pub avatar_url: Option<String>,
    pub created_at: Timestamp,
}

/// Who is to test an extension.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "username": "somebody" }))]
pub struct InviteExtensionTesterInput {
    /// Of a person, whatever the case.
    pub username: String,
}

/// The testers of an extension.
pub static EXTENSION_TESTERS: Operation<SignedIn> =
    Operation::first_party("extensionTesters").feature(Feature::ExtensionDevelopment);

/// Lists the testers of an extension of the caller's own, the first invited first.
///
/// # Errors
/// As the rule; 404 when the caller has no such extension.
pub async fn extension_testers(cx: &Cx, id: Input<Uuid>) -> Result<Vec<ExtensionTester>> {
    let caller = cx.authorize(&EXTENSION_TESTERS).await?;
    carries(cx, AccountPermission::ExtensionDevRead)?;
    let id = id?;
    let mut connection = caller.db().await?;
    let profile = profile::owner(&mut connection, Some(caller.user)).await?;
    rules::db::find(&mut connection, profile.id, id).await?;
    db::list(&mut connection, id).await
}

/// Adds a tester.
pub static INVITE_EXTENSION_TESTER: Operation<SignedIn> =
    Operation::first_party("inviteExtensionTester").feature(Feature::ExtensionDevelopment);

/// Adds a tester to an extension of the caller's own, who is told.
///
/// # Errors
/// As the rule; 404 when the caller has no such extension or nobody has the name; 409 when several people have it or
/// the person is a tester; 403 `PLAN_LIMIT_REACHED` beyond 5 testers (free) or 20.
pub async fn invite_extension_tester(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<InviteExtensionTesterInput>,
) -> Result<ExtensionTester> {
    let caller = cx.authorize(&INVITE_EXTENSION_TESTER).await?;
    carries(cx, AccountPermission::ExtensionDevEdit)?;
    let (id, input) = (id?, input?);
    let username = validate::text("username", &input.username, 1, LONGEST_USERNAME)?;
    let now = cx.state().clock.now();
    let mut connection = caller.db().await?;
    let profile = profile::owner(&mut connection, Some(caller.user)).await?;
    connection
        .transaction(async |connection| {
            let extension = rules::db::find_locked(connection, profile.id, id).await?;
            let user = match db::named(connection, &username).await?[..] {
                [] => return Err(ApiError::not_found("User not found")),
                [user] => UserId(user),
                _ => return Err(ApiError::conflict("Several people have this username")),
            };
            let plan = db::plan_of(connection, caller.account).await?;
            let most = if plan.is_none_or(|plan| plan == FREE_PLAN) { MOST_ON_FREE } else { MOST_ON_PRO };
            let is_full = db::count(connection, id).await? >= most;
            if !db::insert(connection, id, user, caller.user, now).await? {
                return Err(ApiError::conflict("This person is a tester already"));
            }
            if is_full {
                let error = ApiError::new(Code::PlanLimitReached, "Tester limit reached");
                return Err(error.with_details(json!({ "limit": most })));
            }
            let notice = Notice::TesterInvited { extension_id: id, extension_name: &extension.name };
            notify::notify(connection, &[user], &notice, now).await?;
            let entry = Entry {
                metadata: json!({ "user_id": user }),
                ..cx.audit("extension:tester_invited", "extension", id)
            };
            shared::audit::record(connection, entry).await?;
            db::find(connection, id, user).await?.ok_or_else(not_found)
        })
        .await
}

/// Removes a tester.
pub static REMOVE_EXTENSION_TESTER: Operation<SignedIn> =
    Operation::first_party("removeExtensionTester").feature(Feature::ExtensionDevelopment);

/// Removes a tester from an extension of the caller's own. What the person has installed stays installed.
///
/// # Errors
/// As the rule; 404 when the caller has no such extension or the extension no such tester.
pub async fn remove_extension_tester(cx: &Cx, id: Input<Uuid>, user_id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&REMOVE_EXTENSION_TESTER).await?;
    carries(cx, AccountPermission::ExtensionDevEdit)?;
    let (id, user_id) = (id?, user_id?);
    let mut connection = caller.db().await?;
    let profile = profile::owner(&mut connection, Some(caller.user)).await?;
    connection
        .transaction(async |connection| {
            rules::db::find_locked(connection, profile.id, id).await?;
            if !db::delete(connection, id, UserId(user_id)).await? {
                return Err(not_found());
            }
            let entry = Entry {
                metadata: json!({ "user_id": user_id }),
                ..cx.audit("extension:tester_removed", "extension", id)
            };
            Ok(shared::audit::record(connection, entry).await?)
        })
        .await
}

fn not_found() -> ApiError {
    ApiError::not_found("Tester not found")
}
