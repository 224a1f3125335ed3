//! Accounts themselves (specification A §4.3; C §3).

mod create;
mod db;
mod end;
pub mod graphql;
mod primary;
pub mod rest;

use api_core::{
    Cx, Input, Operation, Patch, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Authenticated, Grants, Principal},
    validate,
};
use diesel_async::AsyncConnection;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{accounts::MAX_NAME_LENGTH, audit, catalogue::AccountPermission};
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
    pub id: Uuid,
    pub name: String,
    pub description: Option<String>,
    pub slug: String,
    /// Of the primary login connection, else of the owner.
    pub avatar_url: Option<String>,
    pub owner_id: Uuid,
    pub plan: AccountPlan,
    pub primary_login_connection_id: Option<Uuid>,
    pub member_count: i32,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The plan that an account is on.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct AccountPlan {
    pub id: Uuid,
    pub slug: String,
    pub name: String,
}

/// What is to change of an account.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct UpdateAccountInput {
    /// 1 to 100 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub name: Patch<String>,
    /// At most 500 characters; null clears it.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_DESCRIPTION_LENGTH))))]
    pub description: Patch<String>,
}

/// The accounts of the caller.
pub static ACCOUNTS: Operation<Authenticated> = Operation::authenticated("accounts", Grants::Nothing);

/// Lists the accounts that the caller belongs to, oldest membership first. Credentials that stand for one account
/// only (service keys, popouts) see that one.
///
/// # Errors
/// As the rule.
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

/// The account that the caller acts in.
pub static ACCOUNT: Operation<AccountCaller> =
    Operation::account("account", AccountPermission::AccountRead, Grants::Nothing);

/// The account that the caller acts in. Where the caller names an account, it must be that one.
///
/// # Errors
/// As the rule; 404 for another account.
pub async fn account(cx: &Cx, named: Option<Input<Uuid>>) -> Result<Account> {
    let caller = cx.authorize(&ACCOUNT).await?;
    must_be(caller.account, named)?;
    db::find(&mut *caller.db().await?, caller.account).await?.ok_or_else(not_found)
}

/// Changes the account that the caller acts in.
pub static UPDATE_ACCOUNT: Operation<AccountCaller> =
    Operation::account("updateAccount", AccountPermission::AccountEdit, Grants::Nothing);

/// Renames the account that the caller acts in, or describes it anew.
///
/// # Errors
/// As the rule; 400 for a wrong input; 404 for another account.
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
        // An empty description is none.
        description: description.map(|text| text.filter(|text| !text.is_empty())),
    })
}
