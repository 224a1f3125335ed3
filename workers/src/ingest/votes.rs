//! What platforms say of polls and predictions (specification C B13): kept for those who list them, told to those who
//! watch.

use shared::{Result, polls, predictions};
use uuid::Uuid;

use super::{normalise::Vote, occasion::Occasion};
use crate::Context;

/// Keeps what a delivery says and tells it; a repeated `source` is told once.
pub(super) async fn keep(
    context: &Context,
    account: Uuid,
    occasion: &Occasion<'_>,
    vote: &Vote,
    source: &str,
) -> Result<()> {
    let (platform, said_at) = (occasion.platform, occasion.sent_at());
    let mut connection = context.databases.postgres.get().await?;
    let event = match vote {
        Vote::Poll(poll) => {
            let kept = polls::keep(&mut connection, account, platform, poll, said_at).await?;
            kept.map(|poll| poll.announcement(source, said_at))
        }
        Vote::Prediction(prediction) => {
            let kept = predictions::keep(&mut connection, account, platform, prediction, said_at).await?;
            kept.map(|prediction| prediction.announcement(source, said_at))
        }
    };
    drop(connection);
    if let Some(event) = event.filter(|_| !occasion.delivery.is_reopened) {
        context.events.append(&event).await?;
    }
    Ok(())
}
