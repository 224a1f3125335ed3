//! State of the OBS of an account, and commands to it (reference/obs.md#commands).

pub mod graphql;
mod outputs;
pub mod rest;
mod send;

use api_core::{
    Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
    validate,
};
use juniper::GraphQLInputObject;
use live_model::obs::{MAX_SCENE_NAME_LENGTH, ObsCommand};
use serde::Deserialize;
use shared::catalogue::{AccountPermission, Feature};
use utoipa::ToSchema;

pub use outputs::{
    ObsCommandResult, ObsRecordState, ObsRemoteStatus, ObsStatus, ObsStreamState, ObsTestResult,
};

use super::configs;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &OBS_STATUS,
    &OBS_REMOTE_STATUS,
    &TEST_OBS_CONNECTION,
    &START_OBS_STREAM,
    &STOP_OBS_STREAM,
    &START_OBS_RECORD,
    &STOP_OBS_RECORD,
    &SET_OBS_SCENE,
    &SET_OBS_SOURCE,
];

/// Scene to put on air.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "scene": "Game" }))]
pub struct SetObsSceneInput {
    /// Name of the scene, 1 to 256 characters.
    #[schema(extensions(("maxLength" = json!(MAX_SCENE_NAME_LENGTH))))]
    pub scene: String,
}

/// Source to show or to hide.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "scene": "Game", "source": "Camera", "visible": true }))]
pub struct SetObsSourceInput {
    /// Name of the scene that has the source, 1 to 256 characters.
    #[schema(extensions(("maxLength" = json!(MAX_SCENE_NAME_LENGTH))))]
    pub scene: String,
    /// Name of the source, 1 to 256 characters.
    #[schema(extensions(("maxLength" = json!(MAX_SCENE_NAME_LENGTH))))]
    pub source: String,
    /// True to show it, false to hide it.
    pub visible: bool,
}

pub static OBS_STATUS: Operation<AccountCaller> =
    Operation::account("obsStatus", AccountPermission::ObsRead, Grants::Nothing)
        .feature(Feature::ObsRemote)
        .polled();

/// Returns whether the service is connected to the OBS of the account.
///
/// The service has no connection while the account's own page controls OBS (`remote_enabled` false).
///
/// # Errors
/// Refusals of the access rule; 403 `FEATURE_DISABLED` without the integration `obs_websocket`.
#[api_core::operation]
pub async fn obs_status(cx: &Cx) -> Result<ObsStatus> {
    let caller = cx.authorize(&OBS_STATUS).await?;
    cx.check_feature(Feature::ObsWebsocket).await?;
    let config = configs::find(&mut *caller.db().await?, caller.account).await?;
    let is_remote = config.as_ref().is_some_and(|config| config.remote_enabled);
    let state = if is_remote { send::state(cx, caller.account).await? } else { None };
    Ok(ObsStatus::new(config.is_some(), is_remote, state))
}

pub static OBS_REMOTE_STATUS: Operation<AccountCaller> =
    Operation::account("obsRemoteStatus", AccountPermission::ObsRead, Grants::Nothing)
        .feature(Feature::ObsRemote)
        .polled();

/// Returns what the service knows of the OBS of the account: stream, recording and scenes.
///
/// Without a connection nothing runs and the list of scenes is empty.
///
/// # Errors
/// Refusals of the access rule; 403 `FEATURE_DISABLED` without the integration `obs_websocket`.
#[api_core::operation]
pub async fn obs_remote_status(cx: &Cx) -> Result<ObsRemoteStatus> {
    let caller = cx.authorize(&OBS_REMOTE_STATUS).await?;
    cx.check_feature(Feature::ObsWebsocket).await?;
    let config = configs::find(&mut *caller.db().await?, caller.account).await?;
    let is_remote = config.is_some_and(|config| config.remote_enabled);
    let state = if is_remote { send::state(cx, caller.account).await? } else { None };
    Ok(ObsRemoteStatus::new(state))
}

pub static TEST_OBS_CONNECTION: Operation<AccountCaller> =
    Operation::account("testObsConnection", AccountPermission::ObsEdit, Grants::Nothing)
        .feature(Feature::ObsRemote)
        .idempotent_by_claim()
        .repeatable();

/// Tests the stored configuration: connects to OBS, identifies and disconnects, within 10 seconds.
///
/// A failed test is an answer and no error. The present connection is not touched. While the account's own page
/// controls OBS, the test is relayed to it (`relayed` true) and its outcome is not known.
///
/// # Errors
/// Refusals of the access rule; 403 `FEATURE_DISABLED` without the integration `obs_websocket`; 429 while another test
/// of the account runs, and when too many tests wait.
#[api_core::operation]
pub async fn test_obs_connection(cx: &Cx) -> Result<ObsTestResult> {
    let caller = cx.authorize(&TEST_OBS_CONNECTION).await?;
    cx.check_feature(Feature::ObsWebsocket).await?;
    send::test(cx, &caller).await
}

pub static START_OBS_STREAM: Operation<AccountCaller> =
    Operation::account("startObsStream", AccountPermission::ObsEdit, Grants::Nothing)
        .feature(Feature::ObsRemote)
        .idempotent_by_claim();

/// Starts the stream in OBS.
///
/// While the account's own page controls OBS, the command is relayed to it (`relayed` true) and its outcome is not
/// known.
///
/// # Errors
/// Refusals of the access rule; 403 `FEATURE_DISABLED` without the integration `obs_websocket`; 409 without a
/// connection to OBS; 400 with the comment of OBS when it refuses; 429 when too many commands wait.
#[api_core::operation]
pub async fn start_obs_stream(cx: &Cx) -> Result<ObsCommandResult> {
    let caller = cx.authorize(&START_OBS_STREAM).await?;
    cx.check_feature(Feature::ObsWebsocket).await?;
    let entry = cx.audit("obs_stream:started", "obs", caller.account);
    send::command(cx, &caller, ObsCommand::StartStream, entry).await
}

pub static STOP_OBS_STREAM: Operation<AccountCaller> =
    Operation::account("stopObsStream", AccountPermission::ObsEdit, Grants::Nothing)
        .feature(Feature::ObsRemote)
        .idempotent_by_claim();

/// Stops the stream in OBS.
///
/// While the account's own page controls OBS, the command is relayed to it (`relayed` true) and its outcome is not
/// known.
///
/// # Errors
/// Refusals of the access rule; 403 `FEATURE_DISABLED` without the integration `obs_websocket`; 409 without a
/// connection to OBS; 400 with the comment of OBS when it refuses; 429 when too many commands wait.
#[api_core::operation]
pub async fn stop_obs_stream(cx: &Cx) -> Result<ObsCommandResult> {
    let caller = cx.authorize(&STOP_OBS_STREAM).await?;
    cx.check_feature(Feature::ObsWebsocket).await?;
    let entry = cx.audit("obs_stream:stopped", "obs", caller.account);
    send::command(cx, &caller, ObsCommand::StopStream, entry).await
}

pub static START_OBS_RECORD: Operation<AccountCaller> =
    Operation::account("startObsRecord", AccountPermission::ObsEdit, Grants::Nothing)
        .feature(Feature::ObsRemote)
        .idempotent_by_claim();

/// Starts the recording in OBS.
///
/// While the account's own page controls OBS, the command is relayed to it (`relayed` true) and its outcome is not
/// known.
///
/// # Errors
/// Refusals of the access rule; 403 `FEATURE_DISABLED` without the integration `obs_websocket`; 409 without a
/// connection to OBS; 400 with the comment of OBS when it refuses; 429 when too many commands wait.
#[api_core::operation]
pub async fn start_obs_record(cx: &Cx) -> Result<ObsCommandResult> {
    let caller = cx.authorize(&START_OBS_RECORD).await?;
    cx.check_feature(Feature::ObsWebsocket).await?;
    let entry = cx.audit("obs_record:started", "obs", caller.account);
    send::command(cx, &caller, ObsCommand::StartRecord, entry).await
}

pub static STOP_OBS_RECORD: Operation<AccountCaller> =
    Operation::account("stopObsRecord", AccountPermission::ObsEdit, Grants::Nothing)
        .feature(Feature::ObsRemote)
        .idempotent_by_claim();

/// Stops the recording in OBS.
///
/// While the account's own page controls OBS, the command is relayed to it (`relayed` true) and its outcome is not
/// known.
///
/// # Errors
/// Refusals of the access rule; 403 `FEATURE_DISABLED` without the integration `obs_websocket`; 409 without a
/// connection to OBS; 400 with the comment of OBS when it refuses; 429 when too many commands wait.
#[api_core::operation]
pub async fn stop_obs_record(cx: &Cx) -> Result<ObsCommandResult> {
    let caller = cx.authorize(&STOP_OBS_RECORD).await?;
    cx.check_feature(Feature::ObsWebsocket).await?;
    let entry = cx.audit("obs_record:stopped", "obs", caller.account);
    send::command(cx, &caller, ObsCommand::StopRecord, entry).await
}

pub static SET_OBS_SCENE: Operation<AccountCaller> =
    Operation::account("setObsScene", AccountPermission::ObsEdit, Grants::Nothing)
        .feature(Feature::ObsRemote)
        .idempotent_by_claim()
        .repeatable();

/// Puts a scene of OBS on air.
///
/// While the account's own page controls OBS, the command is relayed to it (`relayed` true) and its outcome is not
/// known.
///
/// # Errors
/// Refusals of the access rule; 403 `FEATURE_DISABLED` without the integration `obs_websocket`; 400 for an invalid
/// field; 409 without a connection to OBS; 400 with the comment of OBS when it refuses, for example for an unknown
/// scene; 429 when too many commands wait.
#[api_core::operation]
pub async fn set_obs_scene(cx: &Cx, input: Input<SetObsSceneInput>) -> Result<ObsCommandResult> {
    let caller = cx.authorize(&SET_OBS_SCENE).await?;
    cx.check_feature(Feature::ObsWebsocket).await?;
    let scene = name("scene", input?.scene)?;
    let entry = cx.audit("obs_scene:set", "obs", caller.account);
    send::command(cx, &caller, ObsCommand::SetScene { scene }, entry).await
}

pub static SET_OBS_SOURCE: Operation<AccountCaller> =
    Operation::account("setObsSource", AccountPermission::ObsEdit, Grants::Nothing)
        .feature(Feature::ObsRemote)
        .idempotent_by_claim()
        .repeatable();

/// Shows or hides a source of a scene of OBS.
///
/// While the account's own page controls OBS, the command is relayed to it (`relayed` true) and its outcome is not
/// known.
///
/// # Errors
/// Refusals of the access rule; 403 `FEATURE_DISABLED` without the integration `obs_websocket`; 400 for an invalid
/// field; 409 without a connection to OBS; 400 with the comment of OBS when it refuses, for example for an unknown
/// source; 429 when too many commands wait.
#[api_core::operation]
pub async fn set_obs_source(cx: &Cx, input: Input<SetObsSourceInput>) -> Result<ObsCommandResult> {
    let caller = cx.authorize(&SET_OBS_SOURCE).await?;
    cx.check_feature(Feature::ObsWebsocket).await?;
    let input = input?;
    let (scene, source) = (name("scene", input.scene)?, name("source", input.source)?);
    let command = ObsCommand::SetSource { scene, source, visible: input.visible };
    let entry = cx.audit("obs_source:set", "obs", caller.account);
    send::command(cx, &caller, command, entry).await
}

/// Checks the name of a scene or source. Spaces at its ends belong to it.
fn name(field: &str, given: String) -> Result<String> {
    validate::text(field, &given, 1, MAX_SCENE_NAME_LENGTH).map(|_trimmed| given)
}
