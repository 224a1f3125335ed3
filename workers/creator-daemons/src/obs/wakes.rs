//! Messages of the API that something waits. A lost one delays and loses nothing: everything is also polled.

use std::time::Duration;

use live_model::obs::{ObsExchange, Wake};
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio_util::sync::CancellationToken;
use worker_core::Context;

/// Number of messages that wait to be handled; further ones are dropped.
const MAX_WAITING_WAKES: usize = 1000;
/// Pause before a lost subscription is opened again.
const RECONNECT_DELAY: Duration = Duration::from_millis(500);

/// Follows the messages until `shutdown` is cancelled.
pub(super) fn follow(context: &Context, shutdown: &CancellationToken) -> Receiver<Wake> {
    let (sender, receiver) = mpsc::channel(MAX_WAITING_WAKES);
    let (context, shutdown) = (context.clone(), shutdown.clone());
    tokio::spawn(async move {
        shutdown
            .run_until_cancelled(async {
                // A daemon that failed and is restarted has another receiver.
                while !sender.is_closed() {
                    if let Err(error) = listen(&context, &sender).await {
                        tracing::debug!(%error, "changes of OBS are polled until Redis is back");
                    }
                    tokio::time::sleep(RECONNECT_DELAY).await;
                }
            })
            .await;
    });
    receiver
}

async fn listen(context: &Context, sender: &Sender<Wake>) -> shared::Result<()> {
    let channel = ObsExchange::new(context.redis.clone()).wake_channel();
    let (mut subscriber, mut messages) = context.redis.subscription().await?;
    subscriber.subscribe(&[channel]).await?;
    loop {
        let message = tokio::select! {
            () = sender.closed() => return Ok(()),
            message = messages.next() => message,
        };
        let Some(message) = message else { return Ok(()) };
        match serde_json::from_slice(message.get_payload_bytes()) {
            Ok(wake) => {
                if sender.try_send(wake).is_err() {
                    tracing::debug!("a message about OBS is dropped: too many wait");
                }
            }
            Err(error) => tracing::warn!(%error, "a message about OBS cannot be read"),
        }
    }
}
