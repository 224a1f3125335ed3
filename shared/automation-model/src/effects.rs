//! Typed arguments of actions (reference/automations.md#nodes). They are checked and hold no templates.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use shared::platform::Platform;
use std::collections::BTreeMap;
use uuid::Uuid;

use crate::machine::Effect;

/// Arguments of `send_chat`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SendChat {
    /// Text.
    pub message: String,
    /// Platforms; empty for all.
    #[serde(default)]
    pub platforms: Vec<Platform>,
}

/// Arguments of `delete_message`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeleteMessage {
    /// Id on the platform.
    pub message_id: String,
    /// Platform.
    pub platform: Platform,
}

/// Arguments of `timeout_user`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeoutUser {
    /// Id on the platform.
    pub user_id: String,
    /// Seconds.
    pub duration_secs: u32,
    /// Platform.
    pub platform: Platform,
    /// Reason that the platform shows.
    #[serde(default)]
    pub reason: Option<String>,
}

/// Arguments of `ban_user`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BanUser {
    /// Id on the platform.
    pub user_id: String,
    /// Platform.
    pub platform: Platform,
    /// Reason that the platform shows.
    #[serde(default)]
    pub reason: Option<String>,
}

/// Arguments of `play_sound`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlaySound {
    /// Sound.
    pub sound_id: Uuid,
    /// 0 to 1; `None` for 1.
    #[serde(default)]
    pub volume: Option<f64>,
}

/// Arguments of `stop_sound`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopSound {
    /// Sound; `None` for all.
    #[serde(default)]
    pub sound_id: Option<Uuid>,
}

/// State of a layer or a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// Shown.
    Shown,
    /// Hidden.
    Hidden,
    /// The opposite of the present state.
    Toggle,
}

/// Arguments of `toggle_layer`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToggleLayer {
    /// Overlay.
    pub overlay_id: Uuid,
    /// Layer of it.
    pub layer_id: Uuid,
    /// New state.
    pub visible: Visibility,
}

/// Arguments of `show_alert`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShowAlert {
    /// Title.
    pub title: String,
    /// Text below the title.
    #[serde(default)]
    pub message: Option<String>,
    /// Seconds; `None` for the alert box's own.
    #[serde(default)]
    pub duration_secs: Option<u32>,
}

/// Arguments of `emit_event`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EmitEvent {
    /// Type of the catalogue or `custom:{name}`.
    pub event_type: String,
    /// Payload.
    #[serde(default)]
    pub data: Map<String, Value>,
}

/// Arguments of `obs_set_scene`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObsSetScene {
    /// Name of the scene.
    pub scene: String,
}

/// Arguments of `obs_set_source`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObsSetSource {
    /// Name of the scene.
    pub scene: String,
    /// Name of the source.
    pub source: String,
    /// True to show it.
    pub visible: bool,
}

/// Arguments of `spotify_play`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpotifyPlay {
    /// Address of a song or list; `None` to resume.
    #[serde(default)]
    pub uri: Option<String>,
}

/// Arguments of `spotify_queue`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpotifyQueue {
    /// Address of a song.
    pub uri: String,
}

/// Arguments of `set_stream_title`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetStreamTitle {
    /// Title.
    pub title: String,
    /// Platforms; empty for all.
    #[serde(default)]
    pub platforms: Vec<Platform>,
}

/// Arguments of `create_clip`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreateClip {
    /// Platform; `None` for the one that is live.
    #[serde(default)]
    pub platform: Option<Platform>,
}

/// Arguments of `http_request`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HttpRequest {
    /// Method in capital letters.
    pub method: String,
    /// Address.
    pub url: String,
    /// Headers.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Body: a text as it is, another value as JSON; `None` for no body.
    #[serde(default)]
    pub body: Option<Value>,
}

/// Arguments of `discord_message`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscordMessage {
    /// Id of the channel.
    pub channel_id: String,
    /// Text.
    pub message: String,
}

/// Arguments of `notify_members`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotifyMembers {
    /// Title.
    pub title: String,
    /// Text.
    pub message: String,
}

/// Arguments of `run_automation`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunAutomation {
    /// Automation of the account.
    pub automation_id: Uuid,
    /// Input of the run.
    #[serde(default)]
    pub input: Value,
}

/// Call of a node of an extension.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtensionCall {
    /// Install.
    pub install_id: Uuid,
    /// Configuration with its templates filled in.
    pub config: Value,
    /// Payload of the trigger.
    pub input: Value,
}

/// An action.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Sends a chat message.
    SendChat(SendChat),
    /// Deletes a chat message.
    DeleteMessage(DeleteMessage),
    /// Times a chatter out.
    TimeoutUser(TimeoutUser),
    /// Bans a chatter.
    BanUser(BanUser),
    /// Plays a sound.
    PlaySound(PlaySound),
    /// Stops sounds.
    StopSound(StopSound),
    /// Shows or hides a layer.
    ToggleLayer(ToggleLayer),
    /// Shows an alert.
    ShowAlert(ShowAlert),
    /// Emits an event.
    EmitEvent(EmitEvent),
    /// Changes the scene of OBS.
    ObsSetScene(ObsSetScene),
    /// Shows or hides a source of OBS.
    ObsSetSource(ObsSetSource),
    /// Plays music.
    SpotifyPlay(SpotifyPlay),
    /// Pauses music.
    SpotifyPause,
    /// Skips a song.
    SpotifySkip,
    /// Queues a song.
    SpotifyQueue(SpotifyQueue),
    /// Changes the title of the broadcast.
    SetStreamTitle(SetStreamTitle),
    /// Creates a clip.
    CreateClip(CreateClip),
    /// Sends a request.
    HttpRequest(HttpRequest),
    /// Sends a message to a Discord channel.
    DiscordMessage(DiscordMessage),
    /// Notifies the members of the account.
    NotifyMembers(NotifyMembers),
    /// Starts another automation.
    RunAutomation(RunAutomation),
    /// Calls a node of an extension.
    Extension(ExtensionCall),
}

/// Reads the arguments of an effect.
///
/// # Errors
/// Arguments that do not fit the type.
pub fn parse(effect: &Effect) -> Result<Action, String> {
    let arguments = &effect.arguments;
    Ok(match effect.r#type {
        "send_chat" => Action::SendChat(read(arguments)?),
        "delete_message" => Action::DeleteMessage(read(arguments)?),
        "timeout_user" => Action::TimeoutUser(read(arguments)?),
        "ban_user" => Action::BanUser(read(arguments)?),
        "play_sound" => Action::PlaySound(read(arguments)?),
        "stop_sound" => Action::StopSound(read(arguments)?),
        "toggle_layer" => Action::ToggleLayer(read(arguments)?),
        "show_alert" => Action::ShowAlert(read(arguments)?),
        "emit_event" => Action::EmitEvent(read(arguments)?),
        "obs_set_scene" => Action::ObsSetScene(read(arguments)?),
        "obs_set_source" => Action::ObsSetSource(read(arguments)?),
        "spotify_play" => Action::SpotifyPlay(read(arguments)?),
        "spotify_pause" => Action::SpotifyPause,
        "spotify_skip" => Action::SpotifySkip,
        "spotify_queue" => Action::SpotifyQueue(read(arguments)?),
        "set_stream_title" => Action::SetStreamTitle(read(arguments)?),
        "create_clip" => Action::CreateClip(read(arguments)?),
        "http_request" => Action::HttpRequest(read(arguments)?),
        "discord_message" => Action::DiscordMessage(read(arguments)?),
        "notify_members" => Action::NotifyMembers(read(arguments)?),
        "run_automation" => Action::RunAutomation(read(arguments)?),
        "extension" => Action::Extension(ExtensionCall {
            install_id: effect.install_id.ok_or("The node names no install")?,
            config: arguments["config"].clone(),
            input: arguments["input"].clone(),
        }),
        other => return Err(format!("`{other}` is no action")),
    })
}

fn read<T: DeserializeOwned>(arguments: &Value) -> Result<T, String> {
    T::deserialize(arguments).map_err(|error| error.to_string())
}

impl Serialize for Visibility {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Shown => serializer.serialize_bool(true),
            Self::Hidden => serializer.serialize_bool(false),
            Self::Toggle => serializer.serialize_str("toggle"),
        }
    }
}

impl<'de> Deserialize<'de> for Visibility {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Bool(true) => Ok(Self::Shown),
            Value::Bool(false) => Ok(Self::Hidden),
            Value::String(text) if text == "toggle" => Ok(Self::Toggle),
            _ => Err(serde::de::Error::custom("visible must be true, false or `toggle`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::node_types::{Kind, NODE_TYPES, Shape};

    /// A value of a shape.
    fn value(shape: Shape) -> Value {
        match shape {
            Shape::Id => json!(Uuid::nil()),
            Shape::Whole(min, _) => json!(min),
            Shape::Number(..) => json!(0.5),
            Shape::Platform => json!("twitch"),
            Shape::Platforms => json!(["kick"]),
            Shape::Flag => json!(true),
            Shape::Toggle => json!("toggle"),
            Shape::Object | Shape::Headers => json!({ "a": "b" }),
            Shape::Url => json!("https://a.example"),
            _ => json!("text"),
        }
    }

    #[test]
    fn effects_of_every_action_read_the_arguments_of_its_type() {
        for node_type in NODE_TYPES.iter().filter(|node_type| node_type.kind == Kind::Action) {
            for with_optional in [false, true] {
                let keys = node_type.keys.iter().filter(|key| with_optional || key.is_required);
                let arguments: Map<String, Value> =
                    keys.map(|key| (key.name.to_owned(), value(key.shape))).collect();
                let effect = Effect {
                    r#type: node_type.name,
                    install_id: Some(Uuid::nil()),
                    arguments: Value::Object(arguments.clone()),
                };
                assert!(parse(&effect).is_ok(), "{} {arguments:?}", node_type.name);
            }
        }
    }

    #[test]
    fn effects_refuse_unknown_types_and_missing_arguments() {
        let effect = |r#type, arguments| Effect { r#type, install_id: None, arguments };
        assert!(parse(&effect("send_chat", json!({}))).is_err());
        assert!(parse(&effect("condition", json!({}))).is_err());
        assert!(parse(&effect("extension", json!({}))).is_err());
    }

    #[test]
    fn effects_of_layers_have_three_states() {
        for (value, state) in [
            (json!(true), Visibility::Shown),
            (json!(false), Visibility::Hidden),
            (json!("toggle"), Visibility::Toggle),
        ] {
            assert_eq!(Visibility::deserialize(&value).ok(), Some(state));
            assert_eq!(serde_json::to_value(state).unwrap(), value);
        }
        assert!(Visibility::deserialize(&json!("true")).is_err());
    }
}
