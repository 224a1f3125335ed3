//! Whether an invite still stands. It is the word of whoever made it: nobody joins by what that person or key could no
//! longer give (specification C §4).

use chrono::{DateTime, Utc};
use diesel::Queryable;
use diesel_async::AsyncPgConnection;
use shared::{
    catalogue::{AccountPermission, PermissionSet},
    id::{AccountId, UserId},
};
use uuid::Uuid;

use crate::{
    Result,
    access::{AccountScopes, Rights, member_rights, service_key_rights},
};

/// Whose word an invite is, and what it gives.
#[derive(Debug, Clone, Queryable)]
pub struct Backing {
    pub account: AccountId,
    pub created_by: Option<UserId>,
    /// The service key that made it, when no person did.
    pub created_by_key: Option<Uuid>,
    /// What the invite's role holds.
    pub role: Vec<String>,
}

impl Backing {
    /// Whether its maker could make the invite now: may invite, and may do everything that the role may.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn stands(&self, connection: &mut AsyncPgConnection, now: DateTime<Utc>) -> Result<bool> {
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
