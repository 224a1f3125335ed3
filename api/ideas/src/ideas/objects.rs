//! Ideas as both protocols return them.

use api_core::Timestamp;
use juniper::GraphQLObject;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    categories::IdeaCategory,
    kinds::{IdeaStatus, IdeaVoteType},
    people::IdeaAuthor,
    tags::IdeaTag,
};

/// Idea.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct GqlIdea {
    /// Identifier.
    pub id: Uuid,
    /// Author.
    pub author: IdeaAuthor,
    /// Category.
    pub category: IdeaCategory,
    /// Tags by name, at most 5.
    pub tags: Vec<IdeaTag>,
    /// Title.
    pub title: String,
    /// Description as sanitised HTML. Mentions are `span` elements with the attribute `data-mention-id`.
    pub description: String,
    /// Status.
    pub status: IdeaStatus,
    /// Number of votes in favour.
    pub vote_count_up: i32,
    /// Number of votes against.
    pub vote_count_down: i32,
    /// Number of comments, replies among them.
    pub comment_count: i32,
    /// Vote of the caller. Null: none, or no caller.
    pub my_vote: Option<IdeaVoteType>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change of title, description, category, tags or status.
    pub updated_at: Timestamp,
}

/// Part of a list of ideas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct GqlIdeaConnection {
    /// Ideas in the requested order.
    pub items: Vec<GqlIdea>,
    /// Number of ideas that the filter admits.
    pub total: i32,
}
