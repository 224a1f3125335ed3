//! Outputs of the operations.

use api_core::Timestamp;
use juniper::GraphQLObject;
use live_model::obs::{ObsState, OutputState};
use serde::Serialize;
use utoipa::ToSchema;

/// Connection of the service to an OBS.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ObsStatus {
    /// True when a configuration is stored.
    pub configured: bool,
    /// True when the service connects to OBS itself; false when a page of the account does.
    pub remote_enabled: bool,
    /// True while the service is connected.
    pub connected: bool,
    /// True while OBS streams.
    pub streaming: bool,
    /// True while OBS records.
    pub recording: bool,
    /// Scene on air. Null: unknown.
    pub current_scene: Option<String>,
    /// Reason why it is not connected. Null: it is, it has not tried yet, or it does not have to.
    pub error: Option<String>,
    /// Time of the last change that is known. Null: none.
    pub updated_at: Option<Timestamp>,
}

/// State of an OBS as the service knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ObsRemoteStatus {
    /// True while the service is connected.
    pub connected: bool,
    /// Reason why it is not. Null: it is, it has not tried yet, or it does not have to.
    pub error: Option<String>,
    /// The stream.
    pub stream: ObsStreamState,
    /// The recording.
    pub record: ObsRecordState,
    /// Names of the scenes, at most 500.
    pub scenes: Vec<String>,
    /// Scene on air. Null: not known.
    pub current_scene: Option<String>,
    /// Time of the last change that is known. Null: none.
    pub updated_at: Option<Timestamp>,
}

/// Stream of OBS.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ObsStreamState {
    /// True while it runs.
    pub active: bool,
    /// `starting`, `started`, `stopping`, `stopped`, `reconnecting`, `reconnected` or `unknown`.
    pub state: String,
}

/// Recording of OBS.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ObsRecordState {
    /// True while it runs, also while it is paused.
    pub active: bool,
    /// True while it is paused.
    pub paused: bool,
    /// `starting`, `started`, `stopping`, `stopped`, `paused`, `resumed` or `unknown`.
    pub state: String,
}

/// Outcome of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ObsCommandResult {
    /// Always true: a failure is an error.
    pub success: bool,
    /// True when the command went to the account's own page: whether it arrived is not known. False: OBS did it.
    pub relayed: bool,
}

/// Outcome of a test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct ObsTestResult {
    /// True when OBS was reached and took the password, or when the test was relayed.
    pub success: bool,
    /// Reason of a failure. Null: success.
    pub error: Option<String>,
    /// True when the test went to the account's own page: its outcome is not known.
    pub relayed: bool,
}

impl ObsStatus {
    pub(super) fn new(configured: bool, remote_enabled: bool, state: Option<ObsState>) -> Self {
        let updated_at = state.as_ref().map(|state| state.updated_at.into());
        let state = state.unwrap_or_else(|| ObsState::disconnected(None, chrono::DateTime::default()));
        Self {
            configured,
            remote_enabled,
            connected: state.connected,
            streaming: state.stream.active,
            recording: state.record.active,
            current_scene: state.current_scene,
            error: state.error,
            updated_at,
        }
    }
}

impl ObsRemoteStatus {
    pub(super) fn new(state: Option<ObsState>) -> Self {
        let updated_at = state.as_ref().map(|state| state.updated_at.into());
        let state = state.unwrap_or_else(|| ObsState::disconnected(None, chrono::DateTime::default()));
        let ObsState { connected, error, stream, record, scenes, current_scene, .. } = state;
        let OutputState { active, state, .. } = stream;
        Self {
            connected,
            error,
            stream: ObsStreamState { active, state },
            record: ObsRecordState { active: record.active, paused: record.paused, state: record.state },
            scenes,
            current_scene,
            updated_at,
        }
    }
}
