//! Comments as both protocols return them, and as they are written.

use api_core::Timestamp;
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::MAX_BODY_LENGTH;
use crate::{kinds::IdeaVoteType, people::IdeaAuthor};

/// Comment on an idea.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct IdeaComment {
    /// Identifier.
    pub id: Uuid,
    /// Idea.
    pub idea_id: Uuid,
    /// Author.
    pub author: IdeaAuthor,
    /// Comment that this one replies to. Null: none.
    pub parent_id: Option<Uuid>,
    /// Sanitised HTML. Mentions are `span` elements with the attribute `data-mention-id`.
    pub body: String,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Number of votes in favour.
    pub vote_count_up: i32,
    /// Number of votes against.
    pub vote_count_down: i32,
    /// Vote of the caller. Null: none, or no caller.
    pub my_vote: Option<IdeaVoteType>,
    /// Number of replies.
    pub reply_count: i32,
    /// Replies, oldest first. A list of comments has at most 400: it may have only the first ones of each comment. A
    /// reply has none.
    #[schema(no_recursion)]
    pub replies: Vec<IdeaComment>,
}

/// Order of comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdeaCommentSort {
    /// Oldest first.
    #[default]
    Oldest,
    /// Newest first.
    Newest,
    /// Highest score first: votes in favour less votes against.
    Top,
}

/// Query of the comments.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct IdeaCommentsQuery {
    /// `oldest` when absent.
    #[param(inline)]
    pub sort: Option<IdeaCommentSort>,
    /// 1 to 100; 20 when absent.
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<i64>,
    /// 0 or more; 0 when absent.
    #[param(minimum = 0)]
    pub offset: Option<i64>,
}

/// New comment on the idea of the path.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({ "body": "<p>With a switch in the settings, please.</p>" }))]
pub struct NewIdeaComment {
    /// HTML of 1 to 5,000 characters, as given and as sanitised; at most 20 users are mentioned.
    #[schema(extensions(("maxLength" = json!(MAX_BODY_LENGTH))))]
    pub body: String,
    /// Comment to reply to: one that replies to none itself.
    pub parent_id: Option<Uuid>,
}

/// New comment.
#[derive(Debug, Clone, GraphQLInputObject)]
pub struct CreateIdeaCommentInput {
    /// Idea.
    pub idea_id: Uuid,
    /// HTML of 1 to 5,000 characters, as given and as sanitised; at most 20 users are mentioned.
    pub body: String,
    /// Comment to reply to: one that replies to none itself.
    pub parent_id: Option<Uuid>,
}

/// Changed comment.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[schema(example = json!({ "body": "<p>With a switch in the settings.</p>" }))]
pub struct IdeaCommentChange {
    /// HTML of 1 to 5,000 characters, as given and as sanitised; at most 20 users are mentioned.
    #[schema(extensions(("maxLength" = json!(MAX_BODY_LENGTH))))]
    pub body: String,
}
