//! GraphQL fields of `browse`.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;

use super::{PublicChannel, PublicStatsBrowseFilter};

/// Query fields.
pub struct PublicBrowseQueries;

graphql_page! {
    /// Page of the directory of channels.
    PublicChannelPage of PublicChannel
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PublicBrowseQueries {
    async fn public_stats_browse(
        ctx: &Cx,
        filter: Option<PublicStatsBrowseFilter>,
    ) -> Result<PublicChannelPage> {
        Ok(super::public_stats_browse(ctx, Ok(filter.unwrap_or_default())).await?.into())
    }
}
