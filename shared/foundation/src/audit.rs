//! Audit log (reference/accounts.md#audit-log). Each change writes one row in its own transaction.

use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::{Value, json};
use uuid::Uuid;

use shared::{Result, id, schema::audit_log};

/// Originator of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    /// A person.
    User(Uuid),
    /// A popout of `user`. The entry names the maker of the popout, who knows the text of the token, and the
    /// popout itself.
    Popout { id: Uuid, maker: Uuid, user: Uuid },
    /// A service key.
    ServiceKey(Uuid),
    /// An install of an extension.
    Extension(Uuid),
    /// An automation of the account.
    Automation(Uuid),
    /// The service itself.
    System,
}

impl Actor {
    const fn kind(self) -> &'static str {
        match self {
            Self::User(_) | Self::Popout { .. } => "user",
            Self::ServiceKey(_) => "service_key",
            Self::Extension(_) => "extension",
            Self::Automation(_) => "automation",
            Self::System => "system",
        }
    }

    /// Person behind the actor, if there is one.
    #[must_use]
    pub const fn user(self) -> Option<Uuid> {
        match self {
            Self::User(id) | Self::Popout { maker: id, .. } => Some(id),
            Self::ServiceKey(_) | Self::Extension(_) | Self::Automation(_) | Self::System => None,
        }
    }

    const fn id(self) -> Option<Uuid> {
        match self {
            Self::User(id)
            | Self::Popout { maker: id, .. }
            | Self::ServiceKey(id)
            | Self::Extension(id)
            | Self::Automation(id) => Some(id),
            Self::System => None,
        }
    }

    /// Adds the popout, if there is one, to the metadata of an entry.
    fn with_principal(self, mut metadata: Value) -> Value {
        if let (Self::Popout { id, user, .. }, Value::Object(fields)) = (self, &mut metadata) {
            fields.insert("popout".to_owned(), json!({ "id": id, "user_id": user }));
        }
        metadata
    }
}

/// Audit log that an entry belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Log of the deployment.
    System,
    /// Log of an account.
    Account(Uuid),
    /// Log of the person.
    User,
}

/// One change. `metadata` never holds a secret.
#[derive(Debug, Clone)]
pub struct Entry<'a> {
    /// Audit log that the entry belongs to.
    pub scope: Scope,
    /// Originator of the change.
    pub actor: Actor,
    /// Action as `area:verb`, for example `extension:installed`.
    pub action: &'a str,
    /// Type of the changed resource.
    pub resource_type: &'a str,
    /// Id of the changed resource; `None` when there is no single one.
    pub resource_id: Option<String>,
    /// Details of the change, an object.
    pub metadata: Value,
    /// IP address, already truncated.
    pub ip: Option<String>,
}

/// Entries of one statement.
const BATCH_SIZE: usize = 1000;

/// Writes an entry.
///
/// # Errors
/// A failure of the database, which also fails the transaction of the caller.
pub async fn record(connection: &mut AsyncPgConnection, entry: Entry<'_>) -> Result<()> {
    record_each(connection, vec![entry]).await
}

/// Writes entries, many in one statement.
///
/// # Errors
/// A failure of the database, which also fails the transaction of the caller.
pub async fn record_each(connection: &mut AsyncPgConnection, entries: Vec<Entry<'_>>) -> Result<()> {
    let mut rows: Vec<_> = entries.into_iter().map(Row::of).collect();
    // The commit locks the chains of the accounts in this order, so that two transactions over several accounts do not
    // wait for each other (reference/audit-chain.md#links).
    rows.sort_by_key(|row| row.account_id);
    for batch in rows.chunks(BATCH_SIZE) {
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
            metadata: entry.actor.with_principal(entry.metadata),
            ip: entry.ip,
        }
    }
}
