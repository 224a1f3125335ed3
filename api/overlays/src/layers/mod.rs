//! Layers of an overlay (reference/overlays.md#layers).

mod db;
mod fields;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Patch, Result,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::Json,
};
use diesel_async::AsyncConnection;
use foundation::audit;
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use live_model::surfaces::OverlayChange;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::catalogue::{AccountPermission, Feature};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    fields::{MAX_NAME_LENGTH, MAX_SIZE},
    overlays::{changed, count_change, lock_for_change},
};
use fields::{Changes, MAX_POSITION, MAX_ROTATION, NewLayers};
use surfaces::object_access::{ObjectAccess, ObjectKind, ObjectRole};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&OVERLAY_LAYERS, &UPDATE_OVERLAY_LAYERS, &UPDATE_OVERLAY_LAYER];

/// Layer of an overlay.
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct OverlayLayer {
    /// Identifier.
    pub id: Uuid,
    /// Overlay.
    pub overlay_id: Uuid,
    /// Content of the layer.
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    pub layer_type: OverlayLayerType,
    /// Name.
    pub name: String,
    /// Settings of the layer, by its type.
    pub config: Json,
    /// False when the page does not show it.
    pub visible: bool,
    /// Place among the layers, from 0: later ones are in front.
    pub sort_order: i32,
    /// Install of the extension that draws the layer. Null for other types.
    pub install_id: Option<Uuid>,
    /// Distance from the left edge, in pixels.
    pub x: f64,
    /// Distance from the upper edge, in pixels.
    pub y: f64,
    /// Width in pixels.
    pub width: f64,
    /// Height in pixels.
    pub height: f64,
    /// Rotation in degrees, clockwise.
    pub rotation: f64,
    /// Opacity, from 0 to 1.
    pub opacity: f64,
    /// True when editors do not move it by accident. Changes through the API stay possible.
    pub locked: bool,
}

/// Content of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OverlayLayerType {
    /// Alerts of events.
    AlertBox,
    /// Chat.
    ChatBox,
    /// List of events.
    EventList,
    /// Text.
    Text,
    /// Image.
    Image,
    /// Video.
    Video,
    /// Timer.
    Timer,
    /// Song that plays.
    Music,
    /// Web page.
    Browser,
    /// HTML, CSS and JavaScript of the account.
    CustomHtml,
    /// Layer of an installed extension.
    Extension,
}

/// Layer of an overlay as an editor saves it.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
#[schema(example = json!({
    "type": "extension",
    "name": "Goals",
    "install_id": "0196b1a0-7c00-7000-8000-000000000001",
    "width": 400,
    "height": 300,
}))]
pub struct OverlayLayerInput {
    /// Layer of the overlay that keeps its identity. Null or absent: a new layer.
    pub id: Option<Uuid>,
    /// Content of the layer.
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    pub layer_type: OverlayLayerType,
    /// 1 to 100 characters.
    #[schema(extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub name: String,
    /// Object of at most 64 KiB; empty when absent.
    pub config: Option<Json>,
    /// True when absent.
    pub visible: Option<bool>,
    /// Install of the account, whose extension has a layer. For the type `extension` only, which needs it.
    pub install_id: Option<Uuid>,
    /// -100,000 to 100,000 pixels from the left edge; 0 when absent.
    #[schema(extensions(("minimum" = json!(-MAX_POSITION)), ("maximum" = json!(MAX_POSITION))))]
    pub x: Option<f64>,
    /// -100,000 to 100,000 pixels from the upper edge; 0 when absent.
    #[schema(extensions(("minimum" = json!(-MAX_POSITION)), ("maximum" = json!(MAX_POSITION))))]
    pub y: Option<f64>,
    /// More than 0, at most 7,680 pixels.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_SIZE))))]
    pub width: f64,
    /// More than 0, at most 7,680 pixels.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_SIZE))))]
    pub height: f64,
    /// -360 to 360 degrees; 0 when absent.
    #[schema(extensions(("minimum" = json!(-MAX_ROTATION)), ("maximum" = json!(MAX_ROTATION))))]
    pub rotation: Option<f64>,
    /// 0 to 1; 1 when absent.
    #[schema(extensions(("minimum" = json!(0)), ("maximum" = json!(1))))]
    pub opacity: Option<f64>,
    /// False when absent.
    pub locked: Option<bool>,
}

/// All layers of an overlay, from back to front.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({ "layers": [{
    "type": "extension",
    "name": "Goals",
    "install_id": "0196b1a0-7c00-7000-8000-000000000001",
    "config": { "color": "#ffffff" },
    "x": 40,
    "y": 40,
    "width": 400,
    "height": 300,
}] }))]
pub struct UpdateOverlayLayersInput {
    /// At most 100 layers.
    #[schema(max_items = 100)]
    pub layers: Vec<OverlayLayerInput>,
    /// Version of the overlay that the caller has seen. Null or absent: the layers replace any version.
    #[schema(extensions(("minimum" = json!(1)), ("maximum" = json!(i32::MAX))))]
    pub version: Option<i32>,
}

/// Changes of a layer. Absent fields stay.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
#[schema(example = json!({ "visible": false, "config": { "text": "Back soon" } }))]
pub struct UpdateOverlayLayerInput {
    /// 1 to 100 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub name: Patch<String>,
    /// Object of at most 64 KiB; replaces all settings.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub config: Patch<Json>,
    /// False hides the layer.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub visible: Patch<bool>,
    /// True protects the layer from accidental moves.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub locked: Patch<bool>,
    /// -100,000 to 100,000 pixels from the left edge.
    #[serde(default)]
    #[schema(value_type = Option<f64>, extensions(("minimum" = json!(-MAX_POSITION)), ("maximum" = json!(MAX_POSITION))))]
    pub x: Patch<f64>,
    /// -100,000 to 100,000 pixels from the upper edge.
    #[serde(default)]
    #[schema(value_type = Option<f64>, extensions(("minimum" = json!(-MAX_POSITION)), ("maximum" = json!(MAX_POSITION))))]
    pub y: Patch<f64>,
    /// More than 0, at most 7,680 pixels.
    #[serde(default)]
    #[schema(value_type = Option<f64>, extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_SIZE))))]
    pub width: Patch<f64>,
    /// More than 0, at most 7,680 pixels.
    #[serde(default)]
    #[schema(value_type = Option<f64>, extensions(("minimum" = json!(0)), ("maximum" = json!(MAX_SIZE))))]
    pub height: Patch<f64>,
    /// -360 to 360 degrees.
    #[serde(default)]
    #[schema(value_type = Option<f64>, extensions(("minimum" = json!(-MAX_ROTATION)), ("maximum" = json!(MAX_ROTATION))))]
    pub rotation: Patch<f64>,
    /// 0 to 1.
    #[serde(default)]
    #[schema(value_type = Option<f64>, extensions(("minimum" = json!(0)), ("maximum" = json!(1))))]
    pub opacity: Patch<f64>,
    /// Version of the overlay that the caller has seen. Null or absent: the change replaces any version.
    #[schema(extensions(("minimum" = json!(1)), ("maximum" = json!(i32::MAX))))]
    pub version: Option<i32>,
}

pub static OVERLAY_LAYERS: Operation<AccountCaller> =
    Operation::account("overlayLayers", AccountPermission::OverlaysRead, Grants::Nothing)
        .feature(Feature::Overlays);

/// Lists the layers of an overlay, from back to front.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such overlay; 403 when its access entries do not
/// name the caller.
#[api_core::operation]
pub async fn overlay_layers(cx: &Cx, overlay_id: Input<Uuid>) -> Result<Vec<OverlayLayer>> {
    let caller = cx.authorize(&OVERLAY_LAYERS).await?;
    let overlay = overlay_id?;
    let access = ObjectAccess::of(cx, caller.account, ObjectKind::Overlay).await?;
    let connection = &mut *caller.db().await?;
    access.check(connection, overlay, ObjectRole::Viewer).await?;
    db::list(connection, caller.account, overlay).await
}

pub static UPDATE_OVERLAY_LAYERS: Operation<AccountCaller> =
    Operation::account("updateOverlayLayers", AccountPermission::OverlaysEdit, Grants::Nothing)
        .feature(Feature::Overlays);

/// Replaces all layers of an overlay.
///
/// Layers whose ids are given keep their identity, layers without an id are new, and the others are deleted.
/// The order of the list is the order of the layers. The overlay's version grows by one.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid layer, the same id twice, or more than 100 layers; 404 when
/// the account has no such overlay or install, or the overlay no such layer; 403 when the overlay's access
/// entries do not let the caller change it; 409 when `version` is not the present one, which
/// `details.version` contains.
#[api_core::operation]
pub async fn update_overlay_layers(
    cx: &Cx,
    overlay_id: Input<Uuid>,
    input: Input<UpdateOverlayLayersInput>,
) -> Result<Vec<OverlayLayer>> {
    let caller = cx.authorize(&UPDATE_OVERLAY_LAYERS).await?;
    let (overlay, input) = (overlay_id?, input?);
    let layers = NewLayers::checked(input.layers)?;
    let access = ObjectAccess::of(cx, caller.account, ObjectKind::Overlay).await?;
    let (account, now) = (caller.account, cx.state().clock.now());
    caller
        .db()
        .await?
        .transaction(async |connection| {
            lock_for_change(connection, &access, overlay, input.version).await?;
            layers.check_references(connection, account, overlay).await?;
            let stored = db::replace(connection, account, overlay, layers.rows(account, overlay)).await?;
            let version = count_change(connection, account, overlay, now).await?;
            changed(cx, connection, overlay, version, OverlayChange::Layers).await?;
            let mut entry = cx.audit("overlay:layers_replaced", "overlay", overlay);
            entry.metadata = json!({ "layers": stored.len(), "version": version });
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(stored)
        })
        .await
}

pub static UPDATE_OVERLAY_LAYER: Operation<AccountCaller> =
    Operation::account("updateOverlayLayer", AccountPermission::OverlaysEdit, Grants::Nothing)
        .feature(Feature::Overlays);

/// Changes one layer of an overlay.
///
/// Its type, install and place among the layers stay. A change adds one to the overlay's version; without a
/// field nothing changes.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field; 404 when the account has no such overlay, or the
/// overlay no such layer; 403 when the overlay's access entries do not let the caller change it; 409 when
/// `version` is not the present one, which `details.version` contains.
#[api_core::operation]
pub async fn update_overlay_layer(
    cx: &Cx,
    overlay_id: Input<Uuid>,
    layer_id: Input<Uuid>,
    input: Input<UpdateOverlayLayerInput>,
) -> Result<OverlayLayer> {
    let caller = cx.authorize(&UPDATE_OVERLAY_LAYER).await?;
    let (overlay, id, changes) = (overlay_id?, layer_id?, Changes::checked(input?)?);
    let access = ObjectAccess::of(cx, caller.account, ObjectKind::Overlay).await?;
    let (account, now) = (caller.account, cx.state().clock.now());
    let not_found = || ApiError::not_found("Layer not found");
    caller
        .db()
        .await?
        .transaction(async |connection| {
            lock_for_change(connection, &access, overlay, changes.version).await?;
            let names = changes.names();
            if names.is_empty() {
                return db::find(connection, account, overlay, id).await?.ok_or_else(not_found);
            }
            let layer = db::change(connection, account, overlay, id, &changes.set).await?;
            let layer = layer.ok_or_else(not_found)?;
            let version = count_change(connection, account, overlay, now).await?;
            changed(cx, connection, overlay, version, OverlayChange::Layer(id)).await?;
            let mut entry = cx.audit("overlay:layer_updated", "overlay_layer", id);
            entry.metadata = json!({ "overlay_id": overlay, "fields": names, "version": version });
            audit::record(connection, entry).await?;
            Ok(layer)
        })
        .await
}

impl OverlayLayerType {
    const ALL: [Self; 11] = [
        Self::AlertBox,
        Self::ChatBox,
        Self::EventList,
        Self::Text,
        Self::Image,
        Self::Video,
        Self::Timer,
        Self::Music,
        Self::Browser,
        Self::CustomHtml,
        Self::Extension,
    ];

    /// Type of a stored text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// Stored text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AlertBox => "alert_box",
            Self::ChatBox => "chat_box",
            Self::EventList => "event_list",
            Self::Text => "text",
            Self::Image => "image",
            Self::Video => "video",
            Self::Timer => "timer",
            Self::Music => "music",
            Self::Browser => "browser",
            Self::CustomHtml => "custom_html",
            Self::Extension => "extension",
        }
    }
}
