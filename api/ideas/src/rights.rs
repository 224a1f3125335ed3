//! Rights over ideas and comments: of their authors, and of moderators (reference/ideas.md#moderation).

use api_core::{Cx, Result};
use foundation::audit::{Entry, Scope};
use shared::catalogue::UserPermission;
use uuid::Uuid;

/// Part that a caller acts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Author of the object.
    Author,
    /// Moderator.
    Moderator,
}

/// Rights of the caller over objects of one kind. They are read before a transaction begins.
#[derive(Debug)]
pub(crate) struct Rights {
    over_own: bool,
    moderation: Result<()>,
}

impl Rights {
    /// Rights by the permission for own objects, and by that of moderators in the user or the admin scope.
    ///
    /// # Errors
    /// `DATABASE_ERROR` when the database fails.
    pub async fn of(cx: &Cx, own: UserPermission, moderate: UserPermission) -> Result<Self> {
        let over_own = cx.user_permissions().await?.contains(own);
        Ok(Self { over_own, moderation: cx.require_user_or_admin(moderate).await })
    }

    /// Part in which the caller may change an object.
    ///
    /// # Errors
    /// 403 that names the permission of moderators.
    pub fn over(&self, is_own: bool) -> Result<Part> {
        if is_own && self.over_own {
            return Ok(Part::Author);
        }
        self.moderation.clone().map(|()| Part::Moderator)
    }

    /// Part of a moderator, also over own objects; `None` for others.
    pub fn moderator(&self) -> Option<Part> {
        self.moderation.is_ok().then_some(Part::Moderator)
    }
}

/// Audit entry of a change: in the person's own log for an author, else in that of the deployment. Ideas
/// belong to no account.
pub(crate) fn entry<'a>(
    cx: &Cx,
    action: &'a str,
    resource_type: &'a str,
    resource_id: Uuid,
    part: Part,
) -> Entry<'a> {
    let scope = match part {
        Part::Author => Scope::User,
        Part::Moderator => Scope::System,
    };
    Entry { scope, ..cx.audit(action, resource_type, resource_id) }
}
