//! GraphQL fields of `playlists`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{CopyrightPlaylistImport, CopyrightPlaylistSync, ImportCopyrightPlaylistInput};

/// Query fields.
pub struct CopyrightPlaylistQueries;
/// Mutation fields.
pub struct CopyrightPlaylistMutations;

#[graphql_object(context = Cx)]
impl CopyrightPlaylistQueries {
    async fn copyright_playlist_syncs(ctx: &Cx) -> Result<Vec<CopyrightPlaylistSync>> {
        super::copyright_playlist_syncs(ctx).await
    }
}

#[graphql_object(context = Cx)]
impl CopyrightPlaylistMutations {
    async fn import_copyright_playlist(
        ctx: &Cx,
        input: ImportCopyrightPlaylistInput,
    ) -> Result<CopyrightPlaylistImport> {
        Ok(super::import_copyright_playlist(ctx, Ok(input)).await?.import)
    }

    async fn delete_copyright_playlist_sync(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_copyright_playlist_sync(ctx, Ok(id)).await.map(|()| true)
    }
}
