//! The audit trail (specification C §14): one row in the same transaction as the change it tells of.

use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{Result, db::schema::audit_log, id};

/// Who did it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    User(Uuid),
    /// A popout of `user`: the trail names its maker, who knows the token's text, and the popout beside them.
    Popout {
        id: Uuid,
        maker: Uuid,
        user: Uuid,
    },
    ServiceKey(Uuid),
    Extension(Uuid),
    System,
}

impl Actor {
    const fn kind(self) -> &'static str {
        match self {
            Self::User(_) | Self::Popout { .. } => "user",
            Self::ServiceKey(_) => "service_key",
            Self::Extension(_) => "extension",
            Self::System => "system",
        }
    }

    /// The person behind it.
    #[must_use]
    pub const fn user(self) -> Option<Uuid> {
        match self {
            Self::User(id) | Self::Popout { maker: id, .. } => Some(id),
            Self::ServiceKey(_) | Self::Extension(_) | Self::System => None,
        }
    }

    const fn id(self) -> Option<Uuid> {
        match self {
            Self::User(id) | Self::Popout { maker: id, .. } | Self::ServiceKey(id) | Self::Extension(id) => {
                Some(id)
            }
            Self::System => None,
        }
    }

    /// What is told of an entry, with the way that it came.
    fn telling(self, mut metadata: Value) -> Value {
        if let (Self::Popout { id, user, .. }, Value::Object(told)) = (self, &mut metadata) {
            told.insert("popout".to_owned(), json!({ "id": id, "user_id": user }));
        }
        metadata
    }
}

/// Whose trail an entry belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    System,
    Account(Uuid),
    User,
}

/// One change. `metadata` never holds a secret.
#[derive(Debug, Clone)]
pub struct Entry<'a> {
    pub scope: Scope,
    pub actor: Actor,
    /// `area:verb`, for example `extension:installed`.
    pub action: &'a str,
    pub resource_type: &'a str,
    pub resource_id: Option<String>,
    pub metadata: Value,
    /// Already truncated.
    pub ip: Option<String>,
}

/// Entries of one statement.
const BATCH: usize = 1000;

/// Writes an entry.
///
/// # Errors
/// When the database fails; the caller's transaction then fails with it.
pub async fn record(connection: &mut AsyncPgConnection, entry: Entry<'_>) -> Result<()> {
    record_each(connection, vec![entry]).await
}

/// Writes entries, many in one statement.
///
/// # Errors
/// When the database fails; the caller's transaction then fails with it.
pub async fn record_each(connection: &mut AsyncPgConnection, entries: Vec<Entry<'_>>) -> Result<()> {
    let rows: Vec<_> = entries.into_iter().map(Row::of).collect();
    for batch in rows.chunks(BATCH) {
        insert_into(audit_log::table).values(batch).execute(connection).await?;
    }
    Ok(())
}

#[derive(Insertable)]
#[diesel(table_name = audit_log)]
struct Row<'a> {
    id: Uuid,
    scope: &'static str,
    account_id: Option<Uuid>,
    actor_type: &'static str,
    actor_id: Option<Uuid>,
    action: &'a str,
    resource_type: &'a str,
    resource_id: Option<String>,
    metadata: Value,
    ip: Option<String>,
}

impl<'a> Row<'a> {
    fn of(entry: Entry<'a>) -> Self {
        let (scope, account_id) = match entry.scope {
            Scope::System => ("system", None),
            Scope::Account(account_id) => ("account", Some(account_id)),
            Scope::User => ("user", None),
        };
        Self {
            id: id::new(),
            scope,
            account_id,
            actor_type: entry.actor.kind(),
            actor_id: entry.actor.id(),
            action: entry.action,
            resource_type: entry.resource_type,
            resource_id: entry.resource_id,
            metadata: entry.actor.telling(entry.metadata),
            ip: entry.ip,
        }
    }
}
