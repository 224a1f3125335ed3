//! States of polls and predictions as platforms report them: stored for lists, published to those who watch
//! (reference/chat.md#polls).

use live_model::{polls, predictions};
use shared::Result;
use uuid::Uuid;

use super::{delivery_context::DeliveryContext, normalise::Vote};
use crate::PlatformContext;

/// Stores and publishes the state in a delivery for every account of the channel. A repeated delivery is
/// published once.
pub(super) async fn record(
    context: &PlatformContext,
    delivery_context: &DeliveryContext<'_>,
    vote: &Vote,
    index: usize,
) -> Result<()> {
    let source = delivery_context.source(index);
    for account in delivery_context.accounts {
        record_for(context, account.account_id, delivery_context, vote, &source).await?;
    }
    Ok(())
}

async fn record_for(
    context: &PlatformContext,
    account: Uuid,
    delivery_context: &DeliveryContext<'_>,
    vote: &Vote,
    source: &str,
) -> Result<()> {
    let (platform, stated_at) = (delivery_context.platform, delivery_context.sent_at());
    let mut connection = context.databases.postgres.get().await?;
    let event = match vote {
        Vote::Poll(poll) => {
            let stored = polls::upsert(&mut connection, account, platform, poll, stated_at).await?;
            stored.map(|poll| poll.announcement(source, stated_at))
        }
        Vote::Prediction(prediction) => {
            let stored =
                predictions::upsert(&mut connection, account, platform, prediction, stated_at).await?;
            stored.map(|prediction| prediction.announcement(source, stated_at))
        }
    };
    drop(connection);
    if let Some(event) = event.filter(|_| !delivery_context.delivery.is_reopened) {
        context.events.append(&event).await?;
    }
    Ok(())
}
