//! What follows when accounts connect and disconnect (specification C §10): platforms are asked to deliver what happens
//! in a channel, told which tokens are no longer wanted, and asked what is on air.

mod compare;
mod db;
mod live;
mod subscribe;

use apalis::prelude::{BoxDynError, Data};
use diesel_async::AsyncConnection;
use prometheus::IntCounterVec;
use shared::{
    connections::{
        applications::Directory,
        revocations::{self, Outcome},
    },
    jobs::{CompareSubscriptions, RevokeTokens, SubscribeChannel},
};
use tokio_util::sync::CancellationToken;

use crate::{Context, supervisor::JOB_DRAIN};

/// What a job needs.
#[derive(Clone)]
struct Connections {
    context: Context,
    revocations: IntCounterVec,
    subscriptions: IntCounterVec,
}

/// Runs until `shutdown` is cancelled.
pub(crate) async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let (subscribing, revoking) = (context.queue::<SubscribeChannel>()?, context.queue::<RevokeTokens>()?);
    let comparing = context.queue::<CompareSubscriptions>()?;
    let data = Connections {
        revocations: context.metrics.counters(
            "lumio_token_revocations_total",
            "Tokens of connections that were ended, by what became of them: revoked, given_up or postponed.",
            &["outcome"],
        )?,
        subscriptions: context.metrics.counters(
            "lumio_webhook_subscriptions_total",
            "Deliveries that platforms were asked for, by what they said: made, known, refused or dropped \
             (they had ended it without a word).",
            &["platform", "outcome"],
        )?,
        context: context.clone(),
    };
    let (subscriber, revoker, comparer) = (data.clone(), data.clone(), data);
    let monitor = queue::monitor()
        .shutdown_timeout(JOB_DRAIN)
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
    let outcome = revocations::carry_out(&context.platforms, &waiting, context.clock.now()).await;
    let count = |outcome| data.revocations.with_label_values(&[outcome]).inc();
    match outcome {
        Outcome::Postponed(error) => {
            count("postponed");
            return Err(error.into());
        }
        Outcome::Revoked => count("revoked"),
        Outcome::GivenUp(reason) => {
            count("given_up");
            tracing::info!(revocation_id = %job.revocation_id, reason, "tokens stay as they are at their platform");
        }
    }
    let mut connection = postgres.get().await?;
    let done = connection.transaction(async |connection| {
        revocations::renew_deliveries(connection, job.revocation_id).await?;
        revocations::forget(connection, job.revocation_id).await
    });
    Ok(done.await?)
}

/// Where applications are looked for.
fn directory(context: &Context) -> Directory<'_> {
    Directory {
        keyring: &context.keyring,
        platforms: &context.config.platforms,
        modes: &context.config.connections.modes,
    }
}
