//! Testers of an extension of one's own (specification C B1.4): people who may install its versions in testing.

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, SignedIn},
    validate,
};
use diesel_async::AsyncConnection;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, FREE_PLAN, Feature},
    id::UserId,
    notify::{self, Notice},
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    own::{Own, limit_reached, record},
    rules,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&EXTENSION_TESTERS, &INVITE_EXTENSION_TESTER, &REMOVE_EXTENSION_TESTER];

/// Testers of an extension by the plan of its developer's account (C B1.4).
const MAX_ON_FREE: i64 = 5;
const MAX_ON_PRO: i64 = 20;
const MAX_USERNAME_LENGTH: usize = 100;

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
    #[schema(extensions(("maxLength" = json!(MAX_USERNAME_LENGTH))))]
    pub username: String,
}

/// The testers of an extension.
pub static EXTENSION_TESTERS: Operation<SignedIn> =
    Operation::first_party("extensionTesters", Grants::Nothing).feature(Feature::ExtensionDevelopment);

/// Lists the testers of an extension of the caller's own, the first invited first.
///
/// # Errors
/// As the rule; 404 when the caller has no such extension.
pub async fn extension_testers(cx: &Cx, id: Input<Uuid>) -> Result<Vec<ExtensionTester>> {
    let caller = cx.authorize(&EXTENSION_TESTERS).await?;
    let (mut own, ()) = Own::of(cx, &caller, AccountPermission::ExtensionDevRead, id, Ok(())).await?;
    own.exists().await?;
    db::list(&mut own.connection, own.id).await
}

/// Adds a tester.
pub static INVITE_EXTENSION_TESTER: Operation<SignedIn> =
    Operation::first_party("inviteExtensionTester", Grants::Extensions)
        .feature(Feature::ExtensionDevelopment);

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
    let username =
        input.and_then(|input| validate::text("username", &input.username, 1, MAX_USERNAME_LENGTH));
    let (mut own, username) = Own::of(cx, &caller, AccountPermission::ExtensionDevEdit, id, username).await?;
    let now = cx.state().clock.now();
    let (connection, developer, id) = own.parts();
    connection
        .transaction(async |connection| {
            let extension = rules::db::find_locked(connection, developer, id).await?;
            let user = match db::named(connection, &username).await?[..] {
                [] => return Err(ApiError::not_found("User not found")),
                [user] => UserId(user),
                _ => return Err(ApiError::conflict("Several people have this username")),
            };
            let plan = db::plan_of(connection, caller.account).await?;
            let most = if plan.is_none_or(|plan| plan == FREE_PLAN) { MAX_ON_FREE } else { MAX_ON_PRO };
            let is_full = db::count(connection, id).await? >= most;
            if !db::insert(connection, id, user, caller.user, now).await? {
                return Err(ApiError::conflict("This person is a tester already"));
            }
            if is_full {
                return Err(limit_reached("Tester limit reached", most));
            }
            let notice = Notice::TesterInvited { extension_id: id, extension_name: &extension.name };
            notify::notify(connection, &[user], &notice, now).await?;
            record(cx, connection, "extension:tester_invited", id, json!({ "user_id": user })).await?;
            db::find(connection, id, user).await?.ok_or_else(not_found)
        })
        .await
}

/// Removes a tester.
pub static REMOVE_EXTENSION_TESTER: Operation<SignedIn> =
    Operation::first_party("removeExtensionTester", Grants::Extensions)
        .feature(Feature::ExtensionDevelopment);

/// Removes a tester from an extension of the caller's own. What the person has installed stays installed.
///
/// # Errors
/// As the rule; 404 when the caller has no such extension or the extension no such tester.
pub async fn remove_extension_tester(cx: &Cx, id: Input<Uuid>, user_id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&REMOVE_EXTENSION_TESTER).await?;
    let (mut own, user) =
        Own::of(cx, &caller, AccountPermission::ExtensionDevEdit, id, user_id.map(UserId)).await?;
    let (connection, developer, id) = own.parts();
    connection
        .transaction(async |connection| {
            rules::db::find_locked(connection, developer, id).await?;
            if !db::delete(connection, id, user).await? {
                return Err(not_found());
            }
            record(cx, connection, "extension:tester_removed", id, json!({ "user_id": user })).await
        })
        .await
}

fn not_found() -> ApiError {
    ApiError::not_found("Tester not found")
}
