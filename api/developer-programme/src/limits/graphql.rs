//! GraphQL fields of `limits`.

use api_core::{Cx, Result, http::Success};
use juniper::graphql_object;
use uuid::Uuid;

use super::{AdminUpdateExtensionLimitsInput, DeveloperLimits, ExtensionLimits};

/// Query fields.
pub struct DeveloperLimitQueries;
/// Mutation fields.
pub struct DeveloperLimitMutations;

#[graphql_object(context = Cx)]
impl DeveloperLimitQueries {
    async fn developer_limits(ctx: &Cx) -> Result<DeveloperLimits> {
        super::developer_limits(ctx).await
    }

    async fn extension_limits(ctx: &Cx, id: Uuid) -> Result<ExtensionLimits> {
        super::extension_limits(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx)]
impl DeveloperLimitMutations {
    async fn admin_update_extension_limits(
        ctx: &Cx,
        id: Uuid,
        input: AdminUpdateExtensionLimitsInput,
    ) -> Result<Success> {
        super::admin_update_extension_limits(ctx, Ok(id), Ok(input)).await
    }
}
