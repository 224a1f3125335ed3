//! Statuses of ideas, which moderators set (reference/ideas.md#status).

use api_core::{
    Cx, Input, Operation, Result,
    access::{Grants, Participant},
};
use diesel_async::AsyncConnection;
use foundation::audit::{self, Entry};
use serde::Deserialize;
use serde_json::json;
use shared::catalogue::{Feature, UserPermission};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{GqlIdea, db, row};
use crate::{
    kinds::IdeaStatus,
    notifications::Subject,
    people,
    rights::{Part, entry},
    stored,
    timeline::{self, IdeaTimelineAction},
};

/// New status.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[schema(example = json!({ "status": "planned" }))]
pub struct NewIdeaStatus {
    /// Status.
    pub status: IdeaStatus,
}

pub static UPDATE_IDEA_STATUS: Operation<Participant> =
    Operation::user_or_admin("updateIdeaStatus", &[UserPermission::IdeasModerateStatus], Grants::Nothing)
        .feature(Feature::IdeasHub);

/// Sets the status of an idea, as a moderator.
///
/// Every status may follow every other. The present one changes nothing. The author is notified. While the
/// status is `done` or `declined`, the idea takes no new votes.
///
/// # Errors
/// Refusals of the access rule; 400 for an unknown status; 404 when there is no such idea.
#[api_core::operation]
pub async fn update_idea_status(cx: &Cx, id: Input<Uuid>, input: Input<NewIdeaStatus>) -> Result<GqlIdea> {
    let caller = cx.authorize(&UPDATE_IDEA_STATUS).await?;
    let (id, status) = (id?, input?.status);
    let (user, now) = (caller.user, cx.state().clock.now());
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let author = stored::find(connection, id).await?.author;
            people::lock_key_share(cx, connection, user, &[author]).await?;
            let before = stored::lock(connection, id).await?;
            if before.status == status {
                return row::find(connection, id, Some(user)).await;
            }
            let (old, new) = (before.status.as_str(), status.as_str());
            let columns = db::Columns { category_id: None, status: Some(new), updated_at: now };
            db::update(connection, id, &columns).await?;
            let change = timeline::Entry {
                action: IdeaTimelineAction::StatusChanged,
                old: Some(old.to_owned()),
                new: Some(new.to_owned()),
            };
            timeline::add(connection, id, user, &[change], now).await?;
            let (title, _) = stored::texts(connection, id).await?;
            let subject = Subject { idea: id, title: &title, actor: user, now };
            subject.status(connection, before.author, new).await?;
            let metadata = json!({ "from": old, "to": new });
            let entry = entry(cx, "idea:status_changed", "idea", id, Part::Moderator);
            audit::record(connection, Entry { metadata, ..entry }).await?;
            row::find(connection, id, Some(user)).await
        })
        .await
}
