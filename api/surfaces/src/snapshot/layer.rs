//! A layer as pages get it.

use std::collections::HashMap;

use api_core::access::AccountFeatures;
use extension_model::{
    ConfigSchema,
    system::{SystemWidget, WIDGETS, needed_features},
};
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{
    built_in::widget_of_type,
    stored::{Install, Source},
    uses::Uses,
};

/// Layer that shows.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Layer {
    id: Uuid,
    #[serde(rename = "type")]
    layer_type: String,
    name: String,
    /// Settings with defaults, those of an install beneath the layer's own.
    pub config: Map<String, Value>,
    sort_order: i32,
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    rotation: f64,
    opacity: f64,
    /// Address of the script that draws it; `None` for types that the page draws itself.
    script: Option<String>,
    /// True when the page mounts it in a frame of its own.
    sandboxed: bool,
    install: Option<LayerInstall>,
}

/// Install that draws a layer.
#[derive(Debug, Clone, Serialize)]
struct LayerInstall {
    id: Uuid,
    extension_id: Uuid,
    slug: String,
    version: String,
    permissions: Vec<String>,
}

impl Source {
    /// Built-in widget that draws the layer.
    pub fn built_in(&self) -> Option<&'static SystemWidget> {
        if self.install_id.is_some() { None } else { widget_of_type(&self.layer_type) }
    }

    /// The layer as pages get it; `None` when it does not show: its install does not run, or its flag is off.
    pub fn into_layer(
        self,
        installs: &HashMap<Uuid, Install>,
        versions: &HashMap<Uuid, String>,
        features: &AccountFeatures,
        base: &str,
    ) -> Option<Layer> {
        if self.flag.is_some_and(|flag| features.off(flag).is_some()) {
            return None;
        }
        match self.layer_type.as_str() {
            "extension" => {
                let install = installs.get(&self.install_id?)?;
                let is_off = |key: &String| features.off(key).is_some();
                if needed_features(install.extension_id).iter().any(is_off) {
                    return None;
                }
                Some(self.of_install(install, base))
            }
            "custom_html" => Some(self.drawn_by(None, true, None, Map::new())),
            _ => match self.built_in() {
                Some(widget) => {
                    let version = versions.get(&widget.extension_id)?;
                    let script = script(base, widget.extension_id, version);
                    let schema = widget.manifest().map(|manifest| manifest.config_schema).unwrap_or_default();
                    let defaults = schema.with_defaults(self.config_map());
                    Some(self.drawn_by(Some(script), false, None, defaults))
                }
                None => Some(self.drawn_by(None, false, None, Map::new())),
            },
        }
    }

    fn of_install(mut self, install: &Install, base: &str) -> Layer {
        let schema: ConfigSchema =
            serde_json::from_value(install.config_schema.clone().unwrap_or_default()).unwrap_or_default();
        let stored = install.config.as_object().cloned().unwrap_or_default();
        let mut settings = schema.with_defaults(stored);
        // Secrets are for handlers, never for pages.
        settings.retain(|key, _| !schema.is_secret(key));
        let mut own = self.config_map();
        own.retain(|key, _| !schema.is_secret(key));
        let mut config = settings;
        config.extend(own.clone());
        self.config = Value::Object(own);
        let is_built_in = WIDGETS.iter().any(|widget| widget.extension_id == install.extension_id);
        let script = script(base, install.extension_id, &install.version);
        let shown = LayerInstall {
            id: install.id,
            extension_id: install.extension_id,
            slug: install.slug.clone(),
            version: install.version.clone(),
            permissions: install.granted_permissions.clone(),
        };
        self.drawn_by(Some(script), !is_built_in, Some(shown), config)
    }

    fn drawn_by(
        self,
        script: Option<String>,
        sandboxed: bool,
        install: Option<LayerInstall>,
        beneath: Map<String, Value>,
    ) -> Layer {
        let mut config = beneath;
        for (key, value) in self.config_map() {
            // A value that the schema refuses has been replaced by its default.
            config.entry(key).or_insert(value);
        }
        Layer {
            id: self.id,
            layer_type: self.layer_type,
            name: self.name,
            config,
            sort_order: self.sort_order,
            x: self.x,
            y: self.y,
            width: self.width,
            height: self.height,
            rotation: self.rotation,
            opacity: self.opacity,
            script,
            sandboxed,
            install,
        }
    }
}

impl Layer {
    /// Events that the layer uses.
    pub fn uses(&self) -> Uses {
        let granted = |permission: &str| {
            self.install
                .as_ref()
                .is_some_and(|install| install.permissions.iter().any(|held| held == permission))
        };
        match self.layer_type.as_str() {
            "alert_box" | "event_list" => Uses { events: true, ..Uses::default() },
            "chat_box" => Uses { chat: true, ..Uses::default() },
            "text" => Uses { events: true, music: true, chat: false },
            "music" => Uses { music: true, ..Uses::default() },
            "custom_html" => Uses { events: true, chat: true, music: true },
            "extension" => Uses { events: granted("events:read"), chat: granted("chat:read"), music: true },
            _ => Uses::default(),
        }
    }

    /// True when an install draws it.
    pub fn is_of(&self, install: Uuid) -> bool {
        self.install.as_ref().is_some_and(|own| own.id == install)
    }

    /// True when the layer shows earlier events.
    pub fn lists_events(&self) -> bool {
        self.is_drawn_by("event_list") || self.is_drawn_by("text")
    }

    /// True when the layer shows chat.
    pub fn shows_chat(&self) -> bool {
        self.is_drawn_by("chat_box")
    }

    /// True when a built-in widget draws it, by its type or as an install.
    fn is_drawn_by(&self, widget: &str) -> bool {
        let is_install =
            |id: Uuid| WIDGETS.iter().any(|known| known.extension_id == id && known.name == widget);
        self.layer_type == widget
            || self.install.as_ref().is_some_and(|install| is_install(install.extension_id))
    }
}

fn script(base: &str, extension: Uuid, version: &str) -> String {
    format!("{base}/v1/extension-bundles/{extension}/{version}/layer.js")
}
