//! GraphQL fields of `tokens`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::OverlayToken;

/// Query fields.
pub struct OverlayTokenQueries;
/// Mutation fields.
pub struct OverlayTokenMutations;

#[graphql_object(context = Cx)]
impl OverlayTokenQueries {
    async fn overlay_token(ctx: &Cx, overlay_id: Uuid) -> Result<OverlayToken> {
        super::overlay_token(ctx, Ok(overlay_id)).await
    }
}

#[graphql_object(context = Cx)]
impl OverlayTokenMutations {
    async fn rotate_overlay_token(ctx: &Cx, overlay_id: Uuid) -> Result<OverlayToken> {
        super::rotate_overlay_token(ctx, Ok(overlay_id)).await
    }
}
