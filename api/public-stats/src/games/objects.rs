//! Objects in the figures of one game (reference/public-stats.md#games).

use api_core::graphql::Int64;
use juniper::GraphQLObject;
use serde::Serialize;
use utoipa::ToSchema;

/// Channel that is on air in a game.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
pub struct PublicGameChannel {
    /// The platform's id of the channel.
    pub platform_channel_id: String,
    /// Login name. Null: not known.
    pub channel_login: Option<String>,
    /// Displayed name. Null: not known.
    pub channel_display_name: Option<String>,
    /// Address of the picture. Null: not known.
    pub avatar_url: Option<String>,
    /// Present viewers. Null: not known.
    pub current_viewers: Option<Int64>,
    /// Average of the channel's viewers in the range, in all games.
    pub avg_viewers: f64,
    /// Peak of the channel's viewers in the range, in all games.
    pub peak_viewers: Int64,
}

/// Viewers of a game on a day.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
pub struct PublicGameDay {
    /// UTC day, `YYYY-MM-DD`.
    pub date: String,
    /// Average of the viewers while a channel was on air in it.
    pub avg_viewers: f64,
}
