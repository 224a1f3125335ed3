//! Subscriptions of a session, and the events that it missed (reference/realtime.md#client-frames).

use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use bytes::Bytes;
use foundation::events::Channel;
use serde_json::value::RawValue;
use tokio::time::Instant;
use uuid::Uuid;

use super::{
    Session, Subscription, encoded, no_events,
    presence::Presence,
    rights::{RETRY_DELAY, due},
    unavailable,
};
use crate::{
    gates,
    hub::{Attached, Topic, Unavailable, resume},
    protocol::{ErrorCode, MAX_SUBSCRIPTIONS, Refusal, ServerFrame},
    socket::Signal,
};

/// Attempts to join a topic, which may end between join and attach; each end needs half a minute without
/// listeners.
const MAX_ATTACH_ATTEMPTS: usize = 3;

/// Outcome of a resume.
enum Resumed {
    Attached(Attached),
    /// The topic ended; join again.
    TopicEnded,
    /// The socket was closed, or the client lost the right to listen and was notified.
    Over,
}

impl Session {
    /// Adds the channel to the subscriptions. With `after`, sends the events after that one first.
    pub(super) async fn subscribe(
        &mut self,
        channel: Channel,
        name: &str,
        after: Option<Uuid>,
        request_id: Option<&RawValue>,
    ) -> Result<(), Refusal> {
        let gate = gates::check(&self.hub, &self.cx, channel).await.map_err(unavailable)?;
        if let Some((code, message)) = gate.refusal() {
            return Err(Refusal::new(code, message));
        }
        let is_subscribed = self.subscriptions.contains_key(&channel);
        // A page asks again for the state, whose addresses of files end.
        let is_page = matches!(channel, Channel::Overlay(_) | Channel::Widget(_));
        if is_subscribed && after.is_none() && !is_page {
            self.say(&ServerFrame::Subscribed { channel: name, request_id, recovered: None });
            return Ok(());
        }
        if !is_subscribed && self.subscriptions.len() >= MAX_SUBSCRIPTIONS {
            let message = format!("At most {MAX_SUBSCRIPTIONS} subscriptions for a socket");
            return Err(Refusal::new(ErrorCode::TooManySubscriptions, message));
        }
        // Sending of missed events may take longer than a socket may be without a subscription.
        self.socket.set_subscribed(true, self.cx.state().clock.now());
        // A repeated request for the events after one gets them again: the subscription restarts there.
        let before = self.subscriptions.remove(&channel);
        // Kept until the restart, so that a lone page does not end its feed.
        let _feed = match &before {
            Some(Subscription::Feed(place)) => Some(place.feed()),
            _ => None,
        };
        drop(before);
        match self.begin(channel, name, after, request_id).await {
            Ok(subscription) => {
                self.subscriptions.extend(subscription.map(|subscription| (channel, subscription)));
                Ok(())
            }
            Err(refusal) => {
                if is_subscribed {
                    self.say(&ServerFrame::Unsubscribed { channel: name, request_id: None, reason: None });
                }
                Err(refusal)
            }
        }
    }

    async fn begin(
        &mut self,
        channel: Channel,
        name: &str,
        after: Option<Uuid>,
        request_id: Option<&RawValue>,
    ) -> Result<Option<Subscription>, Refusal> {
        if matches!(channel, Channel::Overlay(_) | Channel::Widget(_)) {
            return self
                .attach_feed(channel, name, after, request_id)
                .await
                .map(|place| Some(Subscription::Feed(place)));
        }
        let attached = self.attach(channel, name, after, request_id).await?;
        Ok(attached.map(|attached| match channel {
            Channel::OverlayEditor(_) => {
                let presence = Presence::begin(&self.hub, &self.cx, self.socket.id(), channel);
                Subscription::Present(attached, presence)
            }
            _ => Subscription::Topic(attached),
        }))
    }

    /// Adds the socket to a channel. `None` when the right to listen was lost meanwhile; the client was
    /// notified.
    async fn attach(
        &mut self,
        channel: Channel,
        name: &str,
        after: Option<Uuid>,
        request_id: Option<&RawValue>,
    ) -> Result<Option<Attached>, Refusal> {
        let reply = |recovered| {
            encoded(&ServerFrame::Subscribed { channel: name, request_id, recovered }).unwrap_or_default()
        };
        for _ in 0..MAX_ATTACH_ATTEMPTS {
            let topic = self.hub.join(channel).await.map_err(no_events)?;
            let attached = match after {
                None => topic.attach(&self.socket, reply(None)),
                Some(cursor) => {
                    let reply = |recovered| reply(Some(recovered));
                    match self.resume(channel, &topic, cursor, reply).await? {
                        Resumed::Attached(attached) => Some(attached),
                        Resumed::TopicEnded => None,
                        Resumed::Over => return Ok(None),
                    }
                }
            };
            if attached.is_some() {
                return Ok(attached);
            }
        }
        Err(no_events(Unavailable))
    }

    /// Sends missed events. The duration depends on the client, so rights and credentials are checked
    /// meanwhile as at any other time.
    async fn resume(
        &mut self,
        channel: Channel,
        topic: &Arc<Topic>,
        cursor: Uuid,
        reply: impl Fn(bool) -> Bytes,
    ) -> Result<Resumed, Refusal> {
        let is_answered = AtomicBool::new(false);
        let reply = |recovered| {
            is_answered.store(true, Ordering::Relaxed);
            reply(recovered)
        };
        let (hub, socket) = (self.hub.clone(), Arc::clone(&self.socket));
        let mut resuming = pin!(resume(&hub, topic, &socket, cursor, reply));
        loop {
            tokio::select! {
                biased;
                signals = socket.signals() => self.attend(signals).await,
                signal = due(self.overdue) => self.recheck(signal).await,
                attached = &mut resuming => {
                    let attached = attached.map_err(no_events)?;
                    return Ok(attached.map_or(Resumed::TopicEnded, Resumed::Attached));
                }
            }
            if socket.closing().is_some() {
                return Ok(Resumed::Over);
            }
            let Ok(gate) = gates::check(&self.hub, &self.cx, channel).await else {
                self.overdue.get_or_insert((Signal::Rights, Instant::now() + RETRY_DELAY));
                continue;
            };
            if let (Some(reason), Some((code, message))) = (gate.reason(), gate.refusal()) {
                if !is_answered.load(Ordering::Relaxed) {
                    return Err(Refusal::new(code, message));
                }
                self.take_away(channel, reason);
                return Ok(Resumed::Over);
            }
        }
    }
}
