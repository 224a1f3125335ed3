//! GraphQL fields of `ideas`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{
    CreateIdeaInput, GqlIdea, GqlIdeaConnection, IdeaFilterInput, IdeaSort, IdeasRequest, NewIdeaStatus,
    UpdateIdeaInput,
};
use crate::kinds::IdeaStatus;

/// Query fields.
pub struct IdeaQueries;
/// Mutation fields.
pub struct IdeaMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl IdeaQueries {
    async fn ideas(
        ctx: &Cx,
        filter: Option<IdeaFilterInput>,
        sort: Option<IdeaSort>,
        limit: Option<i32>,
        offset: Option<i32>,
    ) -> Result<GqlIdeaConnection> {
        let (filter, limit) = (filter.unwrap_or_default(), limit.map(i64::from));
        let request = IdeasRequest { filter, sort, limit, offset: offset.map(i64::from) };
        super::ideas(ctx, Ok(request)).await
    }

    async fn idea(ctx: &Cx, id: Uuid) -> Result<GqlIdea> {
        super::idea(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl IdeaMutations {
    async fn create_idea(ctx: &Cx, input: CreateIdeaInput) -> Result<GqlIdea> {
        super::create_idea(ctx, Ok(input)).await
    }

    async fn update_idea(ctx: &Cx, id: Uuid, input: UpdateIdeaInput) -> Result<GqlIdea> {
        super::update_idea(ctx, Ok(id), Ok(input)).await
    }

    async fn delete_idea(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_idea(ctx, Ok(id)).await.map(|()| true)
    }

    async fn update_idea_status(ctx: &Cx, id: Uuid, status: IdeaStatus) -> Result<GqlIdea> {
        super::update_idea_status(ctx, Ok(id), Ok(NewIdeaStatus { status })).await
    }
}
