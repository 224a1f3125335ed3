//! EventSub subscriptions, over webhooks and over WebSockets (reference/platforms.md#eventsub).

use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::{TwitchClient, message};
use crate::{PlatformError, Result};
use shared::secret::Secret;

/// Topic of a subscription. Ids are Twitch user ids.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum EventSubTopic {
    /// Chat lines of a channel, read in the name of `user_id`.
    ChannelChatMessage { broadcaster_user_id: String, user_id: String },
    /// New followers; `moderator_user_id` may be the broadcaster.
    ChannelFollow { broadcaster_user_id: String, moderator_user_id: String },
    /// Raids that arrive at the channel.
    ChannelRaid { to_broadcaster_user_id: String },
    /// New subscriptions.
    ChannelSubscribe { broadcaster_user_id: String },
    /// Cheers with Bits.
    ChannelCheer { broadcaster_user_id: String },
    /// Start of a stream.
    StreamOnline { broadcaster_user_id: String },
    /// End of a stream.
    StreamOffline { broadcaster_user_id: String },
    /// Other topics of the chat of a channel, read in the name of `user_id`.
    Chat { topic: ChatTopic, broadcaster_user_id: String, user_id: String },
    /// Other topics of a channel.
    Channel { topic: ChannelTopic, broadcaster_user_id: String },
}

/// Topics whose condition names channel and reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChatTopic {
    /// Notices in the chat. Those of gifts name giver and recipient.
    Notification,
    /// Removal of one message.
    MessageDelete,
    /// Removal of all messages of a user.
    ClearUserMessages,
    /// Removal of all messages.
    Clear,
}

/// Topics whose condition names the channel only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChannelTopic {
    /// Renewed subscriptions with a message.
    Resubscribe,
    /// Bans and time-outs.
    Ban,
    /// Lifted bans.
    Unban,
    /// Redeemed channel point rewards.
    RedemptionAdd,
    /// Changes of a redemption.
    RedemptionUpdate,
    /// Start of a hype train.
    HypeTrainBegin,
    /// Progress of a hype train.
    HypeTrainProgress,
    /// End of a hype train.
    HypeTrainEnd,
    /// Start of a poll.
    PollBegin,
    /// Votes of a poll.
    PollProgress,
    /// End of a poll.
    PollEnd,
    /// Start of a prediction.
    PredictionBegin,
    /// Points of a prediction.
    PredictionProgress,
    /// Lock of a prediction.
    PredictionLock,
    /// End of a prediction.
    PredictionEnd,
    /// Start of a goal.
    GoalBegin,
    /// Progress of a goal.
    GoalProgress,
    /// End of a goal.
    GoalEnd,
    /// Start of an ad break.
    AdBreakBegin,
    /// Changes of title or category.
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
    /// Topics of every message, event and removal (reference/events.md#catalogue), read in the name of the
    /// broadcaster, most important first. Gifts are read from the notices of the chat, which name giver and
    /// recipient. `channel.subscription.gift` would repeat them.
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

    /// Subscription type, as it is also in every notification.
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

    /// Version of the type that Lumio reads.
    #[must_use]
    pub fn version(&self) -> &'static str {
        match self {
            Self::ChannelFollow { .. } => "2",
            Self::Channel { topic, .. } => topic.version(),
            _ => "1",
        }
    }

    /// Condition object of the subscription.
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

/// Webhook subscription to create.
#[derive(Debug, Clone)]
pub struct NewEventSubSubscription {
    /// Topic of the subscription.
    pub topic: EventSubTopic,
    /// Address of the deliveries. Twitch itself requires https on port 443.
    pub callback: Url,
    /// Key of the signatures of deliveries; 10 to 100 ASCII characters.
    pub secret: Secret,
}

/// Subscription as Twitch stores it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct EventSubSubscription {
    /// Id of the subscription.
    pub id: String,
    /// `webhook_callback_verification_pending` until the callback has returned the challenge, then `enabled`.
    pub status: String,
    /// Type, such as `channel.follow`.
    #[serde(rename = "type")]
    pub subscription_type: String,
    /// Version of the type.
    pub version: String,
    /// Condition, whose fields depend on the type.
    pub condition: Value,
}

/// Response with subscriptions.
#[derive(Deserialize)]
pub(super) struct Subscriptions {
    pub(super) data: Vec<EventSubSubscription>,
}

impl TwitchClient {
    /// Subscribes a webhook to a topic. Twitch calls the webhook with a challenge before it responds or soon
    /// after.
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

    /// Subscribes a webhook to a topic, with a token of another application than the configured one.
    ///
    /// # Errors
    /// Those of [`Self::create_eventsub_subscription`].
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

    /// Subscribes the WebSocket of a session to a topic, with the token of the user who reads.
    ///
    /// # Errors
    /// Those of [`Self::create_eventsub_subscription`]; also `Rejected` when the session has ended, and
    /// `RateLimited` when the user has too many sessions.
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

    /// Ends a webhook subscription; `client_id` is the application that created it.
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
    fn eventsub_topics_have_distinct_types() {
        let topics = EventSubTopic::all_of("1");
        let types: std::collections::BTreeSet<&str> =
            topics.iter().map(EventSubTopic::subscription_type).collect();
        assert_eq!((topics.len(), types.len()), (31, 31));
        assert!(topics.iter().all(|topic| topic.condition().to_string().contains("\"1\"")));
    }

    #[test]
    fn eventsub_follows_alone_have_version_two() {
        let follow =
            EventSubTopic::ChannelFollow { broadcaster_user_id: "1".into(), moderator_user_id: "2".into() };
        let raid = EventSubTopic::ChannelRaid { to_broadcaster_user_id: "1".into() };
        assert_eq!((follow.subscription_type(), follow.version()), ("channel.follow", "2"));
        assert_eq!((raid.subscription_type(), raid.version()), ("channel.raid", "1"));
        assert_eq!(follow.condition(), json!({ "broadcaster_user_id": "1", "moderator_user_id": "2" }));
    }
}
