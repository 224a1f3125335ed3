//! Fields of a new or changed overlay, checked (reference/overlays.md#overlays).

use api_core::Result;
use uuid::Uuid;

use super::{CreateOverlayInput, OverlayChanges, background, db};
use crate::fields;

/// Name of an overlay that is created without one.
const DEFAULT_NAME: &str = "Main Overlay";
/// Width of an overlay that is created without one, in pixels.
const DEFAULT_WIDTH: i32 = 1920;
/// Height of an overlay that is created without one, in pixels.
const DEFAULT_HEIGHT: i32 = 1080;

/// Fields of a new overlay.
#[derive(Debug)]
pub(super) struct Fields {
    pub name: String,
    pub width: i32,
    pub height: i32,
    pub background: String,
    pub thumbnail_upload_id: Option<Uuid>,
}

/// Changes of an overlay.
#[derive(Debug)]
pub(super) struct Changes {
    pub set: db::Changes,
    /// Version that the caller has seen.
    pub version: Option<i32>,
}

impl Fields {
    /// Checks every field.
    ///
    /// # Errors
    /// 400 that names the field.
    pub fn new(input: CreateOverlayInput) -> Result<Self> {
        Ok(Self {
            name: fields::name("name", input.name.as_deref().unwrap_or(DEFAULT_NAME))?,
            width: fields::size("width", input.width.unwrap_or(DEFAULT_WIDTH))?,
            height: fields::size("height", input.height.unwrap_or(DEFAULT_HEIGHT))?,
            background: background::checked(input.background.as_deref().unwrap_or(background::TRANSPARENT))?,
            thumbnail_upload_id: None,
        })
    }
}

impl Changes {
    /// Checks every field.
    ///
    /// # Errors
    /// 400 that names the field.
    pub fn new(changes: OverlayChanges) -> Result<Self> {
        let text = |text: Option<String>, check: &dyn Fn(&str) -> Result<String>| {
            text.as_deref().map(check).transpose()
        };
        let size =
            |field: &str, pixels: Option<i32>| pixels.map(|pixels| fields::size(field, pixels)).transpose();
        let set = db::Changes {
            name: text(changes.name.not_null("name")?, &|name| fields::name("name", name))?,
            width: size("width", changes.width.not_null("width")?)?,
            height: size("height", changes.height.not_null("height")?)?,
            background: text(changes.background.not_null("background")?, &background::checked)?,
            thumbnail_upload_id: changes.thumbnail_upload_id.into_change(),
        };
        Ok(Self { set, version: changes.version })
    }

    /// Names of the given fields, for the audit trail.
    pub fn names(&self) -> Vec<&'static str> {
        let set = &self.set;
        let given = [
            ("name", set.name.is_some()),
            ("width", set.width.is_some()),
            ("height", set.height.is_some()),
            ("background", set.background.is_some()),
            ("thumbnail_upload_id", set.thumbnail_upload_id.is_some()),
        ];
        given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect()
    }
}
