//! Channels in which bots are active, for the bots themselves (reference/connections.md#bot-control).

use api_core::{
    Cx, Input, Operation, Result,
    access::{Grants, System},
    page::checked_limit,
};
use serde::Deserialize;
use shared::connection::ConnectionKind;
use utoipa::IntoParams;
use uuid::Uuid;

use super::{BotChannel, db};
use crate::platform;

/// Largest number of channels in a response.
pub(super) const MAX_ROWS: i64 = 1000;

/// Query of the channels.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct BotChannelsQuery {
    /// Slug of a platform.
    #[param(example = "twitch")]
    pub platform: String,
    /// Last account of the former response. The list continues after it.
    pub after: Option<Uuid>,
    /// Entries in the response, 1 to 1000; 1000 when absent.
    #[param(minimum = 1, maximum = 1000)]
    pub limit: Option<i64>,
}

pub static BOT_CHANNELS: Operation<System> =
    Operation::internal("botChannels", Grants::Nothing).on_both_protocols();

/// Lists the channels of a platform in which a bot is active, by account.
///
/// Such a channel is connected, not flagged, neither switched off nor paused, and has a bot that is not
/// flagged. A response with fewer rows than the limit is the last.
///
/// # Errors
/// Refusals of the access rule; 400 for a platform without bots or a limit out of bounds.
#[api_core::operation]
pub async fn bot_channels(cx: &Cx, query: Input<BotChannelsQuery>) -> Result<Vec<BotChannel>> {
    let system = cx.authorize(&BOT_CHANNELS).await?;
    let query = query?;
    let platform = platform::with(ConnectionKind::Bot, &query.platform)?;
    let limit = checked_limit(query.limit, MAX_ROWS, MAX_ROWS)?;
    db::wanted(&mut *system.db().await?, platform.slug(), query.after, limit).await
}
