//! GraphQL fields of `shared_links`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{CreateSharedLinkInput, CreatedSharedLink, ExtendSharedLinkInput, SharedLink};

/// Query fields.
pub struct SharedLinkQueries;
/// Mutation fields.
pub struct SharedLinkMutations;

#[graphql_object(context = Cx)]
impl SharedLinkQueries {
    async fn shared_links(ctx: &Cx, report_id: Uuid) -> Result<Vec<SharedLink>> {
        super::shared_links(ctx, Ok(report_id)).await
    }
}

#[graphql_object(context = Cx)]
impl SharedLinkMutations {
    async fn create_shared_link(
        ctx: &Cx,
        report_id: Uuid,
        input: CreateSharedLinkInput,
    ) -> Result<CreatedSharedLink> {
        super::create_shared_link(ctx, Ok(report_id), Ok(input)).await
    }

    async fn extend_shared_link(ctx: &Cx, id: Uuid, input: ExtendSharedLinkInput) -> Result<SharedLink> {
        super::extend_shared_link(ctx, Ok(id), Ok(input)).await
    }

    async fn revoke_shared_link(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::revoke_shared_link(ctx, Ok(id)).await.map(|()| true)
    }
}
