//! GraphQL fields of `layers`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{OverlayLayer, OverlayLayerInput, UpdateOverlayLayerInput, UpdateOverlayLayersInput};

/// Query fields.
pub struct OverlayLayerQueries;
/// Mutation fields.
pub struct OverlayLayerMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl OverlayLayerQueries {
    async fn overlay_layers(ctx: &Cx, overlay_id: Uuid) -> Result<Vec<OverlayLayer>> {
        super::overlay_layers(ctx, Ok(overlay_id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl OverlayLayerMutations {
    async fn update_overlay_layers(
        ctx: &Cx,
        overlay_id: Uuid,
        layers: Vec<OverlayLayerInput>,
        version: Option<i32>,
    ) -> Result<Vec<OverlayLayer>> {
        let input = UpdateOverlayLayersInput { layers, version };
        super::update_overlay_layers(ctx, Ok(overlay_id), Ok(input)).await
    }

    async fn update_overlay_layer(
        ctx: &Cx,
        overlay_id: Uuid,
        layer_id: Uuid,
        input: UpdateOverlayLayerInput,
    ) -> Result<OverlayLayer> {
        super::update_overlay_layer(ctx, Ok(overlay_id), Ok(layer_id), Ok(input)).await
    }
}
