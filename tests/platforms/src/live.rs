//! Chat and events of tests in live channels.

use serde_json::Value;

use crate::{
    Delivery, DeliveryOptions, StandIn, User, clock, identifier, kick,
    sockets::Out,
    trovo_chat, twitch,
    youtube_live::{self, Feed},
};

/// The chat socket of Trovo.
impl StandIn {
    /// Sends a chat to every reader of the channel; returns their number.
    pub fn send_trovo(&self, channel: &User, chat: &Value) -> usize {
        let inner = self.state.lock();
        let readers = inner.trovo_chats.open.iter().filter(|open| open.subject == channel.id);
        let message = trovo_chat::message(&channel.id, std::slice::from_ref(chat));
        readers.map(|open| open.send(Out::Json(message.clone()))).count()
    }

    /// Number of sockets that read a channel.
    #[must_use]
    pub fn trovo_readers(&self, channel: &User) -> usize {
        let inner = self.state.lock();
        inner.trovo_chats.open.iter().filter(|open| open.subject == channel.id).count()
    }

    /// Ends every chat socket: abruptly, or with a close frame.
    pub fn cut_trovo(&self, with_a_word: bool) {
        let out = if with_a_word { Out::Close(1001, "going away") } else { Out::Cut };
        self.state.lock().trovo_chats.open.iter().for_each(|open| open.send(out.clone()));
    }

    /// Changes the behaviour of the chat socket.
    pub fn change_trovo(&self, change: impl FnOnce(&mut trovo_chat::Chats)) {
        change(&mut self.state.lock().trovo_chats);
    }

    /// Delivers chats to an address.
    pub async fn deliver_trovo_to(
        &self,
        callback: &str,
        channel: &User,
        chats: &[Value],
        options: &DeliveryOptions,
    ) -> Delivery {
        let request = trovo_chat::delivery(&channel.id, chats, options);
        request.deliver(&self.webhooks.client, callback, options).await
    }
}

/// EventSub over WebSockets.
impl StandIn {
    /// Sends an event to every session that is subscribed to it; returns their number.
    pub fn send_twitch(&self, event: &twitch::Event, copies: u32) -> usize {
        let inner = self.state.lock();
        let wanting = inner.eventsub.iter().filter(|one| one.session_id.is_some() && one.wants(event));
        wanting.map(|one| inner.eventsub_sessions.notify(one, event, copies)).count()
    }

    /// Number of sockets that hold sessions.
    #[must_use]
    pub fn eventsub_sockets(&self) -> usize {
        self.state.lock().eventsub_sessions.open.len()
    }

    /// Changes the behaviour of sessions, or reads it.
    pub fn change_eventsub<T>(&self, change: impl FnOnce(&mut twitch::Sessions) -> T) -> T {
        change(&mut self.state.lock().eventsub_sessions)
    }

    /// Moves every session to another socket.
    pub fn reconnect_eventsub(&self) {
        let url = format!("{}/twitch/eventsub/ws", self.url().replacen("http", "ws", 1));
        self.state.lock().eventsub_sessions.reconnect(&url);
    }

    /// Ends every socket: abruptly, or with a close code.
    pub fn cut_eventsub(&self, code: Option<u16>) {
        let out = code.map_or(Out::Cut, |code| Out::Close(code, "scripted"));
        self.state.lock().eventsub_sessions.open.iter().for_each(|open| open.send(out.clone()));
    }

    /// Ends the subscriptions of a type and notifies their sessions; returns their number.
    pub fn revoke_eventsub_type(&self, subscription_type: &str, reason: &str) -> usize {
        let mut inner = self.state.lock();
        let ids: Vec<String> = inner
            .eventsub
            .iter()
            .filter(|one| one.session_id.is_some() && one.subscription_type == subscription_type)
            .map(|one| one.id.clone())
            .collect();
        let ended = ids.iter().filter_map(|id| twitch::revoke(&mut inner, id, reason)).collect::<Vec<_>>();
        ended.iter().for_each(|one| inner.eventsub_sessions.revoke(one));
        ended.len()
    }
}

/// Subscriptions of Kick.
impl StandIn {
    /// Ends subscriptions to these events silently, as Kick does after a day of failed deliveries.
    pub fn drop_kick_subscriptions(&self, events: &[&str]) {
        let mut inner = self.state.lock();
        inner.kick_subscriptions.retain(|one| !events.contains(&one.event_type.as_str()));
    }

    /// Adds a subscription to an event of a channel without a call.
    pub fn add_kick_subscription(&self, channel_id: &str, event: &str) {
        self.state.lock().kick_subscriptions.push(kick::Subscription {
            id: identifier::ulid(),
            broadcaster_user_id: channel_id.into(),
            event_type: event.into(),
            created_at: clock::seconds(clock::now()),
        });
    }
}

/// Subscriptions of Twitch.
impl StandIn {
    /// Adds a subscription without a call.
    pub fn add_eventsub(&self, subscription: twitch::Subscription) {
        self.state.lock().eventsub.push(subscription);
    }

    /// Ends all subscriptions to a channel silently.
    pub fn drop_eventsub(&self, channel: &User) {
        let is_of = |one: &twitch::Subscription| one.condition["broadcaster_user_id"] == channel.id.as_str();
        self.state.lock().eventsub.retain(|one| !is_of(one));
    }
}

/// Live chats of YouTube and the hub.
impl StandIn {
    /// Adds a message to the chat of a channel's broadcast.
    pub fn send_youtube(&self, channel: &User, message: Value) {
        self.state.lock().live_chats.add(channel, message);
    }

    /// Begins or ends the broadcast of a channel.
    pub fn set_on_air(&self, channel: &User, is_on_air: bool) {
        let chats = &mut self.state.lock().live_chats;
        if is_on_air {
            chats.off_air.remove(&channel.id);
            chats.ended.remove(&crate::youtube::live_chat_id(channel));
        } else {
            chats.off_air.insert(channel.id.clone());
            chats.ended.insert(crate::youtube::live_chat_id(channel));
        }
    }

    /// Changes the behaviour of chats, or reads it.
    pub fn change_youtube<T>(&self, change: impl FnOnce(&mut youtube_live::LiveChats) -> T) -> T {
        change(&mut self.state.lock().live_chats)
    }

    /// Notifies every callback that is subscribed to a channel's feed of a video.
    pub async fn publish_video(
        &self,
        channel_id: &str,
        video_id: &str,
        options: &DeliveryOptions,
    ) -> Vec<Delivery> {
        let feeds: Vec<Feed> = self.change_youtube(|chats| {
            chats.feeds.iter().filter(|feed| feed.topic.ends_with(channel_id)).cloned().collect()
        });
        let mut deliveries = Vec::new();
        for feed in feeds {
            deliveries.push(self.publish_video_to(&feed, channel_id, video_id, options).await);
        }
        deliveries
    }

    /// Notifies a callback of a video as if a subscription existed.
    pub async fn publish_video_to(
        &self,
        feed: &Feed,
        channel_id: &str,
        video_id: &str,
        options: &DeliveryOptions,
    ) -> Delivery {
        let request = youtube_live::feed(feed, channel_id, video_id, options);
        request.deliver(&self.webhooks.client, &feed.callback, options).await
    }
}
