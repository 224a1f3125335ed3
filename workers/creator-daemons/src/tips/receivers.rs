//! Accounts of this copy: it scans stored tokens page by page, holds a lease on each account whose tips it
//! receives, and releases those whose last token was deleted or switched off.

use std::{collections::HashMap, time::Duration};

use foundation::lease::Lease;
use platform_daemons::sources::{Interruption, Pauses};
use shared::Result;
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use worker_core::Context;

use super::{
    lease::{lease, renew},
    metrics::TipMetrics,
    receiver::{Change, Receiver},
    session,
    subscriptions::pause_after,
    tokens::{self, Token},
};

/// Maximum number of sockets that one copy opens in a scan, so that copies share them.
const MAX_STARTED_PER_SCAN: usize = 50;
/// Maximum number of sockets of one copy (reference/tips.md#sockets).
const MAX_SOCKETS: usize = 2000;
/// Run time after which an interrupted socket is opened again with the shortest pause.
const STABLE_AFTER: Duration = Duration::from_secs(60);

/// Receivers of one copy.
pub(super) struct Receivers {
    context: Context,
    metrics: TipMetrics,
    /// Id of this copy in leases.
    copy: Uuid,
    /// Receivers by account.
    running: HashMap<Uuid, Running>,
    tasks: JoinSet<()>,
}

/// Receiver of this copy.
struct Running {
    /// Passes the tokens of the account on.
    tokens: watch::Sender<Vec<Token>>,
    stop: CancellationToken,
    task: tokio::task::Id,
}

impl Receivers {
    /// Returns a copy without receivers.
    pub fn new(context: Context, metrics: TipMetrics, copy: Uuid) -> Self {
        Self { context, metrics, copy, running: HashMap::new(), tasks: JoinSet::new() }
    }

    /// Scans a page of tokens: passes them to the receivers of their accounts, ends receivers of accounts without
    /// a token, and begins those that are missing. Returns the position of the next page.
    ///
    /// # Errors
    /// A failure of the database or of Redis.
    pub async fn scan(&mut self, after: Option<Uuid>) -> Result<Option<Uuid>> {
        self.reap();
        let page = tokens::page(&mut *self.context.databases.postgres.get().await?, after).await?;
        let is_in_page = |account: Uuid| {
            after.is_none_or(|after| account > after) && page.next.is_none_or(|last| account <= last)
        };
        for (account, running) in self.running.iter().filter(|(account, _)| is_in_page(**account)) {
            running.pass(page.of(*account));
        }
        let mut started = 0;
        for tokens in page.tokens.chunk_by(|one, next| one.account_id == next.account_id) {
            if started >= MAX_STARTED_PER_SCAN || self.running.len() >= MAX_SOCKETS {
                break;
            }
            let Some(account) = tokens.first().map(|token| token.account_id) else { continue };
            if self.running.contains_key(&account) {
                continue;
            }
            let mut lease = lease(&self.context.redis, account, self.copy);
            if lease.extend().await? {
                self.begin(account, tokens.to_vec(), lease);
                started += 1;
            }
        }
        Ok(page.next)
    }

    fn begin(&mut self, account: Uuid, tokens: Vec<Token>, mut lease: Lease) {
        let (stop, (tokens, stored)) = (CancellationToken::new(), watch::channel(tokens));
        let (context, metrics) = (self.context.clone(), self.metrics.clone());
        let receiver = Receiver::new(context, metrics, account, stored, stop.clone());
        let until = stop.clone();
        let task = self.tasks.spawn(async move {
            tokio::join!(renew(&mut lease, account, &until), receiver.run());
            lease.release().await;
        });
        self.running.insert(account, Running { tokens, stop, task: task.id() });
    }

    /// Removes receivers that have ended: their accounts are scanned again.
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

impl Running {
    /// Passes the tokens of the account on; without one the receiver ends.
    fn pass(&self, stored: &[Token]) {
        if stored.is_empty() {
            self.stop.cancel();
        }
        self.tokens.send_if_modified(|tokens| {
            let is_changed = tokens.as_slice() != stored;
            if is_changed {
                *tokens = stored.to_vec();
            }
            is_changed
        });
    }
}

impl Receiver {
    /// Receives tips until `stop` is cancelled.
    async fn run(mut self) {
        let mut pauses = Pauses::default();
        while self.is_ready().await {
            let began = Instant::now();
            let interruption = session::receive(&mut self).await.err();
            self.subscriptions.disconnect(Instant::now());
            let Some(interruption) = interruption.filter(|_| !self.stop.is_cancelled()) else { continue };
            if began.elapsed() > STABLE_AFTER {
                pauses = Pauses::default();
            }
            let (reason, pause) = pause_after(&interruption, &mut pauses);
            let why = interruption.to_string();
            tracing::info!(account = %self.account, why, ?pause, "tips of an account do not arrive for now");
            self.metrics.interruptions.with_label_values(&[reason]).inc();
            self.rest(pause, matches!(interruption, Interruption::Later { .. })).await;
        }
    }

    /// Waits until a token can be used. False when `stop` is cancelled.
    async fn is_ready(&mut self) -> bool {
        let stop = self.stop.clone();
        while !self.subscriptions.has_ready() {
            let Some(change) = stop.run_until_cancelled(self.changed()).await else { return false };
            self.apply(change).await;
        }
        !stop.is_cancelled()
    }

    /// Waits until a socket may be opened again. Other tokens are tried immediately, unless StreamElements
    /// requested the pause.
    async fn rest(&mut self, pause: Duration, is_requested: bool) {
        let (stop, end) = (self.stop.clone(), Instant::now() + pause);
        loop {
            let change = tokio::select! {
                () = stop.cancelled() => return,
                () = sleep_until(end) => return,
                change = self.changed() => change,
            };
            let is_other_token = matches!(change, Change::Stored);
            self.apply(change).await;
            if is_other_token && !is_requested {
                return;
            }
        }
    }
}
