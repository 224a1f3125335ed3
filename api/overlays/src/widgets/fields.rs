//! Fields of a new or changed widget, checked (reference/overlays.md#widgets).

use api_core::{Result, validate};
use serde_json::Value;
use uuid::Uuid;

use super::{CreateWidgetInput, UpdateWidgetInput, db};
use crate::fields;

/// Length of a type, in characters (reference/overlays.md#widgets).
pub(super) const MAX_TYPE_LENGTH: usize = 100;
/// Width of a widget that is created without one, in pixels.
const DEFAULT_WIDTH: i32 = 800;
/// Height of a widget that is created without one, in pixels.
const DEFAULT_HEIGHT: i32 = 600;

/// Fields of a new widget.
#[derive(Debug)]
pub(super) struct Fields {
    pub name: String,
    pub widget_type: String,
    /// Install of an extension; not known before the type is looked up.
    pub install_id: Option<Uuid>,
    pub config: Value,
    pub width: i32,
    pub height: i32,
    pub enabled: bool,
}

/// Changes of a widget.
#[derive(Debug)]
pub(super) struct Changes {
    pub set: db::Changes,
}

impl Fields {
    /// Checks every field.
    ///
    /// # Errors
    /// 400 that names the field.
    pub fn new(input: CreateWidgetInput) -> Result<Self> {
        Ok(Self {
            name: fields::name("name", &input.name)?,
            widget_type: validate::text("type", &input.widget_type, 1, MAX_TYPE_LENGTH)?,
            install_id: None,
            config: fields::new_config("config", input.config)?,
            width: fields::size("width", input.width.unwrap_or(DEFAULT_WIDTH))?,
            height: fields::size("height", input.height.unwrap_or(DEFAULT_HEIGHT))?,
            enabled: true,
        })
    }

    /// Fields of the copy of a widget.
    pub fn of_copy(source: db::Row) -> Self {
        Self {
            name: fields::name_of_copy(&source.name),
            widget_type: source.widget_type,
            install_id: source.install_id,
            config: source.config,
            width: source.width,
            height: source.height,
            enabled: source.enabled,
        }
    }
}

impl Changes {
    /// Checks every field.
    ///
    /// # Errors
    /// 400 that names the field.
    pub fn new(input: UpdateWidgetInput) -> Result<Self> {
        let size =
            |field: &str, pixels: Option<i32>| pixels.map(|pixels| fields::size(field, pixels)).transpose();
        let name = input.name.not_null("name")?;
        let config = input.config.not_null("config")?;
        let set = db::Changes {
            name: name.map(|name| fields::name("name", &name)).transpose()?,
            config: config.map(|config| fields::config("config", config)).transpose()?,
            width: size("width", input.width.not_null("width")?)?,
            height: size("height", input.height.not_null("height")?)?,
            enabled: input.enabled.not_null("enabled")?,
        };
        Ok(Self { set })
    }

    /// Names of the given fields, for the audit trail.
    pub fn names(&self) -> Vec<&'static str> {
        let set = &self.set;
        let given = [
            ("name", set.name.is_some()),
            ("config", set.config.is_some()),
            ("width", set.width.is_some()),
            ("height", set.height.is_some()),
            ("enabled", set.enabled.is_some()),
        ];
        given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect()
    }
}
