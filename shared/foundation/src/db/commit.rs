//! Commits that do not wait for the disk.

use diesel::{
    define_sql_function,
    dsl::Eq,
    expression_methods::ExpressionMethods,
    sql_types::{Bool, Text},
};

define_sql_function! {
    fn set_config(name: Text, value: Text, is_local: Bool) -> Text;
}

/// See [`without_waiting`].
pub type WithoutWaiting = Eq<set_config<&'static str, &'static str, bool>, &'static str>;

/// Condition of a statement that is always true. It makes the commit of its transaction not wait for the
/// disk. This saves the few milliseconds of a flush, and flushes of other transactions.
///
/// A crash of the database server, and nothing else, may undo such a commit of the last second. Use it only
/// for work that is then repeated without a second effect (reference/ingest.md#commits-without-waiting).
#[must_use]
pub fn without_waiting() -> WithoutWaiting {
    set_config("synchronous_commit", "off", true).eq("off")
}
