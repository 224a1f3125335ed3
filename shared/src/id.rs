//! Identifiers. The two that carry tenancy have their own types, so that a query cannot take one for the
//! other.

use diesel::{
    backend::Backend,
    deserialize::{self, FromSql, FromSqlRow},
    expression::AsExpression,
    pg::Pg,
    serialize::{self, Output, ToSql},
    sql_types,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Creates a time-ordered identifier (UUID version 7).
#[must_use]
pub fn new() -> Uuid {
    Uuid::now_v7()
}

macro_rules! tenancy_id {
    ($name:ident) => {
        impl From<$name> for Uuid {
            fn from(id: $name) -> Self {
                id.0
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
        impl ToSql<sql_types::Uuid, Pg> for $name {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
                <Uuid as ToSql<sql_types::Uuid, Pg>>::to_sql(&self.0, out)
            }
        }
        impl FromSql<sql_types::Uuid, Pg> for $name {
            fn from_sql(bytes: <Pg as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
                <Uuid as FromSql<sql_types::Uuid, Pg>>::from_sql(bytes).map(Self)
            }
        }
    };
}

/// Identifier of an account, the tenant.
///
/// It comes from a credential, from a caller or from a row of a database. Code that has only a UUID, for
/// example one that a client sent, cannot make one by accident: [`AccountId::trusted`] names the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, AsExpression, FromSqlRow)]
#[diesel(sql_type = sql_types::Uuid)]
#[serde(transparent)]
pub struct AccountId(Uuid);

/// Reason why a UUID may name the account of an operation. It has no effect at run time: it makes every such
/// place explicit and searchable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// A verified credential names it: in the access layer, and the handle of an authorization.
    Credential,
    /// A person names it and is a member of it. The access layer only.
    Membership,
    /// Operator staff names it. The rule of the operation admits the caller to every account.
    Staff,
    /// A service of the deployment names it, by its system key.
    Service,
    /// The operator names it at the console.
    Console,
    /// A background task read it from its own records, such as a cursor or a topic.
    Task,
    /// A test made it.
    Test,
}

impl AccountId {
    /// Makes the id of an account that no row gave. Domains of the API use the methods of their callers
    /// instead.
    #[must_use]
    pub const fn trusted(id: Uuid, _reason: Trust) -> Self {
        Self(id)
    }

    /// The UUID, for messages and queries.
    #[must_use]
    pub const fn uuid(self) -> Uuid {
        self.0
    }
}

/// Identifier of a person.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, AsExpression, FromSqlRow,
)]
#[diesel(sql_type = sql_types::Uuid)]
#[serde(transparent)]
pub struct UserId(pub Uuid);

impl From<Uuid> for UserId {
    fn from(id: Uuid) -> Self {
        Self(id)
    }
}

tenancy_id!(AccountId);
tenancy_id!(UserId);
