//! The review over GraphQL.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    ExtensionVersionStatus, RejectExtensionVersionInput, ReviewQuery, ReviewVersion, ReviewVersionDetail,
    ReviewedExtension, RevokeExtensionVersionInput, SuspendExtensionInput,
};

pub struct ReviewQueries;
pub struct ReviewMutations;

graphql_page! {
    /// One page of versions.
    ReviewVersionPage of ReviewVersion
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl ReviewQueries {
    /// Versions by status, the longest waiting first.
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

    /// One version with everything that its review looks at.
    async fn admin_extension_version(ctx: &Cx, id: Uuid) -> Result<ReviewVersionDetail> {
        super::admin_extension_version(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl ReviewMutations {
    /// Let testers run a version.
    async fn admin_approve_extension_testing(ctx: &Cx, id: Uuid) -> Result<ReviewVersion> {
        super::admin_approve_extension_testing(ctx, Ok(id)).await
    }

    /// Publish a version.
    async fn admin_publish_extension_version(ctx: &Cx, id: Uuid) -> Result<ReviewVersion> {
        super::admin_publish_extension_version(ctx, Ok(id)).await
    }

    /// Refuse a version.
    async fn admin_reject_extension_version(
        ctx: &Cx,
        id: Uuid,
        input: RejectExtensionVersionInput,
    ) -> Result<ReviewVersion> {
        super::admin_reject_extension_version(ctx, Ok(id), Ok(input)).await
    }

    /// Take a version back.
    async fn admin_revoke_extension_version(
        ctx: &Cx,
        id: Uuid,
        input: RevokeExtensionVersionInput,
    ) -> Result<ReviewVersion> {
        super::admin_revoke_extension_version(ctx, Ok(id), Ok(input)).await
    }

    /// Stop an extension everywhere.
    async fn admin_suspend_extension(
        ctx: &Cx,
        id: Uuid,
        input: SuspendExtensionInput,
    ) -> Result<ReviewedExtension> {
        super::admin_suspend_extension(ctx, Ok(id), Ok(input)).await
    }

    /// Let a suspended extension run again.
    async fn admin_unsuspend_extension(ctx: &Cx, id: Uuid) -> Result<ReviewedExtension> {
        super::admin_unsuspend_extension(ctx, Ok(id)).await
    }
}
