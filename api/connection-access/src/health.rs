//! Health of a connected channel, as callers see it.

use connection_model::health::{Health, ReaderHealth, ReaderState};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::Serialize;
use utoipa::ToSchema;

use api_core::Timestamp;

/// Health of a connected channel. Lists are ordered by type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ConnectionHealth {
    /// Events that the platform was asked to deliver.
    pub subscriptions: Vec<PlatformSubscription>,
    /// Times of the last event of each type. Types without an event are left out.
    pub last_events: Vec<LastEvent>,
    /// Reader of a channel that is read over a socket or by polling; null for platforms that send events by
    /// themselves.
    pub reader: Option<ConnectionReader>,
}

/// One type of event that the platform was asked to deliver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct PlatformSubscription {
    /// The platform's name of the type, such as `channel.follow`.
    pub event_type: String,
    /// Reason why the platform does not deliver it; null when it does.
    pub refusal: Option<String>,
}

/// Time of the last event of a type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct LastEvent {
    /// `chat:message`, `chat:delete_message`, `chat:clear_user`, `chat:clear`, or an event type such as
    /// `twitch:follower`.
    pub event_type: String,
    /// Time at which it happened.
    pub last_event_at: Timestamp,
}

/// Reader of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ConnectionReader {
    /// State of the reader.
    pub state: ConnectionReaderState,
    /// Reason for the state, for people; null without one.
    pub detail: Option<String>,
    /// Start of the state.
    pub since: Timestamp,
}

/// State of the reader of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConnectionReaderState {
    /// The connection is being made.
    Connecting,
    /// Events arrive.
    Reading,
    /// The reader tries again later: the connection broke, the platform asked for a pause, the quota is
    /// spent, or the channel is offline.
    Waiting,
    /// The platform refuses the reader.
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
