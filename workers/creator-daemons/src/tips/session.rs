//! Socket of one token: it subscribes to the tips of the channel and stores what arrives
//! (reference/tips.md#protocol).

use std::time::Duration;

use platform_daemons::sources::{Interruption, Socket, SocketEvent};
use shared::secret::Secret;
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::{
    channel::channel,
    metrics::OpenSocket,
    protocol::{self, Frame, MODERATION, TIPS},
    receiver::Receiver,
    refusal, tokens,
};

/// Time after which a token that no key opens is read again (reference/tips.md#sockets).
const UNREADABLE_PAUSE: Duration = Duration::from_secs(600);
/// Maximum time until the welcome of a connection.
const WELCOME_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time until the response to the subscription.
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
    /// Time by which the subscription to tips must be confirmed; `None` when it is.
    confirmed_by: Option<Instant>,
    open: Option<OpenSocket>,
}

/// Receives the tips of a token until `receiver.stop` is cancelled or that cannot continue. Everything that has
/// arrived by then is stored.
///
/// # Errors
/// Reason why tips do not arrive now.
pub(super) async fn receive(receiver: &Receiver) -> Result<(), Interruption> {
    let Some(session) = receiver.stop.run_until_cancelled(begin(receiver)).await else { return Ok(()) };
    let (mut session, mut is_first) = (session?, true);
    loop {
        let silence = Instant::now() + SILENCE_TIMEOUT;
        let deadline = session.confirmed_by.map_or(silence, |by| by.min(silence));
        let event = tokio::select! {
            () = receiver.stop.cancelled() => {
                session.socket.close().await;
                return Ok(());
            }
            event = timeout_at(deadline, session.socket.next()) => {
                event.unwrap_or_else(|_elapsed| Err(Interruption::Broken("StreamElements fell silent".into())))?
            }
        };
        let Some(frame) = frame(event)? else { continue };
        match frame {
            Frame::Response { topic, error, message } => {
                session.confirm(receiver, &topic, error, &message)?;
                if session.confirmed_by.is_none() && is_first {
                    is_first = false;
                    accepted(receiver).await;
                }
            }
            Frame::Message { topic, sent_at, payload } if is_tip(&topic) => {
                receiver.store(&payload, sent_at.as_deref()).await?;
            }
            Frame::Reconnect { token } => {
                let moved = receiver.stop.run_until_cancelled(session.move_to(receiver, &token)).await;
                let Some(moved) = moved else { return Ok(()) };
                session = moved?;
            }
            _ => {}
        }
    }
}

/// Notes that the token works. A failure is repaired by the next connection.
async fn accepted(receiver: &Receiver) {
    if let Err(error) = refusal::clear(&receiver.context, &receiver.token).await {
        tracing::warn!(token = %receiver.token.id, %error, "the refusal of a token cannot be removed");
    }
}

/// Connects and requests the tips of the channel.
async fn begin(receiver: &Receiver) -> Result<Session, Interruption> {
    let context = &receiver.context;
    let content = tokens::content(context, &receiver.token).await;
    let content = content.map_err(|error| Interruption::Broken(error.to_string()))?;
    // No refusal of StreamElements: a key of the deployment is missing, which no owner can repair.
    let unreadable =
        || Interruption::Later { pause: UNREADABLE_PAUSE, why: "the token cannot be read".into() };
    let token = content.ok_or_else(unreadable)?;
    let (token_type, room) = channel(context, &token).await?;
    let mut socket = open(&context.config.ingest.streamelements_realtime_url).await?;
    for topic in [TIPS, MODERATION] {
        socket.send(&protocol::subscribe(topic, &room, &token, token_type)).await?;
    }
    Ok(Session { socket, confirmed_by: Some(Instant::now() + RESPONSE_TIMEOUT), open: None })
}

impl Session {
    /// Takes the response to a subscription. Tips that wait for a moderator are missed with a token that lacks
    /// the scope of their topic.
    fn confirm(
        &mut self,
        receiver: &Receiver,
        topic: &str,
        error: Option<String>,
        message: &str,
    ) -> Result<(), Interruption> {
        match error {
            Some(error) if topic == MODERATION => {
                tracing::debug!(token = %receiver.token.id, error, message, "released tips are not reported");
            }
            Some(error) => return Err(protocol::refusal(&error, message)),
            None if topic == TIPS => {
                self.confirmed_by = None;
                self.open = Some(receiver.metrics.open_socket());
            }
            None => {}
        }
        Ok(())
    }

    /// Moves the session to another connection, with its subscriptions. The old socket is read until the new one
    /// is welcomed, so that nothing is missed; a tip on both is stored once.
    async fn move_to(mut self, receiver: &Receiver, token: &Secret) -> Result<Self, Interruption> {
        let mut url = receiver.context.config.ingest.streamelements_realtime_url.clone();
        url.query_pairs_mut().append_pair("reconnect_token", token.expose());
        let opening = open(&url);
        tokio::pin!(opening);
        let mut is_open = true;
        loop {
            let event = tokio::select! {
                opened = &mut opening => {
                    let moved = opened?;
                    self.leave(receiver).await?;
                    let open = self.open.take().or_else(|| Some(receiver.metrics.open_socket()));
                    return Ok(Self { socket: moved, confirmed_by: None, open });
                }
                event = self.socket.next(), if is_open => event,
            };
            match event.and_then(frame) {
                Ok(Some(Frame::Message { topic, sent_at, payload })) if is_tip(&topic) => {
                    receiver.store(&payload, sent_at.as_deref()).await?;
                }
                Ok(_) => {}
                Err(_closed) => is_open = false,
            }
        }
    }

    /// Reads a socket whose session has moved until everything in transit has arrived.
    async fn leave(&mut self, receiver: &Receiver) -> Result<(), Interruption> {
        let deadline = Instant::now() + LEAVE_TIMEOUT;
        loop {
            let quiet = (Instant::now() + QUIET_PERIOD).min(deadline);
            let Ok(Ok(event)) = timeout_at(quiet, self.socket.next()).await else { return Ok(()) };
            match frame(event) {
                Ok(Some(Frame::Message { topic, sent_at, payload })) if is_tip(&topic) => {
                    receiver.store(&payload, sent_at.as_deref()).await?;
                }
                Ok(_) => {}
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

fn is_tip(topic: &str) -> bool {
    [TIPS, MODERATION].contains(&topic)
}
