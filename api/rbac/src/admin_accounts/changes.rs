//! Changing an account and ending it (specification C §9).

use api_core::{
    Cx, Input, Operation, Patch, Result,
    access::{Admin, Grants},
    connections::revoke_every_connection,
    validate,
};
use diesel_async::AsyncConnection;
use juniper::GraphQLInputObject;
use serde::Deserialize;
use serde_json::json;
use shared::{
    accounts::{MAX_NAME_LENGTH, end_account},
    audit,
    catalogue::AdminPermission,
    id::{AccountId, UserId},
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{AdminAccount, find};
use crate::{authority::Authority, people};

const MAX_DESCRIPTION_LENGTH: usize = 500;

/// What is to change.
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

/// A checked change; `None` leaves as it is.
pub(super) struct AccountChange {
    pub name: Option<String>,
    pub description: Option<Option<String>>,
}

/// Changes an account.
pub static ADMIN_UPDATE_ACCOUNT: Operation<Admin> =
    Operation::admin("adminUpdateAccount", AdminPermission::AccountsEdit, Grants::Nothing);

/// Changes the name or the description of an account.
///
/// # Errors
/// As the rule; 400 for a wrong input; 404 when there is no such account.
pub async fn admin_update_account(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<AdminUpdateAccountInput>,
) -> Result<AdminAccount> {
    let admin = cx.authorize(&ADMIN_UPDATE_ACCOUNT).await?;
    let (account, change) = (AccountId(id?), AccountChange::checked(input?)?);
    if change.name.is_none() && change.description.is_none() {
        return find(&mut *admin.db().await?, account).await;
    }
    admin
        .db()
        .await?
        .transaction(async |connection| {
            if !super::db::update(connection, account, &change, cx.state().clock.now()).await? {
                return Err(people::no_account());
            }
            let mut entry = audit::Entry {
                scope: audit::Scope::Account(account.0),
                ..cx.audit("account:updated", "account", account)
            };
            entry.metadata = json!({ "name": change.name, "description": change.description.is_some() });
            audit::record(connection, entry).await?;
            find(connection, account).await
        })
        .await
}

/// Ends an account.
pub static ADMIN_DELETE_ACCOUNT: Operation<Admin> =
    Operation::admin("adminDeleteAccount", AdminPermission::AccountsDelete, Grants::AccountPermissions);

/// Ends an account with everything in it, as its owner's dissolution would.
///
/// # Errors
/// As the rule; 403 when its owner holds more as staff than the caller; 404 when there is no such account.
pub async fn admin_delete_account(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let admin = cx.authorize(&ADMIN_DELETE_ACCOUNT).await?;
    let account = AccountId(id?);
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

impl AccountChange {
    fn checked(input: AdminUpdateAccountInput) -> Result<Self> {
        let name = input.name.not_null("name")?;
        let description = input.description.into_change().map(|change| {
            let text =
                change.map(|text| validate::long_text("description", &text, 0, MAX_DESCRIPTION_LENGTH));
            Ok::<_, api_core::ApiError>(text.transpose()?.filter(|text| !text.is_empty()))
        });
        Ok(Self {
            name: name.map(|name| validate::text("name", &name, 1, MAX_NAME_LENGTH)).transpose()?,
            description: description.transpose()?,
        })
    }
}
