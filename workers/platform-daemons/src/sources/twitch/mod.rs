//! EventSub over WebSockets, for deployments that Twitch cannot call: one session for each channel, whose
//! subscriptions are made with the channel's own token (reference/ingest.md#twitch-sessions).

mod message;
mod subscriptions;

use std::{sync::Arc, time::Duration};

use live_model::inbox::Inbound;
use shared::platform::Platform;
use tokio::time::{Instant, timeout_at};
use tokio_util::task::AbortOnDropHandle;
use url::Url;

use super::{
    Interruption, Reader, Source,
    socket::{Socket, SocketEvent},
};
use message::{Message, Session};

/// Maximum time until the welcome of a session.
const WELCOME_TIMEOUT: Duration = Duration::from_secs(10);
/// Requested interval of Twitch's keep-alive messages.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(20);
/// Time that a keep-alive message may be late.
const GRACE_PERIOD: Duration = Duration::from_secs(5);
/// Silence after which a socket whose session has moved is complete.
const QUIET_PERIOD: Duration = Duration::from_millis(500);
/// Maximum time to read a socket whose session has moved.
const UNSUBSCRIBE_TIMEOUT: Duration = Duration::from_secs(10);
/// Close code for a session that had no subscription in time.
const CLOSE_CODE_UNUSED: u16 = 4003;

/// Source of EventSub.
pub(super) struct Twitch;

/// Open session.
struct Live {
    socket: Socket,
    session: Session,
}

impl Source for Twitch {
    const PLATFORM: Platform = Platform::Twitch;

    async fn read(&self, reader: &Arc<Reader>) -> Result<(), Interruption> {
        let url = first_url(&reader.context.config.ingest.twitch_socket_url);
        let mut live = open(&url).await?;
        let session_id = live.session.id.clone();
        // On a task of its own: a session without a subscription in time is closed, however long a line takes
        // to be stored.
        let mut subscribing = subscribe(reader, &session_id);
        let mut is_subscribing = true;
        loop {
            let silence = Instant::now() + live.session.keepalive + GRACE_PERIOD;
            let heard = tokio::select! {
                () = reader.stop.cancelled() => {
                    live.socket.close().await;
                    return Ok(());
                }
                subscribed = &mut subscribing, if is_subscribing => {
                    is_subscribing = false;
                    subscribed.map_err(|error| Interruption::Broken(error.to_string()))??;
                    reader.is_reading(Platform::Twitch).await;
                    continue;
                }
                // The channel was connected again and may have granted more.
                () = reader.woken.notified(), if !is_subscribing => {
                    subscribing = subscribe(reader, &session_id);
                    is_subscribing = true;
                    continue;
                }
                heard = timeout_at(silence, live.socket.next()) => {
                    heard.unwrap_or_else(|_elapsed| Err(Interruption::Broken("Twitch fell silent".into())))?
                }
            };
            match heard {
                SocketEvent::Json(message) => match message::read(message) {
                    Message::Delivery(delivery) => write(reader, delivery).await?,
                    Message::Reconnect(url) => live = move_to(reader, live, &url).await?,
                    Message::Other => {}
                },
                SocketEvent::KeepAlive => {}
                SocketEvent::Closed(Some((CLOSE_CODE_UNUSED, _))) => {
                    return Err(Interruption::Refused("Twitch delivers nothing of the channel".into()));
                }
                SocketEvent::Closed(why) => {
                    let why = why.map_or_else(String::new, |(code, reason)| format!(" with {code} {reason}"));
                    return Err(Interruption::Broken(format!("Twitch closed the socket{why}")));
                }
            }
        }
    }
}

/// Starts a task that subscribes; dropping the handle ends it.
fn subscribe(reader: &Arc<Reader>, session_id: &str) -> AbortOnDropHandle<Result<(), Interruption>> {
    let (reader, session_id) = (Arc::clone(reader), session_id.to_owned());
    AbortOnDropHandle::new(tokio::spawn(async move { subscriptions::subscribe(&reader, &session_id).await }))
}

fn first_url(base: &Url) -> Url {
    let mut url = base.clone();
    url.query_pairs_mut().append_pair("keepalive_timeout_seconds", &KEEPALIVE_INTERVAL.as_secs().to_string());
    url
}

/// Opens a socket and reads the welcome.
async fn open(url: &Url) -> Result<Live, Interruption> {
    let mut socket = Socket::connect(url).await?;
    let welcomed = timeout_at(Instant::now() + WELCOME_TIMEOUT, async {
        loop {
            match socket.next().await? {
                SocketEvent::Json(message) => {
                    return message::welcome(&message, KEEPALIVE_INTERVAL)
                        .ok_or_else(|| Interruption::Broken("Twitch does not say welcome".into()));
                }
                SocketEvent::KeepAlive => {}
                SocketEvent::Closed(_) => {
                    return Err(Interruption::Broken("Twitch closed the socket".into()));
                }
            }
        }
    });
    let session = welcomed
        .await
        .unwrap_or_else(|_elapsed| Err(Interruption::Broken("Twitch does not say welcome".into())))?;
    Ok(Live { socket, session })
}

/// Moves the session to another address of Twitch, with its subscriptions. The old socket is read until the
/// new one is welcomed, so that nothing is missed; deliveries on both have the same id.
async fn move_to(reader: &Reader, mut old: Live, url: &str) -> Result<Live, Interruption> {
    let url = trusted(&reader.context.config.ingest.twitch_socket_url, url)
        .ok_or_else(|| Interruption::Broken("Twitch sends us to an address that is not its own".into()))?;
    let opening = open(&url);
    tokio::pin!(opening);
    let mut is_open = true;
    loop {
        let heard = tokio::select! {
            opened = &mut opening => {
                let opened = opened?;
                leave(reader, old).await?;
                return Ok(opened);
            }
            heard = old.socket.next(), if is_open => heard,
        };
        match heard {
            Ok(SocketEvent::Json(message)) => {
                if let Message::Delivery(delivery) = message::read(message) {
                    write(reader, delivery).await?;
                }
            }
            Ok(SocketEvent::KeepAlive) => {}
            Ok(SocketEvent::Closed(_)) | Err(_) => is_open = false,
        }
    }
}

/// Leaves a socket after everything in transit has arrived.
async fn leave(reader: &Reader, mut old: Live) -> Result<(), Interruption> {
    let deadline = Instant::now() + UNSUBSCRIBE_TIMEOUT;
    loop {
        let quiet = (Instant::now() + QUIET_PERIOD).min(deadline);
        let Ok(Ok(heard)) = timeout_at(quiet, old.socket.next()).await else { break };
        match heard {
            SocketEvent::Json(message) => {
                if let Message::Delivery(delivery) = message::read(message) {
                    write(reader, delivery).await?;
                }
            }
            SocketEvent::KeepAlive => {}
            SocketEvent::Closed(_) => return Ok(()),
        }
    }
    old.socket.close().await;
    Ok(())
}

/// Returns an address to move to: on the configured host, or below it.
fn trusted(base: &Url, url: &str) -> Option<Url> {
    let url = Url::parse(url).ok()?;
    let (host, home) = (url.host_str()?, base.host_str()?);
    let is_home = host == home || host.strip_suffix(home).is_some_and(|rest| rest.ends_with('.'));
    let is_alike =
        url.scheme() == base.scheme() && url.port_or_known_default() == base.port_or_known_default();
    (is_home && is_alike).then_some(url)
}

async fn write(reader: &Reader, delivery: Inbound) -> Result<(), Interruption> {
    reader.intake.write_with_retries(reader, &[delivery]).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trusted_accepts_addresses_of_twitch_only() {
        let base = Url::parse("wss://eventsub.wss.twitch.tv/ws").unwrap();
        for own in
            ["wss://eventsub.wss.twitch.tv/ws?challenge=1", "wss://cell-a.eventsub.wss.twitch.tv/ws?id=1"]
        {
            assert!(trusted(&base, own).is_some(), "{own}");
        }
        for foreign in [
            "ws://eventsub.wss.twitch.tv/ws",
            "wss://evil.example/ws",
            "wss://evileventsub.wss.twitch.tv/ws",
            "wss://eventsub.wss.twitch.tv.evil.example/ws",
            "wss://eventsub.wss.twitch.tv:8443/ws",
            "ws",
        ] {
            assert!(trusted(&base, foreign).is_none(), "{foreign}");
        }
    }
}
