//! EventSub subscriptions over webhooks.

use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::{TwitchClient, message};
use crate::{
    platforms::{PlatformError, Result},
    secret::Secret,
};

/// What to be told about. Ids are Twitch user ids.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum EventSubTopic {
    /// Chat lines of a channel, read in the name of `user_id`.
    ChannelChatMessage {
        broadcaster_user_id: String,
        user_id: String,
    },
    /// New followers; `moderator_user_id` may be the broadcaster.
    ChannelFollow {
        broadcaster_user_id: String,
        moderator_user_id: String,
    },
    /// Raids that arrive at the channel.
    ChannelRaid {
        to_broadcaster_user_id: String,
    },
    ChannelSubscribe {
        broadcaster_user_id: String,
    },
    ChannelCheer {
        broadcaster_user_id: String,
    },
    StreamOnline {
        broadcaster_user_id: String,
    },
    StreamOffline {
        broadcaster_user_id: String,
    },
}

impl EventSubTopic {
    /// The subscription type, as it also stands in every notification.
    #[must_use]
    pub fn subscription_type(&self) -> &'static str {
        match self {
            Self::ChannelChatMessage { .. } => "channel.chat.message",
            Self::ChannelFollow { .. } => "channel.follow",
            Self::ChannelRaid { .. } => "channel.raid",
            Self::ChannelSubscribe { .. } => "channel.subscribe",
            Self::ChannelCheer { .. } => "channel.cheer",
            Self::StreamOnline { .. } => "stream.online",
            Self::StreamOffline { .. } => "stream.offline",
        }
    }

    /// The version of the type that Lumio understands.
    #[must_use]
    pub fn version(&self) -> &'static str {
        match self {
            Self::ChannelFollow { .. } => "2",
            _ => "1",
        }
    }

    /// The condition object of the subscription.
    #[must_use]
    pub fn condition(&self) -> Value {
        match self {
            Self::ChannelChatMessage { broadcaster_user_id, user_id } => {
                json!({ "broadcaster_user_id": broadcaster_user_id, "user_id": user_id })
            }
            Self::ChannelFollow { broadcaster_user_id, moderator_user_id } => {
                json!({ "broadcaster_user_id": broadcaster_user_id, "moderator_user_id": moderator_user_id })
            }
            Self::ChannelRaid { to_broadcaster_user_id } => {
                json!({ "to_broadcaster_user_id": to_broadcaster_user_id })
            }
            Self::ChannelSubscribe { broadcaster_user_id }
            | Self::ChannelCheer { broadcaster_user_id }
            | Self::StreamOnline { broadcaster_user_id }
            | Self::StreamOffline { broadcaster_user_id } => {
                json!({ "broadcaster_user_id": broadcaster_user_id })
            }
        }
    }
}

/// A webhook subscription to make.
#[derive(Debug, Clone)]
pub struct NewEventSubSubscription {
    pub topic: EventSubTopic,
    /// Where Twitch delivers to. Twitch itself demands https on port 443.
    pub callback: Url,
    /// Signs the deliveries; 10 to 100 ASCII characters.
    pub secret: Secret,
}

/// A subscription as Twitch holds it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct EventSubSubscription {
    pub id: String,
    /// `webhook_callback_verification_pending` until the callback has answered the challenge, then `enabled`.
    pub status: String,
    #[serde(rename = "type")]
    pub subscription_type: String,
    pub version: String,
    pub condition: Value,
}

#[derive(Deserialize)]
struct Subscriptions {
    data: Vec<EventSubSubscription>,
}

impl TwitchClient {
    /// Asks Twitch to deliver a topic to a webhook. Twitch calls the webhook with a challenge before it answers
    /// or soon after.
    ///
    /// # Errors
    /// `Conflict` when the same subscription exists; `Rejected` when the users have not granted the scopes.
    pub async fn create_eventsub_subscription(
        &self,
        app_token: &Secret,
        subscription: &NewEventSubSubscription,
    ) -> Result<EventSubSubscription> {
        self.create_eventsub_subscription_of(self.client_id()?, app_token, subscription).await
    }

    /// The same for a token of another application than the configured one.
    ///
    /// # Errors
    /// As [`Self::create_eventsub_subscription`].
    pub async fn create_eventsub_subscription_of(
        &self,
        client_id: &str,
        app_token: &Secret,
        subscription: &NewEventSubSubscription,
    ) -> Result<EventSubSubscription> {
        let body = json!({
            "type": subscription.topic.subscription_type(),
            "version": subscription.topic.version(),
            "condition": subscription.topic.condition(),
            "transport": {
                "method": "webhook",
                "callback": subscription.callback,
                "secret": subscription.secret.expose(),
            },
        });
        let url = self.config.api_url.endpoint(&["helix", "eventsub", "subscriptions"]);
        let request = self.helix(self.http.post(url).json(&body), app_token, client_id)?;
        let answer = self.http.send("create_eventsub_subscription", request).await?.success(message)?;
        if answer.status != StatusCode::ACCEPTED {
            return Err(PlatformError::invalid(format!("status {}", answer.status.as_u16())));
        }
        let created = answer.json::<Subscriptions>()?.data.into_iter().next();
        created.ok_or_else(|| PlatformError::invalid("no subscription in the answer"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_follows_are_version_two() {
        let follow =
            EventSubTopic::ChannelFollow { broadcaster_user_id: "1".into(), moderator_user_id: "2".into() };
        let raid = EventSubTopic::ChannelRaid { to_broadcaster_user_id: "1".into() };
        assert_eq!((follow.subscription_type(), follow.version()), ("channel.follow", "2"));
        assert_eq!((raid.subscription_type(), raid.version()), ("channel.raid", "1"));
        assert_eq!(follow.condition(), json!({ "broadcaster_user_id": "1", "moderator_user_id": "2" }));
    }
}
