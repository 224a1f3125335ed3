//! Rights to read what an endpoint gets (reference/webhooks.md#reading).

use std::sync::Arc;

use api_core::{
    Cx, Result,
    access::{AccountCaller, AccountFeatures, account_features},
};
use shared::catalogue::AccountPermission;
use webhook_model::{
    event_types::{CHAT_MESSAGE, TEST},
    features::feature_of,
};

/// Rights of a caller to read events and chat messages: those of the operations that list them.
pub(crate) struct Readable<'a> {
    caller: &'a AccountCaller,
    features: Arc<AccountFeatures>,
}

impl<'a> Readable<'a> {
    /// Rights of a caller. Call it before a transaction: it may need a connection of its own.
    ///
    /// # Errors
    /// `DATABASE_ERROR` when the database fails.
    pub async fn of(cx: &Cx, caller: &'a AccountCaller) -> Result<Self> {
        let features = account_features(cx.state(), caller.account).await?;
        Ok(Self { caller, features })
    }

    /// Checks that the caller may read events of these types. A key that may only edit settings would otherwise send
    /// itself what it may not read.
    ///
    /// # Errors
    /// 403 that names the missing permission; 403 `FEATURE_DISABLED`.
    pub fn require<'b>(&self, event_types: impl IntoIterator<Item = &'b String>) -> Result<()> {
        event_types.into_iter().try_for_each(|event_type| self.check(event_type))
    }

    /// True when the caller may read events of a type.
    pub fn allows(&self, event_type: &str) -> bool {
        self.check(event_type).is_ok()
    }

    fn check(&self, event_type: &str) -> Result<()> {
        let permission = match event_type {
            TEST => return Ok(()),
            CHAT_MESSAGE => AccountPermission::ChatRead,
            _ => AccountPermission::EventsRead,
        };
        self.caller.must_hold(&[permission].into_iter().collect())?;
        match feature_of(event_type) {
            Some(feature) => self.features.require(feature.key()),
            None => Ok(()),
        }
    }
}
