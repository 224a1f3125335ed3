//! GraphQL fields of `overlays`.

use api_core::{Cx, Patch, Result};
use juniper::{GraphQLInputObject, graphql_object};
use uuid::Uuid;

use super::{CreateOverlayInput, Overlay, OverlayChanges};

/// Query fields.
pub struct OverlayQueries;
/// Mutation fields.
pub struct OverlayMutations;

/// Changes of an overlay. Absent fields stay.
#[derive(GraphQLInputObject)]
pub struct UpdateOverlayInput {
    /// Overlay.
    id: Uuid,
    /// 1 to 100 characters.
    name: Patch<String>,
    /// 1 to 7,680 pixels.
    width: Patch<i32>,
    /// 1 to 7,680 pixels.
    height: Patch<i32>,
    /// `transparent` or a CSS color, at most 64 characters.
    background: Patch<String>,
    /// Upload of the account with a picture of the overlay; null removes it.
    thumbnail_upload_id: Patch<Uuid>,
    /// Version that the caller has seen. Null or absent: the change replaces any version.
    version: Option<i32>,
}

#[graphql_object(context = Cx)]
impl OverlayQueries {
    async fn overlays(ctx: &Cx) -> Result<Vec<Overlay>> {
        super::overlays(ctx).await
    }

    async fn overlay(ctx: &Cx, id: Uuid) -> Result<Overlay> {
        super::overlay(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx)]
impl OverlayMutations {
    async fn create_overlay(ctx: &Cx, input: CreateOverlayInput) -> Result<Overlay> {
        super::create_overlay(ctx, Ok(input)).await
    }

    async fn update_overlay(ctx: &Cx, input: UpdateOverlayInput) -> Result<Overlay> {
        let UpdateOverlayInput { id, name, width, height, background, thumbnail_upload_id, version } = input;
        let changes = OverlayChanges { name, width, height, background, thumbnail_upload_id, version };
        super::update_overlay(ctx, Ok(id), Ok(changes)).await
    }

    async fn delete_overlay(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_overlay(ctx, Ok(id)).await.map(|()| true)
    }

    async fn duplicate_overlay(ctx: &Cx, id: Uuid) -> Result<Overlay> {
        super::duplicate_overlay(ctx, Ok(id)).await
    }
}
