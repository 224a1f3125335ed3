//! Permissions granted or denied beside the roles: to a person platform-wide, or to everybody in an account
//! (reference/permissions.md#overrides).

pub mod accounts;
mod db;
pub mod graphql;
pub mod resolved;
pub mod rest;
pub mod users;

use api_core::{ApiError, Result, access::AnyOperation, validate};
use serde::Deserialize;
use shared::catalogue::{AccountPermission, UserPermission};
use utoipa::ToSchema;

pub use db::{AccountPermissionOverride, UserPermissionOverride};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &users::USER_PERMISSION_OVERRIDES,
    &users::SET_USER_PERMISSION_OVERRIDE,
    &users::REMOVE_USER_PERMISSION_OVERRIDE,
    &resolved::RESOLVED_USER_PERMISSIONS,
    &accounts::ADMIN_ACCOUNT_PERMISSION_OVERRIDES,
    &accounts::ADMIN_SET_ACCOUNT_PERMISSION_OVERRIDE,
    &accounts::ADMIN_REMOVE_ACCOUNT_PERMISSION_OVERRIDE,
];

const MAX_REASON_LENGTH: usize = 500;

/// Override of one permission.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct SetPermissionOverrideInput {
    /// `resource:action`; no wildcards.
    #[schema(extensions(("maxLength" = json!(max_permission_length()))))]
    pub permission: String,
    /// True grants, false denies.
    pub granted: bool,
    /// Reason for later readers, at most 500 characters.
    #[schema(extensions(("maxLength" = json!(MAX_REASON_LENGTH))))]
    pub reason: Option<String>,
}

impl SetPermissionOverrideInput {
    /// Returns the checked reason; `None`: none.
    fn reason(&self) -> Result<Option<String>> {
        let checked =
            self.reason.as_deref().map(|text| validate::long_text("reason", text, 0, MAX_REASON_LENGTH));
        Ok(checked.transpose()?.filter(|text| !text.is_empty()))
    }
}

/// Length of the longest permission that an override may name.
fn max_permission_length() -> usize {
    AccountPermission::max_length().max(UserPermission::max_length())
}

fn not_found() -> ApiError {
    ApiError::not_found("Permission override not found")
}
