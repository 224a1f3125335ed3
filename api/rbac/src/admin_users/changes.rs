//! Changing a person (specification A §3, §4.3; C §9).

use api_core::{
    ApiError, Cx, Input, Operation, Patch, Result,
    access::{AccountCreationOverride, Admin, Grants},
    validate,
};
use diesel_async::AsyncConnection;
use juniper::GraphQLInputObject;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use shared::{catalogue::AdminPermission, id::UserId, invalidation::Invalidation};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{AdminUser, db, find};
use crate::{authority::Authority, people};

const MAX_DISPLAY_NAME_LENGTH: usize = 100;
/// More accounts than anybody can look after.
const MAX_ACCOUNTS: i32 = 1000;

/// What is to change.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct AdminUpdateUserInput {
    /// 1 to 100 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_DISPLAY_NAME_LENGTH))))]
    pub display_name: Patch<String>,
    /// Null clears.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(validate::MAX_EMAIL_LENGTH))))]
    pub email: Patch<String>,
    /// Whether the person may create accounts whatever the global switch says.
    #[serde(default)]
    #[schema(value_type = Option<AccountCreationOverride>)]
    pub account_creation_override: Patch<AccountCreationOverride>,
    /// 0 to 1000; null clears: the plans of the owned accounts decide again.
    #[serde(default)]
    #[schema(value_type = Option<i32>, extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_ACCOUNTS))))]
    pub max_accounts_override: Patch<i32>,
}

/// A checked change; `None` leaves as it is.
#[derive(Debug, Default)]
pub(super) struct UserChange {
    pub display_name: Option<String>,
    pub email: Option<Option<String>>,
    pub account_creation_override: Option<AccountCreationOverride>,
    pub max_accounts_override: Option<Option<i32>>,
}

/// Changes a person.
pub static ADMIN_UPDATE_USER: Operation<Admin> =
    Operation::admin("adminUpdateUser", AdminPermission::UsersEdit, Grants::People);

/// Changes a person.
///
/// # Errors
/// As the rule; 400 for a wrong input; 403 for somebody who holds more as staff than the caller; 404 when there is no such
/// person.
pub async fn admin_update_user(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<AdminUpdateUserInput>,
) -> Result<AdminUser> {
    let admin = cx.authorize(&ADMIN_UPDATE_USER).await?;
    apply(cx, &admin, UserId(id?), UserChange::checked(input?)?).await
}

/// Overrides whether a person may create accounts.
pub static ADMIN_UPDATE_USER_ACCOUNT_CREATION_OVERRIDE: Operation<Admin> =
    Operation::admin("adminUpdateUserAccountCreationOverride", AdminPermission::UsersEdit, Grants::People);

/// Overrides whether a person may create accounts (A §3): one field of [`admin_update_user`].
///
/// # Errors
/// As the rule; 403 for somebody who holds more as staff than the caller; 404 when there is no such person.
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
    let changed = change.named();
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
            shared::audit::record(connection, entry).await?;
            find(connection, user).await
        })
        .await?;
    if change.account_creation_override.is_some() {
        cx.changed(Invalidation::User { user_id: user.0 }).await;
    }
    Ok(updated)
}

impl UserChange {
    fn checked(input: AdminUpdateUserInput) -> Result<Self> {
        let display_name = input.display_name.not_null("display_name")?;
        let display_name =
            display_name.map(|name| validate::text("display_name", &name, 1, MAX_DISPLAY_NAME_LENGTH));
        Ok(Self {
            display_name: display_name.transpose()?,
            email: input.email.try_map(|email| validate::email("email", &email))?.into_change(),
            account_creation_override: input
                .account_creation_override
                .not_null("account_creation_override")?,
            max_accounts_override: input.max_accounts_override.try_map(max_accounts)?.into_change(),
        })
    }

    /// What changes, for the audit trail: the new values, but of personal ones the names only.
    fn named(&self) -> Map<String, Value> {
        let mut changed = Map::new();
        if self.display_name.is_some() {
            changed.insert("display_name".into(), json!("changed"));
        }
        if let Some(email) = &self.email {
            changed.insert("email".into(), json!(if email.is_some() { "changed" } else { "cleared" }));
        }
        if let Some(value) = self.account_creation_override {
            changed.insert("account_creation_override".into(), json!(value));
        }
        if let Some(value) = self.max_accounts_override {
            changed.insert("max_accounts_override".into(), json!(value));
        }
        changed
    }
}

fn max_accounts(given: i32) -> Result<i32> {
    if (0..=MAX_ACCOUNTS).contains(&given) {
        return Ok(given);
    }
    Err(ApiError::invalid(format!("max_accounts_override must be between 0 and {MAX_ACCOUNTS}")))
}
