//! Commits that nobody waits for.

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

/// A condition of a statement that is always met, and has the commit of its transaction not wait for the disk: the
/// answer comes without the few milliseconds of a flush, and others' flushes are fewer.
///
/// A crash of the database server, and nothing else, may take such a commit back when it was made in the last second.
/// So only for what is done or found out again then, without a second effect.
#[must_use]
pub fn without_waiting() -> WithoutWaiting {
    set_config("synchronous_commit", "off", true).eq("off")
}
