//! Events of the channels of an account as events of a surface (reference/realtime.md#surfaces).

use std::borrow::Cow;

use bytes::Bytes;
use foundation::events::Channel;
use serde::Deserialize;
use serde_json::{
    Map, Value, json,
    value::{RawValue, to_raw_value},
};
use surfaces::Surface;
use uuid::Uuid;

use super::{Feed, Hub};
use crate::protocol::Published;

/// An event of another channel, for a surface.
pub(super) enum Converted {
    /// The pages do not get it.
    Nothing,
    /// The state of the surface may have changed.
    Change,
    /// The pages get it.
    Event {
        /// Id of the event.
        id: Uuid,
        /// The frame.
        frame: Bytes,
    },
}

/// Event of the surface: its type, and its content where that is another.
struct Relayed {
    event_type: &'static str,
    data: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Sound {
    target: Option<Target>,
}

#[derive(Deserialize)]
struct Target {
    #[serde(rename = "type")]
    kind: String,
    id: Uuid,
}

impl Feed {
    /// Converts an event of a source.
    ///
    /// # Errors
    /// An error when the message is not an event.
    pub(super) fn convert(
        &self,
        hub: &Hub,
        source: Channel,
        message: &[u8],
    ) -> serde_json::Result<Converted> {
        let published: Published<'_> = serde_json::from_slice(message)?;
        let event_type: Cow<'_, str> = serde_json::from_str(published.event_type.get())?;
        if is_change(source, &event_type) {
            return Ok(Converted::Change);
        }
        let Some(relayed) = self.relayed(source, &event_type, published.data)? else {
            return Ok(Converted::Nothing);
        };
        let event_type = to_raw_value(relayed.event_type)?;
        let data = relayed.data.as_deref().unwrap_or(published.data);
        let (id, frame) = published.frame_as(&self.label, &event_type, data, hub.state.clock.now())?;
        Ok(Converted::Event { id, frame })
    }

    fn relayed(
        &self,
        source: Channel,
        event_type: &str,
        data: &RawValue,
    ) -> serde_json::Result<Option<Relayed>> {
        let uses = self.listeners.uses();
        let name = match (source, event_type) {
            (Channel::Events(_), "event:new" | "event:test") if uses.events => "event:new",
            (Channel::Chat(_), "chat:message") if uses.chat => "chat:message",
            (Channel::Chat(_), "chat:delete_message") if uses.chat => "chat:delete_message",
            (Channel::Chat(_), "chat:clear_user") if uses.chat => "chat:clear_user",
            (Channel::Chat(_), "chat:clear") if uses.chat => "chat:clear",
            (Channel::Spotify(_), "spotify:track") if uses.music => "spotify:track",
            (Channel::Spotify(_), "spotify:play") if uses.music => "spotify:play",
            (Channel::Spotify(_), "spotify:pause") if uses.music => "spotify:pause",
            (Channel::Spotify(_), "spotify:state") if uses.music => "spotify:state",
            (Channel::Sounds(_), "sound:play") if self.is_target(data)? => "sound:play",
            (Channel::Sounds(_), "sound:stop") if self.is_target(data)? => "sound:stop",
            (Channel::ExtStorage(install), "storage:updated") => {
                return with_install(install, data)
                    .map(|data| Some(Relayed { event_type: "ext:storage", data }));
            }
            (Channel::ExtStorage(install), "ext:push") => {
                return with_install(install, data)
                    .map(|data| Some(Relayed { event_type: "ext:push", data }));
            }
            _ => return Ok(None),
        };
        Ok(Some(Relayed { event_type: name, data: None }))
    }

    /// True when a sound is for every browser source, or for this surface.
    fn is_target(&self, data: &RawValue) -> serde_json::Result<bool> {
        let sound: Sound = serde_json::from_str(data.get())?;
        Ok(sound.target.is_none_or(|target| match self.surface {
            Surface::Overlay(id) => target.kind == "overlay" && target.id == id,
            Surface::Widget(id) => target.kind == "widget" && target.id == id,
        }))
    }
}

/// True for events after which the state of a surface may be another.
fn is_change(source: Channel, event_type: &str) -> bool {
    match source {
        Channel::OverlayEditor(_) => event_type == "overlay:updated",
        Channel::Widget(_) => event_type == "widget:updated",
        Channel::Extensions(_) => {
            matches!(
                event_type,
                "install:created" | "install:updated" | "install:removed" | "bot_module:killed"
            )
        }
        Channel::Account(_) => {
            matches!(event_type, "settings:updated" | "features:updated" | "plan:updated")
        }
        _ => false,
    }
}

fn with_install(install: Uuid, data: &RawValue) -> serde_json::Result<Option<Box<RawValue>>> {
    let mut fields: Map<String, Value> = serde_json::from_str(data.get())?;
    fields.insert("install_id".to_owned(), json!(install));
    to_raw_value(&fields).map(Some)
}
