//! EventSub subscriptions, over webhooks and over WebSockets.

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
    /// What else happens in the chat of a channel, read in the name of `user_id`.
    Chat {
        topic: ChatTopic,
        broadcaster_user_id: String,
        user_id: String,
    },
    /// What else happens in a channel.
    Channel {
        topic: ChannelTopic,
        broadcaster_user_id: String,
    },
}

/// Topics whose condition names channel and reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChatTopic {
    /// Notices in the chat, of which gifts name giver and recipient.
    Notification,
    MessageDelete,
    ClearUserMessages,
    Clear,
}

/// Topics whose condition names the channel only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChannelTopic {
    Resubscribe,
    Ban,
    Unban,
    RedemptionAdd,
    RedemptionUpdate,
    HypeTrainBegin,
    HypeTrainProgress,
    HypeTrainEnd,
    PollBegin,
    PollProgress,
    PollEnd,
    PredictionBegin,
    PredictionProgress,
    PredictionLock,
    PredictionEnd,
    GoalBegin,
    GoalProgress,
    GoalEnd,
    AdBreakBegin,
    Update,
}

impl ChatTopic {
    const ALL: [Self; 4] = [Self::Notification, Self::MessageDelete, Self::ClearUserMessages, Self::Clear];

    const fn subscription_type(self) -> &'static str {
        match self {
            Self::Notification => "channel.chat.notification",
            Self::MessageDelete => "channel.chat.message_delete",
            Self::ClearUserMessages => "channel.chat.clear_user_messages",
            Self::Clear => "channel.chat.clear",
        }
    }
}

impl ChannelTopic {
    const ALL: [Self; 20] = [
        Self::Resubscribe,
        Self::Ban,
        Self::Unban,
        Self::RedemptionAdd,
        Self::RedemptionUpdate,
        Self::HypeTrainBegin,
        Self::HypeTrainProgress,
        Self::HypeTrainEnd,
        Self::PollBegin,
        Self::PollProgress,
        Self::PollEnd,
        Self::PredictionBegin,
        Self::PredictionProgress,
        Self::PredictionLock,
        Self::PredictionEnd,
        Self::GoalBegin,
        Self::GoalProgress,
        Self::GoalEnd,
        Self::AdBreakBegin,
        Self::Update,
    ];

    const fn subscription_type(self) -> &'static str {
        match self {
            Self::Resubscribe => "channel.subscription.message",
            Self::Ban => "channel.ban",
            Self::Unban => "channel.unban",
            Self::RedemptionAdd => "channel.channel_points_custom_reward_redemption.add",
            Self::RedemptionUpdate => "channel.channel_points_custom_reward_redemption.update",
            Self::HypeTrainBegin => "channel.hype_train.begin",
            Self::HypeTrainProgress => "channel.hype_train.progress",
            Self::HypeTrainEnd => "channel.hype_train.end",
            Self::PollBegin => "channel.poll.begin",
            Self::PollProgress => "channel.poll.progress",
            Self::PollEnd => "channel.poll.end",
            Self::PredictionBegin => "channel.prediction.begin",
            Self::PredictionProgress => "channel.prediction.progress",
            Self::PredictionLock => "channel.prediction.lock",
            Self::PredictionEnd => "channel.prediction.end",
            Self::GoalBegin => "channel.goal.begin",
            Self::GoalProgress => "channel.goal.progress",
            Self::GoalEnd => "channel.goal.end",
            Self::AdBreakBegin => "channel.ad_break.begin",
            Self::Update => "channel.update",
        }
    }

    const fn version(self) -> &'static str {
        match self {
            Self::HypeTrainBegin | Self::HypeTrainProgress | Self::HypeTrainEnd | Self::Update => "2",
            _ => "1",
        }
    }
}

impl EventSubTopic {
    /// Everything that becomes a message, an event or a removal (C B12.2, B13), read in the broadcaster's own name;
    /// what matters most first. Gifts are read from the chat's notices, which name giver and recipient, so
    /// `channel.subscription.gift` would tell them twice.
    #[must_use]
    pub fn all_of(broadcaster: &str) -> Vec<Self> {
        let broadcaster_user_id = broadcaster.to_owned();
        let mut topics = vec![
            Self::ChannelChatMessage {
                broadcaster_user_id: broadcaster_user_id.clone(),
                user_id: broadcaster_user_id.clone(),
            },
            Self::StreamOnline { broadcaster_user_id: broadcaster_user_id.clone() },
            Self::StreamOffline { broadcaster_user_id: broadcaster_user_id.clone() },
            Self::ChannelFollow {
                broadcaster_user_id: broadcaster_user_id.clone(),
                moderator_user_id: broadcaster_user_id.clone(),
            },
            Self::ChannelRaid { to_broadcaster_user_id: broadcaster_user_id.clone() },
            Self::ChannelSubscribe { broadcaster_user_id: broadcaster_user_id.clone() },
            Self::ChannelCheer { broadcaster_user_id: broadcaster_user_id.clone() },
        ];
        topics.extend(ChatTopic::ALL.map(|topic| Self::Chat {
            topic,
            broadcaster_user_id: broadcaster_user_id.clone(),
            user_id: broadcaster_user_id.clone(),
        }));
        topics.extend(
            ChannelTopic::ALL
                .map(|topic| Self::Channel { topic, broadcaster_user_id: broadcaster_user_id.clone() }),
        );
        topics
    }

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
            Self::Chat { topic, .. } => topic.subscription_type(),
            Self::Channel { topic, .. } => topic.subscription_type(),
        }
    }

    /// The version of the type that Lumio understands.
    #[must_use]
    pub fn version(&self) -> &'static str {
        match self {
            Self::ChannelFollow { .. } => "2",
            Self::Channel { topic, .. } => topic.version(),
            _ => "1",
        }
    }

    /// The condition object of the subscription.
    #[must_use]
    pub fn condition(&self) -> Value {
        match self {
            Self::ChannelChatMessage { broadcaster_user_id, user_id }
            | Self::Chat { broadcaster_user_id, user_id, .. } => {
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
            | Self::StreamOffline { broadcaster_user_id }
            | Self::Channel { broadcaster_user_id, .. } => {
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
        let transport = json!({
            "method": "webhook",
            "callback": subscription.callback,
            "secret": subscription.secret.expose(),
        });
        self.subscribe(client_id, app_token, &subscription.topic, transport).await
    }

    /// Asks Twitch to deliver a topic over the WebSocket of a session, with the token of the user who reads.
    ///
    /// # Errors
    /// As [`Self::create_eventsub_subscription`]; also `Rejected` when the session has ended, and `RateLimited` when
    /// the user has too many sessions.
    pub async fn create_eventsub_socket_subscription(
        &self,
        client_id: Option<&str>,
        user_token: &Secret,
        topic: &EventSubTopic,
        session_id: &str,
    ) -> Result<EventSubSubscription> {
        let client_id = match client_id {
            Some(client_id) => client_id,
            None => self.client_id()?,
        };
        let transport = json!({ "method": "websocket", "session_id": session_id });
        self.subscribe(client_id, user_token, topic, transport).await
    }

    async fn subscribe(
        &self,
        client_id: &str,
        token: &Secret,
        topic: &EventSubTopic,
        transport: Value,
    ) -> Result<EventSubSubscription> {
        let body = json!({
            "type": topic.subscription_type(),
            "version": topic.version(),
            "condition": topic.condition(),
            "transport": transport,
        });
        let url = self.config.api_url.endpoint(&["helix", "eventsub", "subscriptions"]);
        let request = self.helix(self.http.post(url).json(&body), token, client_id)?;
        let answer = self.http.send("create_eventsub_subscription", request).await?.success(message)?;
        if answer.status != StatusCode::ACCEPTED {
            return Err(PlatformError::invalid(format!("status {}", answer.status.as_u16())));
        }
        let created = answer.json::<Subscriptions>()?.data.into_iter().next();
        created.ok_or_else(|| PlatformError::invalid("no subscription in the answer"))
    }

    /// Ends a webhook subscription; `client_id` is the application that made it.
    ///
    /// # Errors
    /// `Rejected` when there is none.
    pub async fn delete_eventsub_subscription(
        &self,
        client_id: &str,
        app_token: &Secret,
        subscription_id: &str,
    ) -> Result<()> {
        let url = self.config.api_url.endpoint(&["helix", "eventsub", "subscriptions"]);
        let request = self.http.delete(url).query(&[("id", subscription_id)]);
        let request = self.helix(request, app_token, client_id)?;
        self.http.send("delete_eventsub_subscription", request).await?.success(message)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_of_the_list_stands_there_once() {
        let topics = EventSubTopic::all_of("1");
        let types: std::collections::BTreeSet<&str> =
            topics.iter().map(EventSubTopic::subscription_type).collect();
        assert_eq!((topics.len(), types.len()), (31, 31));
        assert!(topics.iter().all(|topic| topic.condition().to_string().contains("\"1\"")));
    }

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
