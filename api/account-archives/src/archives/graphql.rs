//! Archives over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{AccountArchive, ExportAccountInput};

/// Query fields.
pub struct AccountArchiveQueries;
/// Mutation fields.
pub struct AccountArchiveMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl AccountArchiveQueries {
    async fn account_archives(ctx: &Cx, id: Uuid) -> Result<Vec<AccountArchive>> {
        super::account_archives(ctx, Ok(id)).await
    }

    async fn account_archive(ctx: &Cx, id: Uuid, archive_id: Uuid) -> Result<AccountArchive> {
        super::account_archive(ctx, Ok(id), Ok(archive_id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl AccountArchiveMutations {
    async fn export_account(ctx: &Cx, id: Uuid, input: ExportAccountInput) -> Result<AccountArchive> {
        super::export_account(ctx, Ok(id), Ok(input)).await
    }

    async fn delete_account_archive(ctx: &Cx, id: Uuid, archive_id: Uuid) -> Result<bool> {
        super::delete_account_archive(ctx, Ok(id), Ok(archive_id)).await.map(|()| true)
    }
}
