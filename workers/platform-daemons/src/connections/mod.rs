//! Follow-up of connecting and disconnecting: subscriptions to deliveries
//! (reference/connections.md#deliveries), revocation of tokens (reference/connections.md#revocation), and
//! polling of live channels (reference/connections.md#channel-status).

mod compare;
mod db;
mod live;
mod subscribe;

use apalis::prelude::{BoxDynError, Data};
use connection_model::{applications::Directory, revocations};
use diesel_async::AsyncConnection;
use foundation::jobs::{CompareSubscriptions, RevokeTokens, SubscribeChannel};
use platform_credentials::revocation::{self, Outcome};
use prometheus::IntCounterVec;
use tokio_util::sync::CancellationToken;

use crate::PlatformContext;
use worker_core::JOB_DRAIN_TIMEOUT;

/// Dependencies of the jobs.
#[derive(Clone)]
struct Connections {
    context: PlatformContext,
    revocations: IntCounterVec,
    subscriptions: IntCounterVec,
}

/// Runs until `shutdown` is cancelled.
pub async fn run(context: PlatformContext, shutdown: CancellationToken) -> anyhow::Result<()> {
    let (subscribing, revoking) = (context.queue::<SubscribeChannel>()?, context.queue::<RevokeTokens>()?);
    let comparing = context.queue::<CompareSubscriptions>()?;
    let data = Connections {
        revocations: context.metrics.counters(
            "lumio_token_revocations_total",
            "Tokens of ended connections by outcome: revoked, given_up or postponed.",
            &["outcome"],
        )?,
        subscriptions: context.metrics.counters(
            "lumio_webhook_subscriptions_total",
            "Subscriptions requested from platforms by outcome: made, known, refused or dropped (ended by \
             the platform without notice).",
            &["platform", "outcome"],
        )?,
        context: context.clone(),
    };
    let (subscriber, revoker, comparer) = (data.clone(), data.clone(), data);
    let monitor = queue::monitor()
        .shutdown_timeout(JOB_DRAIN_TIMEOUT)
        .register(move |_| subscribing.worker().data(subscriber.clone()).build(subscribe_channel))
        .register(move |_| revoking.worker().data(revoker.clone()).build(revoke_tokens))
        .register(move |_| comparing.worker().data(comparer.clone()).build(compare::compare));
    let asking = live::run(context.clone(), shutdown.clone());
    let reminding = compare::run(context, shutdown.clone());
    let stop = async move {
        shutdown.cancelled_owned().await;
        Ok(())
    };
    let working = async { Ok(monitor.run_with_signal(stop).await?) };
    tokio::try_join!(working, asking, reminding)?;
    Ok(())
}

async fn subscribe_channel(job: SubscribeChannel, data: Data<Connections>) -> Result<(), BoxDynError> {
    subscribe::subscribe(&data, job.connection_id).await
}

async fn revoke_tokens(job: RevokeTokens, data: Data<Connections>) -> Result<(), BoxDynError> {
    let context = &data.context;
    let postgres = &context.databases.postgres;
    let directory = directory(context);
    let waiting = revocations::load(&mut *postgres.get().await?, directory, job.revocation_id).await?;
    let Some(waiting) = waiting else { return Ok(()) };
    let outcome = revocation::execute(&context.platforms, &waiting, context.clock.now()).await;
    let count = |outcome| data.revocations.with_label_values(&[outcome]).inc();
    match outcome {
        Outcome::Postponed(error) => {
            count("postponed");
            return Err(error.into());
        }
        Outcome::Revoked => count("revoked"),
        Outcome::GivenUp(reason) => {
            count("given_up");
            tracing::info!(revocation_id = %job.revocation_id, reason, "tokens were not revoked at their platform");
        }
    }
    let mut connection = postgres.get().await?;
    let done = connection.transaction(async |connection| {
        revocations::renew_deliveries(connection, job.revocation_id).await?;
        revocations::forget(connection, job.revocation_id).await
    });
    Ok(done.await?)
}

/// Directory of the applications.
fn directory(context: &PlatformContext) -> Directory<'_> {
    Directory {
        keyring: &context.keyring,
        platforms: &context.config.platforms,
        modes: &context.config.connections.modes,
    }
}
