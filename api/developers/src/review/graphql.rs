//! Review over GraphQL.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    RejectExtensionVersionInput, ReviewQuery, ReviewVersion, ReviewVersionDetail, ReviewedExtension,
    RevokeExtensionVersionInput, SuspendExtensionInput,
};
use crate::lifecycle::ExtensionVersionStatus;

/// Queries of the review.
pub struct ReviewQueries;
/// Mutations of the review.
pub struct ReviewMutations;

graphql_page! {
    /// One page of versions.
    ReviewVersionPage of ReviewVersion
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl ReviewQueries {
    async fn admin_extension_versions(
        ctx: &Cx,
        status: Option<ExtensionVersionStatus>,
        awaits_listing: Option<bool>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<ReviewVersionPage> {
        let query =
            ReviewQuery { status, awaits_listing, page: page.map(i64::from), limit: limit.map(i64::from) };
        Ok(super::admin_extension_versions(ctx, Ok(query)).await?.into())
    }

    async fn admin_extension_version(ctx: &Cx, id: Uuid) -> Result<ReviewVersionDetail> {
        super::admin_extension_version(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl ReviewMutations {
    async fn admin_approve_extension_testing(ctx: &Cx, id: Uuid) -> Result<ReviewVersion> {
        super::admin_approve_extension_testing(ctx, Ok(id)).await
    }

    async fn admin_publish_extension_version(ctx: &Cx, id: Uuid) -> Result<ReviewVersion> {
        super::admin_publish_extension_version(ctx, Ok(id)).await
    }

    async fn admin_reject_extension_version(
        ctx: &Cx,
        id: Uuid,
        input: RejectExtensionVersionInput,
    ) -> Result<ReviewVersion> {
        super::admin_reject_extension_version(ctx, Ok(id), Ok(input)).await
    }

    async fn admin_revoke_extension_version(
        ctx: &Cx,
        id: Uuid,
        input: RevokeExtensionVersionInput,
    ) -> Result<ReviewVersion> {
        super::admin_revoke_extension_version(ctx, Ok(id), Ok(input)).await
    }

    async fn admin_suspend_extension(
        ctx: &Cx,
        id: Uuid,
        input: SuspendExtensionInput,
    ) -> Result<ReviewedExtension> {
        super::admin_suspend_extension(ctx, Ok(id), Ok(input)).await
    }

    async fn admin_unsuspend_extension(ctx: &Cx, id: Uuid) -> Result<ReviewedExtension> {
        super::admin_unsuspend_extension(ctx, Ok(id)).await
    }
}
