//! Objects of a channel's history (reference/public-stats.md#profile-and-panels).

use api_core::Timestamp;
use juniper::GraphQLObject;
use serde::Serialize;
use utoipa::ToSchema;

/// Change of a channel's profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct PublicProfileChange {
    /// `bio`, `link` or `team`.
    pub change_type: String,
    /// Value before. Null: there was none.
    pub old_value: Option<String>,
    /// Value afterwards. Null: it was removed.
    pub new_value: Option<String>,
    /// Time at which the change was observed.
    pub changed_at: Timestamp,
}

/// Panel below a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct PublicPanel {
    /// The platform's id of the panel.
    pub panel_id: String,
    /// Text of the panel.
    pub content: String,
    /// Time of the first observation.
    pub first_seen_at: Timestamp,
    /// Time of the last observation.
    pub last_seen_at: Timestamp,
    /// `active` or `removed`.
    pub status: String,
    /// Time since when it is gone. Null: it is active.
    pub removed_at: Option<Timestamp>,
    /// Addresses of its pictures.
    pub images: Vec<String>,
}
