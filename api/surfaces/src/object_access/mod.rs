//! Access of members to single overlays and widgets (reference/overlays.md#access). The permission of the
//! role comes first; entries of an object only narrow it.

mod db;

use api_core::{
    ApiError, Cx, Result,
    access::{AccountCaller, member_access},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::{audit, invalidation::Invalidation};
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::id::AccountId;
use utoipa::ToSchema;
use uuid::Uuid;

pub use db::Entry;

/// Role that entries bind as little as the owner.
const ADMINISTRATOR: &str = "administrator";
/// Role of a request that removes an entry, and of the removed entry.
const NONE: &str = "none";
/// Roles of a request.
const ROLES: [&str; 3] = ["viewer", "editor", NONE];

/// Kind of object that has access entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectKind {
    /// Overlay.
    Overlay,
    /// Widget.
    Widget,
}

/// Use of an object that its entries allow. An editor may also do what a viewer may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObjectRole {
    /// Reads it.
    Viewer,
    /// Reads and changes it.
    Editor,
}

/// Role of a member for one overlay or widget.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "role": "editor" }))]
pub struct SetAccessInput {
    /// `viewer` reads, `editor` reads and changes, `none` removes the entry.
    #[schema(extensions(("enum" = json!(ROLES))))]
    pub role: String,
}

/// Member without an entry, whom entries would bind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct AccessCandidate {
    /// Id of the person.
    pub id: Uuid,
    /// Display name.
    pub display_name: String,
    /// Address of the avatar. Null: none.
    pub avatar_url: Option<String>,
}

/// Objects of one kind as a caller reaches them.
#[derive(Debug, Clone)]
pub struct ObjectAccess {
    kind: ObjectKind,
    account: AccountId,
    /// People whose entries bind the caller, at most two: the person who acts and the maker of a popout. None
    /// for the owner, administrators and credentials without a person.
    people: Vec<Uuid>,
}

impl ObjectKind {
    /// Name in messages and in the audit trail.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Overlay => "overlay",
            Self::Widget => "widget",
        }
    }

    /// 404 for an object that the account does not have.
    pub fn not_found(self) -> ApiError {
        match self {
            Self::Overlay => ApiError::not_found("Overlay not found"),
            Self::Widget => ApiError::not_found("Widget not found"),
        }
    }

    /// Checks the access that the entries of an object give against the needed one.
    ///
    /// # Errors
    /// 403 when it is less.
    pub fn require(self, access: Option<ObjectRole>, needed: ObjectRole) -> Result<()> {
        if access >= Some(needed) {
            return Ok(());
        }
        Err(match self {
            Self::Overlay => ApiError::forbidden("Missing access to this overlay"),
            Self::Widget => ApiError::forbidden("Missing access to this widget"),
        })
    }

    const fn set_action(self) -> &'static str {
        match self {
            Self::Overlay => "overlay:access_set",
            Self::Widget => "widget:access_set",
        }
    }

    const fn removed_action(self) -> &'static str {
        match self {
            Self::Overlay => "overlay:access_removed",
            Self::Widget => "widget:access_removed",
        }
    }
}

impl ObjectRole {
    /// Text in entries and in `my_access`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Editor => "editor",
        }
    }

    /// Role of a stored text.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Viewer, Self::Editor].into_iter().find(|role| role.as_str() == text)
    }

    /// Present use of an object by a caller, who edits only with the permission for it.
    pub const fn within(self, may_edit: bool) -> Self {
        if may_edit { self } else { Self::Viewer }
    }
}

impl ObjectAccess {
    /// Reads who of the caller's people is bound by entries.
    ///
    /// # Errors
    /// `DATABASE_ERROR` when the database fails.
    pub async fn of(cx: &Cx, account: AccountId, kind: ObjectKind) -> Result<Self> {
        let mut people = Vec::new();
        for user in cx.principal().people().into_iter().flatten() {
            let member = member_access(cx.state(), account, user).await?;
            let is_exempt = member.is_some_and(|member| member.is_owner || member.role_slug == ADMINISTRATOR);
            if !is_exempt && !people.contains(&user.0) {
                people.push(user.0);
            }
        }
        Ok(Self { kind, account, people })
    }

    /// Account of the objects.
    pub const fn account(&self) -> AccountId {
        self.account
    }

    /// Kind of the objects.
    pub const fn kind(&self) -> ObjectKind {
        self.kind
    }

    /// People whose entries bind the caller.
    pub fn people(&self) -> &[Uuid] {
        &self.people
    }

    /// Expression of the access to the row `object`: `editor`, `viewer` or null. `people` is the parameter of
    /// [`Self::people`].
    pub fn sql(&self, people: &str) -> String {
        db::access_sql(self.kind, people)
    }

    /// Checks that the caller reaches an object.
    ///
    /// # Errors
    /// 404 for an object that the account does not have; 403 without the needed access.
    pub async fn check(
        &self,
        connection: &mut AsyncPgConnection,
        id: Uuid,
        needed: ObjectRole,
    ) -> Result<()> {
        let found = db::access(connection, self, id).await?.ok_or_else(|| self.kind.not_found())?;
        self.kind.require(found, needed)
    }

    /// Locks an object until the transaction ends, and checks that the caller reaches it.
    ///
    /// # Errors
    /// 404 for an object that the account does not have; 403 without the needed access.
    pub async fn lock(&self, connection: &mut AsyncPgConnection, id: Uuid, needed: ObjectRole) -> Result<()> {
        // Entries are read afterwards, so that a change that held the lock before is seen.
        db::lock(connection, self, id).await?.ok_or_else(|| self.kind.not_found())?;
        self.check(connection, id, needed).await
    }
}

/// Lists the entries of an object, oldest first.
pub async fn entries(cx: &Cx, caller: &AccountCaller, kind: ObjectKind, id: Uuid) -> Result<Vec<Entry>> {
    let access = ObjectAccess::of(cx, caller.account, kind).await?;
    let connection = &mut *caller.db().await?;
    access.check(connection, id, ObjectRole::Viewer).await?;
    db::entries(connection, &access, id).await
}

/// Lists the members who may get an entry of an object, by name.
pub async fn candidates(
    cx: &Cx,
    caller: &AccountCaller,
    kind: ObjectKind,
    id: Uuid,
) -> Result<Vec<AccessCandidate>> {
    let access = ObjectAccess::of(cx, caller.account, kind).await?;
    let connection = &mut *caller.db().await?;
    access.check(connection, id, ObjectRole::Viewer).await?;
    db::candidates(connection, &access, id).await
}

/// Role that a request names. `None`: remove the entry.
///
/// # Errors
/// 400 `BAD_REQUEST` for any other text.
pub fn requested_role(input: &SetAccessInput) -> Result<Option<ObjectRole>> {
    match ObjectRole::parse(&input.role) {
        Some(role) => Ok(Some(role)),
        None if input.role == NONE => Ok(None),
        None => Err(ApiError::bad_request("Invalid role")),
    }
}

/// Gives a member a role for an object, or removes the entry.
pub async fn set(
    cx: &Cx,
    caller: &AccountCaller,
    kind: ObjectKind,
    id: Uuid,
    user: Uuid,
    role: Option<ObjectRole>,
) -> Result<Entry> {
    let access = ObjectAccess::of(cx, caller.account, kind).await?;
    let (granted_by, now) = (cx.principal().author(), cx.state().clock.now());
    let entry = caller
        .db()
        .await?
        .transaction(async |connection| {
            access.lock(connection, id, ObjectRole::Editor).await?;
            if !db::is_member(connection, caller.account, user).await? {
                return Err(ApiError::not_found("Member not found"));
            }
            let Some(role) = role else { return remove_entry(cx, connection, &access, id, user).await };
            let entry = db::put(connection, &access, id, user, role, granted_by, now).await?;
            let mut audited = cx.audit(kind.set_action(), kind.name(), id);
            audited.metadata = json!({ "user_id": user, "role": role.as_str() });
            audit::record(connection, audited).await?;
            Ok(entry)
        })
        .await?;
    publish_change(cx, caller).await;
    Ok(entry)
}

/// Removes the entry of a person.
pub async fn remove(cx: &Cx, caller: &AccountCaller, kind: ObjectKind, id: Uuid, user: Uuid) -> Result<()> {
    let access = ObjectAccess::of(cx, caller.account, kind).await?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            access.lock(connection, id, ObjectRole::Editor).await?;
            remove_entry(cx, connection, &access, id, user).await.map(|_removed| ())
        })
        .await?;
    publish_change(cx, caller).await;
    Ok(())
}

/// Has sockets of the account checked again: the first entry of an object binds all members.
async fn publish_change(cx: &Cx, caller: &AccountCaller) {
    cx.changed(Invalidation::Account { account_id: caller.account.uuid() }).await;
}

async fn remove_entry(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    access: &ObjectAccess,
    id: Uuid,
    user: Uuid,
) -> Result<Entry> {
    let removed = db::remove(connection, access, id, user).await?;
    let removed = removed.ok_or_else(|| ApiError::not_found("Access entry not found"))?;
    let mut audited = cx.audit(access.kind.removed_action(), access.kind.name(), id);
    audited.metadata = json!({ "user_id": user, "role": removed.role });
    audit::record(connection, audited).await?;
    Ok(Entry { role: NONE.to_owned(), ..removed })
}

/// Role of a column of [`ObjectAccess::sql`].
///
/// # Errors
/// 500 for a text that is no role.
pub fn stored_role(text: Option<&str>) -> Result<Option<ObjectRole>> {
    let parse = |text| ObjectRole::parse(text).ok_or_else(|| ApiError::internal("an access is no role"));
    text.map(parse).transpose()
}

/// Entry of one kind of object, as its operations return it.
#[macro_export]
macro_rules! access_entry {
    ($(#[$doc:meta])* $name:ident { $(#[$id_doc:meta])* $object_id:ident }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, juniper::GraphQLObject, utoipa::ToSchema)]
        pub struct $name {
            /// Identifier.
            pub id: uuid::Uuid,
            $(#[$id_doc])*
            pub $object_id: uuid::Uuid,
            /// Member.
            pub user_id: uuid::Uuid,
            /// Display name of the member.
            pub user_name: String,
            /// Address of the member's avatar. Null: none.
            pub user_avatar: Option<String>,
            /// `viewer` or `editor`; `none` in the response to its removal.
            pub role: String,
            /// Person who set the role last. Null: a service key, or the person is gone.
            pub granted_by: Option<uuid::Uuid>,
            /// Time of creation.
            pub created_at: api_core::Timestamp,
        }

        impl From<$crate::object_access::Entry> for $name {
            fn from(entry: $crate::object_access::Entry) -> Self {
                Self {
                    id: entry.id,
                    $object_id: entry.object_id,
                    user_id: entry.user_id,
                    user_name: entry.user_name,
                    user_avatar: entry.user_avatar,
                    role: entry.role,
                    granted_by: entry.granted_by,
                    created_at: entry.created_at,
                }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn object_role_of_an_editor_includes_that_of_a_viewer() {
        use ObjectRole::{Editor, Viewer};
        let allows = |access, needed| ObjectKind::Overlay.require(access, needed).is_ok();
        assert!(allows(Some(Editor), Editor) && allows(Some(Editor), Viewer));
        assert!(allows(Some(Viewer), Viewer) && !allows(Some(Viewer), Editor));
        assert!(!allows(None, Viewer) && !allows(None, Editor));
        assert_eq!((Editor.within(false), Editor.within(true)), (Viewer, Editor));
        assert_eq!((Viewer.within(false), Viewer.within(true)), (Viewer, Viewer));
    }

    #[test]
    fn requested_role_is_one_of_three() {
        let role = |text: &str| requested_role(&SetAccessInput { role: text.to_owned() });
        assert_eq!(role("viewer"), Ok(Some(ObjectRole::Viewer)));
        assert_eq!(role("editor"), Ok(Some(ObjectRole::Editor)));
        assert_eq!(role("none"), Ok(None));
        for wrong in ["", "Viewer", "owner"] {
            assert_eq!(role(wrong), Err(ApiError::bad_request("Invalid role")));
        }
    }
}
