//! GraphQL fields of `overlay_access`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::OverlayAccessEntry;
use surfaces::object_access::{AccessCandidate, SetAccessInput};

/// Query fields.
pub struct OverlayAccessQueries;
/// Mutation fields.
pub struct OverlayAccessMutations;

#[graphql_object(context = Cx)]
impl OverlayAccessQueries {
    async fn overlay_access(ctx: &Cx, overlay_id: Uuid) -> Result<Vec<OverlayAccessEntry>> {
        super::overlay_access(ctx, Ok(overlay_id)).await
    }

    async fn overlay_access_candidates(ctx: &Cx, overlay_id: Uuid) -> Result<Vec<AccessCandidate>> {
        super::overlay_access_candidates(ctx, Ok(overlay_id)).await
    }
}

#[graphql_object(context = Cx)]
impl OverlayAccessMutations {
    async fn set_overlay_access(
        ctx: &Cx,
        overlay_id: Uuid,
        user_id: Uuid,
        input: SetAccessInput,
    ) -> Result<OverlayAccessEntry> {
        super::set_overlay_access(ctx, Ok(overlay_id), Ok(user_id), Ok(input)).await
    }

    async fn remove_overlay_access(ctx: &Cx, overlay_id: Uuid, user_id: Uuid) -> Result<bool> {
        super::remove_overlay_access(ctx, Ok(overlay_id), Ok(user_id)).await.map(|()| true)
    }
}
