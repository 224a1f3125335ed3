//! Testers of the caller's extensions: people who may install versions in testing
//! (reference/developers.md#testers).

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
use notices::notify::{self, Notice};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, FREE_PLAN, Feature, TeamPermission},
    id::UserId,
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

/// Maximum number of testers of an extension, by the plan of its developer's account.
const MAX_TESTERS_FREE: i64 = 5;
const MAX_TESTERS_PRO: i64 = 20;
const MAX_USERNAME_LENGTH: usize = 100;

/// A tester of an extension.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ExtensionTester {
    /// Person.
    pub user_id: Uuid,
    /// Username.
    pub username: String,
    /// Display name.
    pub display_name: String,
    /// Address of the picture, or null.
    pub avatar_url: Option<String>,
    /// Time of the invitation.
    pub created_at: Timestamp,
}

/// Person to invite as a tester.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "username": "somebody" }))]
pub struct InviteExtensionTesterInput {
    /// Username, case-insensitive.
    #[schema(extensions(("maxLength" = json!(MAX_USERNAME_LENGTH))))]
    pub username: String,
}

pub static EXTENSION_TESTERS: Operation<SignedIn> =
    Operation::first_party("extensionTesters", Grants::Nothing)
        .feature(Feature::ExtensionDevelopment)
        .in_team(&[TeamPermission::TeamTestersRead]);

/// Lists the testers of one of the caller's extensions, the oldest first.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a key that does not carry `extension-dev:read`.
/// - 403 for a member of the extension's team without the permission.
/// - 404 when the caller has no such extension.
#[api_core::operation]
pub async fn extension_testers(cx: &Cx, id: Input<Uuid>) -> Result<Vec<ExtensionTester>> {
    let caller = cx.authorize(&EXTENSION_TESTERS).await?;
    let (mut own, ()) =
        Own::of(cx, &caller, &EXTENSION_TESTERS, AccountPermission::ExtensionDevRead, id, Ok(())).await?;
    db::list(&mut own.connection, own.id).await
}

pub static INVITE_EXTENSION_TESTER: Operation<SignedIn> =
    Operation::first_party("inviteExtensionTester", Grants::Extensions)
        .feature(Feature::ExtensionDevelopment)
        .in_team(&[TeamPermission::TeamTestersInvite])
        .idempotent();

/// Adds a tester to one of the caller's extensions.
///
/// The person is notified, and may install versions in testing in accounts that the person owns. No
/// acceptance is needed.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for an invalid username.
/// - 403 for a key that does not carry `extension-dev:edit`.
/// - 403 `PLAN_LIMIT_REACHED` above 5 testers on the free plan, 20 on other plans.
/// - 403 for a member of the extension's team without the permission.
/// - 404 when the caller has no such extension, or no person has the username.
/// - 409 when several people have the username, or the person is a tester already.
#[api_core::operation]
pub async fn invite_extension_tester(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<InviteExtensionTesterInput>,
) -> Result<ExtensionTester> {
    let caller = cx.authorize(&INVITE_EXTENSION_TESTER).await?;
    let username =
        input.and_then(|input| validate::text("username", &input.username, 1, MAX_USERNAME_LENGTH));
    let (mut own, username) =
        Own::of(cx, &caller, &INVITE_EXTENSION_TESTER, AccountPermission::ExtensionDevEdit, id, username)
            .await?;
    let now = cx.state().clock.now();
    let (connection, owner, id) = own.parts();
    connection
        .transaction(async |connection| {
            let extension = rules::db::find_locked(connection, owner, id).await?;
            let user = match db::named(connection, &username).await?[..] {
                [] => return Err(ApiError::not_found("User not found")),
                [user] => UserId(user),
                _ => return Err(ApiError::conflict("Several people have this username")),
            };
            let plan = db::plan_of(connection, caller.account).await?;
            let max =
                if plan.is_none_or(|plan| plan == FREE_PLAN) { MAX_TESTERS_FREE } else { MAX_TESTERS_PRO };
            let is_full = db::count(connection, id).await? >= max;
            if !db::insert(connection, id, user, caller.user, now).await? {
                return Err(ApiError::conflict("This person is a tester already"));
            }
            if is_full {
                return Err(limit_reached("Tester limit reached", max));
            }
            let notice = Notice::TesterInvited { extension_id: id, extension_name: &extension.name };
            notify::notify(connection, &[user], &notice, now).await?;
            record(cx, connection, "extension:tester_invited", id, json!({ "user_id": user })).await?;
            db::find(connection, id, user).await?.ok_or_else(not_found)
        })
        .await
}

pub static REMOVE_EXTENSION_TESTER: Operation<SignedIn> =
    Operation::first_party("removeExtensionTester", Grants::Extensions)
        .feature(Feature::ExtensionDevelopment)
        .in_team(&[TeamPermission::TeamTestersRemove]);

/// Removes a tester from one of the caller's extensions.
///
/// Nothing is uninstalled: an existing install keeps running.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 for a key that does not carry `extension-dev:edit`.
/// - 403 for a member of the extension's team without the permission.
/// - 404 when the caller has no such extension, or the extension has no such tester.
#[api_core::operation]
pub async fn remove_extension_tester(cx: &Cx, id: Input<Uuid>, user_id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&REMOVE_EXTENSION_TESTER).await?;
    let (mut own, user) = Own::of(
        cx,
        &caller,
        &REMOVE_EXTENSION_TESTER,
        AccountPermission::ExtensionDevEdit,
        id,
        user_id.map(UserId),
    )
    .await?;
    let (connection, owner, id) = own.parts();
    connection
        .transaction(async |connection| {
            rules::db::find_locked(connection, owner, id).await?;
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
