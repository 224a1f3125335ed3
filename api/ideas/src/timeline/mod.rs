//! Timelines of ideas (reference/ideas.md#timeline).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, Visitor},
    page,
};
use juniper::{GraphQLEnum, GraphQLObject};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::{people::IdeaAuthor, stored};

pub(crate) use db::{Entry, add};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&IDEA_TIMELINE];

/// Entries of a list (reference/ideas.md#timeline).
const MAX_LIMIT: i64 = 100;

/// Entry of a timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct IdeaTimelineEntry {
    /// Identifier.
    pub id: Uuid,
    /// Person who acted. Null: the person is deleted.
    pub actor: Option<IdeaAuthor>,
    /// Change.
    pub action: IdeaTimelineAction,
    /// Former value: status, name of the category, names of the tags, former title, or id of the deleted
    /// comment.
    pub old_value: Option<String>,
    /// New value of the same kind.
    pub new_value: Option<String>,
    /// Time.
    pub created_at: Timestamp,
}

/// Change of an idea.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdeaTimelineAction {
    /// The idea was created.
    #[graphql(name = "created")]
    Created,
    /// Title or description were changed.
    #[graphql(name = "edited")]
    Edited,
    /// The status was changed.
    #[graphql(name = "status_changed")]
    StatusChanged,
    /// The category was changed.
    #[graphql(name = "category_changed")]
    CategoryChanged,
    /// The tags were changed.
    #[graphql(name = "tags_changed")]
    TagsChanged,
    /// A comment was deleted.
    #[graphql(name = "comment_deleted")]
    CommentDeleted,
}

/// Query of the list.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct IdeaTimelineQuery {
    /// 1 to 100; 100 when absent.
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<i64>,
    /// 0 or more; 0 when absent.
    #[param(minimum = 0)]
    pub offset: Option<i64>,
}

pub static IDEA_TIMELINE: Operation<Visitor> = Operation::public("ideaTimeline", Grants::Nothing);

/// Lists the timeline of an idea, oldest entry first.
///
/// # Errors
/// 400 for a limit or offset out of bounds; 404 when there is no such idea.
#[api_core::operation]
pub async fn idea_timeline(
    cx: &Cx,
    id: Input<Uuid>,
    query: Input<IdeaTimelineQuery>,
) -> Result<Vec<IdeaTimelineEntry>> {
    let visitor = cx.authorize(&IDEA_TIMELINE).await?;
    let (id, query) = (id?, query?);
    let limit = page::checked_limit(query.limit, MAX_LIMIT, MAX_LIMIT)?;
    let offset = page::checked_offset(query.offset)?;
    let mut connection = visitor.db().await?;
    stored::find(&mut connection, id).await?;
    db::list(&mut connection, id, limit, offset).await
}

impl IdeaTimelineAction {
    const ALL: [Self; 6] = [
        Self::Created,
        Self::Edited,
        Self::StatusChanged,
        Self::CategoryChanged,
        Self::TagsChanged,
        Self::CommentDeleted,
    ];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Edited => "edited",
            Self::StatusChanged => "status_changed",
            Self::CategoryChanged => "category_changed",
            Self::TagsChanged => "tags_changed",
            Self::CommentDeleted => "comment_deleted",
        }
    }
}
