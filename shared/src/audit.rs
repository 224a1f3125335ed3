//! The audit trail (specification C §14): one row in the same transaction as the change it tells of.

use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use uuid::Uuid;

use crate::{Result, db::schema::audit_log, id};

/// Who did it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    User(Uuid),
    ServiceKey(Uuid),
    Extension(Uuid),
    System,
}

impl Actor {
    const fn kind(self) -> &'static str {
        match self {
            Self::User(_) => "user",
            Self::ServiceKey(_) => "service_key",
            Self::Extension(_) => "extension",
            Self::System => "system",
        }
    }

    const fn id(self) -> Option<Uuid> {
        match self {
            Self::User(id) | Self::ServiceKey(id) | Self::Extension(id) => Some(id),
            Self::System => None,
        }
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

/// Writes an entry.
///
/// # Errors
/// When the database fails; the caller's transaction then fails with it.
pub async fn record(connection: &mut AsyncPgConnection, entry: Entry<'_>) -> Result<()> {
    let (scope, account_id) = match entry.scope {
        Scope::System => ("system", None),
        Scope::Account(account_id) => ("account", Some(account_id)),
        Scope::User => ("user", None),
    };
    insert_into(audit_log::table)
        .values((
            audit_log::id.eq(id::new()),
            audit_log::scope.eq(scope),
            audit_log::account_id.eq(account_id),
            audit_log::actor_type.eq(entry.actor.kind()),
            audit_log::actor_id.eq(entry.actor.id()),
            audit_log::action.eq(entry.action),
            audit_log::resource_type.eq(entry.resource_type),
            audit_log::resource_id.eq(entry.resource_id),
            audit_log::metadata.eq(entry.metadata),
            audit_log::ip.eq(entry.ip),
        ))
        .execute(connection)
        .await?;
    Ok(())
}
