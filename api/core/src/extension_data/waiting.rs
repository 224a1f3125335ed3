//! Waiting for what comes of a call. One subscription a process wakes its waiting calls; each also looks by itself
//! now and then, so that a lost announcement costs half a second and nothing else.

use std::{
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use dashmap::DashMap;
use futures::StreamExt;
use shared::{
    extensions::calls::{Calls, FunctionCall, FunctionReply, Presence, Withdrawn},
    redis::Redis,
};
use tokio::{
    sync::Notify,
    time::{Instant, timeout},
};
use uuid::Uuid;

const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// A call that nobody takes while no runtime is there is withdrawn after this.
const WITHOUT_RUNTIME: Duration = Duration::from_secs(3);
const RECONNECT_DELAY: Duration = Duration::from_millis(500);

/// The calls that this process waits for. Cheap to clone.
#[derive(Clone)]
pub struct FunctionCalls {
    calls: Calls,
    redis: Redis,
    waiting: Arc<Waiting>,
}

#[derive(Default)]
struct Waiting {
    calls: DashMap<Uuid, Arc<Notify>>,
    is_listening: AtomicBool,
}

/// Why there is no result.
#[derive(Debug)]
pub enum NoReply {
    /// Too many calls wait.
    Full,
    /// It never ran and never will.
    NotStarted,
    /// It was begun, and nobody knows how far it came.
    Lost,
    /// Redis failed; it may have been begun.
    Failed(shared::Error),
}

/// Ends the wait when it is dropped, also by a caller who hangs up.
struct Waiter<'a> {
    waiting: &'a Waiting,
    call: Uuid,
    woken: Arc<Notify>,
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        self.waiting.calls.remove(&self.call);
    }
}

impl FunctionCalls {
    #[must_use]
    pub fn new(redis: Redis) -> Self {
        Self { calls: Calls::new(redis.clone()), redis, waiting: Arc::default() }
    }

    /// Hands a call to a runtime and waits for its result.
    ///
    /// # Errors
    /// Why there is none. Only after [`NoReply::NotStarted`] and [`NoReply::Full`] is it certain that nothing ran.
    pub async fn run(&self, call: &FunctionCall, patience: Duration) -> Result<FunctionReply, NoReply> {
        self.listen();
        let waiter = self.waiter(call.id);
        let started = Instant::now();
        match self.calls.offer(call).await {
            Ok(true) => {}
            Ok(false) => return Err(NoReply::Full),
            Err(error) => return Err(self.withdrawn(call.id).await.unwrap_or(NoReply::Failed(error))),
        }
        loop {
            // Woken or not: the result is in Redis, and an announcement may have been lost.
            let was_woken = timeout(POLL_INTERVAL, waiter.woken.notified()).await.is_ok();
            if let Ok(Some(reply)) = self.calls.reply(call.id).await {
                return Ok(reply);
            }
            if was_woken {
                continue;
            }
            if let Some(end) = self.look_after(call.id, started, patience).await {
                // It may have come in this moment.
                return self.calls.reply(call.id).await.ok().flatten().ok_or(end);
            }
        }
    }

    /// Why waiting any longer makes no sense.
    async fn look_after(&self, call: Uuid, started: Instant, patience: Duration) -> Option<NoReply> {
        let waited = started.elapsed();
        let is_over = waited >= patience;
        match self.calls.presence(call).await {
            Ok(Presence::Lost) => Some(NoReply::Lost),
            Ok(Presence::Waiting { runtimes }) if is_over || !runtimes && waited >= WITHOUT_RUNTIME => {
                self.withdrawn(call).await.or(is_over.then_some(NoReply::Lost))
            }
            Ok(_) if is_over => Some(NoReply::Lost),
            Ok(_) => None,
            Err(error) => is_over.then_some(NoReply::Failed(error)),
        }
    }

    async fn withdrawn(&self, call: Uuid) -> Option<NoReply> {
        matches!(self.calls.withdraw(call).await, Ok(Withdrawn::Whole)).then_some(NoReply::NotStarted)
    }

    fn waiter(&self, call: Uuid) -> Waiter<'_> {
        let woken = Arc::new(Notify::new());
        self.waiting.calls.insert(call, woken.clone());
        Waiter { waiting: &self.waiting, call, woken }
    }

    /// Listens for results for as long as anything holds these calls.
    fn listen(&self) {
        if self.waiting.is_listening.swap(true, Ordering::Relaxed) {
            return;
        }
        let (waiting, redis) = (Arc::downgrade(&self.waiting), self.redis.clone());
        let channel = self.calls.replies();
        tokio::spawn(async move {
            while waiting.strong_count() > 0 {
                if let Err(error) = follow(&waiting, &redis, &channel).await {
                    tracing::debug!(%error, "results of functions are looked for until Redis is back");
                }
                tokio::time::sleep(RECONNECT_DELAY).await;
            }
        });
    }
}

async fn follow(waiting: &Weak<Waiting>, redis: &Redis, channel: &str) -> shared::Result<()> {
    /// After which it is asked whether anybody still holds the calls.
    const SILENCE: Duration = Duration::from_secs(30);
    let mut subscription = redis.pubsub().await?;
    subscription.subscribe(channel).await?;
    let mut messages = subscription.on_message();
    loop {
        let message = match timeout(SILENCE, messages.next()).await {
            Ok(Some(message)) => message,
            Ok(None) => return Ok(()),
            Err(_silent) if waiting.strong_count() > 0 => continue,
            Err(_silent) => return Ok(()),
        };
        let Some(waiting) = waiting.upgrade() else { return Ok(()) };
        let call =
            std::str::from_utf8(message.get_payload_bytes()).ok().and_then(|id| Uuid::try_parse(id).ok());
        if let Some(woken) = call.and_then(|call| waiting.calls.get(&call).map(|woken| woken.clone())) {
            woken.notify_one();
        }
    }
}
