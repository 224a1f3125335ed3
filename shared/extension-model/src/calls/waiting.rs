//! Waiting for the results of calls. One subscription of a process wakes its waiting calls. Each call also
//! polls, so that a lost announcement costs half a second and nothing else.

use std::{
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use dashmap::DashMap;
use foundation::redis::Redis;
use tokio::{
    sync::Notify,
    time::{Instant, timeout},
};
use uuid::Uuid;

use super::{Calls, FunctionCall, FunctionReply, Presence, Withdrawn};

const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Time after which a call is withdrawn when no runtime is connected.
const NO_RUNTIME_TIMEOUT: Duration = Duration::from_secs(3);
const RECONNECT_DELAY: Duration = Duration::from_millis(500);

/// Calls that this process waits for. Cheap to clone.
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

/// Reason why there is no result.
#[derive(Debug)]
pub enum NoReply {
    /// Too many calls wait.
    Full,
    /// The call did not run and will not run.
    NotStarted,
    /// The call began; its progress is unknown.
    Lost,
    /// Redis failed; the call may have begun.
    Failed(shared::Error),
}

/// Registration of a waiting call. It ends when dropped, also for a caller that disconnects.
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
    /// No calls are waiting yet.
    #[must_use]
    pub fn new(redis: Redis) -> Self {
        Self { calls: Calls::new(redis.clone()), redis, waiting: Arc::default() }
    }

    /// Dispatches a call to a runtime and waits for its result.
    ///
    /// # Errors
    /// The reason why there is no result. Only [`NoReply::NotStarted`] and [`NoReply::Full`] guarantee that
    /// nothing ran.
    pub async fn run(&self, call: &FunctionCall, wait_timeout: Duration) -> Result<FunctionReply, NoReply> {
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
            if let Some(end) = self.check_progress(call.id, started, wait_timeout).await {
                // The result may have arrived meanwhile.
                return self.calls.reply(call.id).await.ok().flatten().ok_or(end);
            }
        }
    }

    /// Reason to stop waiting; `None` while a result may arrive.
    async fn check_progress(&self, call: Uuid, started: Instant, wait_timeout: Duration) -> Option<NoReply> {
        let waited = started.elapsed();
        let is_over = waited >= wait_timeout;
        match self.calls.presence(call).await {
            Ok(Presence::Lost) => Some(NoReply::Lost),
            Ok(Presence::Waiting { runtimes }) if is_over || !runtimes && waited >= NO_RUNTIME_TIMEOUT => {
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
        let channel = self.calls.replies_channel();
        tokio::spawn(async move {
            while waiting.strong_count() > 0 {
                if let Err(error) = follow(&waiting, &redis, &channel).await {
                    tracing::debug!(%error, "results of functions are polled until Redis is back");
                }
                tokio::time::sleep(RECONNECT_DELAY).await;
            }
        });
    }
}

async fn follow(waiting: &Weak<Waiting>, redis: &Redis, channel: &str) -> shared::Result<()> {
    /// Interval of the check that a holder of the calls remains.
    const IDLE_CHECK_INTERVAL: Duration = Duration::from_secs(30);
    let (mut subscriber, mut messages) = redis.subscription().await?;
    subscriber.subscribe(&[channel]).await?;
    loop {
        let message = match timeout(IDLE_CHECK_INTERVAL, messages.next()).await {
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
