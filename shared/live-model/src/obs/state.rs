//! State of an OBS, and the changes that its events make.

use std::cmp::Reverse;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::clock::rfc3339;

/// Number of scenes that are kept; further ones are left out (reference/obs.md#state).
pub const MAX_SCENES: usize = 500;
/// Length of the name of a scene or source, in characters; scenes with a longer one are left out
/// (reference/obs.md#state).
pub const MAX_SCENE_NAME_LENGTH: usize = 256;
/// Beginning of the names of states in obs-websocket.
const STATE_PREFIX: &str = "OBS_WEBSOCKET_OUTPUT_";
/// States of an output.
const STATES: [&str; 8] =
    ["starting", "started", "stopping", "stopped", "reconnecting", "reconnected", "paused", "resumed"];

/// State of the stream or of the recording.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputState {
    /// True while it runs.
    pub active: bool,
    /// True while the recording is paused.
    pub paused: bool,
    /// Last state: `starting`, `started`, `stopping`, `stopped`, `reconnecting`, `reconnected`, `paused`, `resumed` or
    /// `unknown`.
    pub state: String,
}

/// State of an OBS.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObsState {
    /// True while there is a connection.
    pub connected: bool,
    /// Reason why there is none.
    pub error: Option<String>,
    /// The stream.
    pub stream: OutputState,
    /// The recording.
    pub record: OutputState,
    /// Names of the scenes, in the order of OBS.
    pub scenes: Vec<String>,
    /// Scene on air.
    pub current_scene: Option<String>,
    /// Time of the last change.
    pub updated_at: DateTime<Utc>,
}

impl OutputState {
    /// State of an output that runs or does not.
    #[must_use]
    pub fn of(active: bool, paused: bool) -> Self {
        let state = match (active, paused) {
            (true, true) => "paused",
            (true, false) => "started",
            (false, _) => "stopped",
        };
        Self { active, paused: active && paused, state: state.to_owned() }
    }

    fn of_event(data: &Value) -> Self {
        let given = data["outputState"].as_str().and_then(|state| state.strip_prefix(STATE_PREFIX));
        let given = given.map(str::to_ascii_lowercase).unwrap_or_default();
        let state = STATES.into_iter().find(|state| *state == given).unwrap_or("unknown");
        Self {
            active: data["outputActive"].as_bool().unwrap_or_default(),
            paused: state == "paused",
            state: state.to_owned(),
        }
    }
}

impl ObsState {
    /// State without a connection.
    #[must_use]
    pub fn disconnected(error: Option<String>, now: DateTime<Utc>) -> Self {
        let (stream, record) = (OutputState::of(false, false), OutputState::of(false, false));
        Self { error, stream, record, updated_at: now, ..Self::default() }
    }

    /// Payload of `obs:status`.
    #[must_use]
    pub fn status(&self) -> Value {
        json!({
            "connected": self.connected,
            "streaming": self.stream.active,
            "recording": self.record.active,
            "current_scene": self.current_scene,
            "error": self.error,
            "updated_at": rfc3339(self.updated_at),
        })
    }

    /// Takes the scenes over from a list of obs-websocket. It numbers them from the last to the first of OBS.
    pub fn set_scenes(&mut self, list: &Value) {
        let mut listed: Vec<&Value> = list.as_array().into_iter().flatten().collect();
        listed.sort_by_key(|scene| Reverse(scene["sceneIndex"].as_u64()));
        let names = listed.into_iter().filter_map(|scene| name(&scene["sceneName"]));
        self.scenes = names.take(MAX_SCENES).collect();
    }

    /// Sets the scene on air.
    pub fn set_current_scene(&mut self, given: &Value) {
        self.current_scene = name(given);
    }

    /// Applies an event of OBS. Returns the event that announces it; `None` for one that changes the state alone or
    /// nothing.
    pub fn apply(&mut self, event_type: &str, data: &Value) -> Option<(&'static str, Value)> {
        match event_type {
            "CurrentProgramSceneChanged" => {
                self.set_current_scene(&data["sceneName"]);
                let scene = self.current_scene.as_ref()?;
                Some(("obs:scene_changed", json!({ "scene": scene })))
            }
            "SceneListChanged" => {
                self.set_scenes(&data["scenes"]);
                None
            }
            "SceneNameChanged" => {
                self.rename(&data["oldSceneName"], &data["sceneName"]);
                None
            }
            "StreamStateChanged" => {
                self.stream = OutputState { paused: false, ..OutputState::of_event(data) };
                let OutputState { active, state, .. } = &self.stream;
                Some(("obs:stream_state", json!({ "active": active, "state": state })))
            }
            "RecordStateChanged" => {
                self.record = OutputState::of_event(data);
                let OutputState { active, paused, state } = &self.record;
                Some(("obs:record_state", json!({ "active": active, "state": state, "paused": paused })))
            }
            _ => None,
        }
    }

    fn rename(&mut self, old: &Value, new: &Value) {
        let (Some(old), Some(new)) = (old.as_str(), name(new)) else { return };
        for scene in self.scenes.iter_mut().chain(self.current_scene.as_mut()) {
            if scene == old {
                scene.clone_from(&new);
            }
        }
    }
}

fn name(given: &Value) -> Option<String> {
    given.as_str().filter(|name| name.chars().count() <= MAX_SCENE_NAME_LENGTH).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list of scenes as OBS sends it: from the last to the first.
    fn scenes(names: &[&str]) -> Value {
        let listed = names.iter().rev().enumerate();
        listed.map(|(index, name)| json!({ "sceneName": name, "sceneIndex": index })).collect()
    }

    #[test]
    fn obs_state_follows_the_events_of_obs() {
        let mut state = ObsState::default();
        state.set_scenes(&scenes(&["Game", "Break"]));
        let changed = state.apply("CurrentProgramSceneChanged", &json!({ "sceneName": "Game" }));
        assert_eq!(changed, Some(("obs:scene_changed", json!({ "scene": "Game" }))));
        let renamed = json!({ "oldSceneName": "Game", "sceneName": "Play" });
        assert_eq!(state.apply("SceneNameChanged", &renamed), None);
        assert_eq!(
            (&*state.scenes, state.current_scene.as_deref()),
            (&["Play".into(), "Break".into()][..], Some("Play"))
        );
        let started = json!({ "outputActive": true, "outputState": "OBS_WEBSOCKET_OUTPUT_STARTED" });
        let announced = json!({ "active": true, "state": "started" });
        assert_eq!(state.apply("StreamStateChanged", &started), Some(("obs:stream_state", announced)));
        let paused = json!({ "outputActive": true, "outputState": "OBS_WEBSOCKET_OUTPUT_PAUSED" });
        let announced = json!({ "active": true, "state": "paused", "paused": true });
        assert_eq!(state.apply("RecordStateChanged", &paused), Some(("obs:record_state", announced)));
        let expected = json!({ "connected": false, "streaming": true, "recording": true, "current_scene": "Play",
            "error": null, "updated_at": rfc3339(state.updated_at) });
        assert_eq!(state.status(), expected);
    }

    #[test]
    fn obs_state_is_bounded_whatever_obs_sends() {
        let mut state = ObsState::default();
        let long = "x".repeat(MAX_SCENE_NAME_LENGTH + 1);
        let many: Vec<String> = (0..MAX_SCENES + 5).map(|number| number.to_string()).collect();
        let names: Vec<&str> = [long.as_str()].into_iter().chain(many.iter().map(String::as_str)).collect();
        state.set_scenes(&scenes(&names));
        assert_eq!((state.scenes.len(), state.scenes[0].as_str()), (MAX_SCENES, "0"));
        for wrong in [json!(null), json!("Game"), json!({ "sceneName": 1 }), json!([{}, 1, null])] {
            state.set_scenes(&wrong);
            assert_eq!(state.scenes, Vec::<String>::new());
            assert_eq!(state.apply("CurrentProgramSceneChanged", &wrong), None);
            assert_eq!(state.apply("AnythingElse", &wrong), None);
        }
        state.apply("StreamStateChanged", &json!({ "outputState": "OBS_WEBSOCKET_OUTPUT_SOMETHING" }));
        assert_eq!(state.stream, OutputState { active: false, paused: false, state: "unknown".into() });
    }
}
