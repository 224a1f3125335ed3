//! GraphQL fields of `emotes`.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;

use super::{PublicEmote, PublicStatsEmotesFilter};

/// Query fields.
pub struct PublicEmoteQueries;

graphql_page! {
    /// Page of the catalogue of emotes.
    PublicEmotePage of PublicEmote
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PublicEmoteQueries {
    async fn public_stats_emotes(
        ctx: &Cx,
        filter: Option<PublicStatsEmotesFilter>,
    ) -> Result<PublicEmotePage> {
        Ok(super::public_stats_emotes(ctx, Ok(filter.unwrap_or_default())).await?.into())
    }
}
