//! Tables with rows of accounts, each with its class: in the archive, derived from what is in it, or left out
//! (reference/archives.md#content). A test searches for tables and columns that are missing here.

mod account;
mod extensions;
mod history;
mod left_out;
mod live;
mod overlays;
mod timeseries;

/// Database of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// PostgreSQL.
    Primary,
    /// TimescaleDB.
    TimeSeries,
}

/// Table with rows of accounts.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// Name in SQL, and in the archive.
    pub name: &'static str,
    /// Database of the table.
    pub home: Home,
    /// Treatment of its rows.
    pub class: Class,
}

/// Treatment of the rows of a table.
#[derive(Debug, Clone, Copy)]
pub enum Class {
    /// The rows are in the archive.
    Exported(Rows),
    /// An import makes the rows of others that are in the archive; the text states how.
    Derived(&'static str),
    /// The rows are not in the archive, for the stated reason.
    LeftOut(&'static str),
}

/// Rows of an exported table.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    /// Condition over `t` for the rows of the account `$1`.
    pub condition: &'static str,
    /// Columns of the order, which differ between the rows of an account, each with its type. One in parentheses is an
    /// expression over `t`.
    pub order: &'static [(&'static str, &'static str)],
    /// Names of the columns that are exported as they are, separated by white space.
    pub plain: &'static str,
    /// Every other column.
    pub others: &'static [Column],
    /// True for rows that are credentials: they are in the archive with its secrets only, and sealed.
    pub is_credential: bool,
}

/// Column that is not exported as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// The account. It is the same in every row, so no row has it.
    Account(&'static str),
    /// A person. An import replaces the owner where another one is named.
    Person(&'static str),
    /// A person who gets rights by the row. An import skips rows of people who existed before it, except for the named
    /// owner: an archive neither makes them members nor brings credentials that act as them.
    Holder(&'static str),
    /// A person or something else that acted, which need not exist.
    Actor(&'static str),
    /// Value that another deployment may know by another id.
    Mapped(Mapped),
    /// Sealed secret, which is exported with the secrets only.
    Secret(Secret),
    /// Value that an import sets: state of one deployment.
    Reset(&'static str, &'static str),
}

/// Column whose value is translated. A row whose value has no translation is skipped by an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mapped {
    /// Name of the column.
    pub name: &'static str,
    /// Expression over `t` for the value in the archive.
    pub export: &'static str,
    /// Expression over the row `line.r` of the archive for the value of the column; `$2` is the account.
    pub import: &'static str,
}

/// Column with a sealed secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Secret {
    /// Name of the column.
    pub name: &'static str,
    /// Expression over `t` that names the row in the place of the secret.
    pub row: &'static str,
    /// Value until the secret is written, or for good without one.
    pub without: &'static str,
    /// Assignments that follow from the secret, each after a comma; `$4` is the SHA-256 of its text.
    pub also: &'static str,
}

impl Column {
    /// Name of the column.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Account(name)
            | Self::Person(name)
            | Self::Holder(name)
            | Self::Actor(name)
            | Self::Reset(name, _) => name,
            Self::Mapped(mapped) => mapped.name,
            Self::Secret(secret) => secret.name,
        }
    }

    /// True when rows of the archive have the column.
    #[must_use]
    pub const fn is_in_rows(&self) -> bool {
        !matches!(self, Self::Account(_) | Self::Secret(_) | Self::Reset(..))
    }
}

/// Condition for the rows of most tables.
pub(crate) const OF_ACCOUNT: &str = "t.account_id = $1";
/// Column of most tables.
const ACCOUNT: Column = Column::Account("account_id");

/// Secret of a row with an id, in a column without a value where there is no secret.
const fn secret(name: &'static str) -> Column {
    Column::Secret(SECRET_OF_ROW.named(name))
}

const SECRET_OF_ROW: Secret = Secret { name: "", row: "t.id::text", without: "NULL", also: "" };

impl Secret {
    const fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }
}

impl Table {
    /// Rows in the archive.
    const fn exported(
        name: &'static str,
        order: &'static [(&'static str, &'static str)],
        plain: &'static str,
        others: &'static [Column],
    ) -> Self {
        let rows = Rows { condition: OF_ACCOUNT, order, plain, others, is_credential: false };
        Self { name, home: Home::Primary, class: Class::Exported(rows) }
    }

    const fn left_out(name: &'static str, reason: &'static str) -> Self {
        Self { name, home: Home::Primary, class: Class::LeftOut(reason) }
    }

    const fn derived(name: &'static str, how: &'static str) -> Self {
        Self { name, home: Home::Primary, class: Class::Derived(how) }
    }

    /// Rows over time.
    const fn over_time(self) -> Self {
        Self { home: Home::TimeSeries, ..self }
    }

    /// Rows of another condition.
    const fn rows(self, condition: &'static str) -> Self {
        match self.class {
            Class::Exported(rows) => Self { class: Class::Exported(Rows { condition, ..rows }), ..self },
            Class::Derived(_) | Class::LeftOut(_) => self,
        }
    }

    /// Rows that are credentials.
    const fn credentials(self) -> Self {
        match self.class {
            Class::Exported(rows) => {
                Self { class: Class::Exported(Rows { is_credential: true, ..rows }), ..self }
            }
            Class::Derived(_) | Class::LeftOut(_) => self,
        }
    }

    /// Rows in the archive, if there are any.
    #[must_use]
    pub const fn exported_rows(&self) -> Option<&Rows> {
        match &self.class {
            Class::Exported(rows) => Some(rows),
            Class::Derived(_) | Class::LeftOut(_) => None,
        }
    }

    /// File of its rows in the archive.
    #[must_use]
    pub fn file(&self) -> String {
        format!("tables/{}.ndjson", self.name)
    }
}

impl Rows {
    /// Columns that are exported as they are.
    pub fn plain(&self) -> impl Iterator<Item = &'static str> {
        self.plain.split_whitespace()
    }

    /// Every column.
    pub fn columns(&self) -> impl Iterator<Item = &'static str> {
        self.plain().chain(self.others.iter().map(Column::name))
    }

    /// Names of the columns that rows of the archive have.
    pub fn keys(&self) -> impl Iterator<Item = &'static str> {
        self.plain().chain(self.others.iter().filter(|column| column.is_in_rows()).map(Column::name))
    }

    /// Columns with sealed secrets.
    pub fn secrets(&self) -> impl Iterator<Item = &'static Secret> {
        self.others.iter().filter_map(|column| match column {
            Column::Secret(secret) => Some(secret),
            _ => None,
        })
    }
}

/// Object of the same account in another table.
macro_rules! own {
    ($name:literal, $table:literal) => {
        $crate::tables::Column::Mapped($crate::tables::Mapped {
            name: $name,
            export: concat!("t.", $name),
            import: concat!(
                "(SELECT own.id FROM ",
                $table,
                " AS own WHERE own.id = (line.r ->> '",
                $name,
                "')::uuid AND own.account_id = $2)"
            ),
        })
    };
}

/// An install, also one that is gone, or the account itself: no install of another account, and no other account.
macro_rules! install {
    ($name:literal) => {
        $crate::tables::Column::Mapped($crate::tables::Mapped {
            name: $name,
            export: concat!("t.", $name),
            import: concat!(
                "(SELECT given.id FROM (SELECT (line.r ->> '", $name, "')::uuid AS id) AS given
                  WHERE NOT EXISTS (SELECT FROM extension_installs AS other
                          WHERE other.id = given.id AND other.account_id <> $2)
                      AND NOT EXISTS (SELECT FROM accounts AS other WHERE other.id = given.id AND other.id <> $2))"
            ),
        })
    };
}

pub(super) use {install, own};

/// Every table, in groups. Exported ones are in the order of their foreign keys.
static GROUPS: [&[Table]; 7] = [
    account::TABLES,
    extensions::TABLES,
    overlays::TABLES,
    live::TABLES,
    history::TABLES,
    timeseries::TABLES,
    left_out::TABLES,
];

/// Every table with rows of accounts, exported ones in the order of their foreign keys.
pub fn tables() -> impl Iterator<Item = &'static Table> {
    GROUPS.iter().copied().flatten()
}

/// Exported tables of the main database: those of credentials, or the others.
pub(crate) fn exported(are_credentials: bool) -> impl Iterator<Item = (&'static Table, &'static Rows)> {
    tables()
        .filter(|table| table.home == Home::Primary)
        .filter_map(|table| Some((table, table.exported_rows()?)))
        .filter(move |(_, rows)| rows.is_credential == are_credentials)
}

/// Table of a name.
#[must_use]
pub fn table(name: &str) -> Option<&'static Table> {
    tables().find(|table| table.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn tables_are_each_listed_once_and_have_each_column_once() {
        let mut names = BTreeSet::new();
        for table in tables() {
            assert!(names.insert(table.name), "{} is listed twice", table.name);
            let Some(rows) = table.exported_rows() else { continue };
            let mut columns = BTreeSet::new();
            for column in rows.columns() {
                assert!(columns.insert(column), "{}.{column} is listed twice", table.name);
            }
            for (column, _) in rows.order.iter().filter(|(column, _)| !column.starts_with('(')) {
                assert!(columns.contains(column), "{} is ordered by {column}", table.name);
            }
        }
    }

    #[test]
    fn tables_state_reasons() {
        for table in tables() {
            if let Class::LeftOut(reason) | Class::Derived(reason) = table.class {
                assert!(reason.len() > 10, "{}", table.name);
            }
        }
    }
}
