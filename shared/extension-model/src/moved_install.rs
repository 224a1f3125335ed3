//! Installs that a roll-out moved to another version.

use diesel::{QueryableByName, sql_types::Uuid as SqlUuid};
use uuid::Uuid;

/// Maximum number of installs that one call moves or notifies.
pub const BATCH_SIZE: i64 = 500;

/// An install that was moved to another version.
#[derive(Debug, Clone, PartialEq, Eq, QueryableByName)]
pub struct MovedInstall {
    /// Install.
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    /// Account of the install.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    /// Owner of the account.
    #[diesel(sql_type = SqlUuid)]
    pub owner_id: Uuid,
}
