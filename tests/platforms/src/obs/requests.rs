//! Requests that the stand-in answers.

use serde_json::{Value, json};

use super::{
    Shared,
    world::{Scene, uuid_of},
};

/// Statuses of the protocol.
const UNKNOWN_REQUEST_TYPE: u64 = 204;
const NOT_READY: u64 = 207;
const MISSING_REQUEST_FIELD: u64 = 300;
const MISSING_REQUEST_DATA: u64 = 301;
const INVALID_REQUEST_FIELD: u64 = 400;
const INVALID_REQUEST_FIELD_TYPE: u64 = 401;
const REQUEST_FIELD_EMPTY: u64 = 403;
const OUTPUT_RUNNING: u64 = 500;
const OUTPUT_NOT_RUNNING: u64 = 501;
const RESOURCE_NOT_FOUND: u64 = 600;
const INVALID_RESOURCE_TYPE: u64 = 602;

/// Refusal: status and comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refused(pub u64, pub String);

type Outcome = Result<Value, Refused>;

/// Fields of a request, `None` without data; each that is not taken is refused.
struct Fields(Option<serde_json::Map<String, Value>>);

impl Fields {
    fn take(&mut self, name: &str) -> Outcome {
        let fields = self.0.as_mut().ok_or_else(|| {
            Refused(MISSING_REQUEST_DATA, "Your request data is missing or invalid (non-object)".to_owned())
        })?;
        fields.remove(name).ok_or_else(|| {
            Refused(MISSING_REQUEST_FIELD, format!("Your request is missing the `{name}` field."))
        })
    }

    fn text(&mut self, name: &str) -> Result<String, Refused> {
        let value = self.take(name)?;
        let text = value.as_str().ok_or_else(|| wrong_type(name, "a string"))?;
        if text.is_empty() {
            let comment = format!("The field value of `{name}` must not be empty.");
            return Err(Refused(REQUEST_FIELD_EMPTY, comment));
        }
        Ok(text.to_owned())
    }

    fn end(self) -> Result<(), Refused> {
        match self.0.iter().flatten().next() {
            Some((name, _value)) => {
                Err(Refused(INVALID_REQUEST_FIELD, format!("The field `{name}` is unknown.")))
            }
            None => Ok(()),
        }
    }
}

fn wrong_type(name: &str, kind: &str) -> Refused {
    Refused(INVALID_REQUEST_FIELD_TYPE, format!("The field value of `{name}` must be {kind}."))
}

/// Refuses a name that is none of a scene.
fn check_scene(scenes: &[Scene], name: &str) -> Result<(), Refused> {
    if scenes.iter().any(|scene| scene.name == name) {
        return Ok(());
    }
    if scenes.iter().flat_map(|scene| &scene.sources).any(|source| source.name == name) {
        return Err(Refused(INVALID_RESOURCE_TYPE, "The specified source is not a scene.".to_owned()));
    }
    Err(Refused(RESOURCE_NOT_FOUND, format!("No source was found by the name of `{name}`.")))
}

/// Answers a request.
pub(super) fn answer(shared: &Shared, request_type: &str, data: Option<&Value>) -> Outcome {
    if shared.lock().behaviour.is_not_ready {
        return Err(Refused(NOT_READY, "OBS is not ready to perform the request.".into()));
    }
    let mut fields = Fields(data.and_then(Value::as_object).cloned());
    match request_type {
        "GetStreamStatus" | "GetRecordStatus" | "GetSceneList" | "StartStream" | "StopStream"
        | "StartRecord" | "StopRecord" => {
            fields.end()?;
            without_fields(shared, request_type)
        }
        "SetCurrentProgramScene" => {
            let scene = fields.text("sceneName")?;
            fields.end()?;
            check_scene(&shared.lock().scenes, &scene)?;
            shared.switch_to(&scene);
            Ok(Value::Null)
        }
        "GetSceneItemId" => {
            let (scene, source) = (fields.text("sceneName")?, fields.text("sourceName")?);
            fields.end()?;
            item_id(shared, &scene, &source)
        }
        "SetSceneItemEnabled" => {
            let (scene, id) = (fields.text("sceneName")?, fields.take("sceneItemId")?);
            let enabled = fields.take("sceneItemEnabled")?;
            fields.end()?;
            let id = id.as_u64().ok_or_else(|| wrong_type("sceneItemId", "a number"))?;
            let enabled = enabled.as_bool().ok_or_else(|| wrong_type("sceneItemEnabled", "boolean"))?;
            enable(shared, &scene, id, enabled)
        }
        _ => Err(Refused(UNKNOWN_REQUEST_TYPE, "Your request type is not valid.".into())),
    }
}

fn without_fields(shared: &Shared, request_type: &str) -> Outcome {
    let (streaming, recording, paused) = {
        let world = shared.lock();
        (world.streaming, world.recording, world.paused)
    };
    match request_type {
        "GetStreamStatus" => Ok(json!({
            "outputActive": streaming, "outputReconnecting": false, "outputTimecode": "00:00:00.000",
            "outputDuration": 0, "outputCongestion": 0.0, "outputBytes": 0, "outputSkippedFrames": 0,
            "outputTotalFrames": 0,
        })),
        "GetRecordStatus" => Ok(json!({
            "outputActive": recording, "outputPaused": paused, "outputTimecode": "00:00:00.000",
            "outputDuration": 0, "outputBytes": 0,
        })),
        "GetSceneList" => {
            let world = shared.lock();
            Ok(json!({
                "currentProgramSceneName": world.current, "currentProgramSceneUuid": uuid_of(&world.current),
                "currentPreviewSceneName": null, "currentPreviewSceneUuid": null,
                "scenes": world.listed_scenes(),
            }))
        }
        "StartStream" => start(streaming, || shared.set_streaming(true)),
        "StopStream" => stop(streaming, || shared.set_streaming(false)).map(|()| Value::Null),
        "StartRecord" => start(recording, || shared.set_recording(true)),
        _ => stop(recording, || shared.set_recording(false))
            .map(|()| json!({ "outputPath": "/tmp/record.mkv" })),
    }
}

fn start(is_running: bool, begin: impl FnOnce()) -> Outcome {
    if is_running {
        return Err(Refused(OUTPUT_RUNNING, String::new()));
    }
    begin();
    Ok(Value::Null)
}

fn stop(is_running: bool, end: impl FnOnce()) -> Result<(), Refused> {
    if !is_running {
        return Err(Refused(OUTPUT_NOT_RUNNING, String::new()));
    }
    end();
    Ok(())
}

fn item_id(shared: &Shared, scene: &str, source: &str) -> Outcome {
    let world = shared.lock();
    check_scene(&world.scenes, scene)?;
    let mut items = world.scenes.iter().filter(|one| one.name == scene).flat_map(|one| &one.sources);
    let item = items.find(|one| one.name == source).ok_or_else(|| {
        let comment = "No scene items were found in the specified scene by that name or offset.";
        Refused(RESOURCE_NOT_FOUND, comment.to_owned())
    })?;
    Ok(json!({ "sceneItemId": item.id }))
}

fn enable(shared: &Shared, scene: &str, id: u64, visible: bool) -> Outcome {
    let mut world = shared.lock();
    check_scene(&world.scenes, scene)?;
    let mut items = world.scenes.iter_mut().filter(|one| one.name == scene).flat_map(|one| &mut one.sources);
    let item = items.find(|one| one.id == id).ok_or_else(|| {
        let comment = format!("No scene items were found in scene `{scene}` with the ID `{id}`.");
        Refused(RESOURCE_NOT_FOUND, comment)
    })?;
    item.visible = visible;
    Ok(Value::Null)
}
