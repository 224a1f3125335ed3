//! SQL statements that are prepared once per connection.

use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
};

/// Statement that [`Prepare::prepared`] returned.
#[derive(Debug, Clone, Copy)]
#[must_use = "a statement does nothing until it is executed"]
pub struct Prepared<Q>(Q);

/// Statements that can be prepared once per connection.
pub trait Prepare: QueryFragment<Pg> + Sized {
    /// Prepares the statement at its first use on a connection and keeps it there.
    ///
    /// For statements of [`diesel::sql_query`] and [`diesel::update()`]; others are kept anyway. Without it,
    /// each execution costs a second round trip, and the parsing and planning that are most of the cost of a
    /// short statement. Use it only for constant text: any other text would be kept as long as the
    /// connection.
    fn prepared(self) -> Prepared<Self> {
        Prepared(self)
    }
}

impl<Q: QueryFragment<Pg>> Prepare for Q {}

impl<Q: QueryFragment<Pg>> QueryFragment<Pg> for Prepared<Q> {
    fn walk_ast<'b>(&'b self, pass: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.0.walk_ast(pass)
    }

    fn is_safe_to_cache_prepared(&self, _backend: &Pg) -> QueryResult<bool> {
        Ok(true)
    }
}

/// The text of the statement is its key in the cache.
impl<Q> QueryId for Prepared<Q> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Q: Query> Query for Prepared<Q> {
    type SqlType = Q::SqlType;
}
