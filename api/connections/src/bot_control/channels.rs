//! The channels that bots belong in, for the bots themselves (C §2.3, B17).

use api_core::{
    Cx, Input, Operation, Result,
    access::{Grants, System},
    page::checked_limit,
};
use diesel::QueryableByName;
use juniper::GraphQLObject;
use serde::{Deserialize, Serialize};
use shared::connections::ConnectionKind;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::db;
use crate::platform;

/// Channels in one answer.
const MAX_ROWS: i64 = 1000;

/// A channel that a bot belongs in, and the identity that it writes under there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, QueryableByName, GraphQLObject, ToSchema)]
pub struct BotChannel {
    #[diesel(sql_type = diesel::sql_types::Uuid)]
    pub account_id: Uuid,
    #[diesel(sql_type = diesel::sql_types::Text)]
    pub platform: String,
    /// The platform's id of the channel.
    #[diesel(sql_type = diesel::sql_types::Text)]
    pub platform_channel_id: String,
    #[diesel(sql_type = diesel::sql_types::Text)]
    pub channel_name: String,
    #[diesel(sql_type = diesel::sql_types::Uuid)]
    pub bot_connection_id: Uuid,
    /// The platform's id of the bot's user.
    #[diesel(sql_type = diesel::sql_types::Text)]
    pub bot_user_id: String,
    #[diesel(sql_type = diesel::sql_types::Text)]
    pub bot_username: String,
    /// Whether the bot is the account's own.
    #[diesel(sql_type = diesel::sql_types::Bool)]
    pub is_custom: bool,
}

/// Which channels to list.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct BotChannelsQuery {
    /// A platform's slug.
    #[param(example = "twitch")]
    pub platform: String,
    /// The last account of the answer before: what follows it is listed.
    pub after: Option<Uuid>,
    /// 1 to 1000; 1000 when absent.
    #[param(minimum = 1, maximum = 1000)]
    pub limit: Option<i64>,
}

/// The channels that bots belong in.
pub static BOT_CHANNELS: Operation<System> =
    Operation::internal("botChannels", Grants::Nothing).on_both_protocols();

/// Lists the channels of a platform that a bot belongs in, by account: connected, not flagged, neither switched off nor
/// paused, and with an identity that can write. An answer shorter than the limit is the last.
///
/// # Errors
/// As the rule; 400 for a platform without bots or a limit out of bounds.
pub async fn bot_channels(cx: &Cx, query: Input<BotChannelsQuery>) -> Result<Vec<BotChannel>> {
    let system = cx.authorize(&BOT_CHANNELS).await?;
    let query = query?;
    let platform = platform::with(ConnectionKind::Bot, &query.platform)?;
    let limit = checked_limit(query.limit, MAX_ROWS, MAX_ROWS)?;
    db::wanted(&mut *system.db().await?, platform.slug(), query.after, limit).await
}
