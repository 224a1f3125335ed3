//! Announcements of the API: changes of an account on `bot_modules`, in the form of
//! `bot_modules:{account_id}`, and on `bot_modules:global` those of every account
//! (reference/extensions.md#announcements, reference/storage.md#control-channels).

use std::time::Duration;

use extension_model::{announce::CONTROL_OF_ALL, bots::GLOBAL_COMMANDS};
use foundation::invalidation::{self, Invalidation};
use serde::Deserialize;
use uuid::Uuid;

use super::Feed;

/// Pause before reconnecting to Redis.
const RECONNECT_DELAY: Duration = Duration::from_millis(500);
/// Maximum silence of a subscription before it is opened again. A connection that died without notice would
/// otherwise never be detected.
const MAX_SILENCE: Duration = Duration::from_secs(120);

/// Announcement for one account.
#[derive(Debug, PartialEq, Eq, Deserialize)]
struct OfAccount {
    account_id: Uuid,
    #[serde(flatten)]
    announcement: Announcement,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Announcement {
    Refresh,
    Kill { install_id: Uuid },
}

/// Announcement for an extension in every account.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum OfExtension {
    /// Without a version: all of them.
    Stop {
        extension_id: Uuid,
        version_id: Option<Uuid>,
    },
    Resume {
        extension_id: Uuid,
    },
}

impl Feed {
    /// Follows the announcements; never returns. After every connection everything is read again, because
    /// announcements before it are lost.
    pub(super) async fn listen(&self) {
        loop {
            if let Err(error) = self.follow().await {
                tracing::warn!(%error, "changes of installs are found by polling until Redis is back");
                tokio::time::sleep(RECONNECT_DELAY).await;
            }
        }
    }

    async fn follow(&self) -> shared::Result<()> {
        let (mut subscriber, mut messages) = self.shared.redis.subscription().await?;
        let key = |channel| self.shared.redis.key(channel);
        let channels = [key(CONTROL_OF_ALL), key(GLOBAL_COMMANDS), key(invalidation::CHANNEL)];
        subscriber.subscribe(&channels).await?;
        self.everything_changed();
        self.shared.commands.everything_changed();
        self.shared.limits.changed();
        loop {
            match tokio::time::timeout(MAX_SILENCE, messages.next()).await {
                Ok(Some(message)) => {
                    let [_, to_all, invalidation] = &channels;
                    match message.get_channel_name() {
                        channel if channel == invalidation => self.invalidated(message.get_payload_bytes()),
                        channel if channel == to_all => self.announced_to_all(message.get_payload_bytes()),
                        _ => self.announced(message.get_payload_bytes()),
                    }
                }
                Ok(None) => return Err(shared::Error::Redis("the subscription ended".into())),
                Err(_silent) => return Ok(()),
            }
        }
    }

    /// Handles a cache invalidation: features and limits decide what runs, too.
    fn invalidated(&self, payload: &[u8]) {
        match serde_json::from_slice(payload) {
            Ok(Invalidation::Features { account_id }) => {
                self.shared.commands.account_changed(account_id);
                self.account_changed(account_id);
            }
            Ok(Invalidation::AllFeatures | Invalidation::PlanFeatures { .. }) => {
                self.shared.commands.everything_changed();
                self.everything_changed();
            }
            Ok(Invalidation::Limits) => self.shared.limits.changed(),
            _ => {}
        }
    }

    fn announced_to_all(&self, payload: &[u8]) {
        let accounts = match serde_json::from_slice(payload) {
            Ok(OfExtension::Stop { extension_id, version_id }) => {
                tracing::info!(%extension_id, ?version_id, "an extension was stopped");
                self.write(|installs| installs.stop(extension_id, version_id))
            }
            Ok(OfExtension::Resume { extension_id }) => {
                self.read(|installs| installs.accounts_of(extension_id))
            }
            Err(_of_commands) => return self.shared.commands.everything_changed(),
        };
        for account_id in accounts {
            self.account_changed(account_id);
        }
    }

    fn announced(&self, payload: &[u8]) {
        let Ok(OfAccount { account_id, announcement }) = serde_json::from_slice(payload) else {
            tracing::warn!("an announcement cannot be read: everything is read again");
            self.everything_changed();
            self.shared.commands.everything_changed();
            return;
        };
        if let Announcement::Kill { install_id } = announcement {
            tracing::info!(%account_id, %install_id, "an install was killed");
            self.write(|installs| installs.kill(account_id, install_id));
        }
        self.shared.commands.account_changed(account_id);
        self.account_changed(account_id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_are_read_in_the_documented_form() {
        let (account_id, install_id) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let of_account = |announcement| Some(OfAccount { account_id, announcement });
        let read = |text: &str| serde_json::from_str::<OfAccount>(text).ok();
        let refresh = r#"{"account_id":"00000000-0000-0000-0000-000000000001","type":"refresh"}"#;
        assert_eq!(read(refresh), of_account(Announcement::Refresh));
        let kill = r#"{"account_id":"00000000-0000-0000-0000-000000000001","type":"kill",
            "install_id":"00000000-0000-0000-0000-000000000002"}"#;
        assert_eq!(read(kill), of_account(Announcement::Kill { install_id }));
        assert_eq!(read(r#"{"account_id":"00000000-0000-0000-0000-000000000001","type":"kill"}"#), None);
        assert_eq!(read(r#"{"type":"refresh"}"#), None);
        let read = |text: &str| serde_json::from_str::<OfExtension>(text).ok();
        let extension_id = Uuid::from_u128(1);
        let stop =
            r#"{"type":"stop","extension_id":"00000000-0000-0000-0000-000000000001","version_id":null}"#;
        assert_eq!(read(stop), Some(OfExtension::Stop { extension_id, version_id: None }));
        let resume = r#"{"type":"resume","extension_id":"00000000-0000-0000-0000-000000000001"}"#;
        assert_eq!(read(resume), Some(OfExtension::Resume { extension_id }));
        assert_eq!(read(r#"{"type":"refresh"}"#), None);
    }
}
