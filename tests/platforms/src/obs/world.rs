//! State of the stand-in, and the events of its changes.

use serde_json::{Value, json};

use super::Shared;

/// Category of an event, as a bit of a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intent {
    Config = 1 << 1,
    Scenes = 1 << 2,
    Outputs = 1 << 6,
}

/// Faults that can be switched on.
#[derive(Debug, Clone, Default)]
pub struct Behaviour {
    /// Connections are accepted and get no `Hello`.
    pub says_no_hello: bool,
    /// `Hello` names this version of the remote procedures.
    pub rpc_version: Option<u64>,
    /// Requests get no answer.
    pub is_silent: bool,
    /// Requests are refused as not ready.
    pub is_not_ready: bool,
    /// Connections are ended before the upgrade.
    pub refuses_upgrades: bool,
}

/// A scene.
#[derive(Debug, Clone)]
pub struct Scene {
    pub name: String,
    pub sources: Vec<Source>,
}

/// A source of a scene.
#[derive(Debug, Clone)]
pub struct Source {
    pub id: u64,
    pub name: String,
    pub visible: bool,
}

/// State of OBS.
pub(super) struct World {
    pub password: Option<String>,
    pub behaviour: Behaviour,
    pub streaming: bool,
    pub recording: bool,
    pub paused: bool,
    pub scenes: Vec<Scene>,
    pub current: String,
    pub sessions: usize,
    pub connections: usize,
    pub requests: Vec<String>,
    pub violations: Vec<String>,
}

impl Scene {
    /// A scene with visible sources.
    #[must_use]
    pub fn new(name: &str, sources: &[&str]) -> Self {
        let source = |(number, name): (usize, &&str)| Source {
            id: number as u64 + 1,
            name: (*name).to_owned(),
            visible: true,
        };
        Self { name: name.to_owned(), sources: sources.iter().enumerate().map(source).collect() }
    }
}

impl World {
    pub fn new(password: Option<&str>) -> Self {
        Self {
            password: password.map(str::to_owned),
            behaviour: Behaviour::default(),
            streaming: false,
            recording: false,
            paused: false,
            scenes: vec![Scene::new("Game", &["Camera", "Screen"]), Scene::new("Break", &[])],
            current: "Game".into(),
            sessions: 0,
            connections: 0,
            requests: Vec::new(),
            violations: Vec::new(),
        }
    }

    /// The scenes as the protocol lists them: from the last to the first.
    pub fn listed_scenes(&self) -> Value {
        let listed = self.scenes.iter().rev().enumerate().map(|(index, scene)| {
            json!({ "sceneIndex": index, "sceneName": scene.name, "sceneUuid": uuid_of(&scene.name) })
        });
        listed.collect()
    }
}

/// Stable id of a scene.
pub(super) fn uuid_of(name: &str) -> String {
    let number = name.bytes().fold(7_u128, |sum, byte| sum.wrapping_mul(257).wrapping_add(byte.into()));
    uuid::Uuid::from_u128(number).to_string()
}

fn scene_data(name: &str) -> Value {
    json!({ "sceneName": name, "sceneUuid": uuid_of(name), "isGroup": false })
}

impl Shared {
    /// Puts a scene on air; that on air again is no change.
    pub fn switch_to(&self, scene: &str) {
        let former = std::mem::replace(&mut self.lock().current, scene.to_owned());
        if former == scene {
            return;
        }
        let data = json!({ "sceneName": scene, "sceneUuid": uuid_of(scene) });
        self.emit(Intent::Scenes, "CurrentProgramSceneChanged", data);
    }

    pub fn rename_scene(&self, old: &str, new: &str) {
        {
            let mut world = self.lock();
            for scene in world.scenes.iter_mut().filter(|scene| scene.name == old) {
                scene.name = new.to_owned();
            }
            if world.current == old {
                world.current = new.to_owned();
            }
        }
        let data = json!({ "sceneUuid": uuid_of(old), "oldSceneName": old, "sceneName": new });
        self.emit(Intent::Scenes, "SceneNameChanged", data);
    }

    pub fn add_scene(&self, scene: Scene) {
        let data = scene_data(&scene.name);
        let listed = {
            let mut world = self.lock();
            world.scenes.push(scene);
            world.listed_scenes()
        };
        self.emit(Intent::Scenes, "SceneListChanged", json!({ "scenes": listed }));
        self.emit(Intent::Scenes, "SceneCreated", data);
    }

    /// Replaces the scenes. As OBS does, it lists them in no event.
    pub fn finish_collection_change(&self, scenes: Vec<Scene>) {
        let first = scenes.first().map(|scene| scene.name.clone()).unwrap_or_default();
        let created: Vec<Value> = scenes.iter().map(|scene| scene_data(&scene.name)).collect();
        let removed = std::mem::replace(&mut self.lock().scenes, scenes);
        for scene in removed {
            self.emit(Intent::Scenes, "SceneRemoved", scene_data(&scene.name));
        }
        for data in created {
            self.emit(Intent::Scenes, "SceneCreated", data);
        }
        self.switch_to(&first);
        let data = json!({ "sceneCollectionName": "Second" });
        self.emit(Intent::Config, "CurrentSceneCollectionChanged", data);
    }

    pub fn set_streaming(&self, active: bool) {
        self.lock().streaming = active;
        let [before, after] = if active { ["STARTING", "STARTED"] } else { ["STOPPING", "STOPPED"] };
        self.emit_output("StreamStateChanged", !active, before);
        self.emit_output("StreamStateChanged", active, after);
    }

    pub fn set_recording(&self, active: bool) {
        {
            let mut world = self.lock();
            (world.recording, world.paused) = (active, false);
        }
        let [before, after] = if active { ["STARTING", "STARTED"] } else { ["STOPPING", "STOPPED"] };
        self.emit_output("RecordStateChanged", !active, before);
        self.emit_output("RecordStateChanged", active, after);
    }

    pub fn set_paused(&self, paused: bool) {
        self.lock().paused = paused;
        self.emit_output("RecordStateChanged", true, if paused { "PAUSED" } else { "RESUMED" });
    }

    fn emit_output(&self, event_type: &str, active: bool, state: &str) {
        let mut data =
            json!({ "outputActive": active, "outputState": format!("OBS_WEBSOCKET_OUTPUT_{state}") });
        if event_type == "RecordStateChanged" {
            let has_path = matches!(state, "STARTED" | "STOPPED");
            data["outputPath"] = if has_path { json!("/tmp/record.mkv") } else { Value::Null };
        }
        self.emit(Intent::Outputs, event_type, data);
    }
}
