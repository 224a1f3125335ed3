//! Erases what an account that was ended leaves outside of the primary database (specification C §3, dissolve).

use apalis::prelude::{BoxDynError, Data};
use queue::EnqueueOptions;
use shared::{
    Result,
    accounts::{ERASURE_INTERVAL, empty_deliveries, erase_rows, storage_prefix},
    events::Channel,
    extensions::announce,
    jobs::EraseAccount,
    outbox,
    storage::Storage,
};
use uuid::Uuid;

use crate::Context;

/// What the erasure of an account works with.
#[derive(Clone)]
pub(super) struct Eraser {
    context: Context,
    storage: Storage,
    again: queue::Producer<EraseAccount>,
}

impl Eraser {
    pub fn new(context: &Context) -> Result<Self> {
        let storage = Storage::open(&context.config.storage_url)?;
        Ok(Self { context: context.clone(), storage, again: context.producer::<EraseAccount>()? })
    }
}

pub(super) async fn erase_account(job: EraseAccount, eraser: Data<Eraser>) -> Result<(), BoxDynError> {
    let EraseAccount { account_id, is_repeat } = job;
    let Eraser { context, storage, again } = &*eraser;
    // First, so that handlers of its installs write no more than what they are about to.
    announce::refresh(&context.redis, account_id).await?;
    // What its platforms have told, or the jobs of it would write its rows anew.
    let deliveries = empty_deliveries(&context.databases.postgres, context.clock.now()).await?;
    let rows = erase_rows(&context.databases.timescaledb, account_id).await?;
    let objects = storage.delete_below(&storage_prefix(account_id)).await?;
    for channel in channels(account_id) {
        context.events.forget(&channel.to_string()).await?;
    }
    tracing::info!(%account_id, is_repeat, deliveries, rows, objects, "what an account left was erased");
    if !is_repeat {
        let key = format!("erase_account_again:{account_id}");
        let options = EnqueueOptions::new().key(key.as_str()).delay(ERASURE_INTERVAL);
        let repeat = EraseAccount { account_id, is_repeat: true };
        again.enqueue(&repeat, options).await?;
        // Should Redis lose it, it comes sooner.
        let mut connection = context.databases.postgres.get().await?;
        outbox::keep(&mut connection, &repeat, &key, context.clock.now()).await?;
    }
    Ok(())
}

const fn channels(account_id: Uuid) -> [Channel; 4] {
    [
        Channel::Chat(account_id),
        Channel::Events(account_id),
        Channel::Extensions(account_id),
        Channel::Account(account_id),
    ]
}
