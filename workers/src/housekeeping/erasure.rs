//! Erasure of a dissolved account's data outside of the primary database, and of its public statistics
//! (reference/accounts.md#erasure-after-dissolution).

use account_model::accounts::{
    ERASURE_INTERVAL, empty_deliveries, erase_rows, erase_stored_answers, storage_prefix,
};
use apalis::prelude::{BoxDynError, Data};
use extension_model::announce;
use foundation::{
    events::Channel,
    invalidation::{self, Invalidation},
    jobs::EraseAccount,
    outbox,
    storage::Storage,
};
use queue::EnqueueOptions;
use shared::{Result, platform::Platform};
use stats_model::{channels::delete_unconnected, samples};
use uuid::Uuid;

use worker_core::Context;

/// Dependencies of an account's erasure.
#[derive(Clone)]
pub(super) struct Eraser {
    context: Context,
    storage: Storage,
    again: queue::Producer<EraseAccount>,
}

impl Eraser {
    /// Opens the object storage that the erasure deletes from.
    pub fn new(context: &Context) -> Result<Self> {
        let storage = Storage::open(&context.config.storage_url)?;
        Ok(Self { context: context.clone(), storage, again: context.producer::<EraseAccount>()? })
    }
}

pub(super) async fn erase_account(job: EraseAccount, eraser: Data<Eraser>) -> Result<(), BoxDynError> {
    let EraseAccount { account_id, channels, resource_logs, is_repeat } = job;
    let Eraser { context, storage, again } = &*eraser;
    // First, so that handlers of its installs stop before their data is deleted.
    announce::refresh(&context.redis, account_id).await?;
    // Deliveries of its platforms are emptied, or their jobs would write its rows again.
    let deliveries = empty_deliveries(&context.databases.postgres, context.clock.now()).await?;
    let answers = erase_stored_answers(&context.databases.postgres, account_id).await?;
    let rows = erase_rows(&context.databases.timescaledb, account_id).await?;
    let channels_without_account = erase_public_statistics(context, &channels).await?;
    let objects = storage.delete_below(&storage_prefix(account_id)).await?;
    let of_account = logs(account_id).map(|channel| channel.to_string());
    for channel in of_account.iter().chain(&resource_logs) {
        context.events.forget(channel).await?;
    }
    tracing::info!(
        %account_id, is_repeat, deliveries, answers, rows, channels_without_account, objects,
        "the data of a dissolved account was erased"
    );
    if !is_repeat {
        let key = format!("erase_account_again:{account_id}");
        let options = EnqueueOptions::new().key(key.as_str()).delay(ERASURE_INTERVAL);
        let repeat = EraseAccount { account_id, channels, resource_logs, is_repeat: true };
        again.enqueue(&repeat, options).await?;
        // A job that Redis loses comes again from the outbox.
        let mut connection = context.databases.postgres.get().await?;
        outbox::add_relayed(&mut connection, &repeat, &key, context.clock.now()).await?;
    }
    Ok(())
}

/// Deletes what the account has made of its channels in the public statistics, except channels that another
/// account has connected. Returns the number of channels. The samples follow the commit of the rows; a run that
/// ends in between is repeated, and then deletes them.
async fn erase_public_statistics(context: &Context, channels: &[(String, String)]) -> Result<usize> {
    let databases = &context.databases;
    let mut erased = 0;
    for (platform, id) in channels {
        let Ok(platform) = platform.parse::<Platform>() else { continue };
        let sources = delete_unconnected(&mut *databases.postgres.get().await?, platform, id).await?;
        for source in sources {
            let mut timeseries = databases.timescaledb.get().await?;
            samples::delete_channel(&mut timeseries, platform, id, *source).await?;
        }
        erased += usize::from(!sources.is_empty());
    }
    if erased > 0 {
        invalidation::announce(&context.redis, &Invalidation::PublicStats).await?;
    }
    Ok(erased)
}

/// Channels of the account, each with an event log.
const fn logs(account_id: Uuid) -> [Channel; 8] {
    [
        Channel::Chat(account_id),
        Channel::Events(account_id),
        Channel::Extensions(account_id),
        Channel::Account(account_id),
        Channel::Sounds(account_id),
        Channel::Spotify(account_id),
        Channel::Obs(account_id),
        Channel::Automations(account_id),
    ]
}
