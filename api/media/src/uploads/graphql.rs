//! Uploads over GraphQL.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{Upload, UploadPurpose, UploadsQuery};

/// Query fields.
pub struct UploadQueries;
/// Mutation fields.
pub struct UploadMutations;

graphql_page! {
    /// Page of uploads.
    UploadPage of Upload
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl UploadQueries {
    async fn uploads(
        ctx: &Cx,
        purpose: Option<UploadPurpose>,
        page: Option<i32>,
        limit: Option<i32>,
    ) -> Result<UploadPage> {
        let query = UploadsQuery { purpose, page: page.map(i64::from), limit: limit.map(i64::from) };
        Ok(super::uploads(ctx, Ok(query)).await?.into())
    }

    async fn upload(ctx: &Cx, id: Uuid) -> Result<Upload> {
        super::upload(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl UploadMutations {
    async fn delete_upload(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_upload(ctx, Ok(id)).await.map(|()| true)
    }
}
