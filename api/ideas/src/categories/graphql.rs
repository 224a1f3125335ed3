//! GraphQL fields of `categories`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{CreateIdeaCategoryInput, IdeaCategory, UpdateIdeaCategoryInput};

/// Query fields.
pub struct IdeaCategoryQueries;
/// Mutation fields.
pub struct IdeaCategoryMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl IdeaCategoryQueries {
    async fn idea_categories(ctx: &Cx) -> Result<Vec<IdeaCategory>> {
        super::idea_categories(ctx).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl IdeaCategoryMutations {
    async fn create_idea_category(ctx: &Cx, input: CreateIdeaCategoryInput) -> Result<IdeaCategory> {
        super::create_idea_category(ctx, Ok(input)).await
    }

    async fn update_idea_category(
        ctx: &Cx,
        id: Uuid,
        input: UpdateIdeaCategoryInput,
    ) -> Result<IdeaCategory> {
        super::update_idea_category(ctx, Ok(id), Ok(input)).await
    }

    async fn delete_idea_category(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_idea_category(ctx, Ok(id)).await.map(|()| true)
    }
}
