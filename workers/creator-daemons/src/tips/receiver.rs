//! Receiver of the tips of one account: its tokens, and what becomes of their subscriptions
//! (reference/tips.md#sockets).

use platform_daemons::sources::Interruption;
use tokio::{
    sync::watch,
    task::{Id, JoinError, JoinSet},
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use worker_core::Context;

use super::{
    channel::{Access, access},
    metrics::TipMetrics,
    refusal,
    subscriptions::{Failure, Subscriptions},
    tokens::Token,
};

/// Receiver of the tips of one account.
pub(super) struct Receiver {
    pub context: Context,
    pub metrics: TipMetrics,
    pub account: Uuid,
    pub subscriptions: Subscriptions,
    pub stop: CancellationToken,
    /// Tokens of the account, as the last scan read them.
    stored: watch::Receiver<Vec<Token>>,
    /// Tasks that open tokens: the API may be slow, and delays the tips of no other token.
    opening: JoinSet<Result<Access, Interruption>>,
}

/// Change of a token.
pub(super) enum Change {
    /// The account has other tokens.
    Stored,
    /// A task has opened a token, or failed to.
    Opened(Result<(Id, Result<Access, Interruption>), JoinError>),
    /// A token is due, or a response is.
    Due,
}

impl Receiver {
    /// Returns a receiver that has begun nothing.
    pub fn new(
        context: Context,
        metrics: TipMetrics,
        account: Uuid,
        stored: watch::Receiver<Vec<Token>>,
        stop: CancellationToken,
    ) -> Self {
        let (subscriptions, opening) = (Subscriptions::default(), JoinSet::new());
        let mut receiver = Self { context, metrics, account, subscriptions, stop, stored, opening };
        receiver.update();
        receiver
    }

    /// Waits for a change. Cancellation-safe: nothing is lost before [`Receiver::apply`] takes it.
    pub async fn changed(&mut self) -> Change {
        self.open_due();
        let deadline = self.subscriptions.deadline();
        let due = async {
            match deadline {
                Some(at) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            Ok(()) = self.stored.changed() => Change::Stored,
            Some(opened) = self.opening.join_next_with_id() => Change::Opened(opened),
            () = due => Change::Due,
        }
    }

    /// Applies a change.
    pub async fn apply(&mut self, change: Change) {
        match change {
            Change::Stored => self.update(),
            Change::Opened(Ok((task, opened))) => self.take_opened(task, opened).await,
            Change::Opened(Err(error)) => {
                tracing::error!(account = %self.account, %error, "the task of a token has failed");
                self.take_opened(error.id(), Err(Interruption::Broken(error.to_string()))).await;
            }
            Change::Due => {
                for failure in self.subscriptions.expire(Instant::now()) {
                    self.report(failure).await;
                }
            }
        }
    }

    /// Notes that the tips of a request arrive.
    pub async fn confirm(&mut self, request: u64, room: Option<String>) {
        let Some(token) = self.subscriptions.confirm(request, room) else { return };
        // A failure is repaired by the next connection.
        if let Err(error) = refusal::clear(&self.context, token).await {
            tracing::warn!(token = %token.id, %error, "the refusal of a token cannot be removed");
        }
    }

    /// Notes that a request was not accepted.
    pub async fn refuse(&mut self, request: u64, interruption: Interruption) {
        if let Some(failure) = self.subscriptions.refuse(request, interruption) {
            self.report(failure).await;
        }
    }

    fn update(&mut self) {
        let stored = self.stored.borrow_and_update();
        self.subscriptions.update(&stored);
    }

    fn open_due(&mut self) {
        let (context, opening) = (&self.context, &mut self.opening);
        self.subscriptions.open_due(Instant::now(), |token| {
            let (context, token) = (context.clone(), token.clone());
            opening.spawn(async move { access(&context, &token).await }).id()
        });
    }

    async fn take_opened(&mut self, task: Id, opened: Result<Access, Interruption>) {
        if let Some(failure) = self.subscriptions.take_opened(task, opened) {
            self.report(failure).await;
        }
    }

    /// Reports that the tips of a token do not arrive. A refusal that cannot be stored is repaired by the next
    /// attempt.
    async fn report(&self, failure: Failure) {
        let Failure { token, interruption, reason, pause } = failure;
        let why = interruption.to_string();
        tracing::info!(token = %token.id, why, ?pause, "tips of a token do not arrive for now");
        self.metrics.interruptions.with_label_values(&[reason]).inc();
        if matches!(interruption, Interruption::Refused(_))
            && let Err(error) = refusal::record(&self.context, &token).await
        {
            tracing::warn!(token = %token.id, %error, "the refusal of a token cannot be stored");
        }
    }
}
