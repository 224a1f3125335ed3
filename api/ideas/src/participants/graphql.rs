//! GraphQL fields of `participants`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::IdeaParticipantsQuery;
use crate::people::IdeaAuthor;

/// Query fields.
pub struct IdeaParticipantQueries;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl IdeaParticipantQueries {
    async fn idea_participants(ctx: &Cx, idea_id: Uuid, search: Option<String>) -> Result<Vec<IdeaAuthor>> {
        super::idea_participants(ctx, Ok(idea_id), Ok(IdeaParticipantsQuery { search })).await
    }
}
