//! Accounts (reference/accounts.md#account).

mod create;
mod db;
mod end;
pub mod graphql;
mod primary;
pub mod rest;

use account_model::accounts::MAX_NAME_LENGTH;
use api_core::{
    Cx, Input, Operation, Patch, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Authenticated, Grants, Principal},
    validate,
};
use diesel_async::AsyncConnection;
use foundation::audit;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::catalogue::AccountPermission;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::named::{must_be, not_found};

pub use create::{CREATE_ACCOUNT, CreateAccountInput, CreateAccountResult, create_account};
pub use end::{DISSOLVE_ACCOUNT, DissolveAccountInput, LEAVE_ACCOUNT, dissolve_account, leave_account};
pub use primary::{
    SET_PRIMARY_LOGIN_CONNECTION, SetPrimaryLoginConnectionInput, set_primary_login_connection,
};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &ACCOUNTS,
    &ACCOUNT,
    &CREATE_ACCOUNT,
    &UPDATE_ACCOUNT,
    &DISSOLVE_ACCOUNT,
    &LEAVE_ACCOUNT,
    &SET_PRIMARY_LOGIN_CONNECTION,
];

const MAX_DESCRIPTION_LENGTH: usize = 500;

/// An account.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct Account {
    /// Id of the account.
    pub id: Uuid,
    /// Name, 1 to 100 characters.
    pub name: String,
    /// Description; null when there is none.
    pub description: Option<String>,
    /// Slug, derived from the name at creation and never changed.
    pub slug: String,
    /// Address of the avatar of the primary login connection, else of the owner; null when there is none.
    pub avatar_url: Option<String>,
    /// Person who owns the account.
    pub owner_id: Uuid,
    /// Plan of the account.
    pub plan: AccountPlan,
    /// Login connection that gives the account its avatar; null when none is chosen.
    pub primary_login_connection_id: Option<Uuid>,
    /// Number of members.
    pub member_count: i32,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Plan of an account.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AccountPlan {
    /// Id of the plan.
    pub id: Uuid,
    /// Slug of the plan.
    pub slug: String,
    /// Name of the plan.
    pub name: String,
}

/// Changes of an account. Absent fields stay as they are.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct UpdateAccountInput {
    /// Name, 1 to 100 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub name: Patch<String>,
    /// Description, at most 500 characters; null clears it.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_DESCRIPTION_LENGTH))))]
    pub description: Patch<String>,
}

pub static ACCOUNTS: Operation<Authenticated> =
    Operation::authenticated("accounts", Grants::Nothing).polled();

/// Lists the accounts of the caller.
///
/// The oldest membership comes first; the list has at most 500 entries. Service keys and popouts see their
/// own account only.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn accounts(cx: &Cx) -> Result<Vec<Account>> {
    let caller = cx.authorize(&ACCOUNTS).await?;
    let mut connection = caller.db().await?;
    let ids = match cx.principal() {
        Principal::Session { user, .. } | Principal::PersonalKey { user, .. } => {
            db::ids_of_member(&mut connection, *user).await?
        }
        _ => caller.account.into_iter().collect(),
    };
    db::load(&mut connection, &ids).await
}

pub static ACCOUNT: Operation<AccountCaller> =
    Operation::account("account", AccountPermission::AccountRead, Grants::Nothing);

/// Returns the account that the caller acts in.
///
/// A named account must be that one.
///
/// (reference/accounts.md#account-of-the-caller)
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404: another account is named.
#[api_core::operation]
pub async fn account(cx: &Cx, named: Option<Input<Uuid>>) -> Result<Account> {
    let caller = cx.authorize(&ACCOUNT).await?;
    must_be(caller.account, named)?;
    db::find(&mut *caller.db().await?, caller.account).await?.ok_or_else(not_found)
}

pub static UPDATE_ACCOUNT: Operation<AccountCaller> =
    Operation::account("updateAccount", AccountPermission::AccountEdit, Grants::Nothing);

/// Updates name and description of the account that the caller acts in.
///
/// Absent fields stay as they are. The slug does not change with the name. An update without a change writes
/// nothing.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: an input is malformed.
/// - 404: another account is named.
#[api_core::operation]
pub async fn update_account(
    cx: &Cx,
    named: Option<Input<Uuid>>,
    input: Input<UpdateAccountInput>,
) -> Result<Account> {
    let caller = cx.authorize(&UPDATE_ACCOUNT).await?;
    let changes = changes(input?)?;
    must_be(caller.account, named)?;
    let now = cx.state().clock.now();
    caller
        .db()
        .await?
        .transaction(async |connection| {
            if !changes.is_empty() {
                db::update(connection, caller.account, &changes, now).await?;
                let entry = audit::Entry {
                    metadata: json!({ "changed": changes.names() }),
                    ..cx.audit("account:updated", "account", caller.account)
                };
                audit::record(connection, entry).await?;
            }
            db::find(connection, caller.account).await?.ok_or_else(not_found)
        })
        .await
}

fn changes(input: UpdateAccountInput) -> Result<db::Changes> {
    let name = input.name.not_null("name")?;
    let description = input
        .description
        .try_map(|text| validate::long_text("description", &text, 0, MAX_DESCRIPTION_LENGTH))?
        .into_change();
    Ok(db::Changes {
        name: name.map(|name| validate::text("name", &name, 1, MAX_NAME_LENGTH)).transpose()?,
        // An empty description is stored as null.
        description: description.map(|text| text.filter(|text| !text.is_empty())),
    })
}
