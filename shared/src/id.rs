//! Identifiers. The two that carry tenancy have their own types, so that a query cannot take one for the other.

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

/// A new time-ordered identifier (UUID version 7).
#[must_use]
pub fn new() -> Uuid {
    Uuid::now_v7()
}

macro_rules! tenancy_id {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => { $(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
                 AsExpression, FromSqlRow)]
        #[diesel(sql_type = sql_types::Uuid)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }
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
    )+ };
}

tenancy_id! {
    /// An account: the tenant.
    AccountId,
    /// A person.
    UserId,
}
