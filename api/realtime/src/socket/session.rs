//! The conversation with one client (specification C §11.2 to §11.4).

mod calls;
mod rights;

use std::{
    collections::HashMap,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use actix_http::ws::{OpCode, Parser};
use api_core::{ApiError, Cx};
use bytes::{Bytes, BytesMut};
use serde_json::{Value, value::RawValue};
use shared::events::{Channel, ChannelKind, Event};
use tokio::{
    sync::Semaphore,
    time::{Instant, MissedTickBehavior},
};
use uuid::Uuid;

use super::{
    Inbound, Signal, Socket,
    frame_rate::{FrameRate, Rate},
    heartbeat::{Beat, Heartbeat, TICK},
    inbound::Received,
};
use crate::{
    gates,
    hub::{Attached, Hub, Topic, Unavailable, resume},
    protocol::{
        ClientFrame, Closing, ErrorCode, HEARTBEAT, MAX_MESSAGE_BYTES, MAX_SUBSCRIPTIONS, Refusal,
        ServerFrame, Verb,
    },
    quota::{self, Quota},
};
use rights::{RETRY, due};

/// Times that a topic may end between joining and attaching; each needs half a minute without listeners.
const ATTEMPTS: usize = 3;

/// One client's session.
pub struct Session {
    hub: Hub,
    cx: Cx,
    socket: Arc<Socket>,
    quota: Option<Quota>,
    inbound: Inbound,
    subscriptions: HashMap<Channel, Attached>,
    rate: FrameRate,
    heartbeat: Heartbeat,
    /// Rights that are to be looked up again, and when.
    overdue: Option<(Signal, Instant)>,
    /// Places for calls that run beside the conversation.
    calls: Arc<Semaphore>,
}

/// What came of sending what was missed.
enum Resumed {
    Attached(Attached),
    /// Join again.
    TopicEnded,
    /// The socket was closed, or the right to listen was lost and the client told.
    Over,
}

impl Session {
    pub fn new(hub: Hub, cx: Cx, socket: Arc<Socket>, quota: Option<Quota>, inbound: Inbound) -> Self {
        Self {
            hub,
            cx,
            socket,
            quota,
            inbound,
            subscriptions: HashMap::new(),
            rate: FrameRate::default(),
            heartbeat: Heartbeat::new(Instant::now()),
            overdue: None,
            calls: Arc::new(Semaphore::new(calls::MAX_CALLS)),
        }
    }

    /// Talks until either side ends the conversation.
    pub async fn run(mut self) {
        self.greet();
        self.talk().await;
        self.subscriptions.clear();
        self.hub.sockets.remove(self.socket.id());
        if let Some(quota) = &self.quota {
            quota::give_back(&self.hub, quota, self.socket.id()).await;
        }
    }

    fn greet(&self) {
        let heartbeat_interval_ms = u64::try_from(HEARTBEAT.as_millis()).unwrap_or(u64::MAX);
        let server_time = self.cx.state().clock.now();
        self.say(&ServerFrame::Connected {
            session_id: self.socket.id(),
            heartbeat_interval_ms,
            server_time,
        });
    }

    async fn talk(&mut self) {
        let mut ticks = tokio::time::interval_at(Instant::now() + TICK, TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while self.socket.closing().is_none() {
            tokio::select! {
                biased;
                signals = self.socket.signals() => self.attend(signals).await,
                signal = due(self.overdue) => self.look_again(signal).await,
                received = self.inbound.next() => self.receive(received).await,
                _ = ticks.tick() => self.beat(),
            }
        }
    }

    async fn receive(&mut self, received: Received) {
        self.heartbeat.heard(Instant::now());
        match received {
            Received::Text(text) => {
                if self.may_speak() {
                    self.answer(&text).await;
                }
            }
            Received::Ping(data) => {
                if self.may_speak() {
                    self.hub.push(&self.socket, control(OpCode::Pong, &data));
                }
            }
            Received::Part | Received::Pong => {
                self.may_speak();
            }
            Received::Goodbye => self.end(Closing::Answered),
            Received::Violation(closing) => self.reproach(closing),
            Received::Gone => self.socket.disconnect(),
        }
    }

    fn may_speak(&mut self) -> bool {
        match self.rate.count(self.cx.state().clock.now()) {
            Rate::Fine => true,
            Rate::Refused => {
                self.refuse(&Refusal::new(ErrorCode::RateLimitExceeded, "At most 60 frames in 10 seconds"));
                false
            }
            Rate::Flooding => {
                self.end(Closing::RateLimit);
                false
            }
        }
    }

    /// Says what was wrong where a code exists for it, and closes.
    fn reproach(&self, closing: Closing) {
        match closing {
            Closing::TooLarge => self.refuse(&Refusal::new(
                ErrorCode::PayloadTooLarge,
                format!("A message must not be larger than {MAX_MESSAGE_BYTES} bytes"),
            )),
            Closing::InvalidText => {
                self.refuse(&Refusal::new(
                    ErrorCode::InvalidMessage,
                    "Malformed JSON: the text is not UTF-8",
                ));
            }
            _ => {}
        }
        self.end(closing);
    }

    async fn answer(&mut self, text: &str) {
        let refused = match ClientFrame::parse(text) {
            Ok(ClientFrame { request_id, verb }) => {
                let done = self.perform(verb, request_id.as_deref()).await;
                done.map_err(|refusal| refusal.answering(request_id))
            }
            Err(refusal) => Err(refusal),
        };
        if let Err(refusal) = refused {
            self.refuse(&refusal);
        }
        self.note_subscriptions();
    }

    /// Lets the hub know whether this socket listens to anything.
    fn note_subscriptions(&self) {
        self.socket.set_subscribed(!self.subscriptions.is_empty(), self.cx.state().clock.now());
    }

    async fn perform(&mut self, verb: Verb, request_id: Option<&RawValue>) -> Result<(), Refusal> {
        match verb {
            Verb::Subscribe { channel: name, after } => {
                let channel = channel(&name)?;
                self.subscribe(channel, &name, after, request_id)
                    .await
                    .map_err(|refusal| refusal.about(&name))
            }
            Verb::Unsubscribe { channel: name } => {
                self.subscriptions.remove(&channel(&name)?);
                self.say(&ServerFrame::Unsubscribed { channel: &name, request_id, reason: None });
                Ok(())
            }
            Verb::Broadcast { channel: name, event_type, data } => {
                let channel = channel(&name)?;
                self.broadcast(channel, &event_type, data, request_id)
                    .await
                    .map_err(|refusal| refusal.about(&name))
            }
            Verb::Call { channel: name, call } => {
                let channel = channel(&name)?;
                self.call(channel, call, request_id).map_err(|refusal| refusal.about(&name))
            }
            Verb::Ping { ts } => {
                self.say(&ServerFrame::Pong { ts: ts.as_deref(), request_id });
                Ok(())
            }
        }
    }

    /// Publishes for a client, where the channel takes the event type from clients (C §11.5).
    async fn broadcast(
        &self,
        channel: Channel,
        event_type: &str,
        data: Value,
        request_id: Option<&RawValue>,
    ) -> Result<(), Refusal> {
        if !channel.kind().client_events().contains(&event_type) {
            return Err(Refusal::new(ErrorCode::Forbidden, "Clients cannot publish this on the channel"));
        }
        let gate = gates::check(&self.hub, &self.cx, channel).await.map_err(unavailable)?;
        if let Some((code, message)) = gate.refusal() {
            return Err(Refusal::new(code, message));
        }
        let state = self.cx.state();
        let event = Event::new(channel, event_type, data, state.clock.now());
        state.events.append(&event).await.map_err(|error| {
            tracing::warn!(%error, %channel, "what a client published could not be told");
            no_events(Unavailable)
        })?;
        self.say(&ServerFrame::Ack { request_id });
        Ok(())
    }

    async fn subscribe(
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
        if is_subscribed && after.is_none() {
            self.say(&ServerFrame::Subscribed { channel: name, request_id, recovered: None });
            return Ok(());
        }
        if !is_subscribed && self.subscriptions.len() >= MAX_SUBSCRIPTIONS {
            let message = format!("At most {MAX_SUBSCRIPTIONS} subscriptions for a socket");
            return Err(Refusal::new(ErrorCode::TooManySubscriptions, message));
        }
        // What was missed may take longer to send than a socket may listen to nothing.
        self.socket.set_subscribed(true, self.cx.state().clock.now());
        // Who asks again for what came after an event gets it again: the subscription starts anew there.
        self.subscriptions.remove(&channel);
        match self.attach(channel, name, after, request_id).await {
            Ok(attached) => {
                self.subscriptions.extend(attached.map(|attached| (channel, attached)));
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

    /// `None` when the right to listen was lost meanwhile, which the client was told.
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
        for _ in 0..ATTEMPTS {
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

    /// Sends what was missed. That takes as long as the client takes to read, so rights and credentials end meanwhile
    /// as at any other time.
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
                signal = due(self.overdue) => self.look_again(signal).await,
                attached = &mut resuming => {
                    let attached = attached.map_err(no_events)?;
                    return Ok(attached.map_or(Resumed::TopicEnded, Resumed::Attached));
                }
            }
            if socket.closing().is_some() {
                return Ok(Resumed::Over);
            }
            let Ok(gate) = gates::check(&self.hub, &self.cx, channel).await else {
                self.overdue.get_or_insert((Signal::Rights, Instant::now() + RETRY));
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

    fn beat(&mut self) {
        match self.heartbeat.beat(Instant::now()) {
            Beat::Nothing => {}
            Beat::Ping => self.hub.push(&self.socket, control(OpCode::Ping, b"")),
            Beat::Dead => self.end(Closing::Silence),
        }
    }

    fn refuse(&self, refusal: &Refusal) {
        self.say(&refusal.frame());
    }

    fn say(&self, frame: &ServerFrame<'_>) {
        if let Some(frame) = encoded(frame) {
            self.hub.push(&self.socket, frame);
        }
    }

    fn end(&self, closing: Closing) {
        self.hub.close(&self.socket, closing);
    }
}

fn encoded(frame: &ServerFrame<'_>) -> Option<Bytes> {
    frame.encode().inspect_err(|error| tracing::error!(%error, "a frame could not be written")).ok()
}

fn control(code: OpCode, data: &[u8]) -> Bytes {
    let mut frame = BytesMut::with_capacity(data.len() + 2);
    Parser::write_message(&mut frame, data, code, true, false);
    frame.freeze()
}

fn channel(name: &str) -> Result<Channel, Refusal> {
    let unknown = || {
        let prefixes = ChannelKind::ALL.map(ChannelKind::prefix).join(", ");
        let message = format!("Invalid channel: must be one of {prefixes}, then a colon and a UUID");
        Refusal::new(ErrorCode::InvalidChannel, message).about(name)
    };
    Channel::parse(name).ok_or_else(unknown)
}

fn unavailable(_logged: ApiError) -> Refusal {
    Refusal::new(ErrorCode::InternalServerError, "Internal server error")
}

fn no_events(_: Unavailable) -> Refusal {
    Refusal::new(ErrorCode::InternalServerError, "Events are not available now")
}
