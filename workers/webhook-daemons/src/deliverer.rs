//! Claims of due endpoints, and the attempts for one (reference/webhooks.md#delivery).

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chrono::TimeDelta;
use diesel_async::AsyncConnection;
use foundation::{invalidation, trace::within};
use shared::{Error, Result, secret::Secret};
use tokio::{
    sync::Semaphore,
    task::{JoinError, JoinSet},
    time::{Instant, MissedTickBehavior, interval, timeout},
};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use uuid::Uuid;
use webhook_model::{
    event_types::is_chosen,
    index,
    secrets::{SecretColumn, open},
    signature::sign,
};
use worker_core::Context;

use crate::{
    attempt::{Attempt, Outcome, Unsent},
    client::Client,
    db::{self, Claim, Head},
    features::Features,
    metrics::WebhookMetrics,
    payload, trace,
    verdict::Verdict,
};

/// Interval of checks for due endpoints.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Maximum number of endpoints that one copy sends to at a time (reference/webhooks.md#delivery).
const MAX_CONCURRENT_ENDPOINTS: usize = 256;
/// Maximum number of endpoints of one account that a copy sends to at a time (reference/webhooks.md#delivery).
pub const MAX_CONCURRENT_OF_ACCOUNT: i64 = 4;
/// Maximum time to read a payload, and to find its row again after the answer.
const PAYLOAD_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of deliveries of an endpoint that are sent under one claim.
const MAX_DELIVERIES_PER_CLAIM: usize = 100;
/// Time after which a claim takes no further delivery, so that other endpoints of the account come.
const MAX_CLAIM_DURATION: Duration = Duration::from_secs(10);
/// Delay after a failure of a store, which is no attempt.
const STORE_RETRY_DELAY: TimeDelta = TimeDelta::seconds(5);
/// Time that attempts of a stopping copy have (reference/webhooks.md#delivery).
const ATTEMPT_DRAIN_TIMEOUT: Duration = Duration::from_secs(16);

/// Sender of deliveries. Cheap to clone.
#[derive(Clone)]
pub struct Deliverer(Arc<Parts>);

struct Parts {
    context: Context,
    client: Client,
    metrics: WebhookMetrics,
    features: Features,
    /// Numbers of endpoints of accounts that this copy sends to now.
    busy: Mutex<HashMap<Uuid, i64>>,
    /// Cancelled when no further delivery is begun.
    stop: CancellationToken,
}

/// Endpoint of an account that counts as busy until it is dropped.
struct BusyEndpoint {
    parts: Arc<Parts>,
    account: Uuid,
}

/// Result of one step of a claim.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// A delivery was tried.
    Tried,
    /// Nothing can be sent now.
    Idle,
    /// Another claim has the endpoint, or it is deleted.
    Lost,
}

impl Deliverer {
    /// Returns a sender that counts in the context's metrics.
    ///
    /// # Errors
    /// Metrics that cannot be registered, or TLS roots that cannot be loaded.
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self(Arc::new(Parts {
            client: Client::new(&context.config)?,
            metrics: WebhookMetrics::new(&context.metrics)?,
            features: Features::new(context.databases.postgres.clone()),
            busy: Mutex::default(),
            stop: CancellationToken::new(),
            context: context.clone(),
        })))
    }

    /// Sends what is due until `shutdown` is cancelled, then ends the attempts in progress.
    pub(crate) async fn run(&self, shutdown: &CancellationToken) {
        let places = Arc::new(Semaphore::new(MAX_CONCURRENT_ENDPOINTS));
        let mut running = JoinSet::new();
        let mut ticks = interval(POLL_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while shutdown.run_until_cancelled(ticks.tick()).await.is_some() {
            while let Some(ended) = running.try_join_next() {
                report(ended);
            }
            let claims = match self.claim(places.available_permits()).await {
                Ok(claims) => claims,
                Err(error) => {
                    tracing::warn!(%error, "due webhook endpoints cannot be claimed");
                    continue;
                }
            };
            for claim in claims {
                let (deliverer, places) = (self.clone(), Arc::clone(&places));
                let busy = self.busy(claim.account_id);
                running.spawn(async move {
                    let (_place, _busy) = (places.acquire_owned().await, busy);
                    deliverer.serve(&claim).await;
                });
            }
        }
        self.0.stop.cancel();
        let all = async {
            while let Some(ended) = running.join_next().await {
                report(ended);
            }
        };
        if timeout(ATTEMPT_DRAIN_TIMEOUT, all).await.is_err() {
            tracing::info!(endpoints = running.len(), "attempts to deliver are left");
            running.shutdown().await;
        }
    }

    /// Sends what is due now; returns the number of endpoints that were due. Endpoints beyond the share of their account
    /// are left for the next call.
    ///
    /// # Errors
    /// A failure of the main database.
    pub async fn deliver_due(&self) -> Result<usize> {
        let claims = self.claim(MAX_CONCURRENT_ENDPOINTS).await?;
        let number = claims.len();
        let mut running = JoinSet::new();
        for claim in claims {
            let (deliverer, busy) = (self.clone(), self.busy(claim.account_id));
            running.spawn(async move {
                deliverer.serve(&claim).await;
                drop(busy);
            });
        }
        while let Some(ended) = running.join_next().await {
            ended.map_err(|error| Error::Internal(format!("a delivery: {error}")))?;
        }
        Ok(number)
    }

    /// Context of the copy.
    pub(crate) fn context(&self) -> &Context {
        &self.0.context
    }

    /// Metrics of the copy.
    pub(crate) fn metrics(&self) -> &WebhookMetrics {
        &self.0.metrics
    }

    async fn claim(&self, places: usize) -> Result<Vec<Claim>> {
        let limit = i64::try_from(places).unwrap_or(i64::MAX);
        if limit == 0 {
            return Ok(Vec::new());
        }
        let busy: Vec<(Uuid, i64)> = {
            let busy = self.0.busy.lock().unwrap_or_else(PoisonError::into_inner);
            busy.iter().map(|(account, endpoints)| (*account, *endpoints)).collect()
        };
        let now = self.0.context.clock.now();
        let mut connection = self.0.context.databases.postgres.get().await?;
        db::claim(&mut connection, now, &busy, (limit, MAX_CONCURRENT_OF_ACCOUNT)).await
    }

    fn busy(&self, account: Uuid) -> BusyEndpoint {
        let mut busy = self.0.busy.lock().unwrap_or_else(PoisonError::into_inner);
        *busy.entry(account).or_default() += 1;
        BusyEndpoint { parts: Arc::clone(&self.0), account }
    }

    /// Sends deliveries of a claimed endpoint, then ends the claim. A claim that cannot be ended expires.
    async fn serve(&self, claim: &Claim) {
        let (_running, began) = (self.0.metrics.run(), Instant::now());
        let mut delay = TimeDelta::zero();
        for _ in 0..MAX_DELIVERIES_PER_CLAIM {
            if self.0.stop.is_cancelled() || began.elapsed() >= MAX_CLAIM_DURATION {
                break;
            }
            match self.step(claim).await {
                Ok(Step::Tried) => {}
                Ok(Step::Idle) => break,
                Ok(Step::Lost) => return,
                Err(error) => {
                    let Claim { endpoint_id, account_id, .. } = claim;
                    tracing::warn!(%endpoint_id, %account_id, %error, "a delivery is tried later");
                    delay = STORE_RETRY_DELAY;
                    break;
                }
            }
        }
        if let Err(error) = self.release(claim, delay).await {
            tracing::warn!(endpoint_id = %claim.endpoint_id, %error, "a webhook endpoint is not released");
        }
    }

    async fn step(&self, claim: &Claim) -> Result<Step> {
        let mut connection = self.0.context.databases.postgres.get().await?;
        let head = db::next(&mut connection, claim, self.0.context.clock.now()).await?;
        drop(connection);
        let Some(head) = head else { return Ok(Step::Idle) };
        let attempt = self.attempt(claim, &head).await?;
        self.0.metrics.attempted(attempt.outcome.name());
        if attempt.was_sent() {
            self.0.metrics.took(attempt.took);
        }
        self.record(claim, &head, &attempt).await
    }

    /// Sends a delivery. Its error is a failure of a store or of a secret, and no attempt.
    async fn attempt(&self, claim: &Claim, head: &Head) -> Result<Attempt> {
        let secrets = self.secrets(claim, head)?;
        let body = match self.body(claim, head).await? {
            Ok(body) => body,
            Err(reason) => return Ok(Attempt { outcome: Outcome::Unsent(reason), took: Duration::ZERO }),
        };
        let signed = sign(head.id, self.0.context.clock.now(), &body, &secrets)?;
        let (span, trace) = trace::of_attempt(head);
        let began = Instant::now();
        let sending = self.0.client.post(&head.url, &signed, body, &secrets).instrument(span);
        let mut sent = within(Some(trace), sending).await;
        let took = began.elapsed();
        if let Ok(answer) = &mut sent
            && !answer.excerpt.is_empty()
            && !self.is_stored(claim, head).await
        {
            // It may repeat what was erased meanwhile.
            answer.excerpt.clear();
        }
        Ok(Attempt { outcome: Outcome::of(sent), took })
    }

    /// Secrets that sign, the present one first.
    fn secrets(&self, claim: &Claim, head: &Head) -> Result<Vec<Secret>> {
        let (keyring, endpoint) = (&self.0.context.keyring, claim.endpoint_id);
        let mut secrets = vec![open(keyring, endpoint, SecretColumn::Current, &head.secret)?];
        if let Some(sealed) = &head.previous_secret {
            secrets.push(open(keyring, endpoint, SecretColumn::Previous, sealed)?);
        }
        Ok(secrets)
    }

    /// Body of a delivery, or the reason for which it is not sent.
    async fn body(&self, claim: &Claim, head: &Head) -> Result<Result<String, Unsent>> {
        if payload::is_test(head) {
            return Ok(Ok(payload::of_test(claim, head)));
        }
        if !is_chosen(&head.event_types, &head.event_type) {
            return Ok(Err(Unsent::NotChosen));
        }
        if self.0.features.is_off(claim.account_id, &head.event_type).await? {
            return Ok(Err(Unsent::SwitchedOff));
        }
        let read = async {
            let mut connection = self.0.context.databases.timescaledb.get().await?;
            payload::of_stored(&mut connection, claim, head).await
        };
        let read = timeout(PAYLOAD_TIMEOUT, read).await;
        read.map_err(|_elapsed| Error::Internal("the payload was not read in time".to_owned()))?
    }

    /// True when the event of a delivery is still stored. Without an answer of the database it counts as gone.
    async fn is_stored(&self, claim: &Claim, head: &Head) -> bool {
        let find = async {
            let mut connection = self.0.context.databases.timescaledb.get().await?;
            payload::is_stored(&mut connection, claim, head).await
        };
        payload::is_test(head) || matches!(timeout(PAYLOAD_TIMEOUT, find).await, Ok(Ok(true)))
    }

    /// Stores the outcome of an attempt.
    async fn record(&self, claim: &Claim, head: &Head, attempt: &Attempt) -> Result<Step> {
        let now = self.0.context.clock.now();
        let mut connection = self.0.context.databases.postgres.get().await?;
        let recorded = connection
            .transaction(async |connection| {
                let Some(state) = db::lock(connection, claim).await? else { return Ok(None) };
                let verdict = Verdict::of(&state, head, &attempt.outcome, now);
                verdict.store(connection, claim, head, attempt, now).await?;
                Ok::<_, Error>(Some(verdict.disabled))
            })
            .await?;
        drop(connection);
        let Some(disabled) = recorded else { return Ok(Step::Lost) };
        if let Some(reason) = disabled {
            self.0.metrics.disabled(reason.as_str());
            self.announce(claim).await;
        }
        Ok(Step::Tried)
    }

    /// Announces that an endpoint was disabled: a process that misses it adds deliveries for some minutes.
    async fn announce(&self, claim: &Claim) {
        let changed = index::changed(claim.account_id);
        if let Err(error) = invalidation::announce(&self.0.context.redis, &changed).await {
            tracing::warn!(endpoint_id = %claim.endpoint_id, %error, "a disabled webhook endpoint is not announced");
        }
    }

    async fn release(&self, claim: &Claim, delay: TimeDelta) -> Result<()> {
        let now = self.0.context.clock.now();
        let mut connection = self.0.context.databases.postgres.get().await?;
        connection
            .transaction(async |connection| {
                if db::lock(connection, claim).await?.is_some() {
                    db::release(connection, claim, now + delay, now).await?;
                }
                Ok(())
            })
            .await
    }
}

impl Drop for BusyEndpoint {
    fn drop(&mut self) {
        let mut busy = self.parts.busy.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(endpoints) = busy.get_mut(&self.account) {
            *endpoints -= 1;
            if *endpoints <= 0 {
                busy.remove(&self.account);
            }
        }
    }
}

fn report(ended: std::result::Result<(), JoinError>) {
    if let Err(error) = ended
        && !error.is_cancelled()
    {
        tracing::error!(%error, "sending to a webhook endpoint has failed");
    }
}
