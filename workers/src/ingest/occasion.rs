//! What a delivery tells of a channel, and to whom.

use chrono::{DateTime, SubsecRound, Utc};
use shared::{ingest::Triggers, platforms::Platform};

use super::{accounts::Listening, inbox::Delivery};

/// A channel that somebody has connected, and the delivery that tells of it.
pub(super) struct Occasion<'a> {
    pub platform: Platform,
    pub delivery: &'a Delivery,
    pub channel_id: &'a str,
    pub accounts: &'a [Listening],
    /// Nobody answers it any more.
    pub is_history: bool,
}

impl Occasion<'_> {
    /// The platform's time of the delivery, in milliseconds as everything we keep.
    pub fn sent_at(&self) -> DateTime<Utc> {
        self.delivery.sent_at.trunc_subsecs(3)
    }

    /// The bot answers only where the account has switched it on, and only what is new.
    pub fn triggers(&self, account: &Listening) -> Triggers {
        if self.is_history || !account.bot_enabled || !self.delivery.may_trigger() {
            return Triggers::None;
        }
        Triggers::Run { channel_id: Some(self.channel_id.to_owned()) }
    }

    /// What carried the delivery: a webhook, or one session of a socket. Empty where the platform has one way only.
    pub fn transport(&self) -> String {
        let transport = &self.delivery.body["subscription"]["transport"];
        let part = |name: &str| transport[name].as_str().unwrap_or_default();
        format!("{}{}", part("method"), part("session_id"))
    }

    /// What the delivery tells, by its place in it.
    pub fn source(&self, index: usize) -> String {
        format!("{}:{index}", self.delivery.delivery_id)
    }
}
