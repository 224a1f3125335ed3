//! How a connected channel is, as callers see it.

use juniper::{GraphQLEnum, GraphQLObject};
use serde::Serialize;
use shared::connections::health::{Health, ReaderHealth, ReaderState};
use utoipa::ToSchema;

use crate::Timestamp;

/// The health of a connected channel. Lists are in the order of their types.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ConnectionHealth {
    /// What the platform was asked to deliver.
    pub subscriptions: Vec<PlatformSubscription>,
    /// When the last event of each type happened. A type that never did is not among them.
    pub last_events: Vec<LastEvent>,
    /// Of channels that are read over a socket or by polling; null for those that the platform tells of by itself.
    pub reader: Option<ConnectionReader>,
}

/// One kind of event that the platform was asked to deliver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct PlatformSubscription {
    /// The platform's name of it, such as `channel.follow`.
    pub event_type: String,
    /// Why the platform does not deliver it; null when it does.
    pub refusal: Option<String>,
}

/// When something happened last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct LastEvent {
    /// `chat:message`, `chat:delete_message`, `chat:clear_user`, `chat:clear`, or a type of events such as
    /// `twitch:follower`.
    pub event_type: String,
    pub last_event_at: Timestamp,
}

/// How a channel is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ConnectionReader {
    pub state: ConnectionReaderState,
    /// Why, in words for people.
    pub detail: Option<String>,
    /// Since when it is in this state.
    pub since: Timestamp,
}

/// Where the reader of a channel stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConnectionReaderState {
    /// On its way.
    Connecting,
    /// What happens arrives.
    Reading,
    /// Later again: the connection broke, the platform asked for a pause, the quota is spent, the channel is offline.
    Waiting,
    /// The platform says no.
    Refused,
}

impl From<Health> for ConnectionHealth {
    fn from(health: Health) -> Self {
        let Health { subscriptions, last_events, reader } = health;
        let subscription = |(event_type, refusal)| PlatformSubscription { event_type, refusal };
        let last = |(event_type, at): (String, chrono::DateTime<chrono::Utc>)| LastEvent {
            event_type,
            last_event_at: at.into(),
        };
        Self {
            subscriptions: subscriptions.into_iter().map(subscription).collect(),
            last_events: last_events.into_iter().map(last).collect(),
            reader: reader.map(ConnectionReader::from),
        }
    }
}

impl From<ReaderHealth> for ConnectionReader {
    fn from(reader: ReaderHealth) -> Self {
        let state = match reader.state {
            ReaderState::Connecting => ConnectionReaderState::Connecting,
            ReaderState::Reading => ConnectionReaderState::Reading,
            ReaderState::Waiting => ConnectionReaderState::Waiting,
            ReaderState::Refused => ConnectionReaderState::Refused,
        };
        Self { state, detail: reader.detail, since: reader.since.into() }
    }
}
