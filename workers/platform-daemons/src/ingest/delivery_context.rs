//! Delivery about a connected channel, with the accounts that it concerns.

use chrono::{DateTime, SubsecRound, Utc};
use live_model::Triggers;
use shared::platform::Platform;

use super::{accounts::Listening, inbox::Delivery};

/// Connected channel with a delivery about it.
pub(super) struct DeliveryContext<'a> {
    pub platform: Platform,
    pub delivery: &'a Delivery,
    pub channel_id: &'a str,
    pub accounts: &'a [Listening],
    /// True for a line that is too old to trigger anything.
    pub is_history: bool,
}

impl DeliveryContext<'_> {
    /// Returns the platform's time of the delivery, in milliseconds like all stored times.
    pub fn sent_at(&self) -> DateTime<Utc> {
        self.delivery.sent_at.trunc_subsecs(3)
    }

    /// Returns the triggers for an account. The bot answers only where the account has switched it on, and
    /// only new lines.
    pub fn triggers(&self, account: &Listening) -> Triggers {
        if self.is_history || !account.bot_enabled || !self.delivery.may_trigger() {
            return Triggers::None;
        }
        Triggers::Run { channel_id: Some(self.channel_id.to_owned()) }
    }

    /// True when automations may start. They have nothing to do with the bot and its switch.
    pub fn may_start(&self) -> bool {
        !self.is_history && self.delivery.may_trigger()
    }

    /// Returns the transport of the delivery: a webhook, or one session of a socket. Empty on platforms with
    /// a single transport.
    pub fn transport(&self) -> String {
        let transport = &self.delivery.body["subscription"]["transport"];
        let part = |name: &str| transport[name].as_str().unwrap_or_default();
        format!("{}{}", part("method"), part("session_id"))
    }

    /// Returns the source of an item of the delivery, by its position.
    pub fn source(&self, index: usize) -> String {
        format!("{}:{index}", self.delivery.delivery_id)
    }
}
