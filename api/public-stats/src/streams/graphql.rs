//! GraphQL fields of `streams`.

use api_core::{Cx, Result};
use juniper::graphql_object;

use super::{PublicStreamStats, StreamPath};

/// Query fields.
pub struct PublicStreamQueries;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PublicStreamQueries {
    async fn public_stream_stats(
        ctx: &Cx,
        platform: String,
        broadcast_id: String,
    ) -> Result<PublicStreamStats> {
        let path = StreamPath { platform: &platform, broadcast_id: &broadcast_id };
        Ok((*super::public_stream_stats(ctx, path).await?).clone())
    }
}
