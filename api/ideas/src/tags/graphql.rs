//! GraphQL fields of `tags`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{IdeaTag, IdeaTagsQuery, NewIdeaTag};

/// Query fields.
pub struct IdeaTagQueries;
/// Mutation fields.
pub struct IdeaTagMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl IdeaTagQueries {
    async fn idea_tags(ctx: &Cx, search: Option<String>) -> Result<Vec<IdeaTag>> {
        super::idea_tags(ctx, Ok(IdeaTagsQuery { search })).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl IdeaTagMutations {
    async fn create_idea_tag(ctx: &Cx, name: String) -> Result<IdeaTag> {
        Ok(super::create_idea_tag(ctx, Ok(NewIdeaTag { name })).await?.tag)
    }

    async fn delete_idea_tag(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_idea_tag(ctx, Ok(id)).await.map(|()| true)
    }
}
