//! Fields of new and changed layers, checked (reference/overlays.md#layers).

use std::collections::HashSet;

use api_core::{ApiError, Result, graphql::Json};
use diesel_async::AsyncPgConnection;
use serde_json::Value;
use shared::id::{self, AccountId};
use uuid::Uuid;

use super::{OverlayLayerInput, OverlayLayerType, UpdateOverlayLayerInput, db};
use crate::{
    fields::{self, MAX_SIZE},
    overlays::MAX_LAYERS,
};

/// Distance of a layer from an edge, in pixels (reference/overlays.md#layers).
pub(super) const MAX_POSITION: i32 = 100_000;
/// Rotation of a layer, in degrees (reference/overlays.md#layers).
pub(super) const MAX_ROTATION: i32 = 360;

/// Checked layers of an overlay, from back to front.
#[derive(Debug)]
pub(super) struct NewLayers(Vec<NewLayer>);

#[derive(Debug)]
struct NewLayer {
    /// Layer that stays; `None` for a new one.
    id: Option<Uuid>,
    layer_type: OverlayLayerType,
    install_id: Option<Uuid>,
    name: String,
    config: Value,
    visible: bool,
    locked: bool,
    place: Place,
}

#[derive(Debug)]
struct Place {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    rotation: f64,
    opacity: f64,
}

/// Changes of a layer.
#[derive(Debug)]
pub(super) struct Changes {
    pub set: db::Changes,
    /// Version of the overlay that the caller has seen.
    pub version: Option<i32>,
}

impl NewLayers {
    /// Checks all layers of an overlay.
    pub fn checked(layers: Vec<OverlayLayerInput>) -> Result<Self> {
        if layers.len() > MAX_LAYERS {
            return Err(ApiError::invalid(format!("layers must have at most {MAX_LAYERS} entries")));
        }
        let mut known = HashSet::new();
        if layers.iter().filter_map(|layer| layer.id).any(|id| !known.insert(id)) {
            return Err(ApiError::invalid("layers must not contain an id twice"));
        }
        let checked = layers.into_iter().enumerate().map(|(place, layer)| NewLayer::checked(place, layer));
        Ok(Self(checked.collect::<Result<_>>()?))
    }

    /// Checks that the overlay has the layers whose ids are given, and the account the installs.
    pub async fn check_references(
        &self,
        connection: &mut AsyncPgConnection,
        account: AccountId,
        overlay: Uuid,
    ) -> Result<()> {
        let known = db::ids(connection, account, overlay).await?;
        if self.0.iter().filter_map(|layer| layer.id).any(|id| !known.contains(&id)) {
            return Err(ApiError::not_found("Layer not found"));
        }
        let installs: Vec<Uuid> = self.0.iter().filter_map(|layer| layer.install_id).collect();
        if installs.is_empty() {
            return Ok(());
        }
        let installs = db::installs(connection, account, &installs).await?;
        for (place, layer) in self.0.iter().enumerate() {
            let Some(install) = layer.install_id else { continue };
            match installs.get(&install) {
                None => return Err(ApiError::not_found("Extension install not found")),
                Some(true) => {}
                Some(false) => {
                    return Err(ApiError::invalid(format!(
                        "layers[{place}].install_id must be of an extension that has a layer"
                    )));
                }
            }
        }
        Ok(())
    }

    /// Rows of the layers, in order.
    pub fn rows(&self, account: AccountId, overlay: Uuid) -> Vec<db::NewRow<'_>> {
        (0..).zip(&self.0).map(|(sort_order, layer)| layer.row(account, overlay, sort_order)).collect()
    }
}

impl NewLayer {
    fn checked(place: usize, layer: OverlayLayerInput) -> Result<Self> {
        let field = |name: &str| format!("layers[{place}].{name}");
        match (layer.layer_type, layer.install_id) {
            (OverlayLayerType::Extension, None) => {
                return Err(ApiError::invalid(format!("Missing field: layers[{place}].install_id")));
            }
            (OverlayLayerType::Extension, Some(_)) | (_, None) => {}
            (_, Some(_)) => {
                return Err(ApiError::invalid(format!(
                    "layers[{place}].install_id must be null for other types than extension"
                )));
            }
        }
        Ok(Self {
            id: layer.id,
            layer_type: layer.layer_type,
            install_id: layer.install_id,
            name: fields::name(&field("name"), &layer.name)?,
            config: fields::new_config(&field("config"), layer.config)?,
            visible: layer.visible.unwrap_or(true),
            locked: layer.locked.unwrap_or(false),
            place: Place {
                x: position(&field("x"), layer.x.unwrap_or(0.0))?,
                y: position(&field("y"), layer.y.unwrap_or(0.0))?,
                width: extent(&field("width"), layer.width)?,
                height: extent(&field("height"), layer.height)?,
                rotation: rotation(&field("rotation"), layer.rotation.unwrap_or(0.0))?,
                opacity: opacity(&field("opacity"), layer.opacity.unwrap_or(1.0))?,
            },
        })
    }

    fn row(&self, account: AccountId, overlay: Uuid, sort_order: i32) -> db::NewRow<'_> {
        db::NewRow {
            id: match self.id {
                Some(known) => known,
                None => id::new(),
            },
            account_id: account,
            overlay_id: overlay,
            layer_type: self.layer_type.as_str(),
            name: &self.name,
            config: &self.config,
            visible: self.visible,
            sort_order,
            install_id: self.install_id,
            x: self.place.x,
            y: self.place.y,
            width: self.place.width,
            height: self.place.height,
            rotation: self.place.rotation,
            opacity: self.place.opacity,
            locked: self.locked,
        }
    }
}

impl Changes {
    /// Checks the changes of a layer.
    pub fn checked(input: UpdateOverlayLayerInput) -> Result<Self> {
        type Check = fn(&str, f64) -> Result<f64>;
        let number = |field: &str, given: Option<f64>, check: Check| {
            given.map(|number| check(field, number)).transpose()
        };
        let config = |given: Option<Json>| given.map(|given| fields::config("config", given)).transpose();
        let name = |given: Option<String>| given.map(|given| fields::name("name", &given)).transpose();
        let set = db::Changes {
            name: name(input.name.not_null("name")?)?,
            config: config(input.config.not_null("config")?)?,
            visible: input.visible.not_null("visible")?,
            locked: input.locked.not_null("locked")?,
            x: number("x", input.x.not_null("x")?, position)?,
            y: number("y", input.y.not_null("y")?, position)?,
            width: number("width", input.width.not_null("width")?, extent)?,
            height: number("height", input.height.not_null("height")?, extent)?,
            rotation: number("rotation", input.rotation.not_null("rotation")?, rotation)?,
            opacity: number("opacity", input.opacity.not_null("opacity")?, opacity)?,
        };
        Ok(Self { set, version: input.version })
    }

    /// Names of the given fields, for the audit trail.
    pub fn names(&self) -> Vec<&'static str> {
        let set = &self.set;
        let given = [
            ("name", set.name.is_some()),
            ("config", set.config.is_some()),
            ("visible", set.visible.is_some()),
            ("locked", set.locked.is_some()),
            ("x", set.x.is_some()),
            ("y", set.y.is_some()),
            ("width", set.width.is_some()),
            ("height", set.height.is_some()),
            ("rotation", set.rotation.is_some()),
            ("opacity", set.opacity.is_some()),
        ];
        given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect()
    }
}

fn position(field: &str, pixels: f64) -> Result<f64> {
    within(field, pixels, -MAX_POSITION, MAX_POSITION)
}

fn extent(field: &str, pixels: f64) -> Result<f64> {
    if pixels > 0.0 && pixels <= f64::from(MAX_SIZE) {
        return Ok(pixels);
    }
    Err(ApiError::invalid(format!("{field} must be more than 0 and at most {MAX_SIZE}")))
}

fn rotation(field: &str, degrees: f64) -> Result<f64> {
    within(field, degrees, -MAX_ROTATION, MAX_ROTATION)
}

fn opacity(field: &str, share: f64) -> Result<f64> {
    within(field, share, 0, 1)
}

fn within(field: &str, number: f64, min: i32, max: i32) -> Result<f64> {
    if (f64::from(min)..=f64::from(max)).contains(&number) {
        return Ok(number);
    }
    Err(ApiError::invalid(format!("{field} must be between {min} and {max}")))
}
