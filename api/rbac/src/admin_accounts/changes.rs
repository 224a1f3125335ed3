//! Change and deletion of an account by staff (reference/administration.md#accounts-of-staff).

use account_model::accounts::{MAX_NAME_LENGTH, end_account};
use api_core::{
    Cx, Input, Operation, Patch, Result,
    access::{Admin, Grants},
    validate,
};
use connection_access::revoke_every_connection;
use diesel_async::AsyncConnection;
use foundation::audit;
use juniper::GraphQLInputObject;
use serde::Deserialize;
use serde_json::json;
use shared::{catalogue::AdminPermission, id::UserId};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    AdminAccount,
    db::{self, AccountChange},
    find,
};
use crate::{authority::Authority, people};

const MAX_DESCRIPTION_LENGTH: usize = 500;

/// Change of an account.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct AdminUpdateAccountInput {
    /// 1 to 100 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub name: Patch<String>,
    /// At most 500 characters; null clears.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_DESCRIPTION_LENGTH))))]
    pub description: Patch<String>,
}

pub static ADMIN_UPDATE_ACCOUNT: Operation<Admin> =
    Operation::admin("adminUpdateAccount", AdminPermission::AccountsEdit, Grants::Nothing);

/// Changes the name or the description of an account.
///
/// The slug stays. An empty description is stored as null.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid input; 404 when there is no such account.
#[api_core::operation]
pub async fn admin_update_account(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<AdminUpdateAccountInput>,
) -> Result<AdminAccount> {
    let admin = cx.authorize(&ADMIN_UPDATE_ACCOUNT).await?;
    let (account, change) = (admin.account(id?), checked(input?)?);
    if change.name.is_none() && change.description.is_none() {
        return find(&mut *admin.db().await?, account).await;
    }
    admin
        .db()
        .await?
        .transaction(async |connection| {
            if !db::update(connection, account, &change, cx.state().clock.now()).await? {
                return Err(people::no_account());
            }
            let mut entry = audit::Entry {
                scope: audit::Scope::Account(account.uuid()),
                ..cx.audit("account:updated", "account", account)
            };
            entry.metadata = json!({ "name": change.name, "description": change.description.is_some() });
            audit::record(connection, entry).await?;
            find(connection, account).await
        })
        .await
}

pub static ADMIN_DELETE_ACCOUNT: Operation<Admin> =
    Operation::admin("adminDeleteAccount", AdminPermission::AccountsDelete, Grants::AccountPermissions);

/// Deletes an account with everything in it.
///
/// The effect is that of a dissolution by the owner. Its connections are revoked at the platforms afterwards,
/// best effort.
///
/// # Errors
/// Refusals of the access rule; 403 when the owner holds a staff permission that the caller lacks; 404 when
/// there is no such account.
#[api_core::operation]
pub async fn admin_delete_account(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let admin = cx.authorize(&ADMIN_DELETE_ACCOUNT).await?;
    let account = admin.account(id?);
    let mut connection = admin.db().await?;
    let ended = connection
        .transaction(async |connection| {
            let authority = Authority::of(connection, &admin).await?;
            let gone = find(connection, account).await?;
            authority.must_reach(connection, UserId(gone.owner.id)).await?;
            let mut entry = cx.audit_system("account:deleted", "account", account);
            entry.metadata = json!({ "name": gone.name, "owner_id": gone.owner.id });
            audit::record(connection, entry).await?;
            revoke_every_connection(cx, connection, account).await?;
            end_account(connection, account, cx.state().clock.now()).await?.ok_or_else(people::no_account)
        })
        .await;
    drop(connection);
    cx.changed(ended?).await;
    Ok(())
}

fn checked(input: AdminUpdateAccountInput) -> Result<AccountChange> {
    let name = input.name.not_null("name")?;
    let description = input.description.into_change().map(|change| {
        let text = change.map(|text| validate::long_text("description", &text, 0, MAX_DESCRIPTION_LENGTH));
        Ok::<_, api_core::ApiError>(text.transpose()?.filter(|text| !text.is_empty()))
    });
    Ok(AccountChange {
        name: name.map(|name| validate::text("name", &name, 1, MAX_NAME_LENGTH)).transpose()?,
        description: description.transpose()?,
    })
}
