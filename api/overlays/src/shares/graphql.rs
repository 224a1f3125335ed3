//! GraphQL fields of `shares`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{CreateOverlayShareInput, CreatedOverlayShare, OverlayShare};

/// Query fields.
pub struct OverlayShareQueries;
/// Mutation fields.
pub struct OverlayShareMutations;

#[graphql_object(context = Cx)]
impl OverlayShareQueries {
    async fn overlay_shares(ctx: &Cx, overlay_id: Uuid) -> Result<Vec<OverlayShare>> {
        super::overlay_shares(ctx, Ok(overlay_id)).await
    }
}

#[graphql_object(context = Cx)]
impl OverlayShareMutations {
    async fn create_overlay_share(
        ctx: &Cx,
        overlay_id: Uuid,
        input: CreateOverlayShareInput,
    ) -> Result<CreatedOverlayShare> {
        super::create_overlay_share(ctx, Ok(overlay_id), Ok(input)).await
    }

    async fn revoke_overlay_share(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::revoke_overlay_share(ctx, Ok(id)).await.map(|()| true)
    }
}
