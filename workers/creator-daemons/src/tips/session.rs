//! Socket of one account: it subscribes to the tips of the channels of its tokens and stores what arrives
//! (reference/tips.md#protocol).

use std::time::Duration;

use platform_daemons::sources::{Interruption, Socket, SocketEvent};
use shared::secret::Secret;
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::{
    metrics::OpenSocket,
    protocol::{self, BAD_REQUEST, Frame, MODERATION, Response, TIPS, TOPICS},
    receiver::Receiver,
};

/// Maximum time until the welcome of a connection.
const WELCOME_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time until the response to a subscription.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);
/// Time without any frame after which a connection counts as broken: the gateway pings every 30 s.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(75);
/// Silence after which a socket whose session has moved is complete.
const QUIET_PERIOD: Duration = Duration::from_millis(500);
/// Maximum time to read a socket whose session has moved.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(10);

/// Connection with its subscriptions.
struct Session {
    socket: Socket,
    /// Topics and rooms whose messages StreamElements sends.
    accepted: Vec<(String, String)>,
    /// Time of the last frame.
    heard_at: Instant,
    /// Present while tips of a token arrive.
    open: Option<OpenSocket>,
}

/// Receives the tips of an account until `receiver.stop` is cancelled, no token needs the socket, or that cannot
/// continue. Everything that has arrived by then is stored.
///
/// # Errors
/// Reason why tips do not arrive now.
pub(super) async fn receive(receiver: &mut Receiver) -> Result<(), Interruption> {
    let stop = receiver.stop.clone();
    let url = receiver.context.config.ingest.streamelements_realtime_url.clone();
    let Some(socket) = stop.run_until_cancelled(open(&url)).await else { return Ok(()) };
    let mut session = Session { socket: socket?, accepted: Vec::new(), heard_at: Instant::now(), open: None };
    loop {
        session.request(receiver).await?;
        session.count(receiver);
        if !receiver.subscriptions.need_socket(Instant::now()) {
            session.socket.close().await;
            return Ok(());
        }
        let silence = session.heard_at + SILENCE_TIMEOUT;
        let event = tokio::select! {
            () = stop.cancelled() => {
                session.socket.close().await;
                return Ok(());
            }
            change = receiver.changed() => {
                receiver.apply(change).await;
                continue;
            }
            event = timeout_at(silence, session.socket.next()) => {
                event.unwrap_or_else(|_elapsed| Err(Interruption::Broken("StreamElements fell silent".into())))?
            }
        };
        session.heard_at = Instant::now();
        match frame(event)? {
            Some(Frame::Reconnect { token }) => session.relocate(receiver, &token).await?,
            Some(frame) => session.take(receiver, frame).await?,
            None => {}
        }
    }
}

impl Session {
    /// Ends the subscriptions to rooms of tokens that were deleted or replaced, and subscribes with those that are
    /// ready.
    async fn request(&mut self, receiver: &mut Receiver) -> Result<(), Interruption> {
        let subscriptions = &mut receiver.subscriptions;
        let left = self.accepted.extract_if(.., |(_, room)| !subscriptions.have_room(room));
        for (topic, room) in left.collect::<Vec<_>>() {
            self.socket.send(&protocol::unsubscribe(&topic, &room)).await?;
        }
        while let Some((request, access)) = subscriptions.next_request(Instant::now() + RESPONSE_TIMEOUT) {
            for topic in TOPICS {
                self.socket.send(&protocol::subscribe(request, topic, &access)).await?;
            }
        }
        Ok(())
    }

    fn count(&mut self, receiver: &Receiver) {
        let is_open = receiver.subscriptions.are_received();
        if is_open != self.open.is_some() {
            self.open = is_open.then(|| receiver.metrics.open_socket());
        }
    }

    /// Takes a response or a tip. A message of a room that no token has any more was sent before the subscription
    /// ended.
    async fn take(&mut self, receiver: &mut Receiver, frame: Frame) -> Result<(), Interruption> {
        match frame {
            Frame::Response(response) => self.respond(receiver, response).await,
            Frame::Message { topic, room, sent_at, payload } => {
                let is_wanted = room.is_none_or(|room| receiver.subscriptions.have_room(&room));
                if is_wanted && TOPICS.contains(&topic.as_str()) {
                    receiver.store(&payload, sent_at.as_deref()).await?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes the response to a subscription. Tips that wait for a moderator are missed with a token that lacks
    /// the scope of their topic.
    async fn respond(&mut self, receiver: &mut Receiver, response: Response) {
        let Response { request, topic, room, error, message } = response;
        let room = room.or_else(|| receiver.subscriptions.room_of(request));
        let subscription = room.clone().map(|room| (topic.clone(), room));
        let arrives = subscription.as_ref().is_some_and(|one| self.accepted.contains(one));
        match error {
            Some(error) if topic == MODERATION => {
                tracing::debug!(account = %receiver.account, error, message, "released tips are not reported");
            }
            // A request for a room whose messages arrive already, for another token or the one before, is no bad
            // one: it repeats what was accepted.
            Some(error) if !(arrives && error == BAD_REQUEST) => {
                receiver.refuse(request, protocol::refusal(&error, &message)).await;
            }
            _ => {
                if !arrives {
                    self.accepted.extend(subscription);
                }
                if topic == TIPS {
                    receiver.confirm(request, room).await;
                } else if let Some(room) = room {
                    receiver.subscriptions.name_room(request, room);
                }
            }
        }
    }

    /// Moves the session to another connection, with its subscriptions. The old socket is read until the new one
    /// is welcomed, so that nothing is missed; a tip on both is stored once. Ends between two messages when
    /// `receiver.stop` is cancelled: one that is being stored is not lost.
    async fn relocate(&mut self, receiver: &mut Receiver, token: &Secret) -> Result<(), Interruption> {
        let mut url = receiver.context.config.ingest.streamelements_realtime_url.clone();
        url.query_pairs_mut().append_pair("reconnect_token", token.expose());
        let (stop, opening) = (receiver.stop.clone(), open(&url));
        tokio::pin!(opening);
        let mut is_open = true;
        let moved = loop {
            let event = tokio::select! {
                () = stop.cancelled() => return Ok(()),
                opened = &mut opening => break opened?,
                event = self.socket.next(), if is_open => event,
            };
            match event.and_then(frame) {
                Ok(Some(frame)) => self.take(receiver, frame).await?,
                Ok(None) => {}
                Err(_closed) => is_open = false,
            }
        };
        self.leave(receiver).await?;
        (self.socket, self.heard_at) = (moved, Instant::now());
        receiver.subscriptions.repeat_requests(Instant::now());
        Ok(())
    }

    /// Reads a socket whose session has moved until everything in transit has arrived.
    async fn leave(&mut self, receiver: &mut Receiver) -> Result<(), Interruption> {
        let deadline = Instant::now() + LEAVE_TIMEOUT;
        loop {
            let quiet = (Instant::now() + QUIET_PERIOD).min(deadline);
            let next = receiver.stop.run_until_cancelled(timeout_at(quiet, self.socket.next())).await;
            let Some(Ok(Ok(event))) = next else { return Ok(()) };
            match frame(event) {
                Ok(Some(frame)) => self.take(receiver, frame).await?,
                Ok(None) => {}
                Err(_closed) => return Ok(()),
            }
        }
    }
}

/// Opens a socket and reads the welcome.
async fn open(url: &Url) -> Result<Socket, Interruption> {
    let mut socket = Socket::connect(url).await?;
    let welcomed = timeout_at(Instant::now() + WELCOME_TIMEOUT, async {
        loop {
            match frame(socket.next().await?)? {
                Some(Frame::Welcome) => return Ok(()),
                Some(_) => return Err(Interruption::Broken("StreamElements sends no welcome".into())),
                None => {}
            }
        }
    });
    welcomed
        .await
        .unwrap_or_else(|_elapsed| Err(Interruption::Broken("StreamElements sends no welcome".into())))?;
    Ok(socket)
}

/// Message of the gateway; `None` for a ping.
fn frame(event: SocketEvent) -> Result<Option<Frame>, Interruption> {
    match event {
        SocketEvent::Json(message) => Ok(Some(protocol::read(message))),
        SocketEvent::KeepAlive => Ok(None),
        SocketEvent::Closed(why) => {
            let why = why.map_or_else(String::new, |(code, reason)| format!(" with {code} {reason}"));
            Err(Interruption::Broken(format!("StreamElements closed the socket{why}")))
        }
    }
}
