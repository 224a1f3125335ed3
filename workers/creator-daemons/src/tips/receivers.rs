//! Tokens of this copy: it scans stored tokens page by page, holds a lease on each that it uses, and releases
//! those that were deleted, replaced or switched off.

use std::{collections::HashMap, time::Duration};

use platform_daemons::sources::{Interruption, Pauses};
use shared::Result;
use tokio::{task::JoinSet, time::Instant};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use worker_core::Context;

use super::{
    lease::{lease, renew},
    metrics::TipMetrics,
    receiver::Receiver,
    refusal, session,
    tokens::{self, Token},
};

/// Maximum number of sockets that one copy opens in a scan, so that copies share them.
const MAX_STARTED_PER_SCAN: usize = 50;
/// Maximum number of sockets of one copy (reference/tips.md#sockets).
const MAX_SOCKETS: usize = 2000;
/// Run time after which an interrupted socket is opened again with the shortest pause.
const STABLE_AFTER: Duration = Duration::from_secs(60);
/// Time after which a refused token is tried again; a replaced one is tried immediately
/// (reference/tips.md#sockets).
const REFUSED_COOLDOWN: Duration = Duration::from_secs(600);

/// Receivers of one copy.
pub(super) struct Receivers {
    context: Context,
    metrics: TipMetrics,
    /// Id of this copy in leases.
    copy: Uuid,
    running: HashMap<Uuid, Running>,
    tasks: JoinSet<()>,
}

/// Receiver of this copy.
struct Running {
    token: Token,
    stop: CancellationToken,
    task: tokio::task::Id,
}

impl Receivers {
    /// Returns a copy without receivers.
    pub fn new(context: Context, metrics: TipMetrics, copy: Uuid) -> Self {
        Self { context, metrics, copy, running: HashMap::new(), tasks: JoinSet::new() }
    }

    /// Scans a page of tokens: ends receivers of those that are gone or changed, and begins those without a
    /// receiver. Returns the position of the next page.
    ///
    /// # Errors
    /// A failure of the database or of Redis.
    pub async fn scan(&mut self, after: Option<Uuid>) -> Result<Option<Uuid>> {
        self.reap();
        let page = tokens::page(&mut *self.context.databases.postgres.get().await?, after).await?;
        let is_in_page =
            |id: Uuid| after.is_none_or(|after| id > after) && page.next.is_none_or(|last| id <= last);
        for (id, running) in &self.running {
            let stored = page.tokens.binary_search_by_key(id, |token| token.id);
            let stored = stored.ok().and_then(|index| page.tokens.get(index));
            if is_in_page(*id) && stored != Some(&running.token) {
                running.stop.cancel();
            }
        }
        let mut started = 0;
        for token in page.tokens {
            if started >= MAX_STARTED_PER_SCAN || self.running.len() >= MAX_SOCKETS {
                break;
            }
            if self.running.contains_key(&token.id) {
                continue;
            }
            let mut lease = lease(&self.context.redis, token.id, self.copy);
            if lease.extend().await? {
                self.begin(token, lease);
                started += 1;
            }
        }
        Ok(page.next)
    }

    fn begin(&mut self, token: Token, mut lease: foundation::lease::Lease) {
        let (id, stop) = (token.id, CancellationToken::new());
        let receiver = Receiver {
            context: self.context.clone(),
            metrics: self.metrics.clone(),
            token: token.clone(),
            stop: stop.clone(),
        };
        let task = self.tasks.spawn(async move {
            tokio::join!(renew(&mut lease, id, &receiver.stop), receiver.run());
            lease.release().await;
        });
        self.running.insert(id, Running { token, stop, task: task.id() });
    }

    /// Removes receivers that have ended: their tokens are scanned again.
    fn reap(&mut self) {
        while let Some(ended) = self.tasks.try_join_next_with_id() {
            let task = match ended {
                Ok((task, ())) => task,
                Err(error) => {
                    tracing::error!(%error, "a receiver of tips has failed");
                    error.id()
                }
            };
            self.running.retain(|_, running| running.task != task);
        }
    }

    /// Ends every receiver and releases its lease.
    pub async fn end(mut self) {
        self.running.values().for_each(|running| running.stop.cancel());
        while self.tasks.join_next().await.is_some() {}
    }
}

impl Receiver {
    /// Receives tips until `stop` is cancelled.
    async fn run(&self) {
        let mut pauses = Pauses::default();
        while !self.stop.is_cancelled() {
            let began = Instant::now();
            let interruption = session::receive(self).await.err();
            let Some(interruption) = interruption.filter(|_| !self.stop.is_cancelled()) else { continue };
            if began.elapsed() > STABLE_AFTER {
                pauses = Pauses::default();
            }
            let why = interruption.to_string();
            let (reason, pause) = match interruption {
                Interruption::Broken(_) => ("broken", pauses.next_pause()),
                Interruption::Later { pause, .. } => ("later", pause),
                Interruption::Refused(_) => {
                    self.report_refusal().await;
                    ("refused", REFUSED_COOLDOWN)
                }
            };
            tracing::info!(token = %self.token.id, why, ?pause, "tips of a token do not arrive for now");
            self.metrics.interruptions.with_label_values(&[reason]).inc();
            self.stop.run_until_cancelled(tokio::time::sleep(pause)).await;
        }
    }
    /// A failure is repaired by the next attempt.
    async fn report_refusal(&self) {
        if let Err(error) = refusal::record(&self.context, &self.token).await {
            tracing::warn!(token = %self.token.id, %error, "the refusal of a token cannot be stored");
        }
    }
}
