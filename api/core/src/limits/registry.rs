//! Limits that domains enforce, for the list of a caller's limits (reference/limits.md#present-limits). A domain
//! submits each beside the code that checks it, with the constant that the check reads:
//!
//! ```
//! use api_core::limits::{CountLimit, submit};
//!
//! const MAX_THINGS: i64 = 25;
//!
//! submit! {
//!     CountLimit::of_account("things", MAX_THINGS, "SELECT count(*) FROM things WHERE account_id = $1")
//! }
//! ```

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::id::{AccountId, UserId};
use uuid::Uuid;

use crate::Result;

pub use inventory::submit;

/// Holder of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// A credential. The sessions of a person are one.
    Credential,
    /// An account.
    Account,
    /// A person, in all accounts.
    Person,
    /// The address of a request.
    Address,
}

/// Limit on a number of stored objects, or on a sum of their sizes.
#[derive(Debug, Clone, Copy)]
pub struct CountLimit {
    /// Name in the list.
    pub name: &'static str,
    /// Unit of the limit: `objects` or `bytes`.
    pub unit: &'static str,
    /// Account or person.
    pub holder: Holder,
    /// Highest number.
    pub maximum: Maximum,
    /// Present number, as a statement with one row and column. `$1` is the account, `$2` the person, `$3` the time.
    pub used: &'static str,
}

/// Highest number of a [`CountLimit`].
#[derive(Debug, Clone, Copy)]
pub enum Maximum {
    /// A constant of the code.
    Constant(i64),
    /// A value of a plan: a statement like that of the present number.
    Plan(&'static str),
    /// A stored value, if it is higher than the constant: a statement whose value is null without one.
    AtLeast(i64, &'static str),
}

/// Limit on calls of an operation in a fixed window, as [`crate::http::RateLimiter::count`] counts them.
#[derive(Debug, Clone, Copy)]
pub struct WindowLimit {
    /// Name of the count.
    pub name: &'static str,
    /// Calls in one window.
    pub limit: u32,
    /// Length of the window, in seconds.
    pub seconds: i64,
    /// Holder of the count.
    pub holder: Holder,
}

impl CountLimit {
    /// Limit on the objects of an account.
    #[must_use]
    pub const fn of_account(name: &'static str, maximum: i64, used: &'static str) -> Self {
        let maximum = Maximum::Constant(maximum);
        Self { name, unit: OBJECTS, holder: Holder::Account, maximum, used }
    }

    /// Limit on the objects of an account that its plan states. `maximum` is a statement that reads it.
    #[must_use]
    pub const fn of_plan(name: &'static str, maximum: &'static str, used: &'static str) -> Self {
        Self { name, unit: OBJECTS, holder: Holder::Account, maximum: Maximum::Plan(maximum), used }
    }

    /// Limit on the objects of a person.
    #[must_use]
    pub const fn of_person(name: &'static str, maximum: i64, used: &'static str) -> Self {
        let maximum = Maximum::Constant(maximum);
        Self { name, unit: OBJECTS, holder: Holder::Person, maximum, used }
    }

    /// Counts bytes instead of objects.
    #[must_use]
    pub const fn in_bytes(mut self) -> Self {
        self.unit = "bytes";
        self
    }

    /// Takes a stored value instead of the constant where it is higher.
    #[must_use]
    pub const fn or_stored(mut self, statement: &'static str) -> Self {
        if let Maximum::Constant(least) = self.maximum {
            self.maximum = Maximum::AtLeast(least, statement);
        }
        self
    }
}

const OBJECTS: &str = "objects";

inventory::collect!(CountLimit);
inventory::collect!(WindowLimit);

/// Limits on calls that domains enforce.
pub fn windows() -> impl Iterator<Item = &'static WindowLimit> {
    inventory::iter::<WindowLimit>.into_iter()
}

/// A limit with the present number.
#[derive(Debug, Clone, Copy)]
pub struct Counted {
    /// The limit.
    pub limit: &'static CountLimit,
    /// Highest number.
    pub maximum: i64,
    /// Present number.
    pub used: i64,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = BigInt)]
    used: i64,
    #[diesel(sql_type = Nullable<BigInt>)]
    stored: Option<i64>,
}

/// Limits on numbers with what an account and a person have of each, in one statement. Limits of a holder that is
/// `None` are left out.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn counted(
    connection: &mut AsyncPgConnection,
    account: Option<AccountId>,
    person: Option<UserId>,
    now: DateTime<Utc>,
) -> Result<Vec<Counted>> {
    let rows: Vec<Row> = sql_query(STATEMENT.as_str())
        .bind::<Nullable<SqlUuid>, _>(account.map(AccountId::uuid))
        .bind::<Nullable<SqlUuid>, _>(person.map(Uuid::from))
        .bind::<Timestamptz, _>(now)
        .prepared()
        .load(connection)
        .await?;
    let is_held = |holder: Holder| match holder {
        Holder::Account => account.is_some(),
        Holder::Person => person.is_some(),
        Holder::Address | Holder::Credential => false,
    };
    let found = |row: Row| {
        let limit = inventory::iter::<CountLimit>.into_iter().find(|limit| limit.name == row.name)?;
        let maximum = match limit.maximum {
            Maximum::Constant(maximum) => maximum,
            Maximum::Plan(_) => row.stored.unwrap_or(0),
            Maximum::AtLeast(least, _) => row.stored.map_or(least, |stored| stored.max(least)),
        };
        is_held(limit.holder).then_some(Counted { limit, maximum, used: row.used })
    };
    Ok(rows.into_iter().filter_map(found).collect())
}

/// One row for each limit. The text is made once: all limits are known at the start of the process.
static STATEMENT: LazyLock<String> = LazyLock::new(|| {
    let mut text = String::from("SELECT counts.name, counts.used, counts.stored FROM (VALUES ");
    for (position, limit) in inventory::iter::<CountLimit>.into_iter().enumerate() {
        let separator = if position == 0 { "" } else { ", " };
        let stored = match limit.maximum {
            Maximum::Constant(_) => "NULL",
            Maximum::Plan(statement) | Maximum::AtLeast(_, statement) => statement,
        };
        text.push_str(&format!(
            "{separator}('{}', ({})::bigint, ({stored})::bigint)",
            limit.name, limit.used
        ));
    }
    text.push_str(") AS counts (name, used, stored) ORDER BY 1");
    text
});
