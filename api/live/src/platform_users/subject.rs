//! User of a platform as one account knows them.

use api_core::Result;
use shared::{id::AccountId, platform::Platform};

use super::{UserPath, user_id};
use crate::chat::chat_platform;

/// User of a platform as one account knows them.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    /// The account.
    pub account: AccountId,
    /// Platform of the user.
    pub platform: Platform,
    /// The platform's id of the user.
    pub user_id: String,
}

impl Subject {
    /// User of a path.
    ///
    /// # Errors
    /// 400 for an unknown platform or a malformed id.
    pub fn parse(account: AccountId, path: UserPath<'_>) -> Result<Self> {
        let platform = chat_platform(path.platform)?;
        Ok(Self { account, platform, user_id: user_id(path.platform_user_id)? })
    }
}
