//! Session with one client (reference/realtime.md#client-frames).

mod calls;
mod feeds;
mod presence;
mod rights;
mod subscriptions;

use std::{collections::HashMap, sync::Arc};

use actix_http::ws::{OpCode, Parser};
use api_core::{ApiError, Cx};
use bytes::{Bytes, BytesMut};
use foundation::events::{Channel, ChannelKind, Event};
use serde_json::{Value, value::RawValue};
use tokio::{
    sync::Semaphore,
    time::{Instant, MissedTickBehavior},
};

use super::{
    Inbound, Signal, Socket,
    frame_rate::{FrameRate, Rate},
    heartbeat::{BEAT_INTERVAL, Beat, Heartbeat},
    inbound::Received,
};
use crate::{
    gates,
    hub::{Attached, FeedPlace, Hub, Unavailable},
    places,
    protocol::{
        ClientFrame, Closing, ErrorCode, HEARTBEAT_INTERVAL, MAX_MESSAGE_BYTES, Refusal, ServerFrame, Verb,
    },
    quota::Quota,
};
use presence::Presence;
use rights::due;

/// Subscription of a session. Dropping it ends it.
#[expect(dead_code, reason = "the parts are held for their drop")]
enum Subscription {
    /// The events of a channel.
    Topic(Attached),
    /// The same, for a session that others see.
    Present(Attached, Presence),
    /// The events of a page.
    Feed(FeedPlace),
}

/// Session of one client.
pub struct Session {
    hub: Hub,
    cx: Cx,
    socket: Arc<Socket>,
    quota: Option<Quota>,
    inbound: Inbound,
    subscriptions: HashMap<Channel, Subscription>,
    rate: FrameRate,
    heartbeat: Heartbeat,
    /// Check of rights that failed, and the time of its repetition.
    overdue: Option<(Signal, Instant)>,
    /// Permits of calls that run concurrently.
    calls: Arc<Semaphore>,
}

impl Session {
    /// Session of an upgraded socket.
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

    /// Runs until either side ends the session.
    pub async fn run(mut self) {
        self.greet();
        self.talk().await;
        self.subscriptions.clear();
        self.hub.sockets.remove(self.socket.id());
        if let Some(quota) = &self.quota {
            places::release(&self.hub, quota, self.socket.id()).await;
        }
    }

    fn greet(&self) {
        let heartbeat_interval_ms = u64::try_from(HEARTBEAT_INTERVAL.as_millis()).unwrap_or(u64::MAX);
        let server_time = self.cx.state().clock.now();
        self.say(&ServerFrame::Connected {
            session_id: self.socket.id(),
            heartbeat_interval_ms,
            server_time,
        });
    }

    async fn talk(&mut self) {
        let mut ticks = tokio::time::interval_at(Instant::now() + BEAT_INTERVAL, BEAT_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while self.socket.closing().is_none() {
            tokio::select! {
                biased;
                signals = self.socket.signals() => self.attend(signals).await,
                signal = due(self.overdue) => self.recheck(signal).await,
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
            Received::Closed => self.end(Closing::Answered),
            Received::Violation(closing) => self.close_with_error(closing),
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

    /// Sends an error where a code exists for it, and closes.
    fn close_with_error(&self, closing: Closing) {
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
        self.record_subscriptions();
    }

    /// Records on the socket if it has a subscription.
    fn record_subscriptions(&self) {
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

    /// Publishes for a client, when the channel accepts the event type from clients
    /// (reference/realtime.md#client-frames).
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
        if !gates::check_publish(&self.cx, channel).await.map_err(unavailable)? {
            return Err(Refusal::new(ErrorCode::Forbidden, "Only editors can publish on the channel"));
        }
        let state = self.cx.state();
        let data = presence::stamped(&self.cx, self.socket.id(), data)?;
        let event = Event::new(channel, event_type, data, state.clock.now());
        // Not logged: a client that missed a position waits for the next one.
        state.events.publish(&event).await.map_err(|error| {
            tracing::warn!(%error, %channel, "an event of a client could not be published");
            no_events(Unavailable)
        })?;
        self.say(&ServerFrame::Ack { request_id });
        Ok(())
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
        let message = format!("Invalid channel: must be one of {prefixes}, then a colon and an id");
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
