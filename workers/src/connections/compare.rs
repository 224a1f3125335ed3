//! What platforms drop without a word is found by asking them every hour what they deliver (specification D §1, §4).
//!
//! Any number of copies run: one of them adds the jobs of an hour, spread so that a platform is not asked about
//! everybody at once.

use std::{collections::HashSet, time::Duration};

use apalis::prelude::{BoxDynError, Data};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use queue::EnqueueOptions;
use shared::{
    Result,
    db::schema::channel_connections,
    jobs::CompareSubscriptions,
    platforms::Platform,
    tokens::{Holder, Unavailable},
};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{Connections, db, subscribe};
use crate::Context;

const COMPARE_INTERVAL: Duration = Duration::from_secs(3600);
/// How often a copy looks whether it is time.
const POLL_INTERVAL: Duration = Duration::from_secs(5);
/// Between two channels.
const SPREAD: Duration = Duration::from_millis(100);
/// The last channels of an hour are asked about before the next one begins.
const MAX_SPREAD: Duration = Duration::from_secs(3000);
const PAGE: i64 = 1000;
const MAX_PAGES: usize = 100;

/// Adds the jobs of every hour until `shutdown` is cancelled.
pub(super) async fn run(context: Context, shutdown: CancellationToken) -> anyhow::Result<()> {
    let mut looks = tokio::time::interval(POLL_INTERVAL);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(looks.tick()).await.is_some() {
        if let Err(error) = add_jobs(&context).await {
            tracing::warn!(%error, "subscriptions cannot be compared yet");
        }
    }
    Ok(())
}

/// Adds a job for every channel, if it is time.
async fn add_jobs(context: &Context) -> Result<()> {
    let turn = shared::id::new();
    if !is_time(context, turn).await? {
        return Ok(());
    }
    let producer = context.producer::<CompareSubscriptions>()?;
    let (mut after, mut delay) = (Uuid::nil(), Duration::ZERO);
    for _ in 0..MAX_PAGES {
        let page = channels(context, after).await?;
        let Some(last) = page.last() else { break };
        after = *last;
        let jobs: Vec<CompareSubscriptions> =
            page.iter().map(|id| CompareSubscriptions { connection_id: *id }).collect();
        let keyed = jobs.iter().map(|job| {
            let options = EnqueueOptions::new().key(format!("{turn}:{}", job.connection_id)).delay(delay);
            delay = (delay + SPREAD).min(MAX_SPREAD);
            (job, options)
        });
        producer.enqueue_bulk(keyed).await?;
    }
    Ok(())
}

/// Whether this copy is the one that adds the jobs of this hour.
async fn is_time(context: &Context, turn: Uuid) -> Result<bool> {
    let taken: Option<String> = redis::cmd("SET")
        .arg(context.redis.key("subscriptions:turn"))
        .arg(turn.to_string())
        .arg("NX")
        .arg("EX")
        .arg(COMPARE_INTERVAL.as_secs())
        .query_async(&mut *context.redis.get().await?)
        .await?;
    Ok(taken.is_some())
}

/// Channels of Kick whose tokens work, also those of which nothing is noted: Kick may have dropped all, and asking again may
/// have failed. Twitch tells what it ends.
async fn channels(context: &Context, after: Uuid) -> Result<Vec<Uuid>> {
    Ok(channel_connections::table
        .filter(channel_connections::platform.eq(Platform::Kick.slug()))
        .filter(channel_connections::reconnect_required.eq(false).and(channel_connections::id.gt(after)))
        .order(channel_connections::id)
        .limit(PAGE)
        .select(channel_connections::id)
        .load(&mut *context.databases.postgres.get().await?)
        .await?)
}

/// Asks for what is no longer delivered.
pub(super) async fn compare(
    job: CompareSubscriptions,
    data: Data<Connections>,
) -> std::result::Result<(), BoxDynError> {
    let context = &data.context;
    let postgres = &context.databases.postgres;
    let channel = db::channel(&mut *postgres.get().await?, job.connection_id).await?;
    let Some(channel) = channel.filter(|channel| !channel.reconnect_required) else { return Ok(()) };
    let (client, broadcaster) = (context.platforms.kick(), channel.platform_channel_id.as_str());
    let standing = context
        .tokens
        .call(Holder::Channel(channel.id), |access| async move {
            client.event_subscriptions(&access.token, broadcaster).await
        })
        .await;
    let standing: HashSet<String> = match standing {
        Ok(standing) => standing.into_iter().map(|one| one.event).collect(),
        // Whoever connects the channel again asks again.
        Err(Unavailable::Missing | Unavailable::ReconnectRequired) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let standing: Vec<&str> = standing.iter().map(String::as_str).collect();
    let dropped = db::forget_others(&mut *postgres.get().await?, channel.id, &standing).await?;
    if dropped > 0 {
        tracing::warn!(connection_id = %channel.id, dropped, "Kick had dropped subscriptions: they are made again");
        let counter = data.subscriptions.with_label_values(&[Platform::Kick.slug(), "dropped"]);
        counter.inc_by(dropped as u64);
    }
    subscribe::subscribe(&data, channel.id).await
}
