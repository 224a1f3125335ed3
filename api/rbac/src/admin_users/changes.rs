//! Changes of a person by staff (reference/administration.md#users).

use api_core::{
    ApiError, Cx, Input, Operation, Patch, Result,
    access::{AccountCreationOverride, Admin, Grants},
    validate,
};
use diesel_async::AsyncConnection;
use foundation::invalidation::Invalidation;
use juniper::GraphQLInputObject;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use shared::{catalogue::AdminPermission, id::UserId};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    AdminUser,
    db::{self, UserChange},
    find,
};
use crate::{authority::Authority, people};

const MAX_DISPLAY_NAME_LENGTH: usize = 100;
/// Upper bound of `max_accounts_override`.
const MAX_ACCOUNTS: i32 = 1000;

/// Change of a person.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct AdminUpdateUserInput {
    /// 1 to 100 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_DISPLAY_NAME_LENGTH))))]
    pub display_name: Patch<String>,
    /// E-mail address; null clears.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(validate::MAX_EMAIL_LENGTH))))]
    pub email: Patch<String>,
    /// Permission to create accounts, with priority over the global switch.
    #[serde(default)]
    #[schema(value_type = Option<AccountCreationOverride>)]
    pub account_creation_override: Patch<AccountCreationOverride>,
    /// 0 to 1000; null clears, and the plans of the owned accounts decide again.
    #[serde(default)]
    #[schema(value_type = Option<i32>, extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_ACCOUNTS))))]
    pub max_accounts_override: Patch<i32>,
}

pub static ADMIN_UPDATE_USER: Operation<Admin> =
    Operation::admin("adminUpdateUser", AdminPermission::UsersEdit, Grants::People);

/// Changes the display name, the e-mail address or the account overrides of a person.
///
/// The audit entry names changed personal fields without their values.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid input; 403 for a person who holds a staff permission that
/// the caller lacks; 404 when there is no such person.
#[api_core::operation]
pub async fn admin_update_user(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<AdminUpdateUserInput>,
) -> Result<AdminUser> {
    let admin = cx.authorize(&ADMIN_UPDATE_USER).await?;
    apply(cx, &admin, UserId(id?), checked(input?)?).await
}

pub static ADMIN_UPDATE_USER_ACCOUNT_CREATION_OVERRIDE: Operation<Admin> =
    Operation::admin("adminUpdateUserAccountCreationOverride", AdminPermission::UsersEdit, Grants::People);

/// Sets the permission of a person to create accounts, with priority over the global switch.
///
/// The same field can be set with `adminUpdateUser`. It takes effect at once
/// (reference/administration.md#account-creation-override).
///
/// # Errors
/// Refusals of the access rule; 403 for a person who holds a staff permission that the caller lacks; 404 when
/// there is no such person.
#[api_core::operation]
pub async fn admin_update_user_account_creation_override(
    cx: &Cx,
    id: Input<Uuid>,
    value: AccountCreationOverride,
) -> Result<AdminUser> {
    let admin = cx.authorize(&ADMIN_UPDATE_USER_ACCOUNT_CREATION_OVERRIDE).await?;
    let change = UserChange { account_creation_override: Some(value), ..UserChange::default() };
    apply(cx, &admin, UserId(id?), change).await
}

async fn apply(cx: &Cx, admin: &Admin, user: UserId, change: UserChange) -> Result<AdminUser> {
    let changed = named(&change);
    if changed.is_empty() {
        return find(&mut *admin.db().await?, user).await;
    }
    let updated = admin
        .db()
        .await?
        .transaction(async |connection| {
            Authority::of(connection, admin).await?.must_reach(connection, user).await?;
            if !db::update(connection, user, &change, cx.state().clock.now()).await? {
                return Err(people::no_user());
            }
            let mut entry = cx.audit_system("user:updated", "user", user);
            entry.metadata = Value::Object(changed);
            foundation::audit::record(connection, entry).await?;
            find(connection, user).await
        })
        .await?;
    if change.account_creation_override.is_some() {
        cx.changed(Invalidation::User { user_id: user.0 }).await;
    }
    Ok(updated)
}

fn checked(input: AdminUpdateUserInput) -> Result<UserChange> {
    let display_name = input.display_name.not_null("display_name")?;
    let display_name =
        display_name.map(|name| validate::text("display_name", &name, 1, MAX_DISPLAY_NAME_LENGTH));
    Ok(UserChange {
        display_name: display_name.transpose()?,
        email: input.email.try_map(|email| validate::email("email", &email))?.into_change(),
        account_creation_override: input.account_creation_override.not_null("account_creation_override")?,
        max_accounts_override: input.max_accounts_override.try_map(max_accounts)?.into_change(),
    })
}

/// Returns the change for the audit trail: the new values, but only the names of personal fields.
fn named(change: &UserChange) -> Map<String, Value> {
    let mut changed = Map::new();
    if change.display_name.is_some() {
        changed.insert("display_name".into(), json!("changed"));
    }
    if let Some(email) = &change.email {
        changed.insert("email".into(), json!(if email.is_some() { "changed" } else { "cleared" }));
    }
    if let Some(value) = change.account_creation_override {
        changed.insert("account_creation_override".into(), json!(value));
    }
    if let Some(value) = change.max_accounts_override {
        changed.insert("max_accounts_override".into(), json!(value));
    }
    changed
}

fn max_accounts(given: i32) -> Result<i32> {
    if (0..=MAX_ACCOUNTS).contains(&given) {
        return Ok(given);
    }
    Err(ApiError::invalid(format!("max_accounts_override must be between 0 and {MAX_ACCOUNTS}")))
}
