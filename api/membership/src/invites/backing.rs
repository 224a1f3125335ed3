//! Validity of an invite by its maker: an invite gives nothing that the person or key who made it could no
//! longer give (reference/permissions.md#invites-and-makers).

use chrono::{DateTime, Utc};
use diesel::Queryable;
use diesel_async::AsyncPgConnection;
use shared::{
    catalogue::{AccountPermission, PermissionSet},
    id::{AccountId, UserId},
};
use uuid::Uuid;

use api_core::{
    Result,
    access::{AccountScopes, Rights, member_rights, service_key_rights},
};

/// Maker of an invite, and what it gives.
#[derive(Debug, Clone, Queryable)]
pub struct Backing {
    /// Account of the invite.
    pub account: AccountId,
    /// Person who made it; `None` when a key made it or the person is deleted.
    pub created_by: Option<UserId>,
    /// Service key that made it; `None` when a person did.
    pub created_by_key: Option<Uuid>,
    /// Permissions of the invite's role.
    pub role: Vec<String>,
}

impl Backing {
    /// True when its maker could make the invite now: the maker may invite, and covers the permissions of the
    /// role.
    ///
    /// # Errors
    /// `DATABASE_ERROR` when the database fails.
    pub async fn is_valid(&self, connection: &mut AsyncPgConnection, now: DateTime<Utc>) -> Result<bool> {
        let rights = match (self.created_by, self.created_by_key) {
            (Some(user), _) => member_rights(connection, self.account, user).await?,
            (None, Some(key)) => service_key_rights(connection, self.account, key, now).await?,
            (None, None) => None,
        };
        let role: AccountScopes = PermissionSet::from_strings(&self.role);
        Ok(rights.is_some_and(|rights| gives(&rights, &role)))
    }
}

fn gives(rights: &Rights, role: &AccountScopes) -> bool {
    rights.permissions.contains(AccountPermission::MembersCreate)
        && role.iter().all(|asked| rights.permissions.contains(asked) || rights.withheld.contains(asked))
}
