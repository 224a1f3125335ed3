//! Files of versions over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::BundleFile;

/// Queries of files of versions.
pub struct BundleQueries;

#[graphql_object(context = Cx)]
impl BundleQueries {
    async fn extension_version_files(
        ctx: &Cx,
        extension_id: Uuid,
        version: String,
    ) -> Result<Vec<BundleFile>> {
        super::extension_version_files(ctx, Ok(extension_id), &version).await
    }
}
